import { totalmem } from 'node:os'
import { constrainedMemory } from 'node:process'
import { getHeapStatistics } from 'node:v8'
import { getOrMake } from '../../maps.js'
import { OperationTooLargeError, ServerBusyError } from '../errors.js'

/** Share of the memory limit for the budget. Garbage collection, the answer being parsed and the process itself need the rest. */
const SHARE = 1 / 4
/** Share of the budget above which no new operations start. */
const WATERMARK = 3 / 4
/** Share of the budget that the requests of one owner may hold: the others are served beside an owner who takes all of it. */
const OF_ONE = 1 / 2
/** Characters of a response that is not long: it may take the last of the budget. */
const SHORT = 65_536
/**
 * Bytes of an open request: its objects in Node.js, its trace and its operation. Measured: 13,600 for a query that shares a REST call, 14,500 for
 * one that waits for its own.
 */
const REQUEST = 16_000
/**
 * Heap bytes per byte of JSON after parsing and decoding. Measured: 1.0 for long texts, 1.6 for rows of short fields, 2.9 for rows with only
 * an id.
 */
const PER_UPSTREAM_BYTE = 2

/** The default budget in bytes: a quarter of the heap limit or of the memory limit of the container, whichever is smaller. */
export function defaultMemoryBudget(): number {
  // Without a limit: undefined, 0 or a number near 2 ** 64.
  const container = constrainedMemory?.() || Number.POSITIVE_INFINITY
  return Math.floor(Math.min(getHeapStatistics().heap_size_limit, container, totalmem()) * SHARE)
}

/**
 * Counts the bytes that requests, REST answers and responses hold in this process, as far as callers can increase them. A request returns
 * its bytes when it ends.
 */
export class MemoryBudget {
  used = 0
  readonly watermark: number
  private readonly owners = new Map<string, Owner>()

  constructor(readonly limit: number = Number.POSITIVE_INFINITY) {
    this.watermark = limit * WATERMARK
  }

  /** Whether new operations must be refused. */
  get isBusy(): boolean {
    return this.used >= this.watermark
  }

  /** Whether running operations must not make further REST calls. */
  get isExhausted(): boolean {
    return this.used >= this.limit
  }

  /** Adds a request to those of an owner. */
  join(name: string): Owner {
    const owner = getOrMake(this.owners, name, () => ({ name, held: 0, requests: 0 }))
    owner.requests++
    return owner
  }

  /** Removes a request from those of an owner. */
  leave(owner: Owner): void {
    if (--owner.requests === 0) this.owners.delete(owner.name)
  }
}

/** Who sends requests: a network address, or a caller that the gateway has verified. */
interface Owner {
  readonly name: string
  /** Bytes that its open requests hold, and their number. */
  held: number
  requests: number
}

/** The bytes that one request holds until its response has been sent or its client has disconnected: those of an open request, and what it adds. */
export class RequestMemory {
  /** Whether a write was sent. The response is then never refused, so that the client learns the result. */
  hasWritten = false
  private held = 0
  private released = false
  private owner: Owner

  /** `owner` is the network address of the client. */
  constructor(
    private readonly budget: MemoryBudget,
    owner: string,
  ) {
    this.owner = budget.join(owner)
    this.add(REQUEST)
  }

  get ownerName(): string {
    return this.owner.name
  }

  /** Whether no new operation of its owner may start. */
  get isRefused(): boolean {
    return this.budget.isBusy || this.owner.held >= this.budget.limit * OF_ONE
  }

  /** Counts the request for a caller that the gateway has verified, in place of the network address. */
  moveTo(name: string): void {
    if (this.released || name === this.owner.name) return
    const next = this.budget.join(name)
    next.held += this.held
    this.owner.held -= this.held
    this.budget.leave(this.owner)
    this.owner = next
  }

  /** Adds bytes that are in memory already; returns them when they are negative. */
  add(bytes: number): void {
    if (this.released) return
    this.held += bytes
    this.owner.held += bytes
    this.budget.used += bytes
  }

  /** Takes bytes if the budget has room for them. */
  take(bytes: number): boolean {
    const { used, limit } = this.budget
    if (used + bytes > limit || this.owner.held + bytes > limit * OF_ONE) return false
    this.add(bytes)
    return true
  }

  /** Throws when no further REST call may be made. */
  beforeCall(): void {
    if (this.budget.isExhausted) throw new ServerBusyError()
  }

  /** Takes the estimated size of the records of a REST answer. Throws when the budget has no room for them. */
  takeAnswer(bytes: number): void {
    const held = bytes * PER_UPSTREAM_BYTE
    if (this.take(held)) return
    if (!this.hasWritten) throw this.isTooLarge(held) ? new OperationTooLargeError() : new ServerBusyError()
    this.add(held)
  }

  /** Characters that the response may have. Unlimited after a write, so that the client learns its result. */
  get room(): number {
    if (this.hasWritten || this.released) return Number.POSITIVE_INFINITY
    const { limit, used, watermark } = this.budget
    const [others, own] = [used - this.held, this.owner.held - this.held]
    return Math.max(Math.min(watermark - others, limit * OF_ONE - own), Math.min(SHORT, limit - others))
  }

  /** Whether a response is refused for its length although no other request holds memory, so that trying again is useless. */
  get isAlone(): boolean {
    return this.held === this.budget.used
  }

  /** Takes the bytes of the response, and returns those of everything it was made from. */
  takeResponse(bytes: number): void {
    this.add(REQUEST + bytes - this.held)
  }

  /** Whether this request alone would exceed the budget, so that trying again is useless. */
  private isTooLarge(bytes: number): boolean {
    return this.held + bytes > this.budget.limit * OF_ONE
  }

  /** Returns all bytes. */
  release(): void {
    if (this.released) return
    this.add(-this.held)
    this.released = true
    this.budget.leave(this.owner)
  }
}
