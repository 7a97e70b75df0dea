import { getOrMake } from './maps.js'

interface Waiter<T> {
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
  readonly signal: AbortSignal | undefined
}

/** One call and all who wait for it. One who goes away ends only their own wait; the call itself ends with its last user. */
export class SharedCall<T> {
  /** Ends the call itself. */
  onAbandon: () => void = () => {}
  abandoned = false
  private readonly waiters = new Set<Waiter<T>>()

  /** `ended` is called once, when nobody may join any more. */
  constructor(
    private readonly cancelled: () => Error,
    private readonly ended: () => void,
  ) {}

  join(signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject, signal }
      this.waiters.add(waiter)
      if (signal) departures(signal).set(waiter, () => this.leave(waiter))
    })
  }

  resolve(value: T): void {
    for (const waiter of this.settle()) waiter.resolve(value)
  }

  reject(error: Error): void {
    for (const waiter of this.settle()) waiter.reject(error)
  }

  private settle(): Waiter<T>[] {
    const waiters = [...this.waiters]
    this.waiters.clear()
    for (const waiter of waiters) if (waiter.signal) departures(waiter.signal).delete(waiter)
    if (!this.abandoned) this.ended()
    return waiters
  }

  private leave(waiter: Waiter<T>): void {
    this.waiters.delete(waiter)
    waiter.reject(this.cancelled())
    if (this.waiters.size > 0) return
    this.abandoned = true
    this.ended()
    this.onAbandon()
  }
}

const known = new WeakMap<AbortSignal, Map<object, () => void>>()

/** What is to be done when a signal fires: one listener for all that wait under it. */
function departures(signal: AbortSignal): Map<object, () => void> {
  return getOrMake(known, signal, () => {
    const leaving = new Map<object, () => void>()
    const leaveAll = (): void => {
      for (const leave of [...leaving.values()]) leave()
    }
    signal.addEventListener('abort', leaveAll, { once: true })
    return leaving
  })
}
