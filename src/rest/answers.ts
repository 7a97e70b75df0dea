import { CancelledError, errorFor, InvalidResponseError, type LmsError, TimeoutError, UnavailableError } from './errors.js'
import type { Answered, Failed } from './exchange.js'
import { parseBody } from './json.js'

export type Method = 'GET' | 'POST' | 'DELETE'

/** A request to the site: `route` is its template, for messages; `body` is JSON. */
export interface Request {
  readonly method: Method
  readonly route: string
  readonly path: string
  readonly body?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Answered['headers']
  /** The parsed JSON. Shared between those who asked for the same; never to be changed. */
  readonly body: unknown
}

/** A call that is not made, or not waited for, any more. */
export const cancelled = (): LmsError => new CancelledError('The request was cancelled.')

/** The answer's JSON, or why it can't be used. A write may be answered by nothing at all. */
export function read({ method, route }: Request, { status, headers, body }: Answered, onMend: () => void): Answer | LmsError {
  const json = body.length === 0 && method !== 'GET' ? null : parseBody(body, onMend)
  if (status >= 300 || status < 200) return errorFor(route, status, json)
  return json === undefined
    ? new InvalidResponseError(`The answer to ${route} is not JSON.`, { status, code: null })
    : { status, headers, body: json }
}

/** Why there is no answer. */
export function explain({ route }: Request, { error, status, tooLarge }: Failed, maxBytes: number): LmsError {
  if (tooLarge)
    return new InvalidResponseError(`The answer to ${route} is larger than ${maxBytes} bytes.`, {
      status,
      code: null,
    })
  if (error instanceof CancelledError) return error
  const { code } = error as { code?: string }
  if (code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED') return cancelled()
  if (code?.startsWith('UND_ERR_') && code.endsWith('_TIMEOUT')) return new TimeoutError(`The site did not answer ${route} in time.`)
  return new UnavailableError(`The site could not be reached for ${route}.`)
}

const UNKNOWN_END = ' It is not known whether the change was made: look before you try again.'

/** Says of a failed write that it may have been done all the same, unless the site has refused it. */
export function inDoubt({ method }: Request, error: LmsError): LmsError {
  const open = error instanceof UnavailableError || error instanceof TimeoutError || error instanceof InvalidResponseError
  if (open && method !== 'GET') error.message += UNKNOWN_END
  return error
}
