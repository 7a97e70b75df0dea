import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TraceContext } from '../../upstream/spans.js'

/** Default path of GraphQL, and of GraphiQL for browsers. */
export const ENDPOINT = '/graphql'

/**
 * What a path asks for: an empty text for the endpoint itself, else the rest of the path, such as `/health/live`. Undefined for paths that are
 * not below the endpoint. The default endpoint has its other paths beside it, too.
 */
export function pathBelow(endpoint: string, path: string): string | undefined {
  const prefix = endpoint === '/' ? '' : endpoint
  if (path === endpoint || path === `${prefix}/`) return ''
  if (path.startsWith(`${prefix}/`)) return path.slice(prefix.length)
  return endpoint === ENDPOINT ? path : undefined
}

/** Whether a path is this page for operators. With the default endpoint it is beside that only: proxies may pass everything below `/graphql`. */
export const isForOperators = (page: string, endpoint: string, path: string): boolean =>
  (endpoint === ENDPOINT ? path : pathBelow(endpoint, path)) === page

/** A request that a framework such as Express has handled before: its path below the place where the gateway is mounted is in `url`. */
interface MountedRequest extends IncomingMessage {
  /** The whole path and query. */
  readonly originalUrl?: unknown
  /** The path at which the gateway is mounted. */
  readonly baseUrl?: unknown
}

/** The path and query that the client has sent. */
export const addressOf = (request: IncomingMessage): string => {
  const { originalUrl } = request as MountedRequest
  return typeof originalUrl === 'string' ? originalUrl : (request.url ?? '')
}

/** The endpoint for a request: the configured path, else the one at which a framework has mounted the gateway. */
export function endpointOf(request: IncomingMessage, path: string | undefined): string {
  if (path !== undefined) return path
  const { baseUrl } = request as MountedRequest
  return typeof baseUrl === 'string' && baseUrl !== '' ? baseUrl : ENDPOINT
}

/** Header that asks to have an operation explained, for clients that cannot send `extensions`; those take precedence. */
export const EXPLAIN_HEADER = 'x-lms-explain'

/** Header with the id of a request: from a trusted proxy, in the answer, and in the calls to the site. */
export const REQUEST_ID = 'x-request-id'

const ACCEPTED_ID = /^[\w.:/+=@-]{1,128}$/

/** The id that a request was given, when it is safe in headers and logs; else a new one. */
export const requestIdOf = (given: string | string[] | null | undefined): string =>
  typeof given === 'string' && ACCEPTED_ID.test(given) ? given : randomUUID()

const TRACE_PARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(-[\x21-\x7e]{1,200})?$/
const TRACE_STATE = /^[\x20-\x7e]{1,512}$/

/** The W3C trace context in the headers of a request. Undefined when there is none, or it is not valid. */
export function traceContextOf(traceparent: unknown, tracestate: unknown): TraceContext | undefined {
  if (typeof traceparent !== 'string' || !TRACE_PARENT.test(traceparent)) return undefined
  return typeof tracestate === 'string' && TRACE_STATE.test(tracestate) ? { traceparent, tracestate } : { traceparent }
}

/** Gives a request its id, in its headers too: the given one if a trusted proxy has sent it, else a new one. */
export function identify({ headers }: IncomingMessage, isTrusted: boolean): string {
  const id = requestIdOf(isTrusted ? headers[REQUEST_ID] : undefined)
  headers[REQUEST_ID] = id
  return id
}
