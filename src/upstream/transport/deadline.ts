import { performance } from 'node:perf_hooks'
import { CancelledError, type LmsError, TimeoutError } from '../errors.js'

/** Something that waits for an answer and can be cancelled. */
export interface Cancellable {
  cancel(reason: LmsError): void
}

/** The error of a call whose request was cancelled. */
export const cancelled = (): LmsError => new CancelledError('The request was cancelled.')

/** Ends the calls of an operation when it is done, its client disconnects, or its time is up. */
export class Deadline {
  /** Why the deadline has ended; undefined until then. */
  ended: LmsError | undefined
  /** When the time is up, in milliseconds since the process started. */
  readonly endsAt: number
  private readonly waiters = new Set<Cancellable>()
  private readonly timer: NodeJS.Timeout | undefined

  /** `timeout` is in milliseconds. Without it only the signal or `cancel` ends the deadline early. */
  constructor(timeout?: number, signal?: AbortSignal) {
    if (signal?.aborted) this.ended = cancelled()
    else signal?.addEventListener('abort', () => this.cancel(), { once: true })
    this.endsAt = timeout === undefined ? Infinity : performance.now() + timeout
    if (timeout !== undefined) this.timer = setTimeout(expire, timeout, this, timeout).unref()
  }

  /** The client has disconnected. */
  cancel(): void {
    this.end(cancelled())
  }

  /** The operation is done. */
  close(): void {
    clearTimeout(this.timer)
  }

  /** Cancels all that wait, and all that are added later. */
  end(reason: LmsError): void {
    clearTimeout(this.timer)
    this.ended ??= reason
    for (const waiter of [...this.waiters]) waiter.cancel(this.ended)
  }

  add(waiter: Cancellable): void {
    this.waiters.add(waiter)
  }

  delete(waiter: Cancellable): void {
    this.waiters.delete(waiter)
  }
}

const expire = (deadline: Deadline, timeout: number): void =>
  deadline.end(new TimeoutError(`The operation timed out after ${timeout} milliseconds.`))
