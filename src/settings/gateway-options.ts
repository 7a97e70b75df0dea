import { readMaxAge } from '../federation/options.js'
import { hasAuthentication } from '../server/auth/authenticator.js'
import { limitsOf } from '../server/limits/limits.js'
import type { RedisOptions } from '../server/redis/options.js'
import type { StartOptions } from '../start.js'
import type { CacheOptions } from '../upstream/cache/options.js'
import type { Site } from '../upstream/site/site.js'
import { protectionOf } from '../upstream/transport/protection.js'
import type { Config } from './config.js'
import type { Secret } from './secret.js'
import { subgraphOptionsOf } from './subgraph.js'

/** What the options of a gateway need beside the settings. */
interface Circumstances {
  readonly site: Site
  /** Users of the embedded LMS, which GraphiQL offers to sign in as. Undefined in front of another site. */
  readonly users: StartOptions['users'] | undefined
  /** Whether `NODE_ENV` is production. */
  readonly production: boolean
  /** The documents in the file that the settings name. */
  readonly trustedDocuments: ReadonlyMap<string, string> | undefined
}

/** Milliseconds after which a connection counts as idle when the gateway ends. */
const LINGER = 1_000

/** Settings that are options with the same values. */
const SAME = [
  'port',
  'host',
  'maxInFlight',
  'timeout',
  'connectTimeout',
  'maxResponseBytes',
  'shareReads',
  'shareInFlight',
  'forwardCookie',
  'trustedProxies',
  'compile',
  'shortPath',
  'maxRows',
  'maxCalls',
  'maxUnpaged',
  'corsOrigins',
  'onlyTrusted',
  'persistedQueries',
  'maxBodyBytes',
  'headersTimeout',
  'requestTimeout',
  'idleTimeout',
  'writeTimeout',
  'drainTimeout',
  'maxConnections',
  'maxConnectionsPerAddress',
  'metrics',
  'metricsOpen',
  'logVariables',
] as const satisfies readonly (keyof Config & keyof StartOptions)[]

/** The options with which the command starts a gateway. */
export function startOptionsOf(config: Config, { site, users, production, trustedDocuments }: Circumstances): StartOptions {
  const { explainFor, explainOthersFor, httpMaxAge } = config
  const same = Object.fromEntries(SAME.map((name) => [name, config[name]])) as Pick<Config, (typeof SAME)[number]>
  const access = accessOf(config)
  return {
    ...same,
    ...limitsOf(config),
    ...protectionOf(config),
    ...access,
    upstream: site,
    users: users ?? [],
    production,
    cache: cacheOf(config),
    redis: redisOf(config),
    hooks: hooksOf(config),
    subgraph: config.subgraph ? subgraphOptionsOf(config) : undefined,
    explainFor: explainFor ?? (production ? [] : [hasAuthentication(access) ? 'callers' : 'everybody']),
    explainOthersFor: explainOthersFor ?? (users && !production ? ['everybody'] : ['keys', 'admins']),
    graphiql: config.graphiql ?? undefined,
    introspection: config.introspection ?? undefined,
    suggestions: config.suggestions ?? undefined,
    httpMaxAge: httpMaxAge === null ? undefined : readMaxAge(httpMaxAge),
    memoryBudget: config.memoryBudget ?? undefined,
    metricsPort: config.metricsPort ?? undefined,
    metricsHost: config.metricsHost ?? undefined,
    linger: LINGER,
    ...(trustedDocuments && { trustedDocuments }),
  }
}

/** Which credentials the site receives, and who may use the gateway. */
function accessOf(config: Config) {
  const { lmsUser, lmsPassword, gatewayApiKeys, open, jwtJwksUrl, jwtKey, jwtIssuer, jwtAudience } = config
  const { jwtWithoutExpiry: withoutExpiry } = config
  const { jwtUserClaim: userClaim, jwtAdminClaim: adminClaim, jwtAdminValue: adminValue } = config
  const tokens = { jwksUrl: jwtJwksUrl ?? undefined, key: jwtKey?.reveal(), withoutExpiry, userClaim, adminClaim, adminValue }
  return {
    ...(lmsUser !== null && lmsPassword !== null && { serviceAccount: { user: lmsUser, password: lmsPassword.reveal() } }),
    authentication: {
      apiKeys: gatewayApiKeys.map((key) => key.reveal()),
      open,
      ...(jwtIssuer !== null && jwtAudience !== null && { jwt: { ...tokens, issuer: jwtIssuer, audience: jwtAudience } }),
    },
  }
}

/** The options of the cache; undefined without one. */
function cacheOf(config: Config): CacheOptions | undefined {
  const { cache, cacheForCallers: forCallers, cacheBytes: bytes, cacheStaleness: staleness, cacheSecret, staleWhileRevalidate } = config
  const maxAge = cache === null ? undefined : readMaxAge(cache)
  return maxAge === undefined ? undefined : { maxAge, forCallers, bytes, staleWhileRevalidate, staleness, secret: revealed(cacheSecret) }
}

/** Redis; undefined without it. */
function redisOf({ redisUrl, redisCluster: cluster, redisTimeout: timeout, redisPrefix: prefix, siteId }: Config) {
  const others = { cluster, timeout, prefix, siteId: siteId ?? undefined }
  return redisUrl === null ? undefined : ({ url: redisUrl.reveal().split(','), ...others } satisfies RedisOptions)
}

const revealed = (secrets: readonly Secret[] | null) => secrets?.map((secret) => secret.reveal())

/** Webhooks. */
function hooksOf({ hookSecret, hookForward: forward, hookForwardSecret }: Config) {
  return { secret: revealed(hookSecret), forward, forwardSecret: revealed(hookForwardSecret) }
}
