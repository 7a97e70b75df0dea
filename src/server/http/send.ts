import type { ServerResponse } from 'node:http'
import { SECURITY_HEADERS } from './answer-headers.js'
import type { PlainAnswer } from './refusals.js'
import { REQUEST_ID } from './request-id.js'

/** Bytes that are written at once; what is longer is written piece by piece, as the client reads. */
export const PIECE = 65_536

/** Sends an answer whole, with headers besides its own, and the id of its request: headers that are set one by one cost more. */
export function send(
  response: ServerResponse,
  { status, headers, body }: Pick<PlainAnswer, 'status' | 'headers'> & { readonly body: string | Buffer },
  more: Readonly<Record<string, string>> = SECURITY_HEADERS,
): void {
  const id = response.req.headers[REQUEST_ID]
  response.writeHead(status, { [REQUEST_ID]: id, ...headers, ...more, 'content-length': Buffer.byteLength(body) })
  if (body.length <= PIECE) response.end(body)
  else writePieces(response, typeof body === 'string' ? Buffer.from(body) : body, 0)
}

/** The pieces of a long body. */
export function* chunksOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += PIECE) yield body.subarray(at, at + PIECE)
}

function writePieces(response: ServerResponse, body: Buffer, from: number): void {
  for (let at = from; at < body.length; at += PIECE)
    if (!response.write(body.subarray(at, at + PIECE))) return void response.once('drain', () => writePieces(response, body, at + PIECE))
  response.end()
}
