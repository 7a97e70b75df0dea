import type { Role } from '../options/access.js'
import { packageVersion } from '../package-version.js'
import type { Dependencies } from './cache/dependencies.js'
import type { Credentials } from './credentials.js'
import type { Span, WireCall } from './spans.js'
import type { Deadline } from './transport/deadline.js'
import type { RequestMemory } from './transport/memory.js'

/** Observes one call of an operation. */
export interface CallObserver {
  /** The operation shares a call that another one started. */
  joined(): void
  /** The cache answers instead of the site, with an answer of this age in seconds. */
  cached(age: number): void
  /**
   * An attempt has ended. `answeredAt` is when the headers of its answer were received, in milliseconds since the process started; undefined
   * if that was before the call was observed, or never.
   */
  ended(attempt: WireCall, answeredAt: number | undefined): void
  /** The call has failed, or its operation no longer waits for it. It may not have been sent. */
  failed(): void
}

/** Counts the calls of an operation against its budget. */
export interface CallCount {
  /** Runs before each call and returns an observer of it. Throws an `LmsError` when the budget is spent. */
  take(
    method: string,
    route: string,
    params: Readonly<Record<string, string | number>>,
    query: Readonly<Record<string, unknown>>,
  ): CallObserver | undefined
}

/** Counts the REST calls that were sent for an operation. */
export interface CallCounter {
  /** A call is sent. */
  sent(): void
  /** The site has rejected the credentials of a call (401). */
  rejected?(): void
  /** Whether the client has used half of its share, so that checking its credentials is worth a call. */
  readonly isShort?: boolean
  /** The operation begins to wait for a call. */
  waits?(): void
  /** It no longer waits for it. `at` is when the site had answered, in milliseconds since the process started. */
  resumes?(at: number): void
}

/** The answers of the cache that one operation received in place of those of the failing site. */
export class StaleNotes {
  /** Age of the oldest answer, in seconds. */
  age = 0
  /** Templates of their routes. */
  readonly routes = new Set<string>()
}

export const JSON_TYPE = 'application/json'

/** `User-Agent` of all calls. */
export const USER_AGENT = `lms-graphql/${packageVersion()}`

/** Header with the address of a client. */
export const FORWARDED_FOR = 'x-forwarded-for'

/**
 * The headers of the calls of an operation. `trace` continues its trace at the site, for calls that have no span. `client` is the address of the
 * client, when the site is told.
 */
export function headersOf(
  { headers: own }: Credentials,
  requestId: string | undefined,
  trace?: Readonly<Record<string, string>> | undefined,
  client = '',
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { accept: JSON_TYPE, 'user-agent': USER_AGENT, ...own }
  if (requestId !== undefined) headers['x-request-id'] = requestId
  if (client !== '') headers[FORWARDED_FOR] = client
  return trace ? Object.assign(headers, trace) : headers
}

/** Who calls: credentials for the site, rights in the gateway, and the line in the queue. */
export interface Caller {
  readonly credentials: Credentials
  /** Equal for calls with the same credentials and the same API key or token. */
  readonly id: string
  /**
   * The principal that the gateway has verified by API key or token; `''` if none. When undefined, `id` is verified. Callers whom neither
   * the gateway nor the site has verified share the line of the principal.
   */
  readonly principal?: string | undefined
  /** Network address of the client; `''` if unknown. */
  readonly address?: string | undefined
  /** User id of the caller in the LMS, if known. */
  readonly viewer?: number | null | undefined
  /** What the caller is for a gateway with a service account. Undefined for callers with credentials of their own. */
  readonly role?: Role | undefined
}

/** What identifies the calls of an operation in logs and traces, and counts them. */
export interface Trace {
  /** Id of the request, sent to the site as `x-request-id`. */
  readonly requestId?: string | undefined
  /** Id of the trace, for the log. */
  readonly traceId?: string | undefined
  /** The headers of the calls of an operation, made once for all of them by `headersOf`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The span under which calls are traced. Undefined unless the trace is recorded. */
  readonly span?: Span | undefined
  readonly counter?: CallCounter | undefined
}

/** How old answers may be. Records stale answers, and what the answer of the operation depends on. */
export interface Freshness {
  /**
   * When the operation started, in milliseconds since the process started. Its reads share only calls that are sent later, so that they show
   * all changes that were made before.
   */
  readonly since?: number | undefined
  /** Whether its reads are not answered by the cache. */
  readonly readsAnew?: boolean | undefined
  /** Set when stale answers are accepted in place of failed reads. Records their age and routes. */
  readonly stale?: StaleNotes | undefined
  /** Set when caches in front of the gateway may keep the answer. Records what it depends on. */
  readonly dependencies?: Dependencies | undefined
}

/** What the calls of an operation may use together. */
export interface Budget {
  /** Identifies the operation in the queue, where the operations of a caller take turns. */
  readonly operation: object
  readonly calls?: CallCount | undefined
  /** Accounts for the memory of answers until the request ends. */
  readonly memory?: RequestMemory | undefined
  /** When the operation stops waiting. Without a deadline it waits until the site has answered. */
  readonly deadline?: Deadline | undefined
}

/** Who makes a call, and for which operation. An operation has one scope for all its calls. */
export interface CallScope {
  readonly caller: Caller
  readonly trace: Trace
  readonly freshness: Freshness
  readonly budget: Budget
}
