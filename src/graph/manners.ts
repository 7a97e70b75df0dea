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
  allows(authorization: string | null, what: string): boolean {
    const until = this.refused.get(`${authorization ?? ''}\n${what}`)
    return until === undefined || until < this.now()
  }

  refuse(authorization: string | null, what: string): void {
    if (this.refused.size >= this.size) this.refused.clear()
    this.refused.set(`${authorization ?? ''}\n${what}`, this.now() + this.ttl)
  }
}
