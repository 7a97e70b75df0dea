import { jsonIn } from '../../maps.js'
import {
  BusyError,
  CancelledError,
  errorFor,
  InvalidResponseError,
  LmsError,
  RedirectedError,
  TimeoutError,
  UnavailableError,
  UpstreamError,
} from '../errors.js'
import { cancelled } from './deadline.js'
import { type Answered, EGRESS_HEADER, type Failed, unpack } from './exchange.js'

const BOM = '\uFEFF'

/** Parses the JSON of a body; undefined if invalid. Skips a byte order mark, and lines of text (PHP warnings) before the JSON, then calls `onSkip`. */
export function parseBody(body: Buffer, onSkip: () => void = () => {}): unknown {
  const text = body.toString('utf8')
  const value = jsonIn(text)
  if (value !== undefined) return value
  const bare = text.startsWith(BOM) ? text.slice(1) : text
  const start = bare.search(/^[ \t]*[[{]/m)
  const found = start < 0 ? undefined : jsonIn(bare.slice(start))
  if (found !== undefined) onSkip()
  return found
}

export type Method = 'GET' | 'POST' | 'DELETE'

/** A request to the site. `route` is the template of its path, for messages; `body` is JSON. */
export interface Request {
  readonly method: Method
  readonly route: string
  readonly path: string
  readonly body?: string | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Answered['headers']
  /** Length of the JSON. */
  readonly bytes: number
  /** The parsed JSON. Callers share it and must not change it. */
  readonly body: unknown
}

/** Parses an answer, or returns the error. The answer to a write may be empty. */
export function read(request: Request, answered: Answered, maxBytes: number, onSkip: () => void): Answer | LmsError {
  const { method, route } = request
  const { status, headers, body } = answered
  const encoding = headers['content-encoding']
  const plain = encoding === undefined ? body : unpack(body, String(encoding), maxBytes)
  if (plain === 'too large') return tooLarge(request, status, maxBytes)
  const json = plain === undefined ? undefined : plain.length === 0 && method !== 'GET' ? null : parseBody(plain, onSkip)
  if (status >= 300 || status < 200) return refusal(route, answered, json)
  return json === undefined
    ? new InvalidResponseError(`The answer to ${route} is not JSON.`, { status, code: null })
    : { status, headers, bytes: plain?.length ?? 0, body: json }
}

function refusal(route: string, { status, headers }: Answered, json: unknown): LmsError {
  const retryAfter = secondsIn(headers['retry-after'])
  if (status === 503 && headers[EGRESS_HEADER] !== undefined) {
    return new BusyError('Too many REST calls of all gateways are queued for the site.', retryAfter ?? 1, 'egress')
  }
  const error = errorFor(route, status, json)
  if (error instanceof UpstreamError) error.retryAfter = retryAfter
  return error
}

/** Seconds in a `Retry-After` header, which may be a date. */
function secondsIn(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER)
}

const MAX_RETRY_AFTER = 86_400

const tooLarge = ({ route }: Request, status: number, maxBytes: number): LmsError =>
  new InvalidResponseError(`The answer to ${route} is larger than ${maxBytes} bytes.`, { status, code: null })

/** The error for a call without an answer. */
export function errorOf(request: Request, { error, status, isTooLarge }: Failed, maxBytes: number): LmsError {
  const { route } = request
  if (isTooLarge) return tooLarge(request, status, maxBytes)
  if (error instanceof LmsError) return error
  const { code } = error as { code?: string }
  if (code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED') return cancelled()
  if (code?.startsWith('UND_ERR_') && code.endsWith('_TIMEOUT')) return new TimeoutError(`The site did not answer ${route} in time.`)
  if (error.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW')
    return new InvalidResponseError(`The answer to ${route} is not HTTP.`, status === 0 ? undefined : { status, code: null })
  return new UnavailableError(`The site could not be reached for ${route}.`)
}

/** Statuses of transient failures. */
const TRANSIENT: readonly number[] = [429, 502, 503, 504]
/** Error codes of connections that were refused or broken, by the site or by a proxy. */
const BROKEN: readonly unknown[] = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'PROXY_502', 'PROXY_503', 'PROXY_504']

/** Whether a failure is transient, so that a retry can succeed. */
export const isTransient = (outcome: Answered | Failed): boolean =>
  'error' in outcome ? BROKEN.includes((outcome.error as { code?: string }).code) : TRANSIENT.includes(outcome.status)

/** Whether a write may have been made although it failed. */
export const wasPerhapsMade = (error: unknown): boolean => !(error instanceof LmsError) || error instanceof CancelledError || isOpen(error)

const UNKNOWN_END = ' The change may have been made: check before you try again.'

/** Adds to the message of a failed write that the change may have been made, unless the site has refused it. */
export function inDoubt({ method }: Pick<Request, 'method'>, error: LmsError): LmsError {
  if (method !== 'GET' && isOpen(error)) error.message += UNKNOWN_END
  return error
}

/** Whether an error leaves open what the site has done. */
function isOpen(error: LmsError): boolean {
  const isInvalid = error instanceof InvalidResponseError && !(error instanceof RedirectedError)
  return error instanceof UnavailableError || error instanceof TimeoutError || isInvalid
}
