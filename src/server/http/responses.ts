import type { OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { FetchAPI } from 'graphql-yoga'
import { ServerBusyError } from '../../upstream/errors.js'
import type { Rejection } from '../auth/authenticator.js'
import type { RateRefusal } from '../limits/shares.js'
import type { RequestState } from '../request-state.js'
import { compress, compressedHeaders, encodingFor } from './compression.js'
import { type Cors, NO_HEADERS } from './cors.js'
import { REQUEST_ID } from './protocol.js'

/** Headers of every answer: browsers must not render, frame or sniff it, and send no referrer. */
export const SECURITY_HEADERS = Object.freeze({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
})

/** Headers of answers to the pages of an origin. */
export interface AnswerHeaders {
  /** Of every answer, besides its own. */
  headersFor(origin: string | null | undefined): Readonly<Record<string, string>>
  /** Of the answer to a preflight; `wanted` are the headers of the request that will follow. */
  preflight(origin: string | null, wanted: string | null): Readonly<Record<string, string>>
}

/** The security headers, with those of CORS. */
export const answerHeaders = (cors: Cors): AnswerHeaders => ({
  headersFor(origin) {
    const allowed = cors.headersFor(origin)
    return allowed === NO_HEADERS ? SECURITY_HEADERS : { ...SECURITY_HEADERS, ...allowed }
  },
  preflight: (origin, wanted) => cors.preflight(origin, wanted),
})

/** An answer to a request that ends before GraphQL sees it. */
export interface PlainAnswer {
  /** The code of its error. */
  readonly code: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The answer with an error. */
export const refused = (status: number, error: Refused, headers: Readonly<Record<string, string>> = {}): PlainAnswer => ({
  code: error.extensions.code,
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ errors: [error] }),
})

interface Refused {
  readonly message: string
  readonly extensions: { readonly code: string }
}

/** Adds headers to an answer. */
export const withHeaders = (answer: PlainAnswer, headers: Readonly<Record<string, string>>): PlainAnswer => ({
  ...answer,
  headers: { ...answer.headers, ...headers },
})

/** The answer to a request that is not GraphQL over HTTP. */
export const badRequest = (status: number, message: string): PlainAnswer =>
  refused(status, { message, extensions: { code: 'BAD_REQUEST' } })

/** The answer to a request that did not arrive in time. */
export const timedOut = refused(408, { message: 'The request did not arrive in time.', extensions: { code: 'REQUEST_TIMEOUT' } })

/** The answer after a fault of the gateway. Its text goes to the log only. */
export const FAULTY = refused(500, { message: 'Something went wrong in the gateway.', extensions: { code: 'INTERNAL_SERVER_ERROR' } })

const laterHeaders = (seconds: number) => ({ 'retry-after': String(seconds), 'cache-control': 'no-store' })

/** The answer to an operation that does not start because memory is short. */
export const SERVER_BUSY = ((): PlainAnswer => {
  const { message, code, retryAfter, extensions } = new ServerBusyError()
  return refused(503, { message, extensions: { ...extensions, code } }, laterHeaders(retryAfter))
})()

/** The answer to an operation whose client has used up its share. */
export const rateLimited = (refusal: RateRefusal): PlainAnswer => refused(429, refusal, laterHeaders(refusal.extensions.retryAfter))

/** The answer to a request that is not authenticated. */
export const rejected = ({ status, error, challenge }: Rejection): PlainAnswer =>
  refused(status, error, { 'cache-control': 'no-store', ...(challenge === undefined ? {} : { 'www-authenticate': challenge }) })

/** The answer to a body over the limit. */
export const bodyTooLarge = (bytes: number): PlainAnswer =>
  refused(413, { message: `The request body is larger than ${bytes} bytes.`, extensions: { code: 'BODY_TOO_LARGE' } })

/** The answer to a body with large chunk extensions. */
export const chunksTooLarge = refused(413, { message: 'The extensions of a chunk are too large.', extensions: { code: 'BODY_TOO_LARGE' } })

/** Ends a request of Yoga with such an answer. */
export function endWith(
  { code, body, ...init }: PlainAnswer,
  {
    serverContext,
    endResponse,
    fetchAPI,
  }: {
    readonly serverContext: { readonly state?: RequestState }
    readonly endResponse: (response: Response) => void
    readonly fetchAPI: Pick<FetchAPI, 'Response'>
  },
): void {
  serverContext.state?.refused(code)
  // A copy of the headers: the response writes further ones into the object it is given, such as those of CORS for one origin.
  endResponse(new fetchAPI.Response(body, { ...init, headers: { ...init.headers } }))
}

/** Bytes that are written at once; longer bodies are written in pieces, as the client reads. */
export const PIECE = 65_536

/** An answer with its whole body. */
type WholeAnswer = Pick<PlainAnswer, 'status' | 'headers'> & { readonly body: string | Buffer }

/** Sends an answer with further headers and the id of its request, compressed when it is long and its client accepts that. */
export function send(
  response: ServerResponse,
  answer: WholeAnswer,
  more: Readonly<Record<string, string>> = SECURITY_HEADERS,
): void | Promise<void> {
  const { status, headers, body } = answer
  const encoding = encodingFor(response.req, body.length)
  if (encoding === undefined) return write(response, answer, more)
  const all = compressedHeaders({ ...headers, ...more }, encoding)
  return compress(body, encoding).then((compressed) => write(response, { status, headers: all, body: compressed }, {}))
}

/** Writes an answer. All headers are written at once: setting them one by one costs more. */
function write(response: ServerResponse, { status, headers, body }: WholeAnswer, more: Readonly<Record<string, string>>): void {
  const bytes = Buffer.byteLength(body)
  const list: OutgoingHttpHeader[] = [REQUEST_ID, response.req.headers[REQUEST_ID] as string, 'content-length', bytes]
  for (const name in headers) if (!(name in more)) list.push(name, headers[name] as string)
  for (const name in more) list.push(name, more[name] as string)
  response.writeHead(status, list)
  // A text of one byte per character is ASCII, which Node.js copies as it is.
  if (body.length <= PIECE) response.end(body, bytes === body.length ? 'latin1' : 'utf8')
  else writePieces(response, typeof body === 'string' ? Buffer.from(body) : body, 0)
}

/** The pieces of a long body. */
export function* chunksOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += PIECE) yield body.subarray(at, at + PIECE)
}

/** Bytes of long bodies that are not written yet. */
const unwritten = new WeakMap<ServerResponse, number>()

/** Bytes of a response that wait until its client has taken those before. */
export const bytesLeft = (response: ServerResponse): number => unwritten.get(response) ?? 0

function writePieces(response: ServerResponse, body: Buffer, from: number): void {
  for (let at = from; at < body.length; at += PIECE) {
    if (response.write(body.subarray(at, at + PIECE))) continue
    unwritten.set(response, Math.max(0, body.length - at - PIECE))
    return void response.once('drain', () => writePieces(response, body, at + PIECE))
  }
  unwritten.delete(response)
  response.end()
}
