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

/** The caller asked for something that can't be asked; refused before any call. */
export class BadInputError extends LmsError {
  readonly code = 'BAD_USER_INPUT'
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
/** Another 4xx: the site refuses a value that the gateway let pass. */
export class RejectedError extends LmsError {
  readonly code = 'UPSTREAM_REJECTED'
}
/** 429. */
export class RateLimitedError extends LmsError {
  readonly code = 'UPSTREAM_RATE_LIMITED'
}
/** No connection, a broken one, or 5xx. */
export class UnavailableError extends LmsError {
  readonly code = 'UPSTREAM_UNAVAILABLE'
}
/** No answer in time. */
export class TimeoutError extends LmsError {
  readonly code = 'UPSTREAM_TIMEOUT'
}
/** An answer that is not what the interface promises: HTML, cut off, too large, a list for a record. */
export class InvalidResponseError extends LmsError {
  readonly code = 'UPSTREAM_INVALID_RESPONSE'
}
/** A batch left the record out, and the gateway has spent its single reads on others. */
export class UnresolvedError extends LmsError {
  readonly code = 'RECORD_UNRESOLVED'
}
/** The client went away, or the gateway is closing. */
export class CancelledError extends LmsError {
  readonly code = 'REQUEST_CANCELLED'
}

type ErrorClass = new (message: string, upstream?: { status: number; code: string | null }) => LmsError

const byStatus: Record<number, ErrorClass> = {
  401: UnauthenticatedError,
  403: ForbiddenError,
  404: NotFoundError,
  410: NotFoundError,
  429: RateLimitedError,
}

/** The error for an HTTP status of 300 or more, from the site's error body where it sent one. */
export function errorFor(route: string, status: number, body: unknown): LmsError {
  const { code, message } = (isObject(body) ? body : {}) as { code?: unknown; message?: unknown }
  const upstream = { status, code: typeof code === 'string' ? code.slice(0, 100) : null }
  const Class = forbidsStatus(body)
    ? ForbiddenError
    : (byStatus[status] ?? (status >= 500 ? UnavailableError : status >= 400 ? RejectedError : InvalidResponseError))
  const said = typeof message === 'string' ? plain(message) : ''
  return new Class(said === '' ? `The site answered ${status} for ${route}.` : said, upstream)
}

/** A status filter that only editors may use is answered as a bad parameter, but is a matter of rights. */
function forbidsStatus(body: unknown): boolean {
  const data = isObject(body) && isObject(body.data) ? body.data : {}
  return isObject(data.details) && isObject(data.details.status) && data.details.status.code === 'rest_forbidden_status'
}

/** True for a 401 or 403: another credential might be allowed. */
export const isRefusal = (error: unknown): boolean => error instanceof UnauthenticatedError || error instanceof ForbiddenError

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const plain = (text: string): string =>
  text
    .replace(/<[^>]*>/g, '')
    .replace(/https?:\/\/\S+/g, '')
    .slice(0, 300)
    .trim()
