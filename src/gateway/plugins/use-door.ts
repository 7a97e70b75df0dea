import type { Plugin } from 'graphql-yoga'
import { type Door, type Entry, Refusal } from '../door.js'

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
      if (answer instanceof Refusal) endResponse(responseTo(answer, fetchAPI.Response))
      else serverContext.entry = answer
    }
    const answer = door(request.headers)
    return answer instanceof Promise ? answer.then(settle) : settle(answer)
  },
})

const responseTo = ({ status, error, challenge }: Refusal, Response: typeof globalThis.Response): Response =>
  new Response(JSON.stringify({ errors: [error] }), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
    },
  })
