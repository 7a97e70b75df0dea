import { LRUCache } from 'lru-cache'
import type { Credentials } from '../credentials.js'
import type { Route } from '../routes.js'

/** Names of the capabilities that are learned. */
export const CAPABILITIES = {
  /** To list records by their ids alone. */
  include: ({ path }: Route): string => `include on ${path}`,
  /** To list unpublished records. */
  anyStatus: ({ path }: Route): string => `status=any on ${path}`,
  /** To use `include` and `exclude` on a list. */
  ids: ({ path }: Route): string => `ids on ${path}`,
  /** To read columns of `context=edit`. Only an expectation, since it can depend on the record. */
  edit: ({ name }: { readonly name: string }): string => `edit on ${name}`,
}

/** The known capabilities of one credential. */
interface Capabilities {
  /** Whether each capability was allowed or refused, and when that expires. */
  readonly known: Map<string, { readonly allowed: boolean; readonly until: number }>
  /** When the last entry expires. */
  until: number
}

/**
 * Remembers what credentials may do on a site, so that a refusal is met once and not in every operation, and costs can be estimated. Keyed
 * by the fingerprint of the credentials. Entries expire after some minutes, since permissions can change; the least recently used are
 * evicted.
 */
export class CapabilityCache {
  private readonly cache: LRUCache<string, Capabilities>
  private purgeAt = 0

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly ttl = 5 * 60_000,
    max = 10_000,
  ) {
    this.cache = new LRUCache({ max })
  }

  /** Number of credentials in the cache. */
  get size(): number {
    return this.cache.size
  }

  /** False when the capability is known to be refused. `what` names it, such as `status=any` on a route. */
  allows(credentials: Credentials, what: string): boolean {
    return this.get(credentials, what) !== false
  }

  /** True when the capability is known to be allowed. */
  grants(credentials: Credentials, what: string): boolean {
    return this.get(credentials, what) === true
  }

  refuse(credentials: Credentials, what: string): void {
    this.set(credentials, what, false)
  }

  grant(credentials: Credentials, what: string): void {
    this.set(credentials, what, true)
  }

  /** Grants a capability, unless it is known to be refused for some records. */
  confirm(credentials: Credentials, what: string): void {
    if (this.allows(credentials, what)) this.grant(credentials, what)
  }

  private get({ id }: Credentials, what: string): boolean | undefined {
    const entry = this.cache.get(id)?.known.get(what)
    return entry && entry.until >= this.now() ? entry.allowed : undefined
  }

  private set({ id }: Credentials, what: string, allowed: boolean): void {
    const until = this.now() + this.ttl
    let capabilities = this.cache.get(id)
    if (!capabilities) {
      this.purge()
      capabilities = { known: new Map(), until }
      this.cache.set(id, capabilities)
    }
    capabilities.until = until
    capabilities.known.set(what, { allowed, until })
  }

  /** Deletes expired entries, at most once in the time to live. */
  private purge(): void {
    const now = this.now()
    if (now < this.purgeAt) return
    this.purgeAt = now + this.ttl
    for (const [id, { until }] of this.cache) if (until < now) this.cache.delete(id)
  }
}
