/** Members of `data` in an error response, besides `status`. */
export interface ErrorData {
  readonly params?: Readonly<Record<string, string>> | readonly string[]
  readonly details?: Details
  /** PHP's code and message for a body that is not JSON. */
  readonly json_error_code?: number
  readonly json_error_message?: string
}

/** Why one parameter is invalid. */
export interface ErrorDetail {
  readonly code: string
  readonly message: string
  readonly data: { readonly status: number } | null
}

/** HTTP statuses of responses. */
export type RestStatus = 200 | 201 | 400 | 401 | 403 | 404 | 406 | 410 | 413 | 500 | 503 | 507

/** An error that the REST interface answers with `{ code, message, data: { status, params, details } }`. */
export class RestError extends Error {
  override readonly name = 'RestError'

  constructor(
    readonly status: RestStatus,
    readonly code: string,
    message: string,
    readonly data: ErrorData = {},
  ) {
    super(message)
  }

  toJSON(): object {
    return { code: this.code, message: this.message, data: { status: this.status, ...this.data } }
  }
}

/** 401 for an anonymous caller, 403 for a caller without the right. */
export const deniedStatus = (viewer: { readonly login: string } | null): 401 | 403 => (viewer === null ? 401 : 403)

/** The error for a path and method without a route. */
export const noRoute = (): RestError => new RestError(404, 'rest_no_route', 'No route was found matching the URL and request method.')

/** The error for missing required parameters. */
export const missingParams = (...names: string[]): RestError =>
  new RestError(400, 'rest_missing_callback_param', `Missing parameter(s): ${names.join(', ')}`, { params: names })

/** The error that names all invalid parameters. */
function invalidParams(details: Details): RestError {
  const names = Object.keys(details)
  const params = Object.fromEntries(names.map((name) => [name, details[name]!.message]))
  return new RestError(400, 'rest_invalid_param', `Invalid parameter(s): ${names.join(', ')}`, { params, details })
}

/** An invalid value of a parameter or of a body, with its error code. */
export class InvalidValue extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

/** Error details by the names of parameters. */
export type Details = Readonly<Record<string, ErrorDetail>>

/** Reads values by name. Throws one error that names all for which `read` throws an `InvalidValue`, and those in `more`. */
export function readAll(names: readonly string[], read: (name: string) => void, more: Details = {}): void {
  const details: Record<string, ErrorDetail> = { ...more }
  for (const name of names)
    try {
      read(name)
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      details[name] ??= { code: error.code, message: error.message, data: null }
    }
  if (Object.keys(details).length) throw invalidParams(details)
}

/** Thrown when a data file cannot be used. The message is for the operator. */
export class DataFileError extends Error {
  override readonly name = 'DataFileError'
}

/** The code of an error of SQLite or Node; empty for other errors. */
export const codeOf = (error: unknown): string => (typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '')

/** Whether SQLite failed because the disk is full. */
export const isDiskFull = (error: unknown): boolean => /^SQLITE_(FULL|IOERR_SHMSIZE)/.test(codeOf(error))

/** The error response for an error of SQLite; undefined for other errors. */
export function storageError(error: unknown): RestError | undefined {
  const code = codeOf(error)
  if (isDiskFull(error)) return new RestError(507, 'rest_insufficient_storage', 'The disk of the site is full. Nothing was changed.')
  if (code.startsWith('SQLITE_READONLY'))
    return new RestError(500, 'rest_read_only', 'The data of the site are read-only. Nothing was changed.')
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return new RestError(503, 'rest_busy', 'Another process is writing to the data of the site. Nothing was changed.')
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return new RestError(500, 'rest_data_damaged', 'The data of the site are damaged.')
  if (/^SQLITE_(IOERR|CANTOPEN)/.test(code))
    return new RestError(500, 'rest_data_unavailable', 'The disk of the site cannot be read or written.')
  return undefined
}
