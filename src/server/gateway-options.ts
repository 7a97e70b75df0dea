import type { MaxAge, SubgraphOptions } from '../federation/options.js'
import type { Resource } from '../graph/schema.js'
import {
  aBoolean,
  aFunction,
  anObject,
  aText,
  type Check,
  type Checks,
  type Instead,
  must,
  options,
  required,
  texts,
  wholeNumber,
} from '../options.js'
import { asSetting, asSettings } from '../settings/option-checks.js'
import type { CacheOptions } from '../upstream/cache/options.js'
import { defineSite, type Site } from '../upstream/site/site.js'
import type { ProtectionOptions } from '../upstream/transport/protection.js'
import type { AccessOptions, AuthenticationOptions, ServiceAccount } from './auth/authenticator.js'
import type { TokenOptions } from './auth/tokens.js'
import type { Audience } from './core.js'
import type { HookOptions } from './hooks/hooks.js'
import type { GraphiQLUser } from './http/plugins/use-graphiql.js'
import type { GuardOptions } from './limits/guard.js'
import type { MemoryOptions } from './limits/memory-guard.js'
import type { RequestLoggerOptions } from './log/request-logger.js'
import { isRedisUrl, type RedisOptions } from './redis/options.js'
import type { UpstreamOptions } from './upstream.js'

export interface GatewayOptions
  extends UpstreamOptions,
    AccessOptions,
    GuardOptions,
    RequestLoggerOptions,
    MemoryOptions,
    ProtectionOptions {
  /** Resources that the site has beyond the specification, written with `lms-graphql/kit`. None by default. */
  readonly resources?: readonly Resource[]
  /** Webhooks: from the site, and to further addresses. None by default. */
  readonly hooks?: HookOptions | undefined
  /** Serves a subgraph of a larger graph, by Apollo Federation 2. By default the graph is complete by itself. */
  readonly subgraph?: SubgraphOptions | undefined
  /** Whether compiled response writers answer queries, instead of the executor of graphql-js. The answers are the same. True by default. */
  readonly compile?: boolean
  /** Callers who may have operations explained, by `extensions.explain` or `x-lms-explain`. None by default. */
  readonly explainFor?: readonly Audience[]
  /**
   * Callers whose explanations include data about other callers: which reads were shared with them, and how long calls were queued behind
   * theirs. `keys` and `admins` by default.
   */
  readonly explainOthersFor?: readonly Audience[]
  /** Whether `handle` answers JSON posts without Yoga. The answers are the same. True by default. */
  readonly shortPath?: boolean
  /**
   * Path of the GraphQL endpoint in the addresses of requests, such as `/api/lms`. Pages, health and metrics are below it: `/api/lms/health/live`.
   * By default the path at which Express has mounted the gateway, else `/graphql`, which has health and metrics beside it: `/health/live`.
   */
  readonly path?: string | undefined
  /** Largest body of a request to the gateway in bytes, 100,000 by default. */
  readonly maxBodyBytes?: number
  /** Origins whose pages may call the gateway from browsers, such as `https://app.example.org`, or `*` for all. None by default. */
  readonly corsOrigins?: readonly string[]
  /**
   * Seconds for which CDNs and browsers may keep answers to `GET` with trusted documents: for all types, or by type name. Not at all by
   * default. For a subgraph, set its `maxAge` instead.
   */
  readonly httpMaxAge?: MaxAge | undefined
  /** Addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` has the address of the client. None by default. */
  readonly trustedProxies?: readonly string[]
  /** Whether browsers that open `/graphql` get GraphiQL. True by default, false in production. */
  readonly graphiql?: boolean | undefined
  /**
   * Users GraphiQL offers to sign in as. None by default; for the embedded LMS only: with users, the examples of GraphiQL have the ids of its
   * sample records. They are not offered with a service account.
   */
  readonly users?: readonly GraphiQLUser[]
  /** Whether the gateway counts, and `/metrics` shows it: to everybody, or with `authentication` or a service account to callers with a key or token. False by default. */
  readonly metrics?: boolean
  /** Whether `/metrics` shows them to everybody in any case. False by default. */
  readonly metricsOpen?: boolean | undefined
  /** Whether `/metrics` answers. True by default; when false, the metrics are for `gateway.metrics()` only. */
  readonly metricsRoute?: boolean | undefined
  /** Redis or Valkey, with which several gateways share what they keep and what they know of changes. None by default. */
  readonly redis?: RedisOptions | undefined
  /** Whether the gateway is about to end; `/health/ready` is 503 then. */
  readonly isLeaving?: () => boolean
}

/** The site: its address, or a description by `defineSite`. */
const aSite: Check = (value, name) => {
  if (typeof value === 'string') return asSetting('upstream')(value, name)
  return must((site) => typeof site === 'object' && site !== null && MEMBERS.every((member) => member in site), ALLOWED_SITE)(value, name)
}
const MEMBERS = Object.keys(defineSite('http://localhost')) as (keyof Site)[]
const ALLOWED_SITE = 'the address of its REST root, or a site made by `defineSite`'

const isMap = (value: unknown): boolean => value instanceof Map
const isLog = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ['debug', 'info', 'warn', 'error'].every((level) => typeof (value as Record<string, unknown>)[level] === 'function')
const isPath = (value: unknown): boolean =>
  typeof value === 'string' &&
  value.startsWith('/') &&
  !value.startsWith('//') &&
  (value === '/' || !value.endsWith('/')) &&
  URL.canParse(`http://localhost${value}`) &&
  new URL(`http://localhost${value}`).pathname === value

const isSeconds = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 1e8
const isMaxAgeOption = (value: unknown): boolean =>
  isSeconds(value) || (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isSeconds))

const isRedisUrls = (value: unknown): boolean =>
  [value].flat().length > 0 && [value].flat().every((url) => typeof url === 'string' && isRedisUrl(url))

const aMaxAge = must(isMaxAgeOption, 'seconds, for all types or in an object by type: `60` or `{ Course: 300 }`')

const token = options<TokenOptions>({
  jwksUrl: asSetting('jwtJwksUrl'),
  key: asSetting('jwtKey'),
  issuer: required(aText),
  audience: required(aText),
  withoutExpiry: aBoolean,
  userClaim: aText,
  adminClaim: aText,
  adminValue: aText,
})

const LISTENING = 'it is an option of `startGateway`'
const ACCOUNT = 'set `serviceAccount: { user, password }`'
const KEYS = 'set `authentication: { apiKeys }`'
const TOKENS = 'set `authentication: { jwt }`'
const HOOKS = 'set `hooks: { secret, forward, forwardSecret }`'
const SITE = 'set it in a site made by `defineSite`, as `upstream`'

/** What to set instead of settings of the command that are no options. */
export const GATEWAY_INSTEAD: Instead = {
  lmsUser: ACCOUNT,
  lmsPassword: ACCOUNT,
  lmsPasswordFile: ACCOUNT,
  gatewayApiKeys: KEYS,
  gatewayApiKeysFile: KEYS,
  apiKeys: KEYS,
  open: 'set `authentication: { open: true }`',
  ...Object.fromEntries(
    [
      'jwt',
      'jwtJwksUrl',
      'jwtKey',
      'jwtKeyFile',
      'jwtIssuer',
      'jwtAudience',
      'jwtUserClaim',
      'jwtAdminClaim',
      'jwtAdminValue',
      'jwtWithoutExpiry',
    ].map((name) => [name, TOKENS]),
  ),
  ...Object.fromEntries(
    ['hookSecret', 'hookSecretFile', 'hookForward', 'hookForwardSecret', 'hookForwardSecretFile'].map((name) => [name, HOOKS]),
  ),
  logLevel: 'pass a logger as `log`, which decides what it writes',
  logFormat: 'pass a logger as `log`, which decides how it writes',
  subgraphVersion: 'set `subgraph: { version }`',
  subgraphUsers: 'set `subgraph: { users }`',
  subgraphUserKey: 'set `subgraph: { userKey }`',
  subgraphSlugKeys: 'set `subgraph: { slugKeys }`',
  subgraphRefersTo: 'set `subgraph: { refersTo }`',
  subgraphCosts: 'set `subgraph: { costs }`',
  subgraphAuthenticated: 'set `subgraph: { authenticated }`',
  subgraphTags: 'set `subgraph: { tags }`',
  subgraphInaccessible: 'set `subgraph: { inaccessible }`',
  subgraphMaxAge: 'set `subgraph: { maxAge }`',
  redisUrl: 'set `redis: { url }`',
  redisUrlFile: 'set `redis: { url }`',
  redisCluster: 'set `redis: { cluster }`',
  redisTimeout: 'set `redis: { timeout }`',
  redisPrefix: 'set `redis: { prefix }`',
  siteId: 'set `redis: { siteId }`',
  cacheForCallers: 'set `cache: { forCallers }`',
  cacheBytes: 'set `cache: { bytes }`',
  staleWhileRevalidate: 'set `cache: { staleWhileRevalidate }`',
  cacheStaleness: 'set `cache: { staleness }`',
  cacheSecret: 'set `cache: { secret }`',
  cacheSecretFile: 'set `cache: { secret }`',
  preset: 'pass `defineSite(url, PRESETS.learndash)` as `upstream`',
  ...Object.fromEntries(
    [
      'pageCap',
      'pageSizeParams',
      'fieldFilter',
      'termPrefix',
      'unbatched',
      'payNowSpelling',
      'viewerRoute',
      'timeZone',
      'progressSteps',
      'openProgression',
      'missingPrerequisites',
      'bypassingUsers',
    ].map((name) => [name, SITE]),
  ),
  ignoredFilters: `${SITE}: \`ignored\``,
  droppedFilters: `${SITE}: \`dropped\``,
  unfilteredRoutes: `${SITE}: \`unfiltered\``,
  missingColumns: `${SITE}: \`lacking\``,
  profile: 'it is an option of `startLms`',
  ...Object.fromEntries(
    [
      'port',
      'host',
      'metricsPort',
      'metricsHost',
      'headersTimeout',
      'requestTimeout',
      'idleTimeout',
      'maxConnections',
      'maxConnectionsPerAddress',
      'drainTimeout',
    ].map((name) => [name, LISTENING]),
  ),
}

/** The checks of all options of `createGateway`. Those that are settings too have the bounds of the settings. */
export const GATEWAY_CHECKS: Checks<GatewayOptions> = {
  ...asSettings('maxInFlight', 'timeout', 'connectTimeout', 'maxResponseBytes', 'shareReads', 'shareInFlight'),
  ...asSettings('maxRows', 'maxCalls', 'maxUnpaged'),
  ...asSettings('maxQueue', 'maxQueuePerCaller', 'queueTimeout', 'operationTimeout', 'retries', 'maxRetryDelay', 'retryBudget'),
  ...asSettings('breakerThreshold', 'breakerCalls', 'breakerCooldown', 'staleIfError', 'staleEntries', 'staleBytes'),
  ...asSettings('maxTokens', 'maxNesting', 'maxDepth', 'maxRootFields', 'maxAliases', 'maxFragments', 'maxSelections', 'maxRepeats'),
  ...asSettings('maxDirectives', 'maxListItems', 'maxVariableValues', 'maxIntrospection', 'maxErrors', 'maxAnswerSize'),
  ...asSettings('introspection', 'suggestions', 'onlyTrusted', 'persistedQueries', 'writeTimeout', 'forwardCookie'),
  ...asSettings('compile', 'shortPath', 'corsOrigins', 'trustedProxies', 'graphiql', 'metrics', 'metricsOpen'),
  ...asSettings('explainFor', 'explainOthersFor', 'logVariables'),
  upstream: required(aSite),
  preset: asSetting('preset'),
  // Programs may have smaller ones than the command, such as tests of clients.
  maxBodyBytes: wholeNumber(1, 100_000_000),
  memoryBudget: wholeNumber(1, 1_000_000_000_000),
  httpMaxAge: aMaxAge,
  onCall: aFunction,
  onRepair: aFunction,
  onOperation: aFunction,
  onFault: aFunction,
  metricsRoute: aBoolean,
  redis: options<RedisOptions>({
    url: required(must(isRedisUrls, 'an address such as `redis://127.0.0.1:6379`, or an array of those of a cluster')),
    cluster: asSetting('redisCluster'),
    timeout: asSetting('redisTimeout'),
    prefix: asSetting('redisPrefix'),
    siteId: asSetting('siteId'),
  }),
  cache: options<CacheOptions>({
    maxAge: required(must(isMaxAgeOption, 'seconds, for all types or in an object by type: `60` or `{ Course: 300 }`')),
    forCallers: asSetting('cacheForCallers'),
    bytes: asSetting('cacheBytes'),
    staleWhileRevalidate: asSetting('staleWhileRevalidate'),
    staleness: asSetting('cacheStaleness'),
    secret: must((value) => typeof value === 'string' && value.length >= 32, 'a text of at least 32 characters'),
  }),
  isLeaving: aFunction,
  log: must(isLog, 'a logger with the methods `debug`, `info`, `warn` and `error`'),
  production: aBoolean,
  trustedDocuments: must(isMap, 'a `Map` of documents by their hashes'),
  serviceAccount: options<ServiceAccount>({ user: required(asSetting('lmsUser')), password: required(aText) }),
  authentication: options<AuthenticationOptions>({ apiKeys: texts, jwt: token, open: aBoolean }),
  hooks: options<HookOptions>({
    secret: asSetting('hookSecret'),
    forward: asSetting('hookForward'),
    forwardSecret: asSetting('hookForwardSecret'),
  }),
  subgraph: options<SubgraphOptions>({
    version: asSetting('subgraphVersion'),
    users: asSetting('subgraphUsers'),
    userKey: asSetting('subgraphUserKey'),
    slugKeys: asSetting('subgraphSlugKeys'),
    refersTo: asSetting('subgraphRefersTo'),
    costs: asSetting('subgraphCosts'),
    authenticated: asSetting('subgraphAuthenticated'),
    tags: asSetting('subgraphTags'),
    inaccessible: asSetting('subgraphInaccessible'),
    maxAge: aMaxAge,
  }),
  resources: must(Array.isArray, 'an array of resources made by `defineResource`'),
  users: must((value) => Array.isArray(value) && value.every((user) => anObject(user, '').length === 0), 'an array of users'),
  path: must(isPath, 'a path that begins with `/` and does not end with it, such as `/graphql`'),
}
