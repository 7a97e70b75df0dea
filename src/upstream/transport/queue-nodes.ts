import type { BusyError } from '../errors.js'

/** An item of a chain. */
export interface Link<T> {
  before: T | undefined
  after: T | undefined
}

/** Items in the order in which they were added. Those that are taken out lead to nothing any more. */
class LinkedList<T extends Link<T>> {
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

/** For whom a call is made: decides the line in which it waits. */
export interface QueueKey {
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
export interface QueuedRequest<T extends QueueKey = QueueKey> {
  readonly turn: T
  /** Has a place; answers false when it needs none any more. A place that was taken is given back by `release`. */
  enter(): boolean
  /** Has waited too long, or has given way to others. */
  refuse(error: BusyError): void
  /** Where it waits; kept by the limiter. */
  entry?: QueueEntry | undefined
}

/** The request is removed when it leaves: the tables a map has outgrown keep what they held until the next full collection. */
export interface QueueEntry extends Link<QueueEntry> {
  request: QueuedRequest | undefined
  readonly since: number
  readonly operation: QueueNode
}

/** What the site has said of credentials. `wrong`: that it does not know them. `unknown`: nothing could be learned. */
export type CredentialStatus = 'proven' | 'wrong' | 'unknown'

/** A part of the queue with all that wait in it: branches that take turns or, in the part of an operation, calls. */
export class QueueNode implements Link<QueueNode> {
  size = 0
  before: QueueNode | undefined
  after: QueueNode | undefined
  /** Where it stands among the branches of its parent. */
  chain: LinkedList<QueueNode> | undefined
  calls: LinkedList<QueueEntry> | undefined
  private turns: Turns | undefined

  constructor(
    private readonly parent?: QueueNode,
    private readonly key?: unknown,
  ) {}

  /** The branch at the end of these keys; it and those on the way are made where there are none. */
  grow(keys: readonly unknown[]): QueueNode {
    let branch: QueueNode = this
    for (const key of keys) {
      branch.turns ??= new Turns()
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

  /** How many wait below the first `count` keys. */
  sizeAt(keys: readonly unknown[], count: number): number {
    let branch: QueueNode | undefined = this
    for (let at = 0; branch && at < count; at++) branch = branch.turns?.branches.get(keys[at])
    return branch?.size ?? 0
  }

  /** The branch that gives way to one more call at these keys: the longest one beside them. Nothing where theirs is the longest. */
  longestBeside(keys: readonly unknown[]): QueueNode | undefined {
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

  /** The last to come in the longest of its branches; only where something waits. */
  newest(): QueueEntry {
    let branch: QueueNode = this
    while (branch.turns?.longestBranch) branch = branch.turns.longestBranch
    return branch.calls?.last as QueueEntry
  }

  /** The call whose turn it is; only where something waits. */
  next(): QueueEntry {
    let branch: QueueNode = this
    while (branch.turns) branch = branch.turns.next()
    return branch.calls?.first as QueueEntry
  }

  /** A call in a branch that had no turn yet; nothing where all had one. */
  nextFresh(): QueueEntry | undefined {
    return this.turns?.takeFresh()?.next()
  }

  /** Such a branch, which thereby has its turn. */
  takeFresh(): QueueNode | undefined {
    return this.turns?.takeFresh()
  }

  add(entry: QueueEntry): void {
    this.calls ??= new LinkedList()
    this.calls.add(entry)
    for (let branch: QueueNode | undefined = this; branch; branch = branch.parent) {
      branch.size++
      branch.parent?.turns?.grew(branch)
    }
  }

  /** `isServed`: in its turn. */
  delete(entry: QueueEntry, isServed: boolean): void {
    this.calls?.delete(entry)
    for (let branch: QueueNode | undefined = this; branch; branch = branch.parent) {
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
  readonly branches = new Map<unknown, QueueNode>()
  private readonly fresh = new LinkedList<QueueNode>()
  private readonly served = new LinkedList<QueueNode>()
  private freshInARow = 0
  /** Unknown after it has become shorter. */
  private longest: QueueNode | undefined

  get longestBranch(): QueueNode | undefined {
    // Of several the one that came last.
    if (!this.longest) for (const branch of this.branches.values()) if (branch.size >= (this.longest?.size ?? 1)) this.longest = branch
    return this.longest
  }

  /** The branch whose turn it is; one of them must have calls. */
  next(): QueueNode {
    for (;;) {
      const isFresh = this.fresh.first !== undefined && (this.freshInARow < MOST_FRESH || !this.served.first)
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

  /** Gives a branch its turn that had none yet, here or further down; operations do not count, since callers make as many as they want. */
  takeFresh(): QueueNode | undefined {
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

  join(branch: QueueNode): void {
    this.move(branch, this.fresh)
  }

  leave(branch: QueueNode, key: unknown): void {
    branch.chain?.delete(branch)
    branch.chain = undefined
    this.branches.delete(key)
  }

  grew(branch: QueueNode): void {
    if (this.longest && branch.size > this.longest.size) this.longest = branch
  }

  shrank(branch: QueueNode): void {
    if (this.longest === branch) this.longest = undefined
  }

  private move(branch: QueueNode, chain: LinkedList<QueueNode>): void {
    branch.chain?.delete(branch)
    branch.chain = chain
    chain.add(branch)
  }
}

/** Turns that new branches may have in a row while others wait. */
const MOST_FRESH = 4
