import { SuspendedError, sharedErrors } from '../errors.js'
import type { Emitter } from '../events.js'

export interface BreakerOptions {
  /** Share of failures, between 0 and 1, above which the breaker opens. */
  readonly threshold: number
  /** Number of recent calls that count. */
  readonly calls: number
  /** Milliseconds for which the breaker stays open before a probe call. */
  readonly cooldown: number
  readonly events: Emitter<BreakerEvents>
}

export interface BreakerEvents {
  /** A circuit breaker opens, also when a probe has failed. */
  readonly breakerOpened: [calls: BreakerName]
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

/** Opens when a site fails too often. After the cool-down one probe call is made: on success the breaker closes, else it opens again. */
class Breaker {
  /** `half_open` while a probe runs. */
  state: BreakerState = 'closed'
  /** Whether each of the latest calls failed, the oldest first. Emptied when the breaker opens. */
  private readonly outcomes: boolean[] = []
  private failures = 0
  /** When the next probe may start. */
  private probeAt = 0

  constructor(
    private readonly name: BreakerName,
    private readonly options: BreakerOptions,
  ) {}

  get isClosed(): boolean {
    return this.state === 'closed'
  }

  /** Returns the error while calls are blocked. */
  refusal(): SuspendedError | undefined {
    if (this.isClosed) return undefined
    const wait = this.probeAt - Date.now()
    if (this.state === 'open' && wait <= 0) return undefined
    return suspended(Math.max(Math.ceil(wait / 1000), 1))
  }

  /** Makes the next call the probe unless the breaker is closed. The call must report its end. */
  startProbe(): boolean {
    if (this.isClosed) return false
    this.state = 'half_open'
    return true
  }

  /** Records the end of a call. Calls that started before the breaker opened are ignored. */
  ended(isProbe: boolean, isSuccess: boolean): void {
    if (!isProbe && !this.isClosed) return
    if (isSuccess) this.state = 'closed'
    this.count(!isSuccess)
    if (!isSuccess && (isProbe || this.failsTooOften)) this.open()
  }

  private count(failed: boolean): void {
    this.outcomes.push(failed)
    if (failed) this.failures++
    if (this.outcomes.length > this.options.calls && this.outcomes.shift()) this.failures--
  }

  private get failsTooOften(): boolean {
    const { threshold, calls } = this.options
    const { length } = this.outcomes
    return length >= Math.ceil(calls / 2) && this.failures > threshold * length
  }

  private open(): void {
    const { cooldown, events } = this.options
    this.state = 'open'
    this.outcomes.length = 0
    this.failures = 0
    this.probeAt = Date.now() + cooldown
    events.emit('breakerOpened', this.name)
  }
}

const suspended = sharedErrors((seconds: number) => new SuspendedError(seconds))
