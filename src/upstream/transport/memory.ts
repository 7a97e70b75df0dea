import { totalmem } from 'node:os'
import { constrainedMemory } from 'node:process'
import { getHeapStatistics } from 'node:v8'
import { OperationTooLargeError, ServerBusyError } from '../errors.js'

/** Share of the memory limit that goes to the budget; a full collection, one answer in the making and the process itself need the rest. */
const SHARE = 1 / 4
/** Share of the budget above which no new operation starts. */
const WATERMARK = 3 / 4
/**
 * Heap bytes that a byte of the site's JSON takes once it is parsed and decoded: 1.0 for long texts, 1.6 for rows of short fields, 2.9 for rows
 * with nothing but an id.
 */
const PER_UPSTREAM_BYTE = 2

/**
 * The default budget in bytes for one of `processes` that share the memory limit of their container: a quarter of the smaller of the heap limit
 * and that memory limit.
 */
export function defaultMemoryBudget(
  processes = 1,
  heap: number = getHeapStatistics().heap_size_limit,
  // Undefined, 0 or a number near 2 ** 64 where there is no limit.
  container: number | undefined = constrainedMemory?.(),
): number {
  const available = Math.min(container || Number.POSITIVE_INFINITY, totalmem()) / processes
  return Math.floor(Math.min(heap, available) * SHARE)
}

/**
 * The bytes that requests, REST answers and responses hold in this process, as far as callers can drive them up. Plain counters: an account that
 * takes bytes gives them back when its request ends.
 */
export class MemoryBudget {
  used = 0
  readonly watermark: number

  constructor(readonly limit: number = Number.POSITIVE_INFINITY) {
    this.watermark = limit * WATERMARK
  }

  /** Whether new operations are refused. */
  get isBusy(): boolean {
    return this.used >= this.watermark
  }

  /** Whether running operations make no further REST calls. */
  get isExhausted(): boolean {
    return this.used >= this.limit
  }
}

/** The bytes that one request holds until its response has been sent or its client has disconnected. */
export class RequestMemory {
  /** Whether a write was sent: the client must learn of it, so the response is not refused any more. */
  hasWritten = false
  private held = 0
  private released = false

  constructor(private readonly budget: MemoryBudget) {}

  /** Takes bytes that are there already, such as those of a request body. */
  add(bytes: number): void {
    if (this.released) return
    this.held += bytes
    this.budget.used += bytes
  }

  /** Takes bytes if the budget has room for them. */
  take(bytes: number): boolean {
    if (this.budget.used + bytes > this.budget.limit) return false
    this.add(bytes)
    return true
  }

  /** Throws when no further REST call may be made. */
  beforeCall(): void {
    if (this.budget.isExhausted) throw new ServerBusyError()
  }

  /** Takes what the records of a REST answer hold. Throws when the budget has no room for them. */
  takeAnswer(bytes: number): void {
    const held = bytes * PER_UPSTREAM_BYTE
    if (this.take(held)) return
    if (!this.hasWritten) throw this.isTooLarge(held) ? new OperationTooLargeError() : new ServerBusyError()
    this.add(held)
  }

  /** Takes the bytes of the response in place of all that it was made of. False when the budget has no room for them. */
  takeResponse(bytes: number): boolean {
    const more = bytes - this.held
    if (!this.hasWritten && more > 0 && this.budget.used + more > this.budget.limit) return false
    this.add(more)
    return true
  }

  /** Whether so many bytes more would exceed the budget by this request alone: then it is of no use to try again. */
  private isTooLarge(bytes: number): boolean {
    return this.held + bytes > this.budget.limit
  }

  /** Gives everything back. */
  release(): void {
    this.budget.used -= this.held
    this.held = 0
    this.released = true
  }
}
