import { getOrMake } from '../rest/maps.js'
import type { Route } from '../rest/routes.js'
import type { Credentials } from '../rest/session.js'

/** What credentials may be allowed or not. */
export const LIBERTIES = {
  /** To list records by their ids alone. */
  include: ({ path }: Route): string => `include on ${path}`,
  /** To list what is not published. */
  anyStatus: ({ path }: Route): string => `status=any on ${path}`,
  /** To have a list limited to some ids, or ids left out of it. */
  ids: ({ path }: Route): string => `ids on ${path}`,
  /** To read columns that only editors may: only to be expected, since it may depend on the record. */
  edit: ({ name }: { readonly name: string }): string => `edit on ${name}`,
}

/** Until when something is known of each liberty: that it was allowed, or refused. */
type Known = Map<string, { readonly allowed: boolean; readonly until: number }>

/**
 * What a credential turned out to be allowed on a site, so that a refusal is met once and not in every operation, and it is known what
 * an operation may cost. Kept per credential, for some minutes, for a bounded number of them: rights can change.
 */
export class Manners {
  private readonly known = new Map<string, Known>()

  constructor(
    private readonly now: () => number = Date.now,
    private readonly ttl = 5 * 60_000,
    private readonly size = 10_000,
  ) {}

  /** Whether it is not known to be refused; `what` names the liberty, such as `status=any` on a route. */
  allows(credentials: Credentials, what: string): boolean {
    return this.told(credentials, what) !== false
  }

  /** Whether it is known to be allowed. */
  grants(credentials: Credentials, what: string): boolean {
    return this.told(credentials, what) === true
  }

  /** All that is known to be refused, as a text that is equal where that is. */
  refusals({ id }: Credentials): string {
    const known = this.known.get(id)
    if (!known) return ''
    const [now, refused] = [this.now(), [] as string[]]
    for (const [what, { allowed, until }] of known) if (!allowed && until >= now) refused.push(what)
    return refused.sort().join()
  }

  refuse(credentials: Credentials, what: string): void {
    this.tell(credentials, what, false)
  }

  grant(credentials: Credentials, what: string): void {
    this.tell(credentials, what, true)
  }

  private told({ id }: Credentials, what: string): boolean | undefined {
    const known = this.known.get(id)?.get(what)
    return known && known.until >= this.now() ? known.allowed : undefined
  }

  private tell({ id }: Credentials, what: string, allowed: boolean): void {
    if (this.known.size >= this.size && !this.known.has(id)) this.known.clear()
    getOrMake(this.known, id, (): Known => new Map()).set(what, { allowed, until: this.now() + this.ttl })
  }
}
