import { performance } from 'node:perf_hooks'
import type { CallCounter, CallObserver } from '../call-scope.js'
import type { LmsError } from '../errors.js'
import type { Cancellable, Deadline } from './deadline.js'

/** One call with several waiters. A waiter that is cancelled does not end the call, unless it is the last one. */
export abstract class SharedRequest<T> {
  /** Whether all waiters were cancelled. */
  protected abandoned = false
  /** Most calls have one waiter, so there is no set for it. */
  private waiter: Waiter<T> | undefined = undefined
  private others: Set<Waiter<T>> | undefined = undefined
  /** Observers of the call on the wire. */
  protected observers: CallObserver[] | undefined = undefined

  /** Waits for the answer, until `deadline` ends. `counter` belongs to the operation that waits. */
  join(deadline: Deadline | undefined, observer?: CallObserver, counter?: CallCounter): Promise<T> {
    if (observer) {
      this.observers ??= []
      this.observers.push(observer)
    }
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(resolve, reject, deadline, counter, this)
      counter?.waits?.()
      if (!this.waiter) this.waiter = waiter
      else {
        this.others ??= new Set()
        this.others.add(waiter)
      }
      deadline?.add(waiter)
    })
  }

  /** The latest deadline of all waiters. */
  protected get endsAt(): number {
    let last = 0
    for (const { deadline } of this.waiting) last = Math.max(last, deadline?.endsAt ?? Infinity)
    return last
  }

  cancel(waiter: Waiter<T>, reason: LmsError): void {
    if (this.waiter === waiter) this.waiter = undefined
    else this.others?.delete(waiter)
    waiter.counter?.resumes?.(performance.now())
    waiter.reject(this.errorForCancelled(reason))
    if (this.waiter || this.others?.size) return
    this.abandoned = true
    this.onEnd()
    this.onAbandon()
  }

  /** Called once, when nobody may join any more. */
  protected abstract onEnd(): void
  /** Called when the last waiter was cancelled. */
  protected abstract onAbandon(): void
  /** Returns the error for a waiter that is cancelled for `reason`. */
  protected abstract errorForCancelled(reason: LmsError): LmsError

  /** `at` is when the answer had been received, in milliseconds since the process started. */
  protected resolve(value: T, at = performance.now()): void {
    for (const waiter of this.settle(at)) waiter.resolve(value)
  }

  protected reject(error: LmsError, at = performance.now()): void {
    for (const waiter of this.settle(at)) waiter.reject(error)
  }

  private get waiting(): readonly Waiter<T>[] {
    const { waiter, others } = this
    const first = waiter ? [waiter] : []
    return others ? [...first, ...others] : first
  }

  private settle(at: number): readonly Waiter<T>[] {
    if (!this.abandoned) this.onEnd()
    const waiters = this.waiting
    this.waiter = undefined
    this.others = undefined
    for (const waiter of waiters) {
      waiter.counter?.resumes?.(at)
      waiter.deadline?.delete(waiter)
    }
    return waiters
  }
}

class Waiter<T> implements Cancellable {
  constructor(
    readonly resolve: (value: T) => void,
    readonly reject: (error: LmsError) => void,
    readonly deadline: Deadline | undefined,
    readonly counter: CallCounter | undefined,
    private readonly call: SharedRequest<T>,
  ) {}

  cancel(reason: LmsError): void {
    this.call.cancel(this, reason)
  }
}
