import type { Budget, Caller } from '../call-scope.js'
import type { BusyError } from '../errors.js'
import { type Link, LinkedList } from './linked-list.js'

/** The caller and operation of a call, which decide its place in the queue. */
export interface QueueKey {
  readonly caller: Pick<Caller, 'id' | 'principal' | 'address'>
  readonly budget: Pick<Budget, 'operation'>
}

/** A call that can wait in the queue. It is an item of the queue's lists itself, so that a queued call takes no more memory than a running one. */
export interface QueuedRequest<T extends QueueKey = QueueKey> extends Link<QueuedRequest> {
  readonly call: T
  /** Starts the call. Returns false when it is no longer needed. After true, `release` must be called. */
  start(): boolean
  /** Rejects the call: it waited for too long, or was evicted. */
  refuse(error: BusyError): void
  /** When it was admitted, in milliseconds since the process started; set by the queue, as all below. */
  admittedAt: number
  /** The node of its operation, while it is queued. */
  node?: QueueNode | undefined
  /** The calls that were queued before and after it. */
  older?: QueuedRequest | undefined
  newer?: QueuedRequest | undefined
}

/** All queued calls, in order of arrival. */
export class Arrivals {
  size = 0
  oldest: QueuedRequest | undefined
  private newest: QueuedRequest | undefined

  add(request: QueuedRequest): void {
    request.older = this.newest
    if (this.newest) this.newest.newer = request
    else this.oldest = request
    this.newest = request
    this.size++
  }

  delete(request: QueuedRequest): void {
    const { older, newer } = request
    if (older) older.newer = newer
    else this.oldest = newer
    if (newer) newer.older = older
    else this.newest = older
    request.older = undefined
    request.newer = undefined
    this.size--
  }
}

/** Whether the site has accepted (`proven`) or rejected (`wrong`) credentials. */
export type CredentialStatus = 'proven' | 'wrong' | 'unknown'

/** A node of the queue: branches that take turns or, for an operation, its calls. */
export class QueueNode implements Link<QueueNode> {
  size = 0
  previous: QueueNode | undefined
  next: QueueNode | undefined
  /** The list of its parent that contains it. */
  list: LinkedList<QueueNode> | undefined
  calls: LinkedList<QueuedRequest> | undefined
  private turns: RoundRobin | undefined

  constructor(
    private readonly parent?: QueueNode,
    private readonly key?: unknown,
  ) {}

  /** Returns the node at the path of these keys. Creates missing nodes. */
  branchAt(keys: readonly unknown[]): QueueNode {
    let branch: QueueNode = this
    for (const key of keys) {
      branch.turns ??= new RoundRobin()
      const { branches } = branch.turns
      let next = branches.get(key)
      if (!next) {
        next = new QueueNode(branch, key)
        branches.set(key, next)
        branch.turns.join(next)
      }
      branch = next
    }
    return branch
  }

  /** Number of calls below the first `count` keys. */
  sizeAt(keys: readonly unknown[], count: number): number {
    let branch: QueueNode | undefined = this
    for (let at = 0; branch && at < count; at++) branch = branch.turns?.branches.get(keys[at])
    return branch?.size ?? 0
  }

  /** Returns the longest other branch, which gives way to one more call at these keys; undefined when theirs is the longest. */
  longestOther(keys: readonly unknown[]): QueueNode | undefined {
    let branch: QueueNode = this
    for (const key of keys) {
      const longest = branch.turns?.longestBranch
      if (!longest) return undefined
      const own = branch.turns?.branches.get(key)
      if (!own || own.size < longest.size) return (own?.size ?? 0) + 1 < longest.size ? longest : undefined
      branch = own
    }
    return undefined
  }

  /** The newest call of the longest branch. The node must not be empty. */
  newest(): QueuedRequest {
    let branch: QueueNode = this
    while (branch.turns?.longestBranch) branch = branch.turns.longestBranch
    return branch.calls?.last as QueuedRequest
  }

  /** The call whose turn it is. The node must not be empty. */
  nextCall(): QueuedRequest {
    let branch: QueueNode = this
    while (branch.turns) branch = branch.turns.nextBranch()
    return branch.calls?.first as QueuedRequest
  }

  /** A call in a branch that has had no turn yet. */
  nextFreshCall(): QueuedRequest | undefined {
    return this.turns?.takeFresh()?.nextCall()
  }

  /** Gives a branch its first turn, and returns it. */
  takeFresh(): QueueNode | undefined {
    return this.turns?.takeFresh()
  }

  add(request: QueuedRequest): void {
    this.calls ??= new LinkedList()
    this.calls.add(request)
    for (let branch: QueueNode | undefined = this; branch; branch = branch.parent) {
      branch.size++
      branch.parent?.turns?.onGrow(branch)
    }
  }

  /** `isServed`: the call was started, not cancelled. */
  delete(request: QueuedRequest, isServed: boolean): void {
    this.calls?.delete(request)
    for (let branch: QueueNode | undefined = this; branch; branch = branch.parent) {
      branch.size--
      branch.parent?.turns?.onShrink(branch)
      if (branch.size === 0 && !isServed) branch.leave()
    }
  }

  /** Removes the node from its parent, and its own references: a map of the parent may keep it until the next full collection. */
  leave(): void {
    this.parent?.turns?.leave(this, this.key)
    this.calls = undefined
    this.turns = undefined
  }
}

/**
 * The round-robin order of the branches of a node. A new branch is served before those that had a turn already, so that a caller with few
 * calls waits for about one slot. After a few new branches in a row the others have a turn, so that a stream of new branches does not stop
 * them. An empty branch keeps its position until its turn, so that its caller does not count as new again before.
 */
class RoundRobin {
  readonly branches = new Map<unknown, QueueNode>()
  private readonly fresh = new LinkedList<QueueNode>()
  private readonly served = new LinkedList<QueueNode>()
  private freshInARow = 0
  /** Undefined, and to be searched, after the longest branch became shorter. */
  private longest: QueueNode | undefined

  get longestBranch(): QueueNode | undefined {
    // The last one of equally long branches.
    if (!this.longest) for (const branch of this.branches.values()) if (branch.size >= (this.longest?.size ?? 1)) this.longest = branch
    return this.longest
  }

  /** The branch whose turn it is. One of them must have calls. */
  nextBranch(): QueueNode {
    for (;;) {
      const isFresh = this.fresh.first !== undefined && (this.freshInARow < MAX_FRESH_IN_A_ROW || !this.served.first)
      const branch = (isFresh ? this.fresh : this.served).first as QueueNode
      if (branch.size === 0) {
        branch.leave()
        continue
      }
      this.freshInARow = isFresh ? this.freshInARow + 1 : 0
      this.move(branch, this.served)
      return branch
    }
  }

  /** Gives a branch at this level or below its first turn. Operations do not count, since a caller can start any number of them. */
  takeFresh(): QueueNode | undefined {
    if ((this.fresh.first ?? this.served.first)?.calls) return undefined
    const { first } = this.fresh
    if (first) this.move(first, this.served)
    if (first) return first
    for (let branch = this.served.first; branch; branch = branch.next) {
      const found = branch.size > 0 ? branch.takeFresh() : undefined
      if (found) return found
    }
    return undefined
  }

  join(branch: QueueNode): void {
    this.move(branch, this.fresh)
  }

  leave(branch: QueueNode, key: unknown): void {
    branch.list?.delete(branch)
    branch.list = undefined
    this.branches.delete(key)
  }

  onGrow(branch: QueueNode): void {
    if (this.longest && branch.size > this.longest.size) this.longest = branch
  }

  onShrink(branch: QueueNode): void {
    if (this.longest === branch) this.longest = undefined
  }

  private move(branch: QueueNode, list: LinkedList<QueueNode>): void {
    branch.list?.delete(branch)
    branch.list = list
    list.add(branch)
  }
}

/** Turns in a row for new branches while others wait. */
const MAX_FRESH_IN_A_ROW = 4
