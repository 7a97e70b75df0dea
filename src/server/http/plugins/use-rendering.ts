import type { ExecutionResult } from 'graphql'
import { type FetchAPI, isAsyncIterable, type Plugin } from 'graphql-yoga'
import { withETag } from '../etag.js'
import { answerType, STREAMS } from '../media-types.js'
import { type Rendered, render } from '../render.js'
import { chunksOf } from '../responses.js'
import type { RequestContext } from './use-authentication.js'

/** Renders results as JSON posts do, with an `ETag` where caches may keep them. */
export const useRendering = (): Plugin<{}, RequestContext & { readonly res?: unknown }> => ({
  onResultProcess({ request, result, setResultProcessor, serverContext: { state, res } }) {
    const type = answerType(request.headers.get('accept'))
    if (!state || type === undefined || Array.isArray(result) || isAsyncIterable(result) || STREAMS.includes(type)) return
    setResultProcessor((whole, fetchAPI) => {
      const { status, headers, body } = answerTo(request, render(state, whole as ExecutionResult, type))
      if (typeof body === 'string') return new fetchAPI.Response(status === 304 ? null : body, { status, headers })
      const length = { 'content-length': String(body.length) }
      return new fetchAPI.Response(res ? streamOf(body, fetchAPI) : (body as Uint8Array<ArrayBuffer>), {
        status,
        headers: { ...headers, ...length },
      })
    }, type)
  },
  onResponse({ serverContext: { state, res } }) {
    // With a socket, the listener closes the state of the request when the response has been sent. Hosts do not say when they have sent it.
    if (!res) state?.close()
  },
})

/** Answers to `GET` can have an `ETag`. */
const answerTo = ({ method, headers }: Request, rendered: Rendered): Rendered =>
  method === 'GET' ? withETag(rendered, headers.get('if-none-match')) : rendered

/** A body that is written in pieces, as the client reads. */
function streamOf(body: Buffer, { ReadableStream }: FetchAPI): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = chunksOf(body)
  return new ReadableStream({
    pull(controller) {
      const { value, done } = pieces.next()
      if (done) controller.close()
      else controller.enqueue(value as Uint8Array<ArrayBuffer>)
    },
  })
}
