import type { GraphQLSchema } from 'graphql'
import { Estimator } from '../cost/estimate.js'
import { TAGGING } from '../graph/schema.js'
import { entitiesIn } from '../model/marks.js'
import type { Upstream } from '../prefetch/operation.js'
import type { CacheOptions } from '../upstream/cache/options.js'
import type { ReadCache } from '../upstream/cache/read-cache.js'
import type { SiteChange } from '../upstream/cache/tags.js'
import { Client } from '../upstream/client.js'
import { Projections } from '../upstream/codec/records.js'
import { CapabilityCache } from '../upstream/site/capabilities.js'
import { PRESETS, type Preset } from '../upstream/site/presets.js'
import { defineSite, endpointsOf, type Site } from '../upstream/site/site.js'
import { ViewerCache } from '../upstream/site/viewers.js'
import type { MemoryBudget } from '../upstream/transport/memory.js'
import type { Protection } from '../upstream/transport/protection.js'
import { Transport } from '../upstream/transport/transport.js'
import { createReadCache } from './cache.js'
import type { Events } from './events.js'
import { type Sharing, SiteIdentity } from './redis/site-identity.js'

/** The site, and how it is called. */
export interface UpstreamOptions {
  /** REST root of the site, or a full description of it. */
  readonly upstream: string | Site
  /** Kind of site when `upstream` is an address: `learndash` is WordPress with the plugin. `lms`, the specification, by default. */
  readonly preset?: Preset | undefined
  /** REST calls at a time, over all callers. 4 by default. */
  readonly maxInFlight?: number
  /** Milliseconds for the headers of an answer and each pause in its body, 20,000 by default; and for a connection, 5,000. */
  readonly timeout?: number
  readonly connectTimeout?: number
  /** Largest answer of the site in bytes, 20,000,000 by default. */
  readonly maxResponseBytes?: number
  /** Keeps answers of the site. None by default. */
  readonly cache?: CacheOptions | undefined
  /** Largest `first` and `last` of a list, 1,000 by default. */
  readonly maxRows?: number
  /** REST calls one operation may make, 300 by default: one that is expected to need more is refused, others are stopped there. */
  readonly maxCalls?: number
  /** The number of records that estimates assume for a relation without pages, such as `prerequisites`. 10 by default. */
  readonly maxUnpaged?: number
}

interface Parts {
  readonly schema: GraphQLSchema
  readonly protection: Protection
  readonly memory: MemoryBudget
  readonly events: Events
  /** Whether the site is called with a service account. */
  readonly hasAccount: boolean
  /** Redis, unless there is nothing to share. */
  readonly sharing: Sharing | undefined
}

/** The site of a gateway. */
export interface ConnectedUpstream extends Upstream {
  readonly transport: Transport
  readonly cache: ReadCache | undefined
  /** Undefined without Redis. */
  readonly identity: SiteIdentity | undefined
  /** Drops what was kept of records that others have changed. Rejects when other gateways can't be told. */
  changed(changes: readonly SiteChange[]): Promise<void>
}

/** Connects a gateway with its site. */
export function connectUpstream(options: UpstreamOptions, parts: Parts): ConnectedUpstream {
  const { schema, protection, memory, events, hasAccount, sharing } = parts
  const site = typeof options.upstream === 'string' ? defineSite(options.upstream, PRESETS[options.preset ?? 'lms']) : options.upstream
  const viewers = new ViewerCache()
  const { timeout = 20_000 } = options
  const transport = new Transport({
    ...endpointsOf(site),
    maxInFlight: options.maxInFlight ?? 4,
    timeout,
    connectTimeout: options.connectTimeout ?? 5_000,
    maxBytes: options.maxResponseBytes ?? 20_000_000,
    memory,
    share: true,
    protection,
    hasAccount,
    events,
  })
  const identity = sharing && new SiteIdentity({ ...sharing, site, transport })
  const cache = createReadCache({
    cache: options.cache,
    protection,
    timeout,
    transport,
    redis: sharing && identity && { runner: sharing.redis, prefix: identity.keyPrefix },
    events,
  })
  events.on('credentialsRefused', (credentials) => {
    viewers.forget(credentials)
    cache?.forget(credentials)
  })
  return {
    client: new Client(site, transport, cache, TAGGING, events),
    projections: new Projections(site, events),
    capabilities: new CapabilityCache(),
    viewers,
    limits: { rows: options.maxRows ?? 1_000, unpaged: options.maxUnpaged ?? 10 },
    entities: entitiesIn(schema),
    estimator: new Estimator(),
    maxCalls: options.maxCalls ?? 300,
    transport,
    cache,
    identity,
    async changed(changes) {
      transport.stopSharing()
      await cache?.raise([...new Set(changes.flatMap((change) => TAGGING.ofChange(change)))])
    },
  }
}
