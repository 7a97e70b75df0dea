import cluster, { type Worker } from 'node:cluster'
import type { Raise } from '../../upstream/cache/tag-versions.js'
import type { Snapshot } from '../metrics/exposition.js'
import { type Order, pack, type Report } from './messages.js'
import { closeUntaken } from './node-cluster.js'
import type { Job } from './serving.js'

/** Milliseconds a worker has to report its metrics. */
const MEASURING = 1_000

/** A worker process, in the primary. */
export class WorkerHandle {
  /** The address that it listens on. Rejects when it cannot listen. */
  readonly listening: Promise<string>
  /** Resolves when it has stopped accepting connections. */
  readonly refusing: Promise<void>
  /** Resolves with a description of how its process has ended. */
  readonly ended: Promise<string>
  readonly since = performance.now()
  /** Its last reported metrics. */
  metrics: Snapshot = []
  /** Why it could not start. */
  failure: string | undefined
  /** Whether it was asked to end. */
  isLeaving = false
  private readonly worker: Worker
  private isReady = false
  private together = false
  private measured: (() => void) | undefined
  /** Calls back when it knows of a write, by number. */
  private readonly applying = new Map<number, () => void>()
  private lastApplied = 0

  constructor(
    private readonly job: Job,
    gather: () => Promise<readonly Snapshot[]>,
    tell: (raise: Raise, from: WorkerHandle) => Promise<void>,
  ) {
    const worker = cluster.fork()
    this.worker = worker
    // Messages to a process that has ended can be dropped.
    worker.on('error', () => {})
    closeUntaken(worker)
    this.ended = new Promise((resolve) => {
      worker.once('exit', (code, signal) => resolve(signal ? `was ended by ${signal}` : `ended with code ${code}`))
    })
    const on = <Kind extends Report['kind']>(kind: Kind, act: (report: Extract<Report, { kind: Kind }>) => void): void =>
      void worker.on('message', (report: Report) => report.kind === kind && act(report as Extract<Report, { kind: Kind }>))
    this.listening = new Promise((resolve, reject) => {
      on('listening', ({ url }) => resolve(url))
      on('failed', ({ message }) => {
        this.failure = message
        reject(new Error(message))
      })
      void this.ended.then((how) => reject(new Error(`A worker ${how} before it listened.`)))
    })
    this.listening.catch(() => {})
    this.refusing = new Promise((resolve) => on('refusing', () => resolve()))
    // A worker that leaves alone does not wait for others.
    void this.refusing.then(() => this.together || this.send({ kind: 'end' }))
    on('ended', ({ metrics }) => this.keep(metrics))
    on('measured', ({ metrics }) => this.keep(metrics))
    on('gather', ({ id }) => void gather().then((all) => this.send({ kind: 'gathered', id, all })))
    on('tell', ({ id, raise }) => void tell(raise, this).then(() => this.send({ kind: 'told', id })))
    on('applied', ({ id }) => this.applied(id))
    void this.ended.then(() => {
      for (const id of this.applying.keys()) this.applied(id)
    })
    on('ready', () => {
      this.isReady = true
      this.send({ kind: 'start', job: pack(job) })
    })
  }

  get pid(): number | undefined {
    const { process: child } = this.worker
    return child.pid
  }

  /** Resolves when it has reported its metrics, or does not answer. */
  async report(): Promise<void> {
    if (!this.worker.isConnected()) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, MEASURING)
      const before = this.measured
      this.measured = () => {
        clearTimeout(timer)
        before?.()
        resolve()
      }
      this.send({ kind: 'measure' })
    })
  }

  /** Resolves when it knows of a write of another worker, or has ended. */
  async apply(raise: Raise): Promise<void> {
    // It has no requests yet.
    if (!this.isReady || !this.worker.isConnected()) return
    await new Promise<void>((resolve) => {
      this.applying.set(++this.lastApplied, resolve)
      this.send({ kind: 'apply', id: this.lastApplied, raise })
    })
  }

  /** Makes it stop accepting connections and end; with `together` only at the call of `end`. It is killed when it hangs. */
  leave(together = false): void {
    this.isLeaving = true
    this.together = together
    // It cannot receive messages yet, and has no requests.
    if (!this.isReady) {
      this.kill()
      return
    }
    const { drainTimeout, timeout } = this.job.config
    const force = setTimeout(() => this.kill(), drainTimeout + timeout)
    void this.ended.then(() => clearTimeout(force))
    this.send({ kind: 'refuse' })
  }

  end(): void {
    this.send({ kind: 'end' })
  }

  kill(): void {
    const { process: child } = this.worker
    child.kill('SIGKILL')
  }

  private applied(id: number): void {
    this.applying.get(id)?.()
    this.applying.delete(id)
  }

  private keep(metrics: Snapshot): void {
    this.metrics = metrics
    this.measured?.()
    this.measured = undefined
  }

  private send(order: Order): void {
    if (this.worker.isConnected()) this.worker.send(order)
  }
}
