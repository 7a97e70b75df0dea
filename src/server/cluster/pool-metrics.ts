import { Counter, Gauge, Registry } from 'prom-client'
import { type Snapshot, textOf, totalsOf } from '../metrics/snapshots.js'
import type { WorkerHandle } from './worker-handle.js'

/** The metrics of a pool of workers: those of all workers added up, also of those that have ended, and those of the pool itself. */
export class PoolMetrics {
  private readonly registry = new Registry()
  private readonly exits = new Counter({
    name: 'lms_worker_exits_total',
    help: 'Workers that have ended: because they were asked to, or unexpectedly.',
    labelNames: ['cause'],
    registers: [this.registry],
  })
  /** The counters and histograms of workers that have ended. */
  private past: Promise<Snapshot> = Promise.resolve([])

  /** `running` returns the metrics of the workers that run. */
  constructor(private readonly running: () => readonly Promise<Snapshot>[]) {
    for (const cause of ['asked', 'crashed']) this.exits.inc({ cause }, 0)
    new Gauge({
      name: 'lms_workers',
      help: 'Workers, also those that are about to start again.',
      registers: [this.registry],
      collect() {
        this.set(running().length)
      },
    })
  }

  /** Keeps the counters and histograms of a worker that has ended. */
  ended(worker: WorkerHandle): void {
    this.exits.inc({ cause: worker.isLeaving ? 'asked' : 'crashed' })
    const { metrics } = worker
    worker.metrics = []
    this.past = this.past.then((past) => totalsOf([past, metrics]))
  }

  /** The metrics of all processes. */
  async gather(): Promise<readonly Snapshot[]> {
    const own = this.registry.getMetricsAsJSON() as unknown as Promise<Snapshot>
    return Promise.all([this.past, own, ...this.running()])
  }

  /** The metrics of all processes, added up. */
  async text(): Promise<string> {
    return textOf(await this.gather())
  }
}
