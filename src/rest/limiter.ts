/** Who is asking: the credential first, then the operation. Both take turns, so that neither can crowd out the others. */
export interface Turn {
  readonly caller: string
  readonly operation: object
}

/**
 * At most `limit` holders at a time. Beyond it callers wait, and are let in round robin by caller, then by operation, then in
 * order of arrival.
 */
export class Limiter {
  private held = 0
  private readonly callers = new Map<string, Map<object, (() => void)[]>>()

  constructor(readonly limit: number) {}

  get inFlight(): number {
    return this.held
  }

  /** Returns nothing when there is room at once, else a promise of a place. */
  acquire(turn: Turn): Promise<void> | undefined {
    if (this.held < this.limit) {
      this.held++
      return undefined
    }
    return new Promise((resolve) => this.enqueue(turn, resolve))
  }

  release(): void {
    const next = this.dequeue()
    if (next) next()
    else this.held--
  }

  private enqueue({ caller, operation }: Turn, waiter: () => void): void {
    const operations = this.callers.get(caller)
    const queue = operations?.get(operation)
    if (queue) queue.push(waiter)
    else if (operations) operations.set(operation, [waiter])
    else this.callers.set(caller, new Map([[operation, [waiter]]]))
  }

  private dequeue(): (() => void) | undefined {
    for (const [caller, operations] of this.callers) {
      this.callers.delete(caller)
      for (const [operation, queue] of operations) {
        operations.delete(operation)
        const waiter = queue.shift()
        if (queue.length > 0) operations.set(operation, queue)
        if (operations.size > 0) this.callers.set(caller, operations)
        return waiter
      }
    }
    return undefined
  }
}
