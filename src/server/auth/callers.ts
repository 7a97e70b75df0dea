import { createHmac, randomBytes } from 'node:crypto'
import type { Options } from '../../options/table.js'
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
function loginIn({ headers: { authorization = '' } }: Credentials): string {
  const text = Buffer.from(authorization.replace(BASIC, ''), 'base64').toString('utf8')
  return text.slice(0, Math.max(text.indexOf(':'), 0))
}

const MAX_NAME = 100
/** Control and format characters, lone surrogates, and separators of lines. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/**
 * Who calls, as text: `key:<name>`, `token:<subject>`, `login:<user name>`, `bearer`, `cookie` or `anonymous`. Own credentials beside an API key
 * follow it: `key:shop login:ada`. `shown` may replace the names.
 */
function callerText({ name, kind, own, credentials }: CallerNames, shown: (name: string) => string): string {
  const text = (prefix: string, given: string | undefined): string => {
    const printable = given?.slice(0, MAX_NAME).replace(UNPRINTABLE, '')
    return printable ? `${prefix}:${shown(printable)}` : prefix
  }
  const ofOwn = own === 'login' ? text(own, loginIn(credentials)) : own
  if (kind === own) return ofOwn as string
  return ofOwn === undefined ? text(kind, name) : `${text(kind, name)} ${ofOwn}`
}

/** Who sent a request, as the log and events show it. What is not known is absent, and with `none` of `observe.logCallers` all of it. */
export interface ShownCaller {
  /** The address of the client. */
  readonly client?: string
  /** Who calls; see `callerText`. Absent when the request was not authenticated. */
  readonly caller?: string
  /** The caller's user id in the LMS; a text when it is hashed. */
  readonly viewer?: number | string
}

const PROCESS_SECRET = randomBytes(32)

/** Shows clients and callers as `observe.logCallers` says. */
export class CallerView {
  private mode: Options['observe']['logCallers'] = 'none'
  private secret: string | Buffer = PROCESS_SECRET

  /** Follows a change of the options. */
  use({ observe, cache }: Pick<Options, 'observe' | 'cache'>): void {
    this.mode = observe.logCallers
    this.secret = cache.secret?.[0]?.reveal() ?? PROCESS_SECRET
  }

  /** Shows who sent a request. */
  of({
    client,
    principal,
    viewer,
  }: {
    readonly client: string
    readonly principal?: CallerNames | undefined
    readonly viewer?: number | undefined
  }): ShownCaller {
    if (this.mode === 'none') return {}
    return {
      ...(client !== '' && { client: this.shown(client) }),
      ...(principal && { caller: callerText(principal, this.shown) }),
      ...(viewer !== undefined && { viewer: this.mode === 'plain' ? viewer : this.shown(String(viewer)) }),
    }
  }

  private readonly shown = (text: string): string =>
    this.mode === 'plain' ? text : createHmac('sha256', this.secret).update(`caller ${text}`).digest('hex').slice(0, 16)
}
