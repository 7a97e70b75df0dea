import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { PACKAGE_FOLDER } from '../../package-folder.js'
import type { Raise } from '../../upstream/cache/tag-versions.js'
import { defaultMemoryBudget } from '../../upstream/transport/memory.js'
import type { Snapshot } from '../metrics/exposition.js'
import { PoolMetrics } from './pool-metrics.js'
import type { Job } from './serving.js'
import { WorkerHandle } from './worker-handle.js'
import { WorkerSlot } from './worker-slot.js'

/** The file of workers. From source, workers inherit the TypeScript loader of this process. */
const WORKER = fileURLToPath(
  import.meta.url.endsWith('.ts') ? new URL('./worker.ts', import.meta.url) : new URL('dist/server/cluster/worker.js', PACKAGE_FOLDER),
)

/** Workers that share a socket and the limit on concurrent REST calls. */
export class WorkerPool {
  private readonly slots: readonly WorkerSlot[]
  private readonly metrics = new PoolMetrics(() => this.slots.map(({ current }) => current))
  private rolling: Promise<void> = Promise.resolve()
  private isEnding = false

  private constructor(
    jobs: readonly Job[],
    private readonly warn: (message: string) => void,
  ) {
    const gather = (): Promise<readonly Snapshot[]> => this.metrics.gather()
    const onEnded = (worker: WorkerHandle): void => this.metrics.ended(worker)
    const tell = (raise: Raise, from: WorkerHandle): Promise<void> => this.tell(raise, from)
    this.slots = jobs.map((job) => new WorkerSlot(() => new WorkerHandle(job, gather, tell), onEnded, warn))
  }

  /** Starts workers, each with its share of the concurrent calls. Rejects when one of them cannot listen. */
  static async start(
    job: Job,
    count: number,
    warn: (message: string) => void,
  ): Promise<{ readonly pool: WorkerPool; readonly url: string }> {
    cluster.setupPrimary({ exec: WORKER, args: [] })
    cluster.schedulingPolicy = cluster.SCHED_RR
    const jobs = sharesOf(job.config.maxInFlight, count).map((maxInFlight) => ({
      ...job,
      config: { ...job.config, maxInFlight, memoryBudget: job.config.memoryBudget ?? defaultMemoryBudget(count) },
    }))
    const pool = new WorkerPool(jobs, warn)
    try {
      const [url = ''] = await Promise.all(pool.slots.map(({ current }) => current.listening))
      for (const slot of pool.slots) void slot.keep()
      return { pool, url }
    } catch (error) {
      pool.kill()
      throw error
    }
  }

  /** Replaces the workers one after the other, so that the limit on concurrent calls holds. */
  renew(): void {
    this.rolling = this.rolling
      .then(async () => {
        for (const slot of this.slots) {
          if (this.isEnding) return
          await slot.renew()
        }
      })
      .catch(({ message }: Error) => this.warn(`The other workers are not replaced: ${message}`))
  }

  /** Answers running requests, then ends all workers. */
  async end(): Promise<void> {
    this.isEnding = true
    const workers = this.slots.map((slot) => slot.close())
    for (const worker of workers) worker.leave(true)
    // A client that has to reconnect must not reach a worker that will stop accepting soon.
    await Promise.all(workers.map(({ refusing, ended }) => Promise.race([refusing, ended])))
    for (const worker of workers) worker.end()
    await Promise.all(workers.map(({ ended }) => ended))
  }

  /** The metrics of all processes, in the text format of Prometheus. */
  metricsText(): Promise<string> {
    return this.metrics.text()
  }

  /** Resolves when all other workers know of a write. */
  private async tell(raise: Raise, from: WorkerHandle): Promise<void> {
    await Promise.all(this.slots.map(({ current }) => (current === from ? undefined : current.apply(raise))))
  }

  /** Ends all workers immediately. */
  kill(): void {
    for (const slot of this.slots) slot.close().kill()
  }
}

/** Divides a number into whole parts; the first ones take the remainder. */
const sharesOf = (whole: number, parts: number): number[] =>
  Array.from({ length: parts }, (_, index) => Math.floor(whole / parts) + (index < whole % parts ? 1 : 0))
