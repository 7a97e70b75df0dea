import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkerHandle } from './worker-handle.js'

/** Milliseconds before which the end of a worker counts as a crash at its start. */
const QUICK = 10_000
/** Milliseconds before the next worker: none after the first crash, then twice as long each time. */
const FIRST_DELAY = 250
const LONGEST_DELAY = 30_000

/** Runs one worker at a time, and replaces it when it ends. */
export class WorkerSlot {
  /** The latest worker. */
  current: WorkerHandle
  private readonly events = new EventEmitter<{ started: [WorkerHandle] }>()
  private isClosed = false

  /** `onEnded` is called for each worker that has ended, `warn` with a message when it was not asked to end. */
  constructor(
    private readonly start: () => WorkerHandle,
    private readonly onEnded: (worker: WorkerHandle) => void,
    private readonly warn: (message: string) => void,
  ) {
    this.current = start()
  }

  /** Starts a new worker whenever one ends, until `close`. */
  async keep(): Promise<void> {
    for (let crashes = 0; ; ) {
      const { current } = this
      const how = await current.ended
      this.onEnded(current)
      if (this.isClosed) return
      const isUnasked = !current.isLeaving
      crashes = isUnasked && performance.now() - current.since < QUICK ? crashes + 1 : 0
      const delay = crashes < 2 ? 0 : Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (crashes - 2))
      if (isUnasked)
        this.warn(
          `Worker ${current.pid} ${how}; another one follows${delay > 0 ? ` in ${delay} ms` : ''}.${current.failure ? ` ${current.failure}` : ''}`,
        )
      if (delay > 0) await sleep(delay)
      if (this.isClosed) return
      this.current = this.start()
      this.events.emit('started', this.current)
    }
  }

  /** Replaces the worker. Resolves when the new one listens; rejects when it cannot. */
  async renew(): Promise<void> {
    const started = once(this.events, 'started')
    this.current.leave()
    const [next] = (await started) as [WorkerHandle]
    await next.listening
  }

  /** Starts no more workers, and returns the current one. */
  close(): WorkerHandle {
    this.isClosed = true
    return this.current
  }
}
