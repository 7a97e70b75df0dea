import { LRUCache } from 'lru-cache'
import type { Credentials } from '../../upstream/credentials.js'
import { Bucket } from './share.js'

/** Rejected passwords per user, address and minute: more than a person types. */
const PASSWORDS = 10
/** Rejected tokens and cookies per address and minute: those of 500 learners expire, and each sends two requests. Nobody can guess them. */
const TOKENS = 1_000
/** Largest number of owners, and of credentials, that are kept. */
const MAX_KEPT = 20_000

/** A user at one address, or all tokens and cookies of an address. */
interface Owner {
  readonly failures: Bucket
  /** The password that the site has accepted last. */
  accepted?: Attempt
}

/** The use of credentials from one address. Until the site has answered, they count as rejected: else any number could be tried at once. */
export class Attempt {
  isRejected = false
  private open = 0
  private isCounted = false
  private isAccepted = false
  private wasAsked = false
  private hasLeft = false

  constructor(
    private readonly owner: Owner,
    private readonly isPassword: boolean,
  ) {}

  /** Begins a request with these credentials. Returns 0, or the seconds after which to try again when too many were rejected. */
  begin(now: number): number {
    const { failures } = this.owner
    if (this.open === 0 && !this.isAccepted) {
      const wait = failures.wait(now)
      if (wait > 0) return wait
      failures.take(1)
      this.isCounted = true
    }
    this.open++
    return 0
  }

  /** Ends a request, for which `calls` REST calls were sent. When its client has left, their results are unknown. */
  end(calls: number, hasLeft: boolean): void {
    const { owner, isCounted } = this
    if (calls > 0 && hasLeft) this.hasLeft = true
    else if (calls > 0) this.wasAsked = true
    if (--this.open > 0) return
    if (this.isRejected) {
      if (!isCounted) owner.failures.take(1)
      this.isAccepted = false
    } else if (isCounted) {
      if (this.wasAsked || !this.hasLeft) owner.failures.take(-1)
      if (this.wasAsked) this.accept()
    }
    this.isCounted = this.isRejected = this.wasAsked = this.hasLeft = false
  }

  private accept(): void {
    const { owner, isPassword } = this
    if (isPassword && owner.accepted) owner.accepted.isAccepted = false
    owner.accepted = this
    this.isAccepted = true
  }
}

/**
 * Limits how often an address has credentials checked that the site rejects, per user name. The password that the site has accepted last from
 * there is not limited, so others cannot lock out a learner.
 */
export class SignIns {
  private readonly owners = new LRUCache<string, Owner>({ max: MAX_KEPT })
  /** By address and fingerprint. */
  private readonly attempts = new LRUCache<string, Attempt>({ max: MAX_KEPT })

  /** Begins a request with credentials. Returns the attempt, which the request must end, or the seconds after which to try again. */
  begin(address: string, credentials: Credentials, now: number): Attempt | number {
    const key = `${address}\n${credentials.id}`
    const attempt = this.attempts.get(key) ?? this.attempt(address, credentials, now)
    const wait = attempt.begin(now)
    if (wait > 0) return wait
    this.attempts.set(key, attempt)
    return attempt
  }

  private attempt(address: string, { userName: name }: Credentials, now: number): Attempt {
    const isPassword = name !== undefined
    // WordPress does not distinguish upper and lower case.
    const key = isPassword ? `${address} ${name.slice(0, MAX_NAME).toLowerCase()}` : address
    const owner = this.owners.get(key) ?? { failures: new Bucket(isPassword ? PASSWORDS : TOKENS, now) }
    this.owners.set(key, owner)
    return new Attempt(owner, isPassword)
  }
}

/** Longer names are distinguished by their beginnings only. */
const MAX_NAME = 100
