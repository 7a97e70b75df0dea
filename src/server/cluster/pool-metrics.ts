import { joined, type Snapshot, textOf, totalsIn } from '../metrics/exposition.js'
import { promClient } from '../metrics/prom-client.js'
import type { WorkerHandle } from './worker-handle.js'

const { Counter, Gauge, Registry } = promClient()

/** Snapshots of ended workers from which on they are added up to one. */
const MANY = 8

/** The metrics of a pool: its own, those of its workers, and the totals of workers that have ended. */
export class PoolMetrics {
  private readonly registry = new Registry()
  private readonly exits = new Counter({
    name: 'lms_worker_exits_total',
    help: 'Workers that have ended: because they were asked to, or unexpectedly.',
    labelNames: ['cause'],
    registers: [this.registry],
  })
  /** The counters and histograms of workers that have ended. */
  private past: readonly Snapshot[] = []

  /** `workers` returns the latest worker of each place in the pool. */
  constructor(private readonly workers: () => readonly WorkerHandle[]) {
    for (const cause of ['asked', 'crashed']) this.exits.inc({ cause }, 0)
    new Gauge({
      name: 'lms_workers',
      help: 'Workers, also those that are about to start again.',
      registers: [this.registry],
      collect() {
        this.set(workers().length)
      },
    })
  }

  /** Keeps the counters and histograms of a worker that has ended. */
  ended(worker: WorkerHandle): void {
    this.exits.inc({ cause: worker.isLeaving ? 'asked' : 'crashed' })
    this.past = [...this.past, totalsIn(worker.metrics)]
    worker.metrics = []
    if (this.past.length >= MANY) void this.join(this.past)
  }

  /** The metrics of all processes. */
  async gather(): Promise<readonly Snapshot[]> {
    const own = (await this.registry.getMetricsAsJSON()) as unknown as Snapshot
    await Promise.all(this.workers().map((worker) => worker.report()))
    // Read at once: a worker that ends meanwhile is in the past or among the workers, never in both or in neither.
    return [own, ...this.past, ...this.workers().map(({ metrics }) => metrics)]
  }

  /** The metrics of all processes, added up. */
  async text(): Promise<string> {
    return textOf(await this.gather())
  }

  /** Replaces the oldest snapshots by their sum. */
  private async join(oldest: readonly Snapshot[]): Promise<void> {
    const sum = await joined(oldest)
    if (oldest.every((snapshot, index) => snapshot === this.past[index])) this.past = [sum, ...this.past.slice(oldest.length)]
  }
}
