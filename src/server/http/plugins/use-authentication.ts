import type { Plugin } from 'graphql-yoga'
import { type Authenticator, type Principal, Refusal } from '../../auth/authenticator.js'
import type { Trace } from '../../log/trace.js'
import { endWith, notEntered } from '../refusals.js'

/** Where the rest of a request finds who has come in, and what is known of it. */
export interface Entered {
  entry?: Principal
  trace?: Trace
}

/**
 * Lets in whom the door lets in, and ends all other requests before their body is read. No request waits here unless its token is to be
 * checked.
 */
export const useDoor = (door: Authenticator): Plugin<{}, Entered> => ({
  onRequest({ request, serverContext, endResponse, fetchAPI }) {
    const settle = (answer: Principal | Refusal): void => {
      if (answer instanceof Refusal) endWith(notEntered(answer), { serverContext, endResponse, fetchAPI })
      else serverContext.entry = answer
    }
    const answer = door(request.headers)
    return answer instanceof Promise ? answer.then(settle) : settle(answer)
  },
})
