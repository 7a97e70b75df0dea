import type { Plugin } from 'graphql-yoga'
import { type Authenticator, type Principal, Rejection } from '../../auth/authenticator.js'
import type { Trace } from '../../log/trace.js'
import { endWith, rejected } from '../responses.js'

/** The principal and the trace of a request, for the plugins that follow. */
export interface RequestContext {
  principal?: Principal
  trace?: Trace
}

/**
 * Rejects requests that are not authenticated, before their body is read. Asynchronous only for tokens, whose signature is checked.
 */
export const useAuthentication = (authenticate: Authenticator): Plugin<{}, RequestContext> => ({
  onRequest({ request, serverContext, endResponse, fetchAPI }) {
    const settle = (answer: Principal | Rejection): void => {
      if (answer instanceof Rejection) endWith(rejected(answer), { serverContext, endResponse, fetchAPI })
      else serverContext.principal = answer
    }
    const answer = authenticate(request.headers)
    return answer instanceof Promise ? answer.then(settle) : settle(answer)
  },
})
