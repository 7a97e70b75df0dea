import { performance } from 'node:perf_hooks'
import type { Caller } from '../upstream/call-scope.js'

/** Milliseconds for which responses are written in one turn of the event loop. One that has begun is finished. */
const SLICE = 10

/** The line of an operation: its caller, or its network address when the gateway has not verified who calls. */
export const lineOf = ({ principal, id, address = '' }: Caller): string => (principal === '' ? address : id)

/**
 * Lets operations write their responses in turns. Operations that share a REST call or a cached answer are ready at the same moment, and would
 * keep the process from everything else until the last one is written. After `SLICE` the others wait for the next turns of the event loop, in
 * between which requests are received and responses are sent. Lines take turns: a caller with many operations does not delay
 * another one with few.
 */
export class Turns {
  /** The operations that wait, by their lines, in the order in which those are next. */
  private readonly waiting = new Map<string, (() => void)[]>()
  /** When no more is written in this turn; undefined before the first response. */
  private endsAt: number | undefined

  /** Resolves when an operation of a line may write its response. Undefined when that is now. */
  next(line: string): Promise<void> | undefined {
    const now = performance.now()
    if (this.endsAt === undefined) {
      this.endsAt = now + SLICE
      setImmediate(this.pass)
    }
    if (now < this.endsAt) return undefined
    return new Promise((resolve) => {
      const own = this.waiting.get(line)
      if (own) own.push(resolve)
      else this.waiting.set(line, [resolve])
    })
  }

  /** The next turn. */
  private readonly pass = (): void => {
    // Operations that arrive while others wait also wait.
    this.endsAt = this.waiting.size > 0 ? 0 : undefined
    if (this.endsAt === 0) this.releaseSome()
  }

  private async releaseSome(): Promise<void> {
    const endsAt = performance.now() + SLICE
    do {
      this.release()
      // The operation writes its response meanwhile.
      await undefined
    } while (this.waiting.size > 0 && performance.now() < endsAt)
    if (this.waiting.size === 0) this.endsAt = endsAt
    setImmediate(this.pass)
  }

  /** Lets the first operation of the next line write. */
  private release(): void {
    for (const [line, own] of this.waiting) {
      this.waiting.delete(line)
      own.shift()?.()
      if (own.length > 0) this.waiting.set(line, own)
      return
    }
  }
}
