import { performance } from 'node:perf_hooks'
import { getOrMake } from '../../maps.js'
import { CancelledError, type LmsError, TimeoutError } from '../errors.js'
import { type Link, LinkedList } from './linked-list.js'

/** Something that waits for an answer and can be cancelled. */
export interface Cancellable {
  cancel(reason: LmsError): void
}

/** The error of a call whose request was cancelled. */
export const cancelled = (): LmsError => new CancelledError('The request was cancelled.')

/**
 * The deadlines with one timeout, with one timer for all of them: they end in the order in which they started. A timer for each operation costs
 * several times as much.
 */
class Timeouts {
  private readonly deadlines = new LinkedList<Deadline>()
  private timer: NodeJS.Timeout | undefined

  constructor(readonly milliseconds: number) {}

  add(deadline: Deadline): void {
    this.deadlines.add(deadline)
    this.timer ??= setTimeout(expire, this.milliseconds, this).unref()
  }

  delete(deadline: Deadline): void {
    this.deadlines.delete(deadline)
  }

  /** Ends the deadlines whose time is up, and waits for the next one. */
  expire(): void {
    const now = performance.now()
    try {
      // Each one leaves the list when it ends.
      for (let { first } = this.deadlines; first && first.endsAt <= now; first = this.deadlines.first)
        first.end(new TimeoutError(`The operation timed out after ${this.milliseconds} milliseconds.`))
    } finally {
      const { first: next } = this.deadlines
      if (next) this.timer = setTimeout(expire, Math.ceil(next.endsAt - now), this).unref()
      else timeouts.delete(this.milliseconds)
    }
  }
}

const expire = (timeouts: Timeouts): void => timeouts.expire()

/** Those with deadlines, by milliseconds. */
const timeouts = new Map<number, Timeouts>()

const timeoutsOf = (milliseconds: number): Timeouts => getOrMake(timeouts, milliseconds, () => new Timeouts(milliseconds))

/** Ends the calls of an operation when it is done, its client disconnects, or its time is up. */
export class Deadline implements Link<Deadline> {
  previous: Deadline | undefined
  next: Deadline | undefined
  /** Why the deadline has ended; undefined until then. */
  ended: LmsError | undefined
  /** When the time is up, in milliseconds since the process started. */
  readonly endsAt: number
  /** Those that it is one of, until it ends or is closed. */
  private timeouts: Timeouts | undefined
  /** One that waits, and the others. Many operations make one call at a time. */
  private waiter: Cancellable | undefined
  private others: Set<Cancellable> | undefined

  /** `timeout` is in milliseconds. Without it only the signal or `cancel` ends the deadline early. */
  constructor(timeout?: number, signal?: AbortSignal) {
    if (signal?.aborted) this.ended = cancelled()
    else signal?.addEventListener('abort', () => this.cancel(), { once: true })
    this.endsAt = timeout === undefined ? Infinity : performance.now() + timeout
    this.timeouts = timeout === undefined ? undefined : timeoutsOf(timeout)
    this.timeouts?.add(this)
  }

  /** The client has disconnected. */
  cancel(): void {
    this.end(cancelled())
  }

  /** The operation is done. */
  close(): void {
    this.timeouts?.delete(this)
    this.timeouts = undefined
  }

  /** Cancels all that wait, and all that are added later. */
  end(reason: LmsError): void {
    this.close()
    this.ended ??= reason
    const { waiter, others } = this
    const waiters = others ? [...others] : []
    if (waiter) waiters.unshift(waiter)
    for (const each of waiters) each.cancel(this.ended)
  }

  add(waiter: Cancellable): void {
    if (this.waiter === undefined) this.waiter = waiter
    else {
      this.others ??= new Set()
      this.others.add(waiter)
    }
  }

  delete(waiter: Cancellable): void {
    if (this.waiter === waiter) this.waiter = undefined
    else this.others?.delete(waiter)
  }
}
