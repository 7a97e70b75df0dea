import { type CircuitBreakerPolicy, CircuitState, CountBreaker, circuitBreaker, handleAll } from 'cockatiel'
import { SuspendedError, sharedErrors } from '../errors.js'

export interface BreakerOptions {
  /** Share of failures, between 0 and 1, above which the breaker opens. */
  readonly threshold: number
  /** Number of recent calls that count. */
  readonly calls: number
  /** Milliseconds for which the breaker stays open before a probe call. */
  readonly cooldown: number
  /** Called when a breaker opens, also when a probe has failed. */
  readonly onOpen?: ((calls: BreakerName) => void) | undefined
}

/** The calls that a breaker is for. */
export type BreakerName = 'reads' | 'writes'

export const BREAKER_STATES = ['closed', 'open', 'half_open'] as const

export type BreakerState = (typeof BREAKER_STATES)[number]

/** The circuit breakers of one site. Reads and writes are counted separately: a site that can't store data can still be read. */
export class Breakers {
  private readonly reads: Breaker
  private readonly writes: Breaker

  constructor(options: BreakerOptions) {
    this.reads = new Breaker('reads', options)
    this.writes = new Breaker('writes', options)
  }

  get states(): Readonly<Record<BreakerName, BreakerState>> {
    return { reads: this.reads.state, writes: this.writes.state }
  }

  /** The breaker for calls with this method. */
  of(method: string): Breaker {
    return method === 'GET' ? this.reads : this.writes
  }

  /** Returns the error when calls with this method are blocked. While reads fail, writes are blocked too: they would be lost or in doubt. */
  refusal(method: string): SuspendedError | undefined {
    return this.reads.refusal() ?? (method === 'GET' ? undefined : this.writes.refusal())
  }
}

/**
 * Opens when a site fails too often. After the cool-down one probe call is made: on success the breaker closes, else it opens again. While
 * it is closed, a call costs one check and one count.
 */
class Breaker {
  private readonly counts: CountBreaker
  private readonly policy: CircuitBreakerPolicy
  /** When the next probe may start. */
  private probeAt = 0
  /** Settles the probe. */
  private settle: ((isSuccess: boolean) => void) | undefined

  constructor(name: BreakerName, { threshold, calls, cooldown, onOpen }: BreakerOptions) {
    this.counts = new CountBreaker({ threshold, size: calls, minimumNumberOfCalls: Math.ceil(calls / 2) })
    this.policy = circuitBreaker(handleAll, { halfOpenAfter: cooldown, breaker: this.counts })
    this.policy.onBreak(() => {
      this.probeAt = Date.now() + cooldown
      onOpen?.(name)
    })
  }

  get isClosed(): boolean {
    return this.policy.state === CircuitState.Closed
  }

  /** `half_open` while a probe runs. */
  get state(): BreakerState {
    const { state } = this.policy
    return state === CircuitState.Closed ? 'closed' : state === CircuitState.HalfOpen ? 'half_open' : 'open'
  }

  /** Returns the error while calls are blocked. */
  refusal(): SuspendedError | undefined {
    const { state } = this.policy
    if (state === CircuitState.Closed) return undefined
    const wait = this.probeAt - Date.now()
    if (state === CircuitState.Open && wait <= 0) return undefined
    return suspended(Math.max(Math.ceil(wait / 1000), 1))
  }

  /** Makes the next call the probe unless the breaker is closed. The call must report its end. */
  startProbe(): boolean {
    if (this.isClosed) return false
    const probe = this.policy.execute(
      () =>
        new Promise<void>((resolve, reject) => {
          this.settle = (isSuccess) => (isSuccess ? resolve() : reject(FAILURE))
        }),
    )
    probe.catch(() => {})
    return true
  }

  /** Records the end of a call. Calls that started before the breaker opened are ignored. */
  ended(isProbe: boolean, isSuccess: boolean): void {
    if (isProbe) this.settle?.(isSuccess)
    else if (!this.isClosed) return
    else if (isSuccess) this.counts.success(CircuitState.Closed)
    else this.policy.execute(fail).catch(() => {})
  }
}

const suspended = sharedErrors((seconds: number) => new SuspendedError(seconds))

const FAILURE = new Error('The call failed.')

const fail = (): never => {
  throw FAILURE
}
