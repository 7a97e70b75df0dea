import type { Refusal } from './door.js'

/** An answer to a request that ends before GraphQL sees it. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const refused = (status: number, error: object, headers: Readonly<Record<string, string>> = {}): PlainAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ errors: [error] }),
})

/** Who has not come in. */
export const notEntered = ({ status, error, challenge }: Refusal): PlainAnswer =>
  refused(status, error, { 'cache-control': 'no-store', ...(challenge === undefined ? {} : { 'www-authenticate': challenge }) })

/** A body of more than so many bytes. */
export const bodyTooLarge = (bytes: number): PlainAnswer =>
  refused(413, { message: `The request body is larger than ${bytes} bytes.`, extensions: { code: 'BODY_TOO_LARGE' } })
