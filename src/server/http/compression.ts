import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { type Encoding, preferredEncoding } from './media-types.js'

/** Length of the shortest answer that is compressed: shorter ones fit into a packet. */
const SHORTEST = 1_024
/** Native memory of a compressor, in bytes. */
const COMPRESSOR = 262_144
/** Bytes that compressors and their input may take. Answers above it are sent without compression. */
const MOST_HELD = 67_108_864

/** Measured for JSON: Brotli is as fast as gzip with it, and 10 % smaller. The window bounds its memory. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } }
const GZIP = { level: 4 }

const compressedByBrotli = promisify(brotliCompress)
const compressedByGzip = promisify(gzip)

/** Bytes of the compressors of this process and of their input, also for clients that have left. */
let held = 0

/** The encoding for an answer of some length, or in parts, to a request. Undefined for one that is sent as it is. */
export function encodingFor({ headers }: IncomingMessage, length = SHORTEST): Encoding | undefined {
  const accept = headers['accept-encoding']
  if (length < SHORTEST || accept === undefined || held + COMPRESSOR + length > MOST_HELD) return undefined
  return headers['cache-control']?.toLowerCase().includes('no-transform') ? undefined : preferredEncoding(accept as string)
}

/** The headers of an answer that is compressed. */
export function compressedHeaders(headers: Readonly<Record<string, string>>, encoding: Encoding): Record<string, string> {
  const { 'content-length': _, vary = 'accept-encoding', ...others } = headers
  return { ...others, 'content-encoding': encoding, vary: vary.includes('accept-encoding') ? vary : `${vary}, accept-encoding` }
}

/** Compresses a whole answer, outside of the event loop. */
export async function compress(body: string | Uint8Array, encoding: Encoding): Promise<Buffer> {
  const bytes = COMPRESSOR + body.length
  held += bytes
  try {
    return await (encoding === 'br' ? compressedByBrotli(body, BROTLI) : compressedByGzip(body, GZIP))
  } finally {
    held -= bytes
  }
}

/** The part of a response that was written last to its compressor. */
const parts = new WeakMap<ServerResponse, Promise<unknown>>()

/** Resolves when the parts of a response that were written so far have left the compressor, if it has one. */
export const partCompressed = (response: ServerResponse): Promise<unknown> | undefined => parts.get(response)

/** Sends an answer in parts. Each one is compressed and written at once. */
export async function sendParts({ status, headers, body }: Response, response: ServerResponse, encoding: Encoding): Promise<void> {
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = constants
  const isBrotli = encoding === 'br'
  const compressor = isBrotli
    ? createBrotliCompress({ ...BROTLI, flush: BROTLI_OPERATION_FLUSH })
    : createGzip({ ...GZIP, flush: Z_SYNC_FLUSH })
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  held += COMPRESSOR
  response.once('close', () => {
    held -= COMPRESSOR
    compressor.destroy()
    reader.cancel().catch(() => {})
  })
  response.writeHead(status, compressedHeaders(Object.fromEntries(headers), encoding))
  compressor.pipe(response)
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    const compressed = new Promise((resolve) => compressor.write(value, resolve))
    parts.set(response, compressed)
    await compressed
  }
  compressor.end()
}
