import { z } from 'zod'
import type { MaxAge, SubgraphOptions } from '../federation/options.js'
import type { Resource } from '../graph/schema.js'
import { aBoolean, aFunction, aText, type Checks, isObject, must, options, texts, wholeNumber } from '../options.js'
import { asSetting, asSettings } from '../settings/option-checks.js'
import type { CacheOptions } from '../upstream/cache/options.js'
import { defineSite, type Site } from '../upstream/site/site.js'
import type { ProtectionOptions } from '../upstream/transport/protection.js'
import type { AccessOptions, AuthenticationOptions, ServiceAccount } from './auth/authenticator.js'
import type { TokenOptions } from './auth/tokens.js'
import type { Audience } from './core.js'
import type { Listeners } from './events.js'
import type { HookOptions } from './hooks/hooks.js'
import type { GraphiQLUser } from './http/plugins/use-graphiql.js'
import type { GuardOptions } from './limits/guard.js'
import type { MemoryOptions } from './limits/memory-guard.js'
import type { LogOptions } from './log/event-log.js'
import { isRedisUrl, type RedisOptions } from './redis/options.js'
import type { UpstreamOptions } from './upstream.js'

export interface GatewayOptions extends UpstreamOptions, AccessOptions, GuardOptions, LogOptions, MemoryOptions, ProtectionOptions {
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
const aSite = z.unknown().superRefine((value, context) => {
  const { error } = (typeof value === 'string' ? asSetting('upstream') : aDescription).safeParse(value)
  for (const { message } of error?.issues ?? []) context.addIssue({ code: 'custom', message })
})
const MEMBERS = Object.keys(defineSite('http://localhost')) as (keyof Site)[]
const aDescription = must(
  (site) => isObject(site) && MEMBERS.every((member) => member in site),
  'the address of its REST root, or a site made by `defineSite`',
)

const isMap = (value: unknown): boolean => value instanceof Map
const isLog = (value: unknown): boolean =>
  isObject(value) && ['debug', 'info', 'warn', 'error'].every((level) => typeof value[level] === 'function')
const isPath = (value: unknown): boolean =>
  typeof value === 'string' &&
  value.startsWith('/') &&
  !value.startsWith('//') &&
  (value === '/' || !value.endsWith('/')) &&
  URL.canParse(`http://localhost${value}`) &&
  new URL(`http://localhost${value}`).pathname === value

const isSeconds = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 1e8
const isMaxAgeOption = (value: unknown): boolean => isSeconds(value) || (isObject(value) && Object.values(value).every(isSeconds))

const isRedisUrls = (value: unknown): boolean =>
  [value].flat().length > 0 && [value].flat().every((url) => typeof url === 'string' && isRedisUrl(url))

const aMaxAge = must(isMaxAgeOption, 'seconds, for all types or in an object by type: `60` or `{ Course: 300 }`')

const token = options<TokenOptions>(
  {
    jwksUrl: asSetting('jwtJwksUrl'),
    key: asSetting('jwtKey'),
    issuer: aText,
    audience: aText,
    withoutExpiry: aBoolean,
    userClaim: aText,
    adminClaim: aText,
    adminValue: aText,
  },
  'issuer',
  'audience',
)

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
  upstream: aSite,
  preset: asSetting('preset'),
  // Programs may have smaller ones than the command, such as tests of clients.
  maxBodyBytes: wholeNumber(1, 100_000_000),
  memoryBudget: wholeNumber(1, 1_000_000_000_000),
  httpMaxAge: aMaxAge,
  on: options<Listeners>({ call: aFunction, repair: aFunction, operation: aFunction, fault: aFunction }),
  metricsRoute: aBoolean,
  redis: options<RedisOptions>(
    {
      url: must(isRedisUrls, 'an address such as `redis://127.0.0.1:6379`, or an array of those of a cluster'),
      cluster: asSetting('redisCluster'),
      timeout: asSetting('redisTimeout'),
      prefix: asSetting('redisPrefix'),
      siteId: asSetting('siteId'),
    },
    'url',
  ),
  cache: options<CacheOptions>(
    {
      maxAge: aMaxAge,
      forCallers: asSetting('cacheForCallers'),
      bytes: asSetting('cacheBytes'),
      staleWhileRevalidate: asSetting('staleWhileRevalidate'),
      staleness: asSetting('cacheStaleness'),
      secret: must((value) => typeof value === 'string' && value.length >= 32, 'a text of at least 32 characters'),
    },
    'maxAge',
  ),
  isLeaving: aFunction,
  log: must(isLog, 'a logger with the methods `debug`, `info`, `warn` and `error`'),
  production: aBoolean,
  trustedDocuments: must(isMap, 'a `Map` of documents by their hashes'),
  serviceAccount: options<ServiceAccount>({ user: asSetting('lmsUser'), password: aText }, 'user', 'password'),
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
  users: must((value) => Array.isArray(value) && value.every(isObject), 'an array of users'),
  path: must(isPath, 'a path that begins with `/` and does not end with it, such as `/graphql`'),
}
