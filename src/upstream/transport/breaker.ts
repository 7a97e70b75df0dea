import { type CircuitBreakerPolicy, CircuitState, CountBreaker, circuitBreaker, handleAll } from 'cockatiel'
import { SuspendedError, sharedErrors } from '../errors.js'

export interface BreakerOptions {
  /** Share of failures, above 0 and below 1, above which the site is left alone. */
  readonly threshold: number
  /** Of how many of the last calls. */
  readonly calls: number
  /** Milliseconds for which it is left alone before one call tries it. */
  readonly cooldown: number
}

/** The breakers of one site. Reads and writes are counted apart: a site that can't store anything can still be read. */
export class Breakers {
  private readonly reads: Breaker
  private readonly writes: Breaker

  constructor(options: BreakerOptions) {
    this.reads = new Breaker(options)
    this.writes = new Breaker(options)
  }

  /** The breaker that counts calls of this method. */
  of(method: string): Breaker {
    return method === 'GET' ? this.reads : this.writes
  }

  /** Why no call of this method is made now. A site that can't be read gets no writes either: they would be lost, or in doubt. */
  refusal(method: string): SuspendedError | undefined {
    return this.reads.refusal() ?? (method === 'GET' ? undefined : this.writes.refusal())
  }
}

/**
 * Leaves a site alone that fails too often. After the cool-down one call tries it: when that is well all go again, else the site is left
 * alone once more. While all is well a call costs a look at the state and a count.
 */
class Breaker {
  private readonly counts: CountBreaker
  private readonly policy: CircuitBreakerPolicy
  /** When the next call may try the site. */
  private triesAt = 0
  /** Ends the call that tries it. */
  private settle: ((well: boolean) => void) | undefined

  constructor({ threshold, calls, cooldown }: BreakerOptions) {
    this.counts = new CountBreaker({ threshold, size: calls, minimumNumberOfCalls: Math.ceil(calls / 2) })
    this.policy = circuitBreaker(handleAll, { halfOpenAfter: cooldown, breaker: this.counts })
    this.policy.onBreak(() => {
      this.triesAt = Date.now() + cooldown
    })
  }

  get isClosed(): boolean {
    return this.policy.state === CircuitState.Closed
  }

  /** Why no call is made now; nothing when one may be. */
  refusal(): SuspendedError | undefined {
    const { state } = this.policy
    if (state === CircuitState.Closed) return undefined
    const wait = this.triesAt - Date.now()
    if (state === CircuitState.Open && wait <= 0) return undefined
    return suspended(Math.max(Math.ceil(wait / 1000), 1))
  }

  /** Makes a call that may be made the one that tries the site, where it is left alone; the call must tell when it ends. */
  tries(): boolean {
    if (this.isClosed) return false
    const tried = this.policy.execute(
      () =>
        new Promise<void>((resolve, reject) => {
          this.settle = (well) => (well ? resolve() : reject(FAILURE))
        }),
    )
    tried.catch(() => {})
    return true
  }

  /** Notes how a call has ended; those that began before the site was left alone count no more. */
  ended(tried: boolean, well: boolean): void {
    if (tried) this.settle?.(well)
    else if (!this.isClosed) return
    else if (well) this.counts.success(CircuitState.Closed)
    else this.policy.execute(fail).catch(() => {})
  }
}

const suspended = sharedErrors((seconds: number) => new SuspendedError(seconds))

const FAILURE = new Error('The call failed.')

const fail = (): never => {
  throw FAILURE
}
