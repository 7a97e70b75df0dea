import { decode } from 'html-entities'

/** What went wrong between the gateway and the site. Messages are plain text and carry no address, header, HTML or stack. */
export abstract class LmsError extends Error {
  abstract readonly code: string
  /** What the site answered, where it did: its HTTP status and its own error code. */
  readonly upstream: { readonly status: number; readonly code: string | null } | undefined

  constructor(message: string, upstream?: { status: number; code: string | null }) {
    super(message)
    this.upstream = upstream
  }

  override get name(): string {
    return this.constructor.name
  }

  /** GraphQL puts these beside the message. */
  get extensions(): Record<string, unknown> {
    return this.upstream ? { code: this.code, upstream: this.upstream } : { code: this.code }
  }
}

/** One field of an input that can't be taken, under its name in the graph, and what is allowed instead. */
export interface InvalidField {
  readonly field: string
  readonly message: string
}

/** The caller asked for something that can't be asked: refused before any call, or by the site for values it names. */
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
/** 401: the site wants credentials, or refuses those it got. */
export class UnauthenticatedError extends LmsError {
  readonly code = 'UNAUTHENTICATED'
}
/** 403: the credentials are good, but not enough. */
export class ForbiddenError extends LmsError {
  readonly code = 'FORBIDDEN'
}
/** 404 and 410 where the thing itself was not a record asked for by id (such a record is `null`, no error). */
export class NotFoundError extends LmsError {
  readonly code = 'NOT_FOUND'
}
/** The record is in a state that does not allow it: trashed already, or there already. */
export class ConflictError extends LmsError {
  readonly code = 'CONFLICT'
}
/** The site itself is what went wrong, or an answer of it. */
export abstract class UpstreamError extends LmsError {
  /** Seconds after which to try again, where that is known. */
  retryAfter: number | undefined

  override get extensions(): Record<string, unknown> {
    return this.retryAfter === undefined ? super.extensions : { ...super.extensions, retryAfter: this.retryAfter }
  }
}
/** Another 4xx: the site refuses a value that the gateway let pass. */
export class RejectedError extends UpstreamError {
  readonly code = 'UPSTREAM_REJECTED'

  constructor(
    message: string,
    upstream?: LmsError['upstream'],
    /** What the site says of each parameter it refuses, by its name on the wire. */
    readonly params: Readonly<Record<string, string>> = {},
  ) {
    super(message, upstream)
  }
}
/** 429. */
export class RateLimitedError extends UpstreamError {
  readonly code = 'UPSTREAM_RATE_LIMITED'
}
/** No connection, a broken one, or 5xx. */
export class UnavailableError extends UpstreamError {
  readonly code = 'UPSTREAM_UNAVAILABLE'
}
/** Not asked for at all: the site has failed too often, and is left alone for a while. */
export class SuspendedError extends UnavailableError {
  constructor(override readonly retryAfter: number) {
    super('The site fails too often, and is left alone for a while.')
  }
}
/** Not asked for at all: too much waits for the site already. */
export class BusyError extends UpstreamError {
  readonly code = 'UPSTREAM_BUSY'

  constructor(
    message: string,
    override readonly retryAfter: number,
  ) {
    super(message)
  }
}
/**
 * Errors that stand for many refusals: made once for each number of seconds, without a stack. They are shared, so nothing may change
 * them.
 */
export function sharedErrors<E extends Error>(make: (seconds: number) => E): (seconds: number) => E {
  const made = new Map<number, E>()
  return (seconds) => {
    let error = made.get(seconds)
    if (!error) {
      const { stackTraceLimit } = Error
      Error.stackTraceLimit = 0
      error = make(seconds)
      Error.stackTraceLimit = stackTraceLimit
      // V8 would format the stack anew for everyone who looks at it.
      Object.defineProperty(error, 'stack', { value: `${error.name}: ${error.message}` })
      Object.freeze(error)
      if (made.size < MAX_SHARED) made.set(seconds, error)
    }
    return error
  }
}

const MAX_SHARED = 1_000

/** No answer in time. */
export class TimeoutError extends UpstreamError {
  readonly code = 'UPSTREAM_TIMEOUT'
}
/** An answer that is not what the interface promises: HTML, cut off, too large, a list for a record. */
export class InvalidResponseError extends UpstreamError {
  readonly code = 'UPSTREAM_INVALID_RESPONSE'
}
/** A write that the site redirected to the same address with https, so that it was not made. */
export class RedirectedError extends InvalidResponseError {}
/** A batch left the record out, and the gateway has spent its single reads on others. */
export class UnresolvedError extends UpstreamError {
  readonly code = 'RECORD_UNRESOLVED'
}
/** An operation needs more calls than one may make. */
export class CallBudgetError extends LmsError {
  readonly code = 'CALL_BUDGET_EXCEEDED'
}
/** The gateway has no memory left for what the operation needs. */
export class ServerBusyError extends LmsError {
  readonly code = 'SERVER_BUSY'
  /** Seconds after which to try again. */
  readonly retryAfter = 2

  constructor() {
    super('The gateway has too much in memory at the moment. Try again later.')
  }

  override get extensions(): Record<string, unknown> {
    return { ...super.extensions, retryAfter: this.retryAfter }
  }
}
/** The records of one operation need more memory than the gateway has for all. */
export class OperationTooLargeError extends LmsError {
  readonly code = 'ANSWER_TOO_LARGE'

  constructor() {
    super('The operation reads more from the site than fits into the memory of the gateway. Ask for less at a time.')
  }
}
/** The client went away, or the gateway is closing. */
export class CancelledError extends LmsError {
  readonly code = 'REQUEST_CANCELLED'
}

type ErrorClass = new (message: string, upstream: NonNullable<LmsError['upstream']>, params: Readonly<Record<string, string>>) => LmsError

const byStatus: Record<number, ErrorClass> = {
  401: UnauthenticatedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  410: NotFoundError,
  429: RateLimitedError,
}

/** The error for an HTTP status of 300 or more, from the site's error body where it sent one. */
export function errorFor(route: string, status: number, body: unknown): LmsError {
  const { code, message } = (isObject(body) ? body : {}) as { code?: unknown; message?: unknown }
  const upstream = { status, code: typeof code === 'string' && /^[\w-]{1,100}$/.test(code) ? code : null }
  const Class = classFor(status, upstream.code, body)
  // What a broken site says is for its operators.
  const said = typeof message === 'string' && (status < 500 || Class === ConflictError) ? plain(message) : ''
  return new Class(said === '' ? `The site answered ${status} for ${route}.` : said, upstream, refusedParams(body))
}

/** Codes that say that a record is in the wrong state, under various statuses. */
const CONFLICTS: readonly (string | null)[] = ['rest_already_trashed', 'rest_post_exists', 'rest_trash_not_supported']

function classFor(status: number, code: string | null, body: unknown): ErrorClass {
  const refused = statusRefusal(body)
  if (refused) return refused === 401 ? UnauthenticatedError : ForbiddenError
  if (CONFLICTS.includes(code)) return ConflictError
  return byStatus[status] ?? (status >= 500 ? UnavailableError : status >= 400 ? RejectedError : InvalidResponseError)
}

/** What the site says of each parameter it refuses; of those that are only missing it gives the names alone. */
function refusedParams(body: unknown): Readonly<Record<string, string>> {
  const params = isObject(body) && isObject(body.data) ? body.data.params : undefined
  if (Array.isArray(params)) {
    const names = params.slice(0, MAX_PARAMS).filter((name) => typeof name === 'string' && name.length <= MAX_PARAM_NAME)
    return Object.fromEntries(names.map((name) => [name, 'It is missing.']))
  }
  if (!isObject(params)) return {}
  const said = Object.entries(params).slice(0, MAX_PARAMS)
  return Object.fromEntries(
    said
      .filter(([name]) => name !== '' && name.length <= MAX_PARAM_NAME)
      .map(([name, message]) => [name, (typeof message === 'string' && plain(message)) || 'The site refuses it.']),
  )
}

const MAX_PARAMS = 100
const MAX_PARAM_NAME = 100

/** A status filter that only editors may use is answered as a bad parameter, but is a matter of rights: 401 or 403. */
function statusRefusal(body: unknown): 401 | 403 | undefined {
  const data = isObject(body) && isObject(body.data) ? body.data : {}
  const detail = isObject(data.details) && isObject(data.details.status) ? data.details.status : {}
  if (detail.code !== 'rest_forbidden_status') return undefined
  return isObject(detail.data) && detail.data.status === 401 ? 401 : 403
}

/** True for a 401 or 403: another credential might be allowed. */
export const isRefusal = (error: unknown): boolean => error instanceof UnauthenticatedError || error instanceof ForbiddenError

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const withoutTags = (text: string): string => text.replace(/<\/?[a-z!][^<>]*>/gi, '')

/** Text of the site as it may be shown: no tags, entities decoded, no addresses and paths, bounded. */
const plain = (text: string): string =>
  withoutTags(decode(withoutTags(text.slice(0, 3_000))))
    .replace(/\b\w+:\/\/\S+|([a-z]:)?([\\/][\w.-]+){2,}|\b\d+\.\d+\.\d+\.\d+(:\d+)?\b/gi, '…')
    .replace(/\s+/g, ' ')
    .slice(0, 300)
    .trim()
