import { CACHE, type CacheOptions } from '../upstream/cache/options.js'
import { type CacheEvents, ReadCache } from '../upstream/cache/read-cache.js'
import { RedisVersions, type ScriptRunner } from '../upstream/cache/redis-versions.js'
import { LocalVersions } from '../upstream/cache/tag-versions.js'
import type { Emitter } from '../upstream/events.js'
import type { Protection } from '../upstream/transport/protection.js'
import type { Transport } from '../upstream/transport/transport.js'

interface Parts {
  readonly cache: CacheOptions | undefined
  readonly protection: Protection
  /** Milliseconds for an answer of the site. */
  readonly timeout: number
  readonly transport: Transport
  readonly redis: { readonly runner: ScriptRunner; readonly prefix: () => string | Promise<string> } | undefined
  readonly events: Emitter<CacheEvents>
}

/** Number of answers in a process, apart from their memory. */
const MAX_ENTRIES = 100_000

/** Creates the cache of a gateway. Undefined when its options keep no answers. */
export function createReadCache(parts: Parts): ReadCache | undefined {
  const { cache, protection, timeout, transport, redis, events } = parts
  const { staleIfError, staleEntries, staleBytes, queueTimeout, operationTimeout } = protection
  if (!cache && staleIfError === 0) return undefined
  const {
    maxAge = 0,
    forCallers = CACHE.forCallers,
    staleWhileRevalidate = CACHE.staleWhileRevalidate,
    staleness = CACHE.staleness,
  } = cache ?? {}
  const isShared = cache !== undefined && redis !== undefined
  // As long as a write can take that is still queued when its operation ends.
  const holdFor = queueTimeout + operationTimeout + 2 * timeout
  const most = staleness > 0 ? staleness : Number.POSITIVE_INFINITY
  return new ReadCache({
    transport,
    versions: isShared ? new RedisVersions({ redis: redis.runner, prefix: redis.prefix, holdFor }) : new LocalVersions(holdFor),
    secondsOf: (type) => Math.min(typeof maxAge === 'number' ? maxAge : type === undefined ? 0 : (maxAge[type] ?? 0), most),
    callerSeconds: forCallers,
    staleWhileRevalidate: staleness > 0 ? 0 : staleWhileRevalidate,
    staleIfError: staleness > 0 ? 0 : staleIfError,
    entries: cache ? MAX_ENTRIES : staleEntries,
    bytes: cache ? (cache.bytes ?? CACHE.bytes) : staleBytes,
    shares: isShared,
    secrets: isShared ? [cache.secret ?? []].flat() : [],
    writesAlone: staleness > 0,
    events,
  })
}
