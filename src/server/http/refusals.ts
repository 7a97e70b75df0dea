import type { FetchAPI } from 'graphql-yoga'
import { ServerBusyError } from '../../upstream/errors.js'
import type { Rejection } from '../auth/authenticator.js'
import type { Trace } from '../log/trace.js'

/** An answer to a request that ends before GraphQL sees it. */
export interface PlainAnswer {
  /** Of the error in it. */
  readonly code: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const refused = (status: number, error: Refused, headers: Readonly<Record<string, string>> = {}): PlainAnswer => ({
  code: error.extensions.code,
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ errors: [error] }),
})

interface Refused {
  readonly message: string
  readonly extensions: { readonly code: string }
}

/** What is no GraphQL request. */
export const badRequest = (status: number, message: string): PlainAnswer =>
  refused(status, { message, extensions: { code: 'BAD_REQUEST' } })

/** A request that has not come whole in time. */
export const timedOut = refused(408, { message: 'The request did not arrive in time.', extensions: { code: 'REQUEST_TIMEOUT' } })

/** A fault of the gateway, whose text is for the log alone. */
export const FAULTY = refused(500, { message: 'Something went wrong in the gateway.', extensions: { code: 'INTERNAL_SERVER_ERROR' } })

/** An operation that does not start because memory is short. */
export const SERVER_BUSY = ((): PlainAnswer => {
  const { message, code, retryAfter, extensions } = new ServerBusyError()
  return refused(503, { message, extensions: { ...extensions, code } }, { 'retry-after': String(retryAfter), 'cache-control': 'no-store' })
})()

/** Who has not come in. */
export const rejected = ({ status, error, challenge }: Rejection): PlainAnswer =>
  refused(status, error, { 'cache-control': 'no-store', ...(challenge === undefined ? {} : { 'www-authenticate': challenge }) })

/** A body of more than so many bytes. */
export const bodyTooLarge = (bytes: number): PlainAnswer =>
  refused(413, { message: `The request body is larger than ${bytes} bytes.`, extensions: { code: 'BODY_TOO_LARGE' } })

/** A body whose chunks say more of themselves than they hold. */
export const chunksTooLarge = refused(413, { message: 'The extensions of a chunk are too large.', extensions: { code: 'BODY_TOO_LARGE' } })

/** Ends a request of Yoga's with such an answer. */
export function endWith(
  { code, body, ...init }: PlainAnswer,
  {
    serverContext,
    endResponse,
    fetchAPI,
  }: {
    readonly serverContext: { readonly trace?: Trace }
    readonly endResponse: (response: Response) => void
    readonly fetchAPI: Pick<FetchAPI, 'Response'>
  },
): void {
  serverContext.trace?.refuses(code)
  endResponse(new fetchAPI.Response(body, init))
}
