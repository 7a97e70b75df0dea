import { performance } from 'node:perf_hooks'
import { BusyError, sharedErrors } from './errors.js'
import type { Standing } from './proofs.js'

/** For whom a call is made: decides the line in which it waits. */
export interface Turn {
  /** Equal for calls that show the same credentials and the same API key or token. */
  readonly caller: string
  readonly operation: object
  /**
   * Whom the gateway itself has verified, by API key or token: `''` is nobody. Without it `caller` is verified. Callers whom neither the
   * gateway nor the site has verified share the line of the principal.
   */
  readonly principal?: string | undefined
  /** Network address of the client; `''` where there is none. */
  readonly address?: string | undefined
}

/** A call that needs a place. */
export interface QueuedRequest<T extends Turn = Turn> {
  readonly turn: T
  /** Has a place; answers false when it needs none any more. A place that was taken is given back by `release`. */
  enter(): boolean
  /** Has waited too long, or has given way to others. */
  refuse(error: BusyError): void
  /** Where it waits; kept by the limiter. */
  entry?: QueueEntry | undefined
}

/** The request is removed when it leaves: the tables a map has outgrown keep what they held until the next full collection. */
interface QueueEntry extends Link<QueueEntry> {
  request: QueuedRequest | undefined
  readonly since: number
  readonly operation: Branch
}

/** How many may wait for a place, of them how many of one caller, and for how many milliseconds. */
export interface QueueBounds {
  readonly length: number
  readonly perCaller: number
  readonly timeout: number
}

export interface LimiterOptions<T extends Turn> {
  /** Places. */
  readonly limit: number
  /** Without them the queue has no bounds. */
  readonly bounds?: QueueBounds | undefined
  /** What the site has said of the credentials of a caller. */
  readonly standingOf?: ((turn: T) => Standing) | undefined
}

const UNBOUNDED: QueueBounds = { length: Infinity, perCaller: Infinity, timeout: Infinity }

/**
 * At most `limit` calls at a time; others wait. Each caller who is verified has a line. All others share one line, in which client
 * addresses take turns, then the callers of an address. Lines take turns, and in the line of a caller operations do. When the queue is
 * full the newest call of the longest line is refused.
 */
export class Limiter<T extends Turn = Turn> {
  private readonly limit: number
  private readonly bounds: QueueBounds
  private readonly standingOf: (turn: T) => Standing
  private held = 0
  private lines = new Branch()
  /** All that wait, in order of arrival. */
  private readonly waiting = new Set<QueueEntry>()
  private timer: NodeJS.Timeout | undefined
  /** How long a place is held, in milliseconds: a moving average. */
  private hold = 0

  constructor({ limit, bounds = UNBOUNDED, standingOf = () => 'unknown' }: LimiterOptions<T>) {
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
  private refusalAt(keys: readonly unknown[], longest: Branch | undefined): BusyError | undefined {
    const { length, perCaller, timeout } = this.bounds
    if (this.waiting.size >= length && !longest) return this.busy(QUEUE_FULL)
    const size = this.lines.sizeAt(keys, keys.length - 1)
    const isHopeless = (size * this.hold) / this.limit > timeout * HOPELESS
    return size >= perCaller || isHopeless ? this.busy(CALLER_FULL) : undefined
  }

  private evict(branch: Branch): void {
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
    else this.lines = new Branch()
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

/** An item of a chain. */
interface Link<T> {
  before: T | undefined
  after: T | undefined
}

/** Items in the order in which they were added. Those that are taken out lead to nothing any more. */
class Chain<T extends Link<T>> {
  first: T | undefined
  last: T | undefined

  add(item: T): void {
    item.before = this.last
    if (this.last) this.last.after = item
    else this.first = item
    this.last = item
  }

  delete(item: T): void {
    const { before, after } = item
    if (before) before.after = after
    else this.first = after
    if (after) after.before = before
    else this.last = before
    item.before = undefined
    item.after = undefined
  }
}

/** A part of the queue with all that wait in it: branches that take turns or, in the part of an operation, calls. */
class Branch implements Link<Branch> {
  size = 0
  before: Branch | undefined
  after: Branch | undefined
  /** Where it stands among the branches of its parent. */
  chain: Chain<Branch> | undefined
  calls: Chain<QueueEntry> | undefined
  private turns: Turns | undefined

  constructor(
    private readonly parent?: Branch,
    private readonly key?: unknown,
  ) {}

  /** The branch at the end of these keys; it and those on the way are made where there are none. */
  grow(keys: readonly unknown[]): Branch {
    let branch: Branch = this
    for (const key of keys) {
      branch.turns ??= new Turns()
      const { branches } = branch.turns
      let next = branches.get(key)
      if (!next) {
        next = new Branch(branch, key)
        branches.set(key, next)
        branch.turns.join(next)
      }
      branch = next
    }
    return branch
  }

  /** How many wait below the first `count` keys. */
  sizeAt(keys: readonly unknown[], count: number): number {
    let branch: Branch | undefined = this
    for (let at = 0; branch && at < count; at++) branch = branch.turns?.branches.get(keys[at])
    return branch?.size ?? 0
  }

  /** The branch that gives way to one more call at these keys: the longest one beside them. Nothing where theirs is the longest. */
  longestBeside(keys: readonly unknown[]): Branch | undefined {
    let branch: Branch = this
    for (const key of keys) {
      const longest = branch.turns?.longestBranch
      if (!longest) return undefined
      const own = branch.turns?.branches.get(key)
      if (!own || own.size < longest.size) return (own?.size ?? 0) + 1 < longest.size ? longest : undefined
      branch = own
    }
    return undefined
  }

  /** The last to come in the longest of its branches; only where something waits. */
  newest(): QueueEntry {
    let branch: Branch = this
    while (branch.turns?.longestBranch) branch = branch.turns.longestBranch
    return branch.calls?.last as QueueEntry
  }

  /** The call whose turn it is; only where something waits. */
  next(): QueueEntry {
    let branch: Branch = this
    while (branch.turns) branch = branch.turns.next()
    return branch.calls?.first as QueueEntry
  }

  /** A call in a branch that had no turn yet; nothing where all had one. */
  nextFresh(): QueueEntry | undefined {
    return this.turns?.takeFresh()?.next()
  }

  /** Such a branch, which thereby has its turn. */
  takeFresh(): Branch | undefined {
    return this.turns?.takeFresh()
  }

  add(entry: QueueEntry): void {
    this.calls ??= new Chain()
    this.calls.add(entry)
    for (let branch: Branch | undefined = this; branch; branch = branch.parent) {
      branch.size++
      branch.parent?.turns?.grew(branch)
    }
  }

  /** `isServed`: in its turn. */
  delete(entry: QueueEntry, isServed: boolean): void {
    this.calls?.delete(entry)
    for (let branch: Branch | undefined = this; branch; branch = branch.parent) {
      branch.size--
      branch.parent?.turns?.shrank(branch)
      if (branch.size === 0 && !isServed) branch.leave()
    }
  }

  /** Is a part of its parent no more, and leads to nothing: the tables of its parent may keep it until the next full collection. */
  leave(): void {
    this.parent?.turns?.leave(this, this.key)
    this.calls = undefined
    this.turns = undefined
  }
}

/**
 * The turns of the branches of a branch. One that has just come is served before those that had a turn already, so that a caller with few
 * calls waits for about one place; after a few of them the others have a turn, so that no stream of new ones stops them. A branch
 * that is empty after its turn keeps its position, and can't come as new again before that is reached.
 */
class Turns {
  readonly branches = new Map<unknown, Branch>()
  private readonly fresh = new Chain<Branch>()
  private readonly served = new Chain<Branch>()
  private freshInARow = 0
  /** Unknown after it has become shorter. */
  private longest: Branch | undefined

  get longestBranch(): Branch | undefined {
    // Of several the one that came last.
    if (!this.longest) for (const branch of this.branches.values()) if (branch.size >= (this.longest?.size ?? 1)) this.longest = branch
    return this.longest
  }

  /** The branch whose turn it is; one of them must have calls. */
  next(): Branch {
    for (;;) {
      const isFresh = this.fresh.first !== undefined && (this.freshInARow < MOST_FRESH || !this.served.first)
      const branch = (isFresh ? this.fresh : this.served).first as Branch
      if (branch.size === 0) {
        branch.leave()
        continue
      }
      this.freshInARow = isFresh ? this.freshInARow + 1 : 0
      this.move(branch, this.served)
      return branch
    }
  }

  /** Gives a branch its turn that had none yet, here or further down; operations do not count, since callers make as many as they want. */
  takeFresh(): Branch | undefined {
    if ((this.fresh.first ?? this.served.first)?.calls) return undefined
    const { first } = this.fresh
    if (first) this.move(first, this.served)
    if (first) return first
    for (let branch = this.served.first; branch; branch = branch.after) {
      const found = branch.size > 0 ? branch.takeFresh() : undefined
      if (found) return found
    }
    return undefined
  }

  join(branch: Branch): void {
    this.move(branch, this.fresh)
  }

  leave(branch: Branch, key: unknown): void {
    branch.chain?.delete(branch)
    branch.chain = undefined
    this.branches.delete(key)
  }

  grew(branch: Branch): void {
    if (this.longest && branch.size > this.longest.size) this.longest = branch
  }

  shrank(branch: Branch): void {
    if (this.longest === branch) this.longest = undefined
  }

  private move(branch: Branch, chain: Chain<Branch>): void {
    branch.chain?.delete(branch)
    branch.chain = chain
    chain.add(branch)
  }
}

/** Stands for all callers of an address whose credentials the site does not know. */
const WRONG = Symbol('wrong credentials')
/** Turns that new branches may have in a row while others wait. */
const MOST_FRESH = 4
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
