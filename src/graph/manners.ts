import type { Credentials } from '../rest/session.js'

/**
 * What a credential turned out to be allowed on a site, so that a refusal is met once and not in every operation. Kept per
 * credential, for some minutes, for a bounded number of them: rights can change.
 */
export class Manners {
  private readonly refused = new Map<string, number>()

  constructor(
    private readonly now: () => number = Date.now,
    private readonly ttl = 5 * 60_000,
    private readonly size = 10_000,
  ) {}

  /** `what` names the liberty, such as `status=any` on a route. */
  allows(credentials: Credentials, what: string): boolean {
    const until = this.refused.get(`${credentials.id}\n${what}`)
    return until === undefined || until < this.now()
  }

  refuse(credentials: Credentials, what: string): void {
    if (this.refused.size >= this.size) this.refused.clear()
    this.refused.set(`${credentials.id}\n${what}`, this.now() + this.ttl)
  }
}
