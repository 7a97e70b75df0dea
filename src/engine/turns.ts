import { performance } from 'node:perf_hooks'

/** Milliseconds for which responses are written in one turn of the event loop. One that has begun is finished. */
const SLICE = 10

/**
 * Lets operations write their responses in turns. Operations that share a REST call or a cached answer are ready at the same moment, and would
 * keep the process from everything else until the last one is written. After `SLICE` the others wait: one is written in each following turn of
 * the event loop, in between which requests are received and responses are sent.
 */
export class Turns {
  private readonly waiting: (() => void)[] = []
  /** When no more is written in this turn; undefined before the first response. */
  private endsAt: number | undefined

  /** Resolves when a response may be written. Undefined when it may be written now. */
  next(): Promise<void> | undefined {
    const now = performance.now()
    if (this.endsAt === undefined) {
      this.endsAt = now + SLICE
      setImmediate(this.pass)
      return undefined
    }
    if (now < this.endsAt) return undefined
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  /** Begins the next turn. */
  private readonly pass = (): void => {
    const first = this.waiting.shift()
    // While some wait, those that come later wait behind them.
    this.endsAt = first && 0
    if (!first) return
    setImmediate(this.pass)
    first()
  }
}
