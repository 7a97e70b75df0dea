import type { ExecutionResult } from 'graphql'
import { type FetchAPI, isAsyncIterable, type Plugin } from 'graphql-yoga'
import { jsonLength } from '../../../engine/respond/index.js'
import type { PartOfResult } from '../../errors.js'
import type { MemoryGuard } from '../../limits/memory-guard.js'
import { withETag } from '../etag.js'
import { answerType, STREAMS } from '../media-types.js'
import { pathBelow } from '../protocol.js'
import { type Rendered, render } from '../render.js'
import { chunksOf, endWith, SERVER_BUSY } from '../responses.js'
import type { RequestContext } from './use-authentication.js'

/** Accounts for the memory of operations that Yoga answers, and refuses new ones while memory is short. */
export const useMemory = (guard: MemoryGuard): Plugin<{}, RequestContext & { readonly res?: unknown }> => ({
  onRequest({ url, serverContext, endResponse, fetchAPI }) {
    const { trace } = serverContext
    if (!trace || pathBelow(trace.endpoint, url.pathname) !== '' || guard.admits(trace)) return
    endWith(SERVER_BUSY, { serverContext, endResponse, fetchAPI })
  },
  onResultProcess({ request, result, setResult, setResultProcessor, serverContext: { trace, res } }) {
    const type = answerType(request.headers.get('accept'))
    if (!trace || type === undefined || Array.isArray(result)) return
    if (isAsyncIterable(result)) {
      const parts = guard.parts(trace, result as AsyncIterable<PartOfResult>)
      // The cast: the type of Yoga has no parts of `@defer`.
      return setResult((res ? parts : finallyReleased(parts, () => trace.memory?.release())) as never)
    }
    if (STREAMS.includes(type)) {
      const refusal = guard.refusal(trace, jsonLength((result as ExecutionResult).data))
      if (refusal) setResult(refusal)
      return
    }
    setResultProcessor((whole, fetchAPI) => {
      const { result, status, headers, body } = answerTo(request, render(guard, trace, whole as ExecutionResult, type))
      if (result !== whole) trace.answered(result)
      if (typeof body === 'string') return new fetchAPI.Response(status === 304 ? null : body, { status, headers })
      const length = { 'content-length': String(body.length) }
      return new fetchAPI.Response(res ? streamOf(body, fetchAPI) : (body as Uint8Array<ArrayBuffer>), {
        status,
        headers: { ...headers, ...length },
      })
    }, type)
  },
  onResponse({ response, serverContext: { trace, res } }) {
    // With a socket, the memory is released when the response has been sent. Parts release it when they end.
    if (trace && !res && !STREAMS.some((type) => response.headers.get('content-type')?.startsWith(type))) trace.memory?.release()
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

async function* finallyReleased<T>(parts: AsyncIterable<T>, release: () => void): AsyncIterableIterator<T> {
  try {
    yield* parts
  } finally {
    release()
  }
}
