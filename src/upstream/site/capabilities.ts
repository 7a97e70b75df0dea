import { LRUCache } from 'lru-cache'
import type { Route } from '../routes.js'
import type { Credentials } from '../session.js'

/** What credentials may be allowed or not. */
export const CAPABILITIES = {
  /** To list records by their ids alone. */
  include: ({ path }: Route): string => `include on ${path}`,
  /** To list what is not published. */
  anyStatus: ({ path }: Route): string => `status=any on ${path}`,
  /** To have a list limited to some ids, or ids left out of it. */
  ids: ({ path }: Route): string => `ids on ${path}`,
  /** To read columns that only editors may: only to be expected, since it may depend on the record. */
  edit: ({ name }: { readonly name: string }): string => `edit on ${name}`,
}

/** What is known of the capabilities of one credential. */
interface Capabilities {
  /** Whether each capability was allowed or refused, and until when that is believed. */
  readonly known: Map<string, { readonly allowed: boolean; readonly until: number }>
  /** When the last of them expires. */
  until: number
}

/**
 * What credentials turned out to be allowed on a site, so that a refusal is met once and not in every operation, and it is known what an
 * operation may cost. Kept by the fingerprint of the credentials, for some minutes, since rights can change. When there are too many
 * credentials, the least recently used are forgotten.
 */
export class CapabilityCache {
  private readonly cache: LRUCache<string, Capabilities>
  private purgeAt = 0

  constructor(
    private readonly now: () => number = Date.now,
    private readonly ttl = 5 * 60_000,
    max = 10_000,
  ) {
    this.cache = new LRUCache({ max })
  }

  /** Credentials of which something is kept. */
  get size(): number {
    return this.cache.size
  }

  /** Whether it is not known to be refused; `what` names the capability, such as `status=any` on a route. */
  allows(credentials: Credentials, what: string): boolean {
    return this.get(credentials, what) !== false
  }

  /** Whether it is known to be allowed. */
  grants(credentials: Credentials, what: string): boolean {
    return this.get(credentials, what) === true
  }

  /** All that is known to be refused, as a text that is equal where that is. */
  refusals({ id }: Credentials): string {
    const capabilities = this.cache.get(id)
    if (!capabilities) return ''
    const [now, refused] = [this.now(), [] as string[]]
    for (const [what, { allowed, until }] of capabilities.known) if (!allowed && until >= now) refused.push(what)
    return refused.sort().join()
  }

  refuse(credentials: Credentials, what: string): void {
    this.set(credentials, what, false)
  }

  grant(credentials: Credentials, what: string): void {
    this.set(credentials, what, true)
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

  /** Drops what has expired, at most once in the time in which all does. */
  private purge(): void {
    const now = this.now()
    if (now < this.purgeAt) return
    this.purgeAt = now + this.ttl
    for (const [id, { until }] of this.cache) if (until < now) this.cache.delete(id)
  }
}
