import type { Plugin } from 'graphql-yoga'
import { type Authenticator, type Principal, Rejection } from '../../auth/authenticator.js'
import type { Trace } from '../../log/trace.js'
import { endWith, rejected } from '../responses.js'

/** Where the rest of a request finds who has come in, and what is known of it. */
export interface RequestContext {
  entry?: Principal
  trace?: Trace
}

/**
 * Rejects requests that are not authenticated, before their body is read. No request waits here unless its token is to be
 * checked.
 */
export const useAuthentication = (authenticate: Authenticator): Plugin<{}, RequestContext> => ({
  onRequest({ request, serverContext, endResponse, fetchAPI }) {
    const settle = (answer: Principal | Rejection): void => {
      if (answer instanceof Rejection) endWith(rejected(answer), { serverContext, endResponse, fetchAPI })
      else serverContext.entry = answer
    }
    const answer = authenticate(request.headers)
    return answer instanceof Promise ? answer.then(settle) : settle(answer)
  },
})
