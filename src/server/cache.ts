import type { Options } from '../options/table.js'
import { type CacheEvents, ReadCache } from '../upstream/cache/read-cache.js'
import { RedisVersions, type ScriptRunner } from '../upstream/cache/redis-versions.js'
import { LocalVersions } from '../upstream/cache/tag-versions.js'
import type { Emitter } from '../upstream/events.js'
import type { Protection } from '../upstream/transport/protection.js'
import type { Transport } from '../upstream/transport/transport.js'

interface Parts {
  readonly cache: Options['cache']
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
  const { queueTimeout, operationTimeout } = protection
  const { maxAge, forCallers, bytes, staleWhileRevalidate, staleIfError, staleness, secret = [] } = cache
  if (maxAge === undefined && staleIfError === 0) return undefined
  const isShared = maxAge !== undefined && redis !== undefined
  // As long as a write can take that is still queued when its operation ends.
  const holdFor = queueTimeout + operationTimeout + 2 * timeout
  const most = staleness > 0 ? staleness : Number.POSITIVE_INFINITY
  return new ReadCache({
    transport,
    versions: isShared ? new RedisVersions({ redis: redis.runner, prefix: redis.prefix, holdFor }) : new LocalVersions(holdFor),
    secondsOf: (type) => Math.min(secondsIn(maxAge, type), most),
    callerSeconds: forCallers,
    staleWhileRevalidate: staleness > 0 ? 0 : staleWhileRevalidate,
    staleIfError: staleness > 0 ? 0 : staleIfError,
    entries: MAX_ENTRIES,
    bytes,
    shares: isShared,
    secrets: isShared ? secret.map((each) => each.reveal()) : [],
    writesAlone: staleness > 0,
    events,
  })
}

/** The seconds for a type, or for answers that belong to none. */
function secondsIn(maxAge: Options['cache']['maxAge'], type: string | undefined): number {
  if (typeof maxAge === 'number') return maxAge
  return type === undefined ? 0 : (maxAge?.[type] ?? 0)
}
