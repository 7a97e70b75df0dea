import { performance } from 'node:perf_hooks'
import { CancelledError, type LmsError, TimeoutError } from '../errors.js'

/** Someone who waits for an answer, and is told when it is of no use any more. */
export interface Cancellable {
  leave(reason: LmsError): void
}

/** A call that is not made, or not waited for, any more. */
export const cancelled = (): LmsError => new CancelledError('The request was cancelled.')

/** How long an operation waits for the site: until it is done, its client has gone away, or its time is up. */
export class Deadline {
  /** Why it waits no longer; not there while it does. */
  ended: LmsError | undefined
  /** When its time is up, in milliseconds since the process started. */
  readonly endsAt: number
  private readonly waiting = new Set<Cancellable>()
  private readonly timer: NodeJS.Timeout | undefined

  /** Without `timeout`, in milliseconds, only the signal or `leave` ends it early. */
  constructor(timeout?: number, signal?: AbortSignal) {
    if (signal?.aborted) this.ended = cancelled()
    else signal?.addEventListener('abort', () => this.leave(), { once: true })
    this.endsAt = timeout === undefined ? Infinity : performance.now() + timeout
    if (timeout !== undefined) this.timer = setTimeout(expire, timeout, this, timeout).unref()
  }

  /** The client has gone away. */
  leave(): void {
    this.end(cancelled())
  }

  /** The operation is done. */
  close(): void {
    clearTimeout(this.timer)
  }

  /** Nobody waits any longer, or begins to. */
  end(reason: LmsError): void {
    clearTimeout(this.timer)
    this.ended ??= reason
    for (const waiter of [...this.waiting]) waiter.leave(this.ended)
  }

  add(waiter: Cancellable): void {
    this.waiting.add(waiter)
  }

  delete(waiter: Cancellable): void {
    this.waiting.delete(waiter)
  }
}

const expire = (deadline: Deadline, timeout: number): void =>
  deadline.end(new TimeoutError(`The operation was given up after ${timeout} milliseconds.`))
