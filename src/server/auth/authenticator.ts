import { basic, Credentials, fingerprint, type Session } from '../../upstream/session.js'
import { REQUEST_ID } from '../http/request-id.js'
import { ApiKeys } from './api-keys.js'
import { callerCredentials } from './pass-through.js'
import { type Holder, type TokenOptions, Tokens } from './tokens.js'

/** An account of the site, with which it is called for every caller. */
export interface ServiceAccount {
  readonly user: string
  /** Its application password. */
  readonly password: string
}

/** Who may enter the gateway itself. With several ways in, one of them is enough. */
export interface AuthenticationOptions {
  /**
   * Keys of at least 16 characters each, taken in `X-API-Key`, and with a service account as a Bearer token too. They may do whatever
   * the account may.
   */
  readonly apiKeys?: readonly string[] | undefined
  /**
   * Bearer tokens; for service accounts only. Administrators may do whatever the account may; others may read, but of progress only
   * their own.
   */
  readonly jwt?: TokenOptions | undefined
  /** Lets in those who show neither key nor token; with a service account they may read whatever it may. False by default. */
  readonly open?: boolean | undefined
}

/** Whose credentials the site gets, and who may enter. By default each caller's own, and anybody. */
export interface AccessOptions {
  /** Needs a `door`. By default each caller's own `Authorization` goes to the site. */
  readonly serviceAccount?: ServiceAccount | undefined
  readonly door?: AuthenticationOptions | undefined
  /**
   * Whether `wordpress_…` cookies of a caller go to the site, when `X-WP-Nonce` comes with them; not for service accounts. False by
   * default.
   */
  readonly forwardCookie?: boolean | undefined
}

/** Someone who has come in: what the site is shown for them, and what they may. */
export type Principal = Pick<Session, 'credentials' | 'caller' | 'principal' | 'viewer' | 'ownOnly' | 'readOnly'> & {
  /** What they have shown: an API key, a token with the admin claim, or another token. Undefined for callers who need to show nothing. */
  readonly as?: 'keys' | 'admins' | 'tokens'
}

/** Someone who has not. */
export class Refusal {
  constructor(
    readonly status: 401 | 503,
    readonly error: { readonly message: string; readonly extensions: { readonly code: string } },
    /** Value of `WWW-Authenticate`. */
    readonly challenge?: string,
  ) {}
}

/** Judges a request by its headers alone. */
export type Authenticator = (headers: Pick<Headers, 'get'>) => Principal | Refusal | Promise<Principal | Refusal>

/** Whether keys, tokens or an account are configured, so that callers who show nothing are strangers even where the door is open. */
export const hasDoor = ({ serviceAccount, door }: AccessOptions): boolean =>
  serviceAccount !== undefined || door?.jwt !== undefined || (door?.apiKeys?.length ?? 0) > 0

/** The door for these options. Throws when they don't go together. */
export function createAuthenticator(options: AccessOptions, onFault: (fault: unknown, requestId?: string) => void): Authenticator {
  const { serviceAccount, door = {}, forwardCookie = false } = options
  if (serviceAccount) {
    if (!door.apiKeys?.length && !door.jwt && door.open !== true)
      throw new Error('A service account needs a door: set `apiKeys`, `jwt`, or `open: true` when everybody may see what it may.')
    if (serviceAccount.user.includes(':')) throw new Error('The user of a service account must be a login, without a colon.')
    if (forwardCookie) throw new Error('`forwardCookie` does not go with a service account.')
    return serviceDoor(serviceAccount, door, onFault)
  }
  if (door.jwt) throw new Error('`jwt` needs a service account: without one `Authorization` is for the site, not for the gateway.')
  return passThroughDoor(door, forwardCookie)
}

/** The principal of callers whom the gateway has not verified itself. */
const NOBODY = ''

/** Callers show the site their own credentials; keys are a door before that. */
function passThroughDoor({ apiKeys, open }: AuthenticationOptions, cookies: boolean): Authenticator {
  const keys = apiKeys?.length ? new ApiKeys(apiKeys) : undefined
  return (headers) => {
    const key = keys && headers.get('x-api-key')
    if (key === null && !open) return MISSING_KEY
    if (typeof key === 'string' && !keys?.has(key)) return BAD_KEY
    const credentials = callerCredentials(headers, cookies)
    if (typeof key !== 'string') return { credentials, caller: credentials.id, principal: NOBODY }
    const principal = fingerprint(`key ${key}`)
    return { credentials, caller: fingerprint(`${principal}\n${credentials.id}`), principal, as: 'keys' }
  }
}

/** What the site is shown of an account. */
export const credentialsOf = ({ user, password }: ServiceAccount): Credentials => new Credentials({ authorization: basic(user, password) })

/** The account's credentials go to the site for everybody, and never a caller's own. Whatever credentials a caller shows must be good. */
function serviceDoor(
  account: ServiceAccount,
  { apiKeys = [], jwt, open }: AuthenticationOptions,
  onFault: (fault: unknown, requestId?: string) => void,
): Authenticator {
  const credentials = credentialsOf(account)
  const keys = new ApiKeys(apiKeys)
  const tokens = jwt && new Tokens(jwt)
  const byKey = (key: string): Principal => ({ credentials, caller: fingerprint(`key ${key}`), viewer: null, as: 'keys' })
  const byToken = ({ subject, viewer, admin }: Holder): Principal => ({
    credentials,
    caller: fingerprint(`token ${subject}`),
    viewer,
    ownOnly: !admin,
    readOnly: !admin,
    as: admin ? 'admins' : 'tokens',
  })
  const anybody: Principal = { credentials, caller: '', principal: NOBODY, viewer: null, readOnly: true }
  return (headers) => {
    const key = headers.get('x-api-key')
    const authorization = headers.get('authorization')
    if (key !== null && !keys.has(key)) return BAD_TOKEN
    if (authorization === null) return key !== null ? byKey(key) : open ? anybody : MISSING_TOKEN
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
    if (token === undefined) return BAD_TOKEN
    if (keys.has(token)) return byKey(token)
    if (!tokens) return BAD_TOKEN
    return tokens.read(token).then(
      (holder) => (holder ? byToken(holder) : BAD_TOKEN),
      (fault) => {
        onFault(fault, headers.get(REQUEST_ID) ?? undefined)
        return NO_KEY_SET
      },
    )
  }
}

const unauthenticated = (message: string, challenge: string): Refusal =>
  new Refusal(401, { message, extensions: { code: 'UNAUTHENTICATED' } }, challenge)

const MISSING_KEY = unauthenticated('This gateway wants an API key, in `X-API-Key`.', 'ApiKey')
/** For what strangers do not get to see, though they may enter. */
export const SHOW_CREDENTIALS = unauthenticated('This needs an API key or a token.', 'Bearer')
const BAD_KEY = unauthenticated('The API key is not accepted.', 'ApiKey')
const MISSING_TOKEN = unauthenticated('This gateway wants an API key or a token, as `Authorization: Bearer`.', 'Bearer')
const BAD_TOKEN = unauthenticated('The API key or token is not accepted.', 'Bearer error="invalid_token"')
const NO_KEY_SET = new Refusal(503, {
  message: 'The key set that tokens are checked with could not be loaded. Try again later.',
  extensions: { code: 'UPSTREAM_UNAVAILABLE' },
})
