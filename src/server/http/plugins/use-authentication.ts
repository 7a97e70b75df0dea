import type { Plugin } from 'graphql-yoga'
import type { RequestState } from '../../request-state.js'
import { endWith, type PlainAnswer } from '../responses.js'
import type { Steps } from '../steps.js'

/** The state of a request, for the plugins that follow. */
export interface RequestContext {
  state?: RequestState
}

/** Rejects requests that are not authenticated, before their body is read. */
export const useAuthentication = (steps: Steps): Plugin<{}, RequestContext> => ({
  onRequest({ request, serverContext, endResponse, fetchAPI }) {
    const settle = (answer: PlainAnswer | undefined): void => {
      if (answer) endWith(answer, { serverContext, endResponse, fetchAPI })
    }
    const answer = steps.authenticate(serverContext.state as RequestState, request.headers)
    return answer instanceof Promise ? answer.then(settle) : settle(answer)
  },
})
