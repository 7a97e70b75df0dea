import { hash, randomBytes } from 'node:crypto'

/** The `Authorization` header of HTTP Basic. */
export const basic = (login: string, password: string): string => `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`

/** The user name in an `Authorization` header of HTTP Basic, as it was sent; undefined for other headers. */
function userNameIn(authorization: string): string | undefined {
  if (!/^basic /i.test(authorization)) return undefined
  const text = Buffer.from(authorization.slice('Basic '.length), 'base64').toString()
  // Without a colon, the text may be a password.
  return text.slice(0, Math.max(text.indexOf(':'), 0))
}

const PROCESS_SECRET = randomBytes(32).toString('base64')

/** A keyed hash of a text that must not be stored: stable within the process, useless outside of it. */
export const fingerprint = (text: string): string => hash('sha256', PROCESS_SECRET + text, 'base64url')

/** The headers that authenticate a caller to the site, sent with each call. Never printed. */
export class Credentials {
  /** Fingerprint of the headers, used in cache keys; empty for anonymous callers. */
  readonly id: string
  /** The user name of HTTP Basic, as it was sent; undefined for other credentials. */
  readonly userName: string | undefined

  /**
   * `publishedOnly` marks the credentials of a service account for roles that get published records only, whose reads differ on the wire. Marked
   * credentials have another id, so that caches and shared reads are separate from those of other roles.
   */
  constructor(
    readonly headers: Readonly<Record<string, string>>,
    readonly publishedOnly = false,
  ) {
    const names = Object.keys(headers).sort()
    const text = JSON.stringify(names.map((name) => [name, headers[name]]))
    this.id = names.length === 0 ? '' : fingerprint(publishedOnly ? `published ${text}` : text)
    this.userName = headers.authorization === undefined ? undefined : userNameIn(headers.authorization)
  }

  get anonymous(): boolean {
    return this.id === ''
  }

  toJSON(): string {
    return this.anonymous ? '[anonymous]' : '[credentials]'
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toJSON()
  }
}

export const ANONYMOUS = new Credentials({})
