import type { z } from 'zod'
import { readMaxAge, type SubgraphOptions } from '../federation/options.js'
import { limitsOf } from '../server/limits/limits.js'
import type { RedisOptions } from '../server/redis/options.js'
import type { CacheOptions } from '../upstream/cache/options.js'
import type { ACCESS } from './access.js'
import type { CACHING } from './cache.js'
import type { EXPOSURE } from './exposure.js'
import type { HOOKS } from './hooks.js'
import type { BOUNDS } from './limits.js'
import type { SHARING } from './redis.js'
import type { Setting } from './setting.js'
import type { SUBGRAPH } from './subgraph.js'

type ConfigOf<Settings extends Readonly<Record<string, Setting>>> = { readonly [Name in keyof Settings]: z.infer<Settings[Name]['schema']> }

/** Which credentials the site receives, and who may use the gateway. */
export function accessOf(config: ConfigOf<typeof ACCESS>) {
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
export function cacheOf(config: ConfigOf<typeof CACHING>): CacheOptions | undefined {
  const { cache, cacheForCallers: forCallers, cacheBytes: bytes, cacheStaleness: staleness, cacheSecret, staleWhileRevalidate } = config
  const maxAge = cache === null ? undefined : readMaxAge(cache)
  return maxAge === undefined ? undefined : { maxAge, forCallers, bytes, staleWhileRevalidate, staleness, secret: cacheSecret?.reveal() }
}

/** Redis; undefined without it. */
export function redisOf({ redisUrl, redisCluster: cluster, redisTimeout: timeout, redisPrefix: prefix, siteId }: ConfigOf<typeof SHARING>) {
  const others = { cluster, timeout, prefix, siteId: siteId ?? undefined }
  return redisUrl === null ? undefined : ({ url: redisUrl.reveal().split(','), ...others } satisfies RedisOptions)
}

/** Webhooks. */
export function hooksOf({ hookSecret, hookForward: forward, hookForwardSecret }: ConfigOf<typeof HOOKS>) {
  return { hooks: { secret: hookSecret?.reveal(), forward, forwardSecret: hookForwardSecret?.reveal() } }
}

/** The options of the subgraph. */
export function subgraphOptionsOf(config: ConfigOf<typeof SUBGRAPH>): SubgraphOptions {
  const { subgraphMaxAge: maxAge } = config
  return {
    version: config.subgraphVersion,
    users: config.subgraphUsers,
    userKey: config.subgraphUserKey,
    slugKeys: config.subgraphSlugKeys,
    refersTo: config.subgraphRefersTo,
    costs: config.subgraphCosts,
    authenticated: config.subgraphAuthenticated,
    tags: config.subgraphTags,
    inaccessible: config.subgraphInaccessible,
    maxAge: maxAge === null ? undefined : readMaxAge(maxAge),
  }
}

/** Limits, and what anonymous clients may do. Trusted documents are in a file, which is not read here. */
export function guardOf(config: ConfigOf<typeof EXPOSURE & typeof BOUNDS>, production: boolean) {
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
