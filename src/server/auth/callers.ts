import type { Credentials } from '../../upstream/credentials.js'

/** Kinds of credentials for the site that callers send themselves: a user name with a password, another `Authorization`, or cookies. */
export type OwnKind = 'login' | 'bearer' | 'cookie'

/** How the gateway knows its callers. It verifies API keys and tokens itself; the others show the site their own credentials. */
export type CallerKind = 'key' | 'token' | OwnKind | 'anonymous'

/** Who calls, as logs and metrics show it. */
export interface CallerNames {
  /** Of the API key, or the subject of the token. Undefined for tokens without subject, and for callers without either. */
  readonly name?: string | undefined
  readonly kind: CallerKind
  /** Kind of the caller's own credentials for the site, beside an API key too. */
  readonly own?: OwnKind | undefined
  readonly credentials: Credentials
}

/** The kind of a caller's own credentials; undefined without any. */
export function ownKind({ anonymous, headers: { authorization } }: Credentials): OwnKind | undefined {
  if (anonymous) return undefined
  return authorization === undefined ? 'cookie' : BASIC.test(authorization) ? 'login' : 'bearer'
}

const BASIC = /^basic +/i

/** The user name in credentials of HTTP Basic, as it was sent. Empty when there is none. */
export function loginIn({ headers: { authorization = '' } }: Credentials): string {
  const text = Buffer.from(authorization.replace(BASIC, ''), 'base64').toString('utf8')
  return text.slice(0, Math.max(text.indexOf(':'), 0))
}

const MAX_NAME = 100
/** Control and format characters, lone surrogates, and separators of lines. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/**
 * Who calls, as text: `key:<name>`, `token:<subject>`, `login:<user name>`, `bearer`, `cookie` or `anonymous`. Own credentials beside an API key
 * follow it: `key:shop login:ada`. `shown` can replace the names.
 */
export function callerText({ name, kind, own, credentials }: CallerNames, shown = (each: string): string => each): string {
  const text = (prefix: string, given: string | undefined): string => {
    const printable = given?.slice(0, MAX_NAME).replace(UNPRINTABLE, '')
    return printable ? `${prefix}:${shown(printable)}` : prefix
  }
  const ofOwn = own === 'login' ? text(own, loginIn(credentials)) : own
  if (kind === own) return ofOwn as string
  return ofOwn === undefined ? text(kind, name) : `${text(kind, name)} ${ofOwn}`
}
