import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { ANONYMOUS, basic, Credentials, fingerprint, type Session } from '../../upstream/session.js'
import { REQUEST_ID } from '../http/protocol.js'
import { type TokenOptions, type TokenOwner, Tokens } from './tokens.js'

const SALT = randomBytes(32).toString('base64')
const LEAST = 16

const digest = (text: string): Buffer => hash('sha256', SALT + text, 'buffer')

/** The keys that let callers in. */
class ApiKeys {
  private readonly digests: readonly Buffer[]

  constructor(keys: readonly string[]) {
    if (keys.some((key) => key.length < LEAST)) throw new Error(`Each API key must have at least ${LEAST} characters.`)
    this.digests = keys.map(digest)
  }

  /** Takes as long for a key that is nearly right as for any other. */
  has(key: string): boolean {
    const given = digest(key)
    let found = false
    for (const each of this.digests) found = timingSafeEqual(each, given) || found
    return found
  }
}

/** What a caller's own headers show the site. */
function callerCredentials(headers: Pick<Headers, 'get'>, cookies: boolean): Credentials {
  const authorization = headers.get('authorization')
  const session = cookies ? sessionHeaders(headers) : undefined
  if (authorization === null && !session) return ANONYMOUS
  return new Credentials({ ...(authorization === null ? {} : { authorization }), ...session })
}

/** The site takes its cookies only together with a nonce, and a nonce is nothing without them. */
function sessionHeaders(headers: Pick<Headers, 'get'>): Record<string, string> | undefined {
  const nonce = headers.get('x-wp-nonce')
  const cookie = (headers.get('cookie') ?? '')
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each.startsWith('wordpress_'))
    .join('; ')
  return nonce && cookie ? { cookie, 'x-wp-nonce': nonce } : undefined
}

/** An account of the site, with which it is called for every caller. */
export interface ServiceAccount {
  readonly user: string
  /** Its application password. */
  readonly password: string
}

/** Who may use the gateway. With several ways to authenticate, one of them is enough. */
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
  /** Needs `authentication`. By default each caller's own `Authorization` goes to the site. */
  readonly serviceAccount?: ServiceAccount | undefined
  readonly authentication?: AuthenticationOptions | undefined
  /**
   * Whether `wordpress_…` cookies of a caller go to the site, when `X-WP-Nonce` comes with them; not for service accounts. False by
   * default.
   */
  readonly forwardCookie?: boolean | undefined
}

/** Who calls: their credentials for the site, and their rights in the gateway. */
export type Principal = Pick<Session, 'credentials' | 'caller' | 'principal' | 'viewer' | 'ownOnly' | 'readOnly'> & {
  /** What they have shown: an API key, a token with the admin claim, or another token. Undefined for callers who need to show nothing. */
  readonly as?: 'keys' | 'admins' | 'tokens'
}

/** Why a request was not authenticated. */
export class Rejection {
  constructor(
    readonly status: 401 | 503,
    readonly error: { readonly message: string; readonly extensions: { readonly code: string } },
    /** Value of `WWW-Authenticate`. */
    readonly challenge?: string,
  ) {}
}

/** Authenticates a request by its headers. */
export type Authenticator = (headers: Pick<Headers, 'get'>) => Principal | Rejection | Promise<Principal | Rejection>

/** Whether keys, tokens or an account are configured: callers without credentials are then anonymous, even when they are let in. */
export const hasAuthentication = ({ serviceAccount, authentication }: AccessOptions): boolean =>
  serviceAccount !== undefined || authentication?.jwt !== undefined || (authentication?.apiKeys?.length ?? 0) > 0

/** The authenticator for these options. Throws when they do not go together. */
export function createAuthenticator(options: AccessOptions, onFault: (fault: unknown, requestId?: string) => void): Authenticator {
  const { serviceAccount, authentication = {}, forwardCookie = false } = options
  if (serviceAccount) {
    if (!authentication.apiKeys?.length && !authentication.jwt && authentication.open !== true)
      throw new Error(
        'A service account needs `authentication`: set `apiKeys`, `jwt`, or `open: true` when everybody may see what the account may see.',
      )
    if (serviceAccount.user.includes(':')) throw new Error('The user of a service account must be a login, without a colon.')
    if (forwardCookie) throw new Error('`forwardCookie` does not go with a service account.')
    return serviceAuthenticator(serviceAccount, authentication, onFault)
  }
  if (authentication.jwt)
    throw new Error('`jwt` needs a service account: without one `Authorization` is for the site, not for the gateway.')
  return passThroughAuthenticator(authentication, forwardCookie)
}

/** The principal of callers whom the gateway has not verified itself. */
const NOBODY = ''

/** Callers show the site their own credentials; API keys are checked before that. */
function passThroughAuthenticator({ apiKeys, open }: AuthenticationOptions, cookies: boolean): Authenticator {
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
function serviceAuthenticator(
  account: ServiceAccount,
  { apiKeys = [], jwt, open }: AuthenticationOptions,
  onFault: (fault: unknown, requestId?: string) => void,
): Authenticator {
  const credentials = credentialsOf(account)
  const keys = new ApiKeys(apiKeys)
  const tokens = jwt && new Tokens(jwt)
  const byKey = (key: string): Principal => ({ credentials, caller: fingerprint(`key ${key}`), viewer: null, as: 'keys' })
  const byToken = ({ subject, viewer, admin }: TokenOwner): Principal => ({
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

const unauthenticated = (message: string, challenge: string): Rejection =>
  new Rejection(401, { message, extensions: { code: 'UNAUTHENTICATED' } }, challenge)

const MISSING_KEY = unauthenticated('This gateway wants an API key, in `X-API-Key`.', 'ApiKey')
/** For what anonymous callers may not see, although they are let in. */
export const SHOW_CREDENTIALS = unauthenticated('This needs an API key or a token.', 'Bearer')
const BAD_KEY = unauthenticated('The API key is not accepted.', 'ApiKey')
const MISSING_TOKEN = unauthenticated('This gateway wants an API key or a token, as `Authorization: Bearer`.', 'Bearer')
const BAD_TOKEN = unauthenticated('The API key or token is not accepted.', 'Bearer error="invalid_token"')
const NO_KEY_SET = new Rejection(503, {
  message: 'The key set that tokens are checked with could not be loaded. Try again later.',
  extensions: { code: 'UPSTREAM_UNAVAILABLE' },
})
