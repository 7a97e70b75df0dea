import { performance } from 'node:perf_hooks'
import { BusyError } from './errors.js'

/** Who is asking: the credential first, then the operation. Both take turns, so that neither can crowd out the others. */
export interface Turn {
  readonly caller: string
  readonly operation: object
}

/** Someone who wants a place. */
export interface Guest {
  readonly turn: Turn
  /** Has a place; answers false when it needs none any more. A place that was taken is given back by `release`. */
  enter(): boolean
  /** Has waited for too long. */
  refuse(error: BusyError): void
  /** Where it waits; kept by the limiter. */
  seat?: Seat | undefined
}

/** Emptied when its guest is gone: the tables a map has outgrown keep what they held until the next full collection. */
interface Seat {
  guest: Guest | undefined
  readonly since: number
}

/** How many may wait for a place, of them how many of one caller, and for how many milliseconds. */
export interface QueueBounds {
  readonly length: number
  readonly perCaller: number
  readonly timeout: number
}

/** Those of one caller who wait, by operation. */
interface Line {
  size: number
  readonly operations: Map<object, Set<Seat>>
}

/**
 * At most `limit` holders at a time. Beyond it guests wait, and are let in round robin by caller, then by operation, then in order of
 * arrival; those for whom there is no room in the queue are refused at once.
 */
export class Limiter {
  private held = 0
  private readonly lines = new Map<string, Line>()
  /** All seats that are taken, in order of arrival. */
  private readonly waiting = new Set<Seat>()
  private timer: NodeJS.Timeout | undefined
  /** How long a place is held, in milliseconds: a mean that forgets. */
  private hold = 0

  constructor(
    private readonly limit: number,
    private readonly bounds: QueueBounds = { length: Infinity, perCaller: Infinity, timeout: Infinity },
  ) {}

  /** Lets a guest in, or has it wait; answers why it can do neither. */
  admit(guest: Guest): BusyError | undefined {
    if (this.held < this.limit && this.waiting.size === 0) {
      this.held++
      if (!guest.enter()) this.held--
      return undefined
    }
    const { length, perCaller } = this.bounds
    if (this.waiting.size >= length) return this.busy('Too many REST calls wait for the site.')
    if ((this.lines.get(guest.turn.caller)?.size ?? 0) >= perCaller) return this.busy('Too many REST calls of yours wait for the site.')
    this.enqueue(guest)
    return undefined
  }

  /** Gives back a place that was held for so many milliseconds. */
  release(duration: number): void {
    this.held--
    this.hold += (duration - this.hold) / MEAN_OVER
    if (this.waiting.size > 0) queueMicrotask(this.fill)
  }

  /** A guest who waits does so no longer; of no effect for others. */
  withdraw(guest: Guest): void {
    const { seat } = guest
    if (!seat) return
    guest.seat = undefined
    seat.guest = undefined
    this.waiting.delete(seat)
    const { caller, operation } = guest.turn
    const line = this.lines.get(caller) as Line
    const queue = line.operations.get(operation) as Set<Seat>
    queue.delete(seat)
    if (queue.size === 0) line.operations.delete(operation)
    if (--line.size === 0) this.lines.delete(caller)
  }

  private readonly fill = (): void => {
    while (this.held < this.limit) {
      const next = this.next()
      if (!next) return
      this.withdraw(next)
      this.held++
      if (!next.enter()) this.held--
    }
  }

  /** Whose turn it is; the caller and the operation then go to the end. */
  private next(): Guest | undefined {
    for (const [caller, line] of this.lines) {
      this.lines.delete(caller)
      this.lines.set(caller, line)
      for (const [operation, queue] of line.operations) {
        line.operations.delete(operation)
        line.operations.set(operation, queue)
        for (const { guest } of queue) return guest
      }
    }
    return undefined
  }

  private enqueue(guest: Guest): void {
    const { caller, operation } = guest.turn
    const seat: Seat = { guest, since: performance.now() }
    const line = this.lines.get(caller)
    const queue = line?.operations.get(operation)
    if (line) line.size++
    if (queue) queue.add(seat)
    else if (line) line.operations.set(operation, new Set([seat]))
    else this.lines.set(caller, { size: 1, operations: new Map([[operation, new Set([seat])]]) })
    guest.seat = seat
    this.waiting.add(seat)
    this.watch()
  }

  /** One timer for all: who came first has waited for longest. */
  private watch(): void {
    const { timeout } = this.bounds
    if (this.timer || timeout === Infinity) return
    for (const { since } of this.waiting) {
      this.timer = setTimeout(this.expire, since + timeout - performance.now()).unref()
      return
    }
  }

  private readonly expire = (): void => {
    this.timer = undefined
    const latest = performance.now() - this.bounds.timeout
    for (const { guest, since } of this.waiting) {
      if (!guest || since > latest) break
      this.withdraw(guest)
      guest.refuse(this.busy('The REST call has waited for its turn for too long.'))
    }
    this.watch()
  }

  /** With the time in which those who wait now will have got their places. */
  private busy(message: string): BusyError {
    const milliseconds = (this.waiting.size * this.hold) / this.limit
    return new BusyError(message, Math.min(Math.max(Math.ceil(milliseconds / 1000), 1), LONGEST))
  }
}

/** Calls that count for how long a place is held. */
const MEAN_OVER = 20
/** Most seconds after which to try again. */
const LONGEST = 60
