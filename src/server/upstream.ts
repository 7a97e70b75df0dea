import type { GraphQLSchema } from 'graphql'
import { Estimator } from '../cost/estimate.js'
import { TAGGING } from '../graph/schema.js'
import { entitiesIn } from '../model/marks.js'
import type { Options } from '../options/table.js'
import type { Upstream } from '../prefetch/operation.js'
import type { ReadCache } from '../upstream/cache/read-cache.js'
import type { SiteChange } from '../upstream/cache/tags.js'
import { Client } from '../upstream/client.js'
import { Projections } from '../upstream/codec/records.js'
import type { Credentials } from '../upstream/credentials.js'
import { CapabilityCache } from '../upstream/site/capabilities.js'
import { endpointsOf, type Site } from '../upstream/site/site.js'
import { ViewerCache } from '../upstream/site/viewers.js'
import type { MemoryBudget } from '../upstream/transport/memory.js'
import type { Network } from '../upstream/transport/network.js'
import type { Protection } from '../upstream/transport/protection.js'
import { Transport } from '../upstream/transport/transport.js'
import { hasAccount } from './auth/authenticator.js'
import { createReadCache } from './cache.js'
import type { Events } from './events.js'
import { type Sharing, SiteIdentity } from './redis/site-identity.js'

interface Parts {
  readonly site: Site
  readonly schema: GraphQLSchema
  readonly protection: Protection
  readonly memory: MemoryBudget
  readonly events: Events
  readonly network: Network
  /** Redis, unless there is nothing to share. */
  readonly sharing: Sharing | undefined
}

/** The site of a gateway. */
export interface ConnectedUpstream extends Omit<Upstream, 'limits' | 'maxCalls'> {
  readonly transport: Transport
  readonly cache: ReadCache | undefined
  /** Undefined without Redis. */
  readonly identity: SiteIdentity | undefined
  /** Drops what was kept of records that others have changed. Rejects when other gateways can't be told. */
  changed(changes: readonly SiteChange[]): Promise<void>
  /** Lets running calls end, then closes the connections. */
  close(): Promise<void>
}

/** Connects a gateway with its site. */
export function connectUpstream(options: Options, parts: Parts): ConnectedUpstream {
  const { site, schema, protection, memory, events, network, sharing } = parts
  const { maxInFlight, timeout, maxResponseBytes } = options.protection
  const viewers = new ViewerCache()
  const transport = new Transport({
    ...endpointsOf(site),
    network,
    maxInFlight,
    timeout,
    connectTimeout: protection.connectTimeout,
    maxConnectionAge: protection.maxConnectionAge,
    maxBytes: maxResponseBytes,
    memory,
    share: true,
    protection,
    hasAccount: hasAccount(options),
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
  const forget = (credentials: Credentials): void => {
    viewers.forget(credentials)
    cache?.forget(credentials)
  }
  // A mutation that runs with former settings changes the site too. With Redis, gateways with all settings share what is changed.
  const drop = (change: SiteChange): void => {
    if (sharing) return
    transport.stopSharing()
    cache?.raise(TAGGING.ofChange(change)).catch((fault: unknown) => events.emit('fault', fault))
  }
  events.on('credentialsRefused', forget).on('changed', drop)
  return {
    client: new Client(site, transport, cache, TAGGING, events),
    projections: new Projections(site, events),
    capabilities: new CapabilityCache(),
    viewers,
    entities: entitiesIn(schema),
    estimator: new Estimator(),
    transport,
    cache,
    identity,
    async changed(changes) {
      transport.stopSharing()
      await cache?.raise([...new Set(changes.flatMap((change) => TAGGING.ofChange(change)))])
    },
    async close() {
      identity?.close()
      await transport.close()
      events.off('credentialsRefused', forget).off('changed', drop)
    },
  }
}
