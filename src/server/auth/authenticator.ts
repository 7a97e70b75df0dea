import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { namedKey, ROLES, roleGrant } from '../../options/access.js'
import type { Secret } from '../../options/secret.js'
import type { Options } from '../../options/table.js'
import type { Caller } from '../../upstream/call-scope.js'
import { ANONYMOUS, basic, Credentials, fingerprint } from '../../upstream/credentials.js'
import type { Emitter, FaultEvents } from '../../upstream/events.js'
import { type Role, RULES } from '../../upstream/roles.js'
import type { Network } from '../../upstream/transport/network.js'
import { REQUEST_ID } from '../http/protocol.js'
import { type KeySet, KeySetError, type KeySetEvents } from './key-set.js'
import { hasClaim, type TokenOwner, Tokens } from './tokens.js'

const SALT = randomBytes(32).toString('base64')

const digest = (text: string): Buffer => hash('sha256', SALT + text, 'buffer')

/** The API keys of callers. */
class ApiKeys {
  private readonly all: readonly { readonly name: string; readonly digest: Buffer }[]

  constructor(keys: readonly Secret[]) {
    this.all = keys.map((each) => {
      const { name, key } = namedKey(each.reveal())
      // A key without a name is shown by the beginning of its hash.
      return { name: name ?? hash('sha256', key).slice(0, 8), digest: digest(key) }
    })
  }

  /** The name of a key; undefined when it is not valid. Takes constant time, whichever part of a key is wrong. */
  nameOf(key: string): string | undefined {
    const given = digest(key)
    let found: string | undefined
    for (const { name, digest } of this.all) found = timingSafeEqual(digest, given) ? name : found
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

function ownKind({ anonymous, headers, userName }: Credentials): Principal['own'] {
  if (anonymous) return undefined
  return headers.authorization === undefined ? 'cookie' : userName === undefined ? 'bearer' : 'login'
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

/** Which credentials the site receives, and who may use the gateway. By default each caller's own, and everybody. */
export type AccessOptions = Pick<Options, 'site' | 'access'>

/** Who calls: their credentials for the site, and their rights in the gateway. */
export type Principal = Omit<Caller, 'address'> & {
  /** How they authenticated. Undefined for callers without authentication. */
  readonly as?: 'key' | 'token'
  /** Name of the API key, or subject of the token if it has one. */
  readonly name?: string | undefined
  /** The kind of the caller's own credentials for the site: a user name with a password, another `Authorization`, or cookies. */
  readonly own?: 'login' | 'bearer' | 'cookie' | undefined
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

/** Whether an account is configured, which is used for all callers. */
export const hasAccount = ({ site }: AccessOptions): boolean => site.user !== undefined

/** Whether keys, tokens or an account are configured. Callers without credentials are anonymous then. */
export const hasAuthentication = (options: AccessOptions): boolean => hasAccount(options) || options.access.apiKeys !== undefined

/**
 * Credentials that callers can send: an application password of the site (Basic) or a bearer token in `Authorization`, or an API key in
 * `X-API-Key`.
 */
export type SignInMethod = 'password' | 'bearer' | 'apiKey'

/** The credentials that the authenticator of the same options takes. */
export function signInMethods({ site, access }: AccessOptions): SignInMethod[] {
  const forSite: SignInMethod[] = site.user === undefined ? ['password', 'bearer'] : []
  return [
    ...forSite,
    ...(access.jwtIssuer === undefined ? [] : (['bearer'] as const)),
    ...(access.apiKeys === undefined ? [] : (['apiKey'] as const)),
  ]
}

/** What authentication reports. */
export interface AccessEvents extends FaultEvents, KeySetEvents {}

/** The reader of tokens, with its key set; undefined when the gateway takes none. */
export const createTokens = ({ access }: AccessOptions, network: Network, events: Emitter<AccessEvents>): Tokens | undefined =>
  access.jwtIssuer === undefined ? undefined : new Tokens(access, network, events)

/** The authenticator for options that do not contradict each other. */
export const createAuthenticator = (options: AccessOptions, tokens: Tokens | undefined, events: Emitter<AccessEvents>): Authenticator =>
  hasAccount(options) ? serviceAuthenticator(options, tokens, events) : passThroughAuthenticator(options)

/** The principal of callers that the gateway has not authenticated itself. */
const NOBODY = ''

/** Passes the caller's own credentials to the site, after a check of API keys. */
function passThroughAuthenticator({ site, access: { apiKeys, open } }: AccessOptions): Authenticator {
  const keys = apiKeys && new ApiKeys(apiKeys)
  return (headers) => {
    const key = keys && headers.get('x-api-key')
    if (key === null && !open) return MISSING_KEY
    const name = typeof key === 'string' ? keys?.nameOf(key) : undefined
    if (typeof key === 'string' && name === undefined) return BAD_KEY
    const credentials = callerCredentials(headers, site.forwardCookie)
    const own = ownKind(credentials)
    if (name === undefined) return { credentials, id: credentials.id, principal: NOBODY, own }
    const principal = fingerprint(`key ${key}`)
    return { credentials, id: fingerprint(`${principal}\n${credentials.id}`), principal, as: 'key', name, own }
  }
}

const account = (user: string | undefined, password: Secret | undefined): Credentials =>
  user === undefined || password === undefined ? ANONYMOUS : new Credentials({ authorization: basic(user, password.reveal()) })

/** The credentials of the account for the site, anonymous without one; and those of editors and administrators, if they have their own. */
export const accountsOf = ({ user, password, editorUser, editorPassword }: Options['site']): readonly [Credentials, Credentials?] =>
  editorUser === undefined ? [account(user, password)] : [account(user, password), account(editorUser, editorPassword)]

type Grant = ReturnType<typeof roleGrant>

/** Returns what a caller of a service account is: by the strongest grant for them, else `otherwise`. `known` is the user id in a token. */
function rolesOf({ site, access }: AccessOptions) {
  const grants = access.roles.map(roleGrant).toSorted((a, b) => ROLES.indexOf(b.role) - ROLES.indexOf(a.role))
  const [reader, whole = reader] = accountsOf(site)
  const limited = new Credentials(reader.headers, true)
  return (isGranted: (grant: Grant) => boolean, otherwise: Role, known: number | null = null) => {
    const grant = grants.find(isGranted)
    const [given, viewer] = [grant?.role ?? otherwise, grant?.viewer ?? known]
    const role = given === 'learner' && viewer === null ? 'visitor' : given
    const credentials = RULES[role].records === 'published' ? limited : whole
    return { role, viewer: role === 'visitor' ? null : viewer, credentials }
  }
}

/** Passes the credentials of an account to the site, never a caller's own. Credentials that a caller sends must be valid. */
function serviceAuthenticator(options: AccessOptions, tokens: Tokens | undefined, events: Emitter<AccessEvents>): Authenticator {
  const { apiKeys = [], open } = options.access
  const rightsOf = rolesOf(options)
  const keys = new ApiKeys(apiKeys)
  const byKey = (key: string, name: string): Principal => ({
    ...rightsOf((grant) => grant.key === name, 'administrator'),
    id: fingerprint(`key ${key}`),
    as: 'key',
    name,
  })
  const byToken = (token: string, { subject, viewer, claims }: TokenOwner): Principal => ({
    ...rightsOf(({ claim, value }) => claim !== undefined && hasClaim(claims, claim, value), 'learner', viewer),
    id: fingerprint(`token ${subject ?? token}`),
    as: 'token',
    name: subject,
  })
  const anonymous: Principal = { ...rightsOf(() => false, 'visitor'), id: '', principal: NOBODY }
  const authenticate: Authenticator = (headers) => {
    const key = headers.get('x-api-key')
    const authorization = headers.get('authorization')
    const name = key === null ? undefined : keys.nameOf(key)
    if (key !== null && name === undefined) return BAD_TOKEN
    if (authorization === null) return name !== undefined ? byKey(key as string, name) : open ? anonymous : MISSING_TOKEN
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
    if (token === undefined) return BAD_TOKEN
    const ofKey = keys.nameOf(token)
    if (ofKey !== undefined) return byKey(token, ofKey)
    if (!tokens) return BAD_TOKEN
    return tokens.read(token).then(
      (holder) => (holder ? byToken(token, holder) : BAD_TOKEN),
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
