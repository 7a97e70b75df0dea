/** What an error answer may carry beside its code, message and status. */
export interface ErrorData {
  readonly params?: Readonly<Record<string, string>> | readonly string[]
  readonly details?: Readonly<Record<string, ErrorDetail>>
  /** Why a body is not JSON, as PHP numbers and words it. */
  readonly json_error_code?: number
  readonly json_error_message?: string
}

/** Why one parameter was refused. */
export interface ErrorDetail {
  readonly code: string
  readonly message: string
  readonly data: { readonly status: number } | null
}

/** Statuses of answers. */
export type RestStatus = 200 | 201 | 400 | 401 | 403 | 404 | 410 | 413 | 500 | 503 | 507

/** An error the REST interface answers as `{ code, message, data: { status, params, details } }`. */
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

/** 401 for a caller without credentials, 403 for one whose credentials do not suffice. */
export const deniedStatus = (viewer: { readonly login: string } | null): 401 | 403 => (viewer === null ? 401 : 403)

/** No route has this path and method. */
export const noRoute = (): RestError => new RestError(404, 'rest_no_route', 'No route was found matching the URL and request method.')

/** Parameters that had to be given and were not. */
export const missingParams = (...names: string[]): RestError =>
  new RestError(400, 'rest_missing_callback_param', `Missing parameter(s): ${names.join(', ')}`, { params: names })

/** Parameters with a value that is not allowed, all of them in one answer. */
export function invalidParams(details: Readonly<Record<string, ErrorDetail>>): RestError {
  const names = Object.keys(details)
  const params = Object.fromEntries(names.map((name) => [name, details[name]!.message]))
  return new RestError(400, 'rest_invalid_param', `Invalid parameter(s): ${names.join(', ')}`, { params, details })
}

/** Why a data file cannot be used, in a sentence for the operator. */
export class DataFileError extends Error {
  override readonly name = 'DataFileError'
}
