export interface RetryOptions {
  /** Largest number of retries of a read. */
  readonly attempts: number
  /** Longest delay in milliseconds. A read is not retried when the site asks for a longer delay. */
  readonly maxDelay: number
  /** Retries as a share of all calls, from 0 to 1. */
  readonly budget: number
}

/** Decides when failed reads are retried: with exponential backoff and jitter, within a budget for all calls. */
export class Retries {
  private tokens = BURST

  constructor(private readonly options: RetryOptions) {}

  /** Records a call, which pays for part of a retry. */
  earn(): void {
    if (this.tokens < BURST) this.tokens += this.options.budget
  }

  /**
   * Returns the delay in milliseconds before the next retry of a read that was sent `sent` times, or undefined for no retry. `retryAfter` is
   * the delay the site asks for, in seconds; `timeLeft` is the time to the deadline, in milliseconds.
   */
  spend(sent: number, retryAfter: number | undefined, timeLeft: number): number | undefined {
    const { attempts, maxDelay } = this.options
    const requested = (retryAfter ?? 0) * 1000
    if (sent > attempts || requested > maxDelay || this.tokens < 1) return undefined
    const delay = requested + Math.random() * Math.min(maxDelay, BASE_DELAY * 2 ** (sent - 1))
    if (delay >= timeLeft) return undefined
    this.tokens--
    return delay
  }
}

/** Retries that are possible before calls have paid for them. */
const BURST = 10
/** Largest random delay of the first retry, in milliseconds. */
const BASE_DELAY = 200
