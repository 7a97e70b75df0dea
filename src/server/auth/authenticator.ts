import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Caller } from '../../upstream/call-scope.js'
import { ANONYMOUS, basic, Credentials, fingerprint } from '../../upstream/credentials.js'
import type { Emitter, FaultEvents } from '../../upstream/events.js'
import { REQUEST_ID } from '../http/protocol.js'
import { type KeySet, KeySetError, type KeySetEvents } from './key-set.js'
import { type TokenOptions, type TokenOwner, Tokens } from './tokens.js'

const SALT = randomBytes(32).toString('base64')
const LEAST = 16

const digest = (text: string): Buffer => hash('sha256', SALT + text, 'buffer')

/** The API keys of callers. */
class ApiKeys {
  private readonly digests: readonly Buffer[]

  constructor(keys: readonly string[]) {
    this.digests = keys.map(digest)
  }

  /** Takes constant time, whichever part of a key is wrong. */
  has(key: string): boolean {
    const given = digest(key)
    let found = false
    for (const each of this.digests) found = timingSafeEqual(each, given) || found
    return found
  }
}

/** The caller's own credentials for the site. */
function callerCredentials(headers: Pick<Headers, 'get'>, cookies: boolean): Credentials {
  const authorization = headers.get('authorization')
  const session = cookies ? sessionHeaders(headers) : undefined
  if (authorization === null && !session) return ANONYMOUS
  return new Credentials({ ...(authorization === null ? {} : { authorization }), ...session })
}

/** The site accepts its cookies only together with a nonce. */
function sessionHeaders(headers: Pick<Headers, 'get'>): Record<string, string> | undefined {
  const nonce = headers.get('x-wp-nonce')
  const cookie = (headers.get('cookie') ?? '')
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each.startsWith('wordpress_'))
    .join('; ')
  return nonce && cookie ? { cookie, 'x-wp-nonce': nonce } : undefined
}

/** The account of the site that is used for all callers. */
export interface ServiceAccount {
  readonly user: string
  /** Its application password. */
  readonly password: string
}

/** Who may use the gateway. One of several ways to authenticate is enough. */
export interface AuthenticationOptions {
  /**
   * Keys of at least 16 characters each, in `X-API-Key`, or with a service account also as Bearer tokens. They have all rights of the
   * account.
   */
  readonly apiKeys?: readonly string[] | undefined
  /**
   * Bearer tokens; for service accounts only. Administrators have all rights of the account; others may only read published records without
   * columns of editors, and only their own progress.
   */
  readonly jwt?: TokenOptions | undefined
  /**
   * Allows callers without key and token. With a service account they may only read published records without columns of editors, and the
   * progress of all users. False by default.
   */
  readonly open?: boolean | undefined
}

/** Which credentials the site receives, and who may use the gateway. By default each caller's own, and everybody. */
export interface AccessOptions {
  /** Requires `authentication`. By default each caller's own `Authorization` goes to the site. */
  readonly serviceAccount?: ServiceAccount | undefined
  readonly authentication?: AuthenticationOptions | undefined
  /**
   * Whether `wordpress_…` cookies of a caller go to the site, together with `X-WP-Nonce`; not with a service account. False by default.
   */
  readonly forwardCookie?: boolean | undefined
}

/** Who calls: their credentials for the site, and their rights in the gateway. */
export type Principal = Omit<Caller, 'address'> & {
  /** How they authenticated: an API key, a token with the admin claim, or another token. Undefined for callers without authentication. */
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
export interface Authenticator {
  (headers: Pick<Headers, 'get'>): Principal | Rejection | Promise<Principal | Rejection>
  /** The key set for tokens, if there is one. */
  readonly keySet?: KeySet | undefined
}

/** Whether keys, tokens or an account are configured. Callers without credentials are anonymous then. */
export const hasAuthentication = ({ serviceAccount, authentication }: AccessOptions): boolean =>
  serviceAccount !== undefined || authentication?.jwt !== undefined || (authentication?.apiKeys?.length ?? 0) > 0

/**
 * Credentials that callers can send: an application password of the site (Basic) or a bearer token in `Authorization`, or an API key in
 * `X-API-Key`.
 */
export type SignInMethod = 'password' | 'bearer' | 'apiKey'

/** The credentials that the authenticator of the same options takes. */
export function signInMethods({ serviceAccount, authentication = {} }: AccessOptions): SignInMethod[] {
  const forSite: SignInMethod[] = serviceAccount ? [] : ['password', 'bearer']
  return [
    ...forSite,
    ...(authentication.jwt ? (['bearer'] as const) : []),
    ...(authentication.apiKeys?.length ? (['apiKey'] as const) : []),
  ]
}

/** Complaints about options that contradict or require each other. */
export function contradictingAccess({ serviceAccount, authentication = {}, forwardCookie }: AccessOptions): string[] {
  const { apiKeys, jwt, open } = authentication
  const complaints: string[] = []
  if (serviceAccount && !apiKeys?.length && !jwt && open !== true)
    complaints.push(
      '`serviceAccount` requires `authentication`: set `apiKeys`, `jwt`, or `open: true` when everybody may read what is published.',
    )
  if (serviceAccount && forwardCookie) complaints.push('`forwardCookie` cannot be used with `serviceAccount`.')
  if (apiKeys?.some((key) => key.length < LEAST))
    complaints.push(`\`authentication.apiKeys\` has a short key; each key must have at least ${LEAST} characters.`)
  if (jwt && (jwt.jwksUrl === undefined) === (jwt.key === undefined))
    complaints.push('`authentication.jwt` requires either `jwksUrl` or `key`.')
  if (jwt && !serviceAccount)
    complaints.push('`authentication.jwt` requires `serviceAccount`: without it, `Authorization` is for the site, not for the gateway.')
  return complaints
}

/** What authentication reports. */
export interface AccessEvents extends FaultEvents, KeySetEvents {}

/** The authenticator for options that do not contradict each other. */
export function createAuthenticator(options: AccessOptions, events: Emitter<AccessEvents>): Authenticator {
  const { serviceAccount, authentication = {}, forwardCookie = false } = options
  return serviceAccount
    ? serviceAuthenticator(serviceAccount, authentication, events)
    : passThroughAuthenticator(authentication, forwardCookie)
}

/** The principal of callers that the gateway has not authenticated itself. */
const NOBODY = ''

/** Passes the caller's own credentials to the site, after a check of API keys. */
function passThroughAuthenticator({ apiKeys, open }: AuthenticationOptions, cookies: boolean): Authenticator {
  const keys = apiKeys?.length ? new ApiKeys(apiKeys) : undefined
  return (headers) => {
    const key = keys && headers.get('x-api-key')
    if (key === null && !open) return MISSING_KEY
    if (typeof key === 'string' && !keys?.has(key)) return BAD_KEY
    const credentials = callerCredentials(headers, cookies)
    if (typeof key !== 'string') return { credentials, id: credentials.id, principal: NOBODY }
    const principal = fingerprint(`key ${key}`)
    return { credentials, id: fingerprint(`${principal}\n${credentials.id}`), principal, as: 'keys' }
  }
}

/** The credentials of an account for the site. */
export const credentialsOf = ({ user, password }: ServiceAccount): Credentials => new Credentials({ authorization: basic(user, password) })

/** Passes the credentials of the account to the site, never a caller's own. Credentials that a caller sends must be valid. */
function serviceAuthenticator(
  account: ServiceAccount,
  { apiKeys = [], jwt, open }: AuthenticationOptions,
  events: Emitter<AccessEvents>,
): Authenticator {
  const credentials = credentialsOf(account)
  const limited = new Credentials(credentials.headers, true)
  const keys = new ApiKeys(apiKeys)
  const tokens = jwt && new Tokens(jwt, events)
  const byKey = (key: string): Principal => ({ credentials, id: fingerprint(`key ${key}`), viewer: null, as: 'keys' })
  const byToken = ({ subject, viewer, admin }: TokenOwner): Principal => ({
    credentials: admin ? credentials : limited,
    id: fingerprint(`token ${subject}`),
    viewer,
    ownOnly: !admin,
    readOnly: !admin,
    as: admin ? 'admins' : 'tokens',
  })
  const anonymous: Principal = { credentials: limited, id: '', principal: NOBODY, viewer: null, readOnly: true }
  const authenticate: Authenticator = (headers) => {
    const key = headers.get('x-api-key')
    const authorization = headers.get('authorization')
    if (key !== null && !keys.has(key)) return BAD_TOKEN
    if (authorization === null) return key !== null ? byKey(key) : open ? anonymous : MISSING_TOKEN
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
    if (token === undefined) return BAD_TOKEN
    if (keys.has(token)) return byKey(token)
    if (!tokens) return BAD_TOKEN
    return tokens.read(token).then(
      (holder) => (holder ? byToken(holder) : BAD_TOKEN),
      (fault) => {
        if (!(fault instanceof KeySetError)) events.emit('fault', fault, headers.get(REQUEST_ID) ?? undefined)
        return NO_KEY_SET
      },
    )
  }
  return Object.assign(authenticate, { keySet: tokens?.keySet })
}

const unauthenticated = (message: string, challenge: string): Rejection =>
  new Rejection(401, { message, extensions: { code: 'UNAUTHENTICATED' } }, challenge)

const MISSING_KEY = unauthenticated('This gateway requires an API key in `X-API-Key`.', 'ApiKey')
/** For data that anonymous callers may not read, although they are allowed. */
export const SHOW_CREDENTIALS = unauthenticated('This requires an API key or a token.', 'Bearer')
const BAD_KEY = unauthenticated('The API key is not valid.', 'ApiKey')
const MISSING_TOKEN = unauthenticated('This gateway requires an API key or a token in `Authorization: Bearer`.', 'Bearer')
const BAD_TOKEN = unauthenticated('The API key or token is not valid.', 'Bearer error="invalid_token"')
const NO_KEY_SET = new Rejection(503, {
  message: 'The key set for tokens could not be loaded. Try again later.',
  extensions: { code: 'UPSTREAM_UNAVAILABLE' },
})
