import { decode } from 'html-entities'
import { isObject } from '../maps.js'
import type { ErrorCode, FieldCode } from './error-codes.js'

/** An error between the gateway and the site. Messages are plain text without URLs, headers, HTML or stacks. */
export abstract class LmsError extends Error {
  abstract readonly code: ErrorCode
  /** HTTP status and error code of the site's answer, if there was one. */
  readonly upstream: { readonly status: number; readonly code: string | null } | undefined
  /** Further extensions. */
  readonly details?: Readonly<Record<string, unknown>>
  /** Seconds after which to try again, if known. */
  retryAfter: number | undefined

  constructor(message: string, upstream?: { status: number; code: string | null }) {
    super(message)
    this.upstream = upstream
  }

  override get name(): string {
    return this.constructor.name
  }

  /** GraphQL sends these with the message. */
  get extensions(): Record<string, unknown> {
    const { code, upstream, details, retryAfter } = this
    return { code, ...(upstream && { upstream }), ...details, ...(retryAfter !== undefined && { retryAfter }) }
  }
}

/** An invalid field of an input, by its name in the graph, and what is allowed instead. */
export interface InvalidField {
  readonly field: string
  /** The field, and for an item of a list its index. */
  readonly path: readonly string[]
  readonly code: FieldCode
  /** The number that the code refers to, if it is known. */
  readonly limit: number | null
  readonly message: string
}

/** Invalid input: rejected before any call, or by the site with the names of the invalid values. */
export class BadInputError extends LmsError {
  readonly code = 'BAD_USER_INPUT'

  constructor(
    message: string,
    upstream?: LmsError['upstream'],
    readonly fields: readonly InvalidField[] = [],
  ) {
    super(message, upstream)
  }

  override get extensions(): Record<string, unknown> {
    return this.fields.length > 0 ? { ...super.extensions, fields: this.fields } : super.extensions
  }
}
/** One invalid value, without the place where it is given. */
export class InvalidValueError extends BadInputError {
  constructor(
    readonly reason: FieldCode,
    message: string,
    readonly limit: number | null = null,
  ) {
    super(message)
  }
}
/** 401: the site requires credentials, or rejects those it received. */
export class UnauthenticatedError extends LmsError {
  readonly code = 'UNAUTHENTICATED'
}
/** 403: the credentials are valid but lack the permission. */
export class ForbiddenError extends LmsError {
  readonly code = 'FORBIDDEN'
}
/** 404 and 410. A record that was read by id and does not exist is `null` instead. */
export class NotFoundError extends LmsError {
  readonly code = 'NOT_FOUND'
}
/** The site does not have the route, by its settings or by its answer. */
export class NotAvailableError extends LmsError {
  readonly code = 'NOT_AVAILABLE'
}
/** The state of the record does not allow the change: it is in the trash already, or it exists already. */
export class ConflictError extends LmsError {
  readonly code = 'CONFLICT'
}
/** The site failed, or its answer can't be used. */
export abstract class UpstreamError extends LmsError {}
/** The site's code and message for a parameter that it rejects. */
export interface RejectedParam {
  readonly code: string | null
  readonly message: string
}

/** Another 4xx: the site rejects a value that the gateway accepted. */
export class RejectedError extends UpstreamError {
  readonly code = 'UPSTREAM_REJECTED'

  constructor(
    message: string,
    upstream?: LmsError['upstream'],
    /** Why the site rejects each parameter, by its name on the wire. */
    readonly params: Readonly<Record<string, RejectedParam>> = {},
  ) {
    super(message, upstream)
  }
}
/** 429: the site limits the rate of calls. */
export class RateLimitedError extends UpstreamError {
  readonly code = 'UPSTREAM_RATE_LIMITED'
}
/** The connection failed or broke, or the site answered 5xx. */
export class UnavailableError extends UpstreamError {
  readonly code = 'UPSTREAM_UNAVAILABLE'
}
/** The call was not made because the circuit breaker is open. */
export class SuspendedError extends UnavailableError {
  readonly reason: RefusalReason = 'breaker_open'

  constructor(override readonly retryAfter: number) {
    super('The site failed too often: no REST calls are made for a short time.')
  }
}
/** Why a call was not made. `egress`: the proxy in front of the site did not pass it on. */
export type RefusalReason = 'queue_full' | 'caller_limit' | 'queue_timeout' | 'breaker_open' | 'egress'

/** The call was not made because a queue is full, or it waited in the queue for too long. */
export class BusyError extends UpstreamError {
  readonly code = 'UPSTREAM_BUSY'

  constructor(
    message: string,
    override readonly retryAfter: number,
    readonly reason: RefusalReason,
  ) {
    super(message)
  }
}
/**
 * Caches one error without a stack for each number of seconds, so that refusing a call costs nothing. The errors are shared and frozen.
 */
export function sharedErrors<E extends Error>(make: (seconds: number) => E): (seconds: number) => E {
  const cache = new Map<number, E>()
  return (seconds) => {
    let error = cache.get(seconds)
    if (!error) {
      error = make(seconds)
      // V8 would format the stack again on each access.
      Object.defineProperty(error, 'stack', { value: `${error.name}: ${error.message}` })
      Object.freeze(error)
      if (cache.size < MAX_SHARED) cache.set(seconds, error)
    }
    return error
  }
}

const MAX_SHARED = 1_000

/** The site did not answer in time. */
export class TimeoutError extends UpstreamError {
  readonly code = 'UPSTREAM_TIMEOUT'
}
/** An answer that breaks the contract of the interface: HTML, truncated, too large, a list instead of a record. */
export class InvalidResponseError extends UpstreamError {
  readonly code = 'UPSTREAM_INVALID_RESPONSE'
}
/** A write that the site redirected to its https address and did not execute. */
export class RedirectedError extends InvalidResponseError {}
/** A batch did not return the record, and no single reads are left to look it up. */
export class UnresolvedError extends UpstreamError {
  readonly code = 'RECORD_UNRESOLVED'
}
/** A write that was not made, because the other gateways could not be told to drop their cached answers. */
export class CacheUnavailableError extends UpstreamError {
  readonly code = 'CACHE_UNAVAILABLE'
  override readonly retryAfter = 2

  constructor() {
    super('The change was not made: the cache that the gateways share cannot be reached. Try again later.')
  }
}
/** An operation needs more REST calls than its budget allows. */
export class CallBudgetError extends LmsError {
  readonly code = 'CALL_BUDGET_EXCEEDED'
}
/** The gateway has no memory left for the operation. */
export class ServerBusyError extends LmsError {
  readonly code = 'SERVER_BUSY'
  override readonly retryAfter = 2

  constructor() {
    super('The gateway is low on memory. Try again later.')
  }
}
/** The records of one operation need more memory than the gateway may use in total. */
export class OperationTooLargeError extends LmsError {
  readonly code = 'ANSWER_TOO_LARGE'

  constructor() {
    super('The operation reads more data than fits into the memory of the gateway. Request less data at a time.')
  }
}
/** The client disconnected, or the gateway is closing. */
export class CancelledError extends LmsError {
  readonly code = 'REQUEST_CANCELLED'
}

type ErrorClass = new (message: string, upstream: NonNullable<LmsError['upstream']>, params: RejectedError['params']) => LmsError

const byStatus: Record<number, ErrorClass> = {
  401: UnauthenticatedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  410: NotFoundError,
  429: RateLimitedError,
}

/** The error for an HTTP status of 300 or more. Takes code and message from the site's error body, if there is one. */
export function errorFor(route: string, status: number, body: unknown): LmsError {
  const { code, message } = (isObject(body) ? body : {}) as { code?: unknown; message?: unknown }
  const upstream = { status, code: typeof code === 'string' && /^[\w-]{1,100}$/.test(code) ? code : null }
  const Class = classFor(status, upstream.code, body)
  // Messages of a broken site are meant for its operators.
  const text = typeof message === 'string' && (status < 500 || Class === ConflictError) ? plain(message) : ''
  return new Class(text === '' ? `The site answered ${status} for ${route}.` : text, upstream, refusedParams(body))
}

/** Error codes of the site for a record in the wrong state. They come with various statuses. */
const CONFLICTS: readonly (string | null)[] = ['rest_already_trashed', 'rest_post_exists', 'rest_trash_not_supported']

function classFor(status: number, code: string | null, body: unknown): ErrorClass {
  const refused = statusRefusal(body)
  if (refused) return refused === 401 ? UnauthenticatedError : ForbiddenError
  if (CONFLICTS.includes(code)) return ConflictError
  return byStatus[status] ?? (status >= 500 ? UnavailableError : status >= 400 ? RejectedError : InvalidResponseError)
}

/** Why the site rejects each parameter. The site sends only the names of missing parameters. */
function refusedParams(body: unknown): RejectedError['params'] {
  const { params, details } = (isObject(body) && isObject(body.data) ? body.data : {}) as { params?: unknown; details?: unknown }
  const names = Array.isArray(params) ? params : isObject(params) ? Object.keys(params) : []
  const shown = names.slice(0, MAX_PARAMS).filter((name) => typeof name === 'string' && name !== '' && name.length <= MAX_PARAM_NAME)
  const reasonOf = (name: string): RejectedParam => {
    if (!isObject(params)) return { code: 'rest_missing_callback_param', message: 'It is missing.' }
    const [message, detail] = [params[name], isObject(details) ? details[name] : undefined]
    const code = isObject(detail) && typeof detail.code === 'string' ? detail.code : null
    return { code, message: (typeof message === 'string' && plain(message)) || 'The site rejects it.' }
  }
  return Object.fromEntries(shown.map((name) => [name, reasonOf(name)]))
}

const MAX_PARAMS = 100
const MAX_PARAM_NAME = 100

/** 401 or 403 for a refused `status` filter, which the site reports as an invalid parameter. */
function statusRefusal(body: unknown): 401 | 403 | undefined {
  const data = isObject(body) && isObject(body.data) ? body.data : {}
  const detail = isObject(data.details) && isObject(data.details.status) ? data.details.status : {}
  if (detail.code !== 'rest_forbidden_status') return undefined
  return isObject(detail.data) && detail.data.status === 401 ? 401 : 403
}

/** Whether the error is a 401 or 403: other credentials may have the permission. */
export const isRefusal = (error: unknown): boolean => error instanceof UnauthenticatedError || error instanceof ForbiddenError

const withoutTags = (text: string): string => text.replace(/<\/?[a-z!][^<>]*>/gi, '')

/** A message of the site made safe for clients: no tags, URLs or paths; entities decoded; length limited. */
const plain = (text: string): string =>
  withoutTags(decode(withoutTags(text.slice(0, 3_000))))
    .replace(/\b\w+:\/\/\S+|([a-z]:)?([\\/][\w.-]+){2,}|\b\d+\.\d+\.\d+\.\d+(:\d+)?\b/gi, '…')
    .replace(/\s+/g, ' ')
    .slice(0, 300)
    .trim()
