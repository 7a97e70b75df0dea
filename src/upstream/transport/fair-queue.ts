import { performance } from 'node:perf_hooks'
import { BusyError, sharedErrors } from '../errors.js'
import { Arrivals, type CredentialStatus, type QueuedRequest, type QueueKey, QueueNode } from './queue-nodes.js'

/** Longest queue in total and per caller, and longest wait in milliseconds. */
export interface QueueBounds {
  readonly length: number
  readonly perCaller: number
  readonly timeout: number
}

export interface FairQueueOptions<T extends QueueKey> {
  /** Calls that may run at the same time. */
  readonly limit: number
  /** Unbounded when undefined. */
  readonly bounds?: QueueBounds | undefined
  /** Returns what is known about the credentials of a caller. */
  readonly statusOf?: ((call: T) => CredentialStatus) | undefined
}

/** How busy a queue is. */
export interface QueueLoad {
  readonly running: number
  /** Calls that may run at the same time. */
  readonly limit: number
  readonly queued: number
  /** Calls that may wait; infinite without protection. */
  readonly maxQueued: number
}

const UNBOUNDED: QueueBounds = { length: Infinity, perCaller: Infinity, timeout: Infinity }

/**
 * Runs at most `limit` calls at a time and queues the others. Each verified caller has a line. All other callers share one line, in which
 * client addresses take turns, then the callers of an address. Lines take turns; within the line of a caller, operations take turns. When
 * the queue is full, the newest call of the longest line is refused.
 */
export class FairQueue<T extends QueueKey = QueueKey> {
  private readonly limit: number
  private readonly bounds: QueueBounds
  private readonly statusOf: (call: T) => CredentialStatus
  private running = 0
  private lines = new QueueNode()
  private readonly queued = new Arrivals()
  private timer: NodeJS.Timeout | undefined
  /** Moving average of the duration of calls, in milliseconds. */
  private averageDuration = 0

  constructor({ limit, bounds = UNBOUNDED, statusOf = () => 'unknown' }: FairQueueOptions<T>) {
    this.limit = limit
    this.bounds = bounds
    this.statusOf = statusOf
  }

  /** How many calls run and wait, and how many may. */
  get load(): QueueLoad {
    return { running: this.running, limit: this.limit, queued: this.queued.size, maxQueued: this.bounds.length }
  }

  /** Whether the queue is so long that the order of callers matters. */
  get isCrowded(): boolean {
    return this.queued.size > 0 && this.queued.size >= Math.min(this.limit * CROWDED, this.bounds.length)
  }

  /** Returns the error when a call could neither start nor queue. Changes nothing. */
  refusal(call: T): BusyError | undefined {
    if (this.hasFreeSlot) return undefined
    const keys = this.keysOf(call)
    return this.refusalAt(keys, this.queued.size < this.bounds.length ? undefined : this.lines.longestOther(keys))
  }

  /** Starts a call or queues it. Returns the error when it can do neither. */
  accept(request: QueuedRequest<T>): BusyError | undefined {
    request.admittedAt = performance.now()
    if (this.hasFreeSlot) {
      this.running++
      if (!request.start()) this.running--
      return undefined
    }
    const keys = this.keysOf(request.call)
    const longest = this.queued.size < this.bounds.length ? undefined : this.lines.longestOther(keys)
    const refusal = this.refusalAt(keys, longest)
    if (refusal) return refusal
    if (longest) this.evict(longest)
    this.enqueue(request, keys)
    return undefined
  }

  /** Ends a call that ran for `duration` milliseconds. The next one starts soon. */
  release(duration: number): void {
    this.end(duration)
    if (this.queued.size > 0) queueMicrotask(this.startNext)
  }

  /** Ends a call that ran for `duration` milliseconds, and starts the next one now. */
  handOver(duration: number): void {
    this.end(duration)
    this.startNext()
  }

  /** Removes a call from the queue, if it is queued. */
  withdraw(request: QueuedRequest): void {
    if (request.node) this.remove(request, false)
  }

  private end(duration: number): void {
    this.running--
    this.averageDuration += (duration - this.averageDuration) / MEAN_OVER
  }

  private get hasFreeSlot(): boolean {
    return this.running < this.limit && this.queued.size === 0
  }

  private readonly startNext = (): void => {
    while (this.running < this.limit && this.queued.size > 0) {
      const isReserved = this.running === this.limit - 1 && this.running > 0 && this.isOverloaded
      const request = isReserved ? this.lines.nextFreshCall() : this.lines.nextCall()
      if (!request) return
      this.remove(request, true)
      this.running++
      if (!request.start()) this.running--
    }
  }

  /**
   * Whether more calls are queued than can start before they time out. One slot is then reserved for callers who have had no turn yet:
   * otherwise they would wait until a call of those who occupy all slots ends.
   */
  private get isOverloaded(): boolean {
    return (this.queued.size * this.averageDuration) / this.limit > this.bounds.timeout
  }

  /** Keys of the path to the queue of a call; the last two are its caller and its operation. */
  private keysOf(call: T): readonly unknown[] {
    const { id, principal, address = '' } = call.caller
    const { operation } = call.budget
    if (principal === undefined) return [id, operation]
    const status = this.statusOf(call)
    if (status === 'proven') return [id, operation]
    // Anybody can make up any number of wrong credentials, so they share one branch.
    return [principal, address, status === 'wrong' ? WRONG : id, operation]
  }

  /** Returns the error when a call can't be queued. `longest` is the branch that gives way in a full queue. */
  private refusalAt(keys: readonly unknown[], longest: QueueNode | undefined): BusyError | undefined {
    const { length, perCaller, timeout } = this.bounds
    if (this.queued.size >= length && !longest) return this.busy(QUEUE_FULL)
    const size = this.lines.sizeAt(keys, keys.length - 1)
    const isHopeless = (size * this.averageDuration) / this.limit > timeout * HOPELESS
    return size >= perCaller || isHopeless ? this.busy(CALLER_FULL) : undefined
  }

  private evict(branch: QueueNode): void {
    const request = branch.newest()
    this.remove(request, false)
    request.refuse(this.busy(QUEUE_FULL))
  }

  private enqueue(request: QueuedRequest, keys: readonly unknown[]): void {
    request.node = this.lines.branchAt(keys)
    request.node.add(request)
    this.queued.add(request)
    this.watch()
    if (this.running < this.limit) queueMicrotask(this.startNext)
  }

  /** Afterwards the queue and the call hold no references to each other. */
  private remove(request: QueuedRequest, isServed: boolean): void {
    const { node } = request
    request.node = undefined
    this.queued.delete(request)
    if (this.queued.size > 0) node?.delete(request, isServed)
    else this.lines = new QueueNode()
  }

  /** Starts the timer of the oldest call; one timer serves all calls. */
  private watch(): void {
    const { timeout } = this.bounds
    const { oldest } = this.queued
    if (this.timer || timeout === Infinity || !oldest) return
    this.timer = setTimeout(this.expire, oldest.admittedAt + timeout - performance.now()).unref()
  }

  private readonly expire = (): void => {
    this.timer = undefined
    const latest = performance.now() - this.bounds.timeout
    for (let { oldest } = this.queued; oldest && oldest.admittedAt <= latest; oldest = this.queued.oldest) {
      this.remove(oldest, false)
      oldest.refuse(this.busy(WAITED_TOO_LONG))
    }
    this.watch()
  }

  /** Returns the error with the time in which all queued calls will have started. */
  private busy(errorAfter: (seconds: number) => BusyError): BusyError {
    const milliseconds = (this.queued.size * this.averageDuration) / this.limit
    return errorAfter(Math.min(Math.max(Math.ceil(milliseconds / 1000), 1), MAX_RETRY_AFTER))
  }
}

/** Key for all callers of an address whose credentials the site rejects. */
const WRONG = Symbol('wrong credentials')
/** Queued calls per slot from which on the queue is crowded. */
const CROWDED = 25
/** A call is refused when its caller's queued calls would take this many times the longest wait, even with all slots. */
const HOPELESS = 4
/** Number of calls in the average duration. */
const MEAN_OVER = 20
/** Largest `retryAfter`, in seconds. */
const MAX_RETRY_AFTER = 60

// Shared errors: refusing a call must cost nothing.
const QUEUE_FULL = sharedErrors((seconds: number) => new BusyError('Too many REST calls are queued for the site.', seconds, 'queue_full'))
const CALLER_FULL = sharedErrors((seconds: number) => new BusyError('You have too many queued REST calls.', seconds, 'caller_limit'))
const WAITED_TOO_LONG = sharedErrors(
  (seconds: number) => new BusyError('The REST call waited in the queue for too long.', seconds, 'queue_timeout'),
)
