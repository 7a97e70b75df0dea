export interface RetryOptions {
  /** How often a read is sent again at most. */
  readonly attempts: number
  /** Longest wait in milliseconds; when the site asks for a longer one, the read is not sent again. */
  readonly maxDelay: number
  /** Retries as a share of all calls, from 0 to 1. */
  readonly budget: number
}

/** When reads that failed are sent again: ever later and at random, and no more often than the budget for all calls allows. */
export class Retries {
  private tokens = BURST

  constructor(private readonly options: RetryOptions) {}

  /** Notes a call: it pays for part of a retry. */
  earn(): void {
    if (this.tokens < BURST) this.tokens += this.options.budget
  }

  /**
   * Milliseconds to wait before a read that was sent `sent` times is sent again; nothing when it is not to be. `retryAfter` is what the
   * site asks for, in seconds; `timeLeft` is how long somebody waits for it, in milliseconds.
   */
  spend(sent: number, retryAfter: number | undefined, timeLeft: number): number | undefined {
    const { attempts, maxDelay } = this.options
    const asked = (retryAfter ?? 0) * 1000
    if (sent > attempts || asked > maxDelay || this.tokens < 1) return undefined
    const delay = asked + Math.random() * Math.min(maxDelay, BASE * 2 ** (sent - 1))
    if (delay >= timeLeft) return undefined
    this.tokens--
    return delay
  }
}

/** Retries that may be made at once, before calls have paid for them. */
const BURST = 10
/** Milliseconds up to which the first retry waits. */
const BASE = 200
