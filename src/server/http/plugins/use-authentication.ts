import type { Plugin } from 'graphql-yoga'
import type { Principal } from '../../auth/authenticator.js'
import type { RequestState } from '../../request-state.js'
import { endWith, type PlainAnswer } from '../responses.js'
import { isAnswer, type Steps } from '../steps.js'

/** The principal and the state of a request, for the plugins that follow. */
export interface RequestContext {
  principal?: Principal
  state?: RequestState
}

/** Rejects requests that are not authenticated, before their body is read. */
export const useAuthentication = (steps: Steps): Plugin<{}, RequestContext> => ({
  onRequest({ request, serverContext, endResponse, fetchAPI }) {
    const settle = (answer: Principal | PlainAnswer): void => {
      if (isAnswer(answer)) endWith(answer, { serverContext, endResponse, fetchAPI })
      else serverContext.principal = answer
    }
    const answer = steps.authenticate(serverContext.state as RequestState, request.headers)
    return answer instanceof Promise ? answer.then(settle) : settle(answer)
  },
})
