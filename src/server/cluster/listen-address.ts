import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkerHandle } from './worker-handle.js'

/** Milliseconds a worker should last. */
const QUICK = 10_000
/** Milliseconds until another one follows: none after the first that did not last, then twice as long each time. */
const FIRST_DELAY = 250
const LONGEST_DELAY = 30_000

/** A place for one worker at a time; one that dies is followed by another. */
export class ListenAddress {
  private member: WorkerHandle
  private readonly hired = new EventEmitter<{ hired: [WorkerHandle] }>()
  private isClosed = false

  /** `bury` gets those that have ended, `tell` what became of them where nobody asked for it. */
  constructor(
    private readonly hire: () => WorkerHandle,
    private readonly bury: (member: WorkerHandle) => void,
    private readonly tell: (what: string) => void,
  ) {
    this.member = hire()
  }

  get holder(): WorkerHandle {
    return this.member
  }

  /** Sees to it that there is a worker from now on. */
  async keep(): Promise<void> {
    for (let quick = 0; ; ) {
      const { member } = this
      const how = await member.ended
      this.bury(member)
      if (this.isClosed) return
      const isUnasked = !member.isLeaving
      quick = isUnasked && performance.now() - member.since < QUICK ? quick + 1 : 0
      const delay = quick < 2 ? 0 : Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (quick - 2))
      if (isUnasked)
        this.tell(
          `Worker ${member.pid} ${how}; another one follows${delay > 0 ? ` in ${delay} ms` : ''}.${member.failure ? ` ${member.failure}` : ''}`,
        )
      if (delay > 0) await sleep(delay)
      if (this.isClosed) return
      this.member = this.hire()
      this.hired.emit('hired', this.member)
    }
  }

  /** Ends the worker, and resolves when another one listens in its place; rejects when that fails to. */
  async renew(): Promise<void> {
    const hired = once(this.hired, 'hired')
    this.member.leave()
    const [next] = (await hired) as [WorkerHandle]
    await next.listening
  }

  /** No other worker follows. */
  close(): WorkerHandle {
    this.isClosed = true
    return this.member
  }
}
