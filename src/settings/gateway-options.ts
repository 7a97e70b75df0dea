import { readMaxAge } from '../federation/options.js'
import { hasAuthentication } from '../server/auth/authenticator.js'
import { limitsOf } from '../server/limits/limits.js'
import type { RedisOptions } from '../server/redis/options.js'
import type { StartOptions } from '../server/start.js'
import type { CacheOptions } from '../upstream/cache/options.js'
import type { Site } from '../upstream/site/site.js'
import { protectionOf } from '../upstream/transport/protection.js'
import type { ACCESS } from './access.js'
import type { CACHING } from './cache.js'
import type { Config } from './config.js'
import type { EXPOSURE } from './exposure.js'
import type { HOOKS } from './hooks.js'
import type { BOUNDS } from './limits.js'
import type { SHARING } from './redis.js'
import type { ConfigOf } from './setting.js'
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

/** The options with which the command starts a gateway. */
export function startOptionsOf(config: Config, { site, users, production, trustedDocuments }: Circumstances): StartOptions {
  const { port, host, metricsPort, metricsHost, maxInFlight, timeout, connectTimeout, maxResponseBytes, shareReads, shareInFlight } = config
  const { compile, shortPath, maxRows, maxCalls, maxUnpaged, explainFor, explainOthersFor } = config
  const { metrics, metricsOpen, drainTimeout, trustedProxies, logVariables } = config
  const access = accessOf(config)
  return {
    upstream: site,
    port,
    host,
    maxInFlight,
    timeout,
    connectTimeout,
    maxResponseBytes,
    shareReads,
    shareInFlight,
    cache: cacheOf(config),
    redis: redisOf(config),
    trustedProxies,
    compile,
    shortPath,
    maxRows,
    maxCalls,
    maxUnpaged,
    explainFor: explainFor ?? (production ? [] : [hasAuthentication(access) ? 'callers' : 'everybody']),
    explainOthersFor: explainOthersFor ?? (users && !production ? ['everybody'] : ['keys', 'admins']),
    metrics,
    metricsOpen,
    metricsPort: metricsPort ?? undefined,
    metricsHost: metricsHost ?? undefined,
    subgraph: config.subgraph ? subgraphOptionsOf(config) : undefined,
    drainTimeout,
    linger: LINGER,
    users: users ?? [],
    logVariables,
    ...protectionOf(config),
    ...access,
    ...hooksOf(config),
    ...guardOf(config, production),
    ...(trustedDocuments && { trustedDocuments }),
  }
}

/** Which credentials the site receives, and who may use the gateway. */
function accessOf(config: ConfigOf<typeof ACCESS>) {
  const { lmsUser, lmsPassword, gatewayApiKeys, open, forwardCookie, jwtJwksUrl, jwtKey, jwtIssuer, jwtAudience } = config
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
    forwardCookie,
  }
}

/** The options of the cache; undefined without one. */
function cacheOf(config: ConfigOf<typeof CACHING>): CacheOptions | undefined {
  const { cache, cacheForCallers: forCallers, cacheBytes: bytes, cacheStaleness: staleness, cacheSecret, staleWhileRevalidate } = config
  const maxAge = cache === null ? undefined : readMaxAge(cache)
  return maxAge === undefined ? undefined : { maxAge, forCallers, bytes, staleWhileRevalidate, staleness, secret: cacheSecret?.reveal() }
}

/** Redis; undefined without it. */
function redisOf({ redisUrl, redisCluster: cluster, redisTimeout: timeout, redisPrefix: prefix, siteId }: ConfigOf<typeof SHARING>) {
  const others = { cluster, timeout, prefix, siteId: siteId ?? undefined }
  return redisUrl === null ? undefined : ({ url: redisUrl.reveal().split(','), ...others } satisfies RedisOptions)
}

/** Webhooks. */
function hooksOf({ hookSecret, hookForward: forward, hookForwardSecret }: ConfigOf<typeof HOOKS>) {
  return { hooks: { secret: hookSecret?.reveal(), forward, forwardSecret: hookForwardSecret?.reveal() } }
}

/** Limits, and what anonymous clients may do. Trusted documents are in a file, which is not read here. */
function guardOf(config: ConfigOf<typeof EXPOSURE & typeof BOUNDS>, production: boolean) {
  const { graphiql, introspection, suggestions, corsOrigins, onlyTrusted, persistedQueries, httpMaxAge } = config
  const {
    maxBodyBytes,
    headersTimeout,
    requestTimeout,
    idleTimeout,
    maxConnections,
    maxConnectionsPerAddress,
    memoryBudget,
    writeTimeout,
  } = config
  return {
    ...limitsOf(config),
    production,
    graphiql: graphiql ?? undefined,
    introspection: introspection ?? undefined,
    suggestions: suggestions ?? undefined,
    corsOrigins,
    onlyTrusted,
    persistedQueries,
    httpMaxAge: httpMaxAge === null ? undefined : readMaxAge(httpMaxAge),
    maxBodyBytes,
    headersTimeout,
    requestTimeout,
    idleTimeout,
    maxConnections,
    maxConnectionsPerAddress,
    memoryBudget: memoryBudget ?? undefined,
    writeTimeout,
  }
}
