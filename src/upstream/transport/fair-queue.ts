import { performance } from 'node:perf_hooks'
import { BusyError, sharedErrors } from '../errors.js'
import { type CredentialStatus, type QueuedRequest, type QueueEntry, type QueueKey, QueueNode } from './queue-nodes.js'

/** How many may wait for a place, of them how many of one caller, and for how many milliseconds. */
export interface QueueBounds {
  readonly length: number
  readonly perCaller: number
  readonly timeout: number
}

export interface FairQueueOptions<T extends QueueKey> {
  /** Places. */
  readonly limit: number
  /** Without them the queue has no bounds. */
  readonly bounds?: QueueBounds | undefined
  /** What the site has said of the credentials of a caller. */
  readonly standingOf?: ((turn: T) => CredentialStatus) | undefined
}

const UNBOUNDED: QueueBounds = { length: Infinity, perCaller: Infinity, timeout: Infinity }

/**
 * At most `limit` calls at a time; others wait. Each caller who is verified has a line. All others share one line, in which client
 * addresses take turns, then the callers of an address. Lines take turns, and in the line of a caller operations do. When the queue is
 * full the newest call of the longest line is refused.
 */
export class FairQueue<T extends QueueKey = QueueKey> {
  private readonly limit: number
  private readonly bounds: QueueBounds
  private readonly standingOf: (turn: T) => CredentialStatus
  private held = 0
  private lines = new QueueNode()
  /** All that wait, in order of arrival. */
  private readonly waiting = new Set<QueueEntry>()
  private timer: NodeJS.Timeout | undefined
  /** How long a place is held, in milliseconds: a moving average. */
  private hold = 0

  constructor({ limit, bounds = UNBOUNDED, standingOf = () => 'unknown' }: FairQueueOptions<T>) {
    this.limit = limit
    this.bounds = bounds
    this.standingOf = standingOf
  }

  /** Whether so much waits that it matters who waits. */
  get isCrowded(): boolean {
    return this.waiting.size > 0 && this.waiting.size >= Math.min(this.limit * CROWDED, this.bounds.length)
  }

  /** Why a call can neither have a place nor wait for one; changes nothing. */
  refusal(turn: T): BusyError | undefined {
    if (this.hasPlace) return undefined
    const keys = this.keysOf(turn)
    return this.refusalAt(keys, this.waiting.size < this.bounds.length ? undefined : this.lines.longestBeside(keys))
  }

  /** Gives a call a place, or lets it wait; returns why it can do neither. */
  admit(request: QueuedRequest<T>): BusyError | undefined {
    if (this.hasPlace) {
      this.held++
      if (!request.enter()) this.held--
      return undefined
    }
    const keys = this.keysOf(request.turn)
    const longest = this.waiting.size < this.bounds.length ? undefined : this.lines.longestBeside(keys)
    const refusal = this.refusalAt(keys, longest)
    if (refusal) return refusal
    if (longest) this.evict(longest)
    this.enqueue(request, keys)
    return undefined
  }

  /** Gives back a place that was held for so many milliseconds. */
  release(duration: number): void {
    this.held--
    this.hold += (duration - this.hold) / MEAN_OVER
    if (this.waiting.size > 0) queueMicrotask(this.fill)
  }

  /** A call does not wait any more; of no effect where it does not. */
  withdraw(request: QueuedRequest): void {
    const { entry } = request
    if (entry) this.remove(entry, false)
  }

  private get hasPlace(): boolean {
    return this.held < this.limit && this.waiting.size === 0
  }

  private readonly fill = (): void => {
    while (this.held < this.limit && this.waiting.size > 0) {
      const isReserved = this.held === this.limit - 1 && this.held > 0 && this.isOverloaded
      const entry = isReserved ? this.lines.nextFresh() : this.lines.next()
      if (!entry) return
      const request = entry.request as QueuedRequest
      this.remove(entry, true)
      this.held++
      if (!request.enter()) this.held--
    }
  }

  /**
   * Whether more waits than can have a place before it has waited too long. One place is then kept for callers who have had no turn yet:
   * else they would wait until one of those ends who take every place at once.
   */
  private get isOverloaded(): boolean {
    return (this.waiting.size * this.hold) / this.limit > this.bounds.timeout
  }

  /** Keys of the branches that lead to where a call waits; the last two are of its caller and of its operation. */
  private keysOf(turn: T): readonly unknown[] {
    const { caller, operation, principal, address = '' } = turn
    if (principal === undefined) return [caller, operation]
    const standing = this.standingOf(turn)
    if (standing === 'proven') return [caller, operation]
    // Credentials that are wrong are made up as many as one likes.
    return [principal, address, standing === 'wrong' ? WRONG : caller, operation]
  }

  /** Why a call can't wait. `longest` is the branch that gives way; it is needed where the queue is full. */
  private refusalAt(keys: readonly unknown[], longest: QueueNode | undefined): BusyError | undefined {
    const { length, perCaller, timeout } = this.bounds
    if (this.waiting.size >= length && !longest) return this.busy(QUEUE_FULL)
    const size = this.lines.sizeAt(keys, keys.length - 1)
    const isHopeless = (size * this.hold) / this.limit > timeout * HOPELESS
    return size >= perCaller || isHopeless ? this.busy(CALLER_FULL) : undefined
  }

  private evict(branch: QueueNode): void {
    const entry = branch.newest()
    const request = entry.request as QueuedRequest
    this.remove(entry, false)
    request.refuse(this.busy(QUEUE_FULL))
  }

  private enqueue(request: QueuedRequest, keys: readonly unknown[]): void {
    const entry: QueueEntry = { request, since: performance.now(), operation: this.lines.grow(keys), before: undefined, after: undefined }
    entry.operation.add(entry)
    request.entry = entry
    this.waiting.add(entry)
    this.watch()
    if (this.held < this.limit) queueMicrotask(this.fill)
  }

  private remove(entry: QueueEntry, isServed: boolean): void {
    if (entry.request) entry.request.entry = undefined
    entry.request = undefined
    this.waiting.delete(entry)
    if (this.waiting.size > 0) entry.operation.delete(entry, isServed)
    else this.lines = new QueueNode()
  }

  /** One timer for all: the first to come has waited longest. */
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
    for (const entry of this.waiting) {
      const { request, since } = entry
      if (!request || since > latest) break
      this.remove(entry, false)
      request.refuse(this.busy(WAITED_TOO_LONG))
    }
    this.watch()
  }

  /** With the time in which all that wait now will have had their places. */
  private busy(errorAfter: (seconds: number) => BusyError): BusyError {
    const milliseconds = (this.waiting.size * this.hold) / this.limit
    return errorAfter(Math.min(Math.max(Math.ceil(milliseconds / 1000), 1), LONGEST))
  }
}

/** Stands for all callers of an address whose credentials the site does not know. */
const WRONG = Symbol('wrong credentials')
/** Waiting calls per place from which on the queue is crowded. */
const CROWDED = 25
/** Times the longest wait a caller's calls would take if it had all places: then one more would only wait in vain. */
const HOPELESS = 4
/** Calls that count for how long a place is held. */
const MEAN_OVER = 20
/** Most seconds after which to try again. */
const LONGEST = 60

// Made once for each number of seconds: refusing a call must cost nothing.
const QUEUE_FULL = sharedErrors((seconds: number) => new BusyError('Too many REST calls wait for the site.', seconds))
const CALLER_FULL = sharedErrors((seconds: number) => new BusyError('You have too many queued REST calls.', seconds))
const WAITED_TOO_LONG = sharedErrors((seconds: number) => new BusyError('The REST call has waited for its turn for too long.', seconds))
