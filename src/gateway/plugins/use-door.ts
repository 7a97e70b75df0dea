import type { Plugin } from 'graphql-yoga'
import { type Door, type Entry, Refusal } from '../door.js'
import { notEntered } from '../refusals.js'

/** Where the rest of a request finds who has come in. */
export interface Entered {
  entry?: Entry
}

/**
 * Lets in whom the door lets in, and ends all other requests before their body is read. No request waits here unless its token is to be
 * checked.
 */
export const useDoor = (door: Door): Plugin<{}, Entered> => ({
  onRequest({ request, serverContext, endResponse, fetchAPI }) {
    const settle = (answer: Entry | Refusal): void => {
      if (answer instanceof Refusal) {
        const { body, ...init } = notEntered(answer)
        endResponse(new fetchAPI.Response(body, init))
      } else serverContext.entry = answer
    }
    const answer = door(request.headers)
    return answer instanceof Promise ? answer.then(settle) : settle(answer)
  },
})
