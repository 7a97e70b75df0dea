import type { Plugin } from 'graphql-yoga'
import { bodyTooLarge, endWith } from '../responses.js'
import type { RequestContext } from './use-authentication.js'

export interface BodyLimitOptions {
  /** Largest request body, in bytes. */
  readonly bytes: number
}

/**
 * Refuses larger bodies with 413. Node reads no more of a body than its `Content-Length`, so that header is enough; bodies without it are
 * counted while they are read.
 */
export const useBodyLimit = ({ bytes }: BodyLimitOptions): Plugin<{}, RequestContext> => ({
  async onRequest({ request, serverContext, fetchAPI, setRequest, endResponse }) {
    if (request.method !== 'POST') return
    const length = request.headers.get('content-length')
    if (length !== null ? !isLonger(length, bytes) : request.body === null) return
    const body = length === null ? await readBounded(request.body as ReadableStream<Uint8Array>, bytes).catch(() => CUT_OFF) : undefined
    if (body === undefined) return endWith(bodyTooLarge(bytes), { serverContext, endResponse, fetchAPI })
    // The client has left.
    if (body === CUT_OFF) return endResponse(new fetchAPI.Response(null, { status: 400 }))
    const { url, method, headers, signal } = request
    setRequest(new fetchAPI.Request(url, { method, headers, signal, body }))
  },
})

/** The body of a client that left before its end. */
const CUT_OFF = 'cut off'

/** Whether a `Content-Length` is over a limit. */
export const isLonger = (length: string, bytes: number): boolean => Number(length) > bytes

/** The body. Undefined when it is over the limit. Rejects when the client leaves before its end. */
export async function readBounded(stream: ReadableStream<Uint8Array>, bytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  // The rest is not read, but not cancelled either: that would close the connection before the answer is sent.
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) return new Uint8Array(Buffer.concat(chunks))
    size += value.byteLength
    if (size > bytes) return undefined
    chunks.push(value)
  }
}
