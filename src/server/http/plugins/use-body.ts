import type { IncomingMessage } from 'node:http'
import type { Plugin } from 'graphql-yoga'
import { isJsonType } from '../media-types.js'
import { pathBelow } from '../protocol.js'
import { endWith } from '../responses.js'
import { isAnswer, type Steps } from '../steps.js'
import type { RequestContext } from './use-authentication.js'

/** The request of Node.js behind a request, when it came by a socket. */
interface SocketContext {
  readonly req?: IncomingMessage
}

/** Refuses new operations while memory is short, and receives the bodies of the others. */
export const useBody = (steps: Steps): Plugin<{}, RequestContext & SocketContext> => ({
  async onRequest({ request, url, serverContext, fetchAPI, setRequest, endResponse }) {
    const { state } = serverContext
    if (!state || pathBelow(state.endpoint, url.pathname) !== '') return
    const refusal = steps.refusal(state)
    if (refusal) return endWith(refusal, { serverContext, endResponse, fetchAPI })
    const { method, headers, signal } = request
    // Other bodies are refused later, and not read.
    if (method !== 'POST' || !isJsonType(headers.get('content-type')) || request.body === null) return
    const { req } = serverContext
    // The stream of the socket, unless the body was read before.
    const body = await steps.receive(state, req && !req.readableDidRead ? req : request.body, headers.get('content-length'))
    if (isAnswer(body)) return endWith(body, { serverContext, endResponse, fetchAPI })
    setRequest(new fetchAPI.Request(request.url, { method, headers, signal, body: body as Buffer<ArrayBuffer> }))
  },
})
