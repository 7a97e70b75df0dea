import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { defaultMemoryBudget } from '../../upstream/transport/memory.js'
import { type Counts, sumOf } from '../metrics/metrics.js'
import { ListenAddress } from './listen-address.js'
import type { Job } from './serving.js'
import { WorkerHandle } from './worker-handle.js'

/** The file a worker runs; from source it is that, by the loader this process has been started with. */
const WORKER = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url))

/** Workers that share a socket, and the calls the site may be asked at a time. */
export class WorkerPool {
  private readonly places: readonly ListenAddress[]
  /** What those have counted that are no more. */
  private past: Counts = {}
  private rolling: Promise<void> = Promise.resolve()
  private isEnding = false

  private constructor(
    jobs: readonly Job[],
    private readonly tell: (what: string) => void,
  ) {
    const gather = (): Promise<readonly Counts[]> => this.gather()
    const bury = (member: WorkerHandle): void => {
      this.past = sumOf([this.past, member.counts])
      member.counts = {}
    }
    this.places = jobs.map((job) => new ListenAddress(() => new WorkerHandle(job, gather), bury, tell))
  }

  /** Starts workers, each with its share of the calls; rejects with what is wrong when one of them can't listen. */
  static async start(job: Job, count: number, tell: (what: string) => void): Promise<{ readonly pool: WorkerPool; readonly url: string }> {
    cluster.setupPrimary({ exec: WORKER, args: [] })
    cluster.schedulingPolicy = cluster.SCHED_RR
    const jobs = sharesOf(job.config.maxInFlight, count).map((maxInFlight) => ({
      ...job,
      config: { ...job.config, maxInFlight, memoryBudget: job.config.memoryBudget ?? defaultMemoryBudget(count) },
    }))
    const pool = new WorkerPool(jobs, tell)
    try {
      const [url = ''] = await Promise.all(pool.places.map(({ holder }) => holder.listening))
      for (const place of pool.places) void place.keep()
      return { pool, url }
    } catch (error) {
      pool.kill()
      throw error
    }
  }

  /** Puts a new worker in the place of each, one after the other, so that the site is never asked for more than it should be. */
  renew(): void {
    this.rolling = this.rolling
      .then(async () => {
        for (const place of this.places) {
          if (this.isEnding) return
          await place.renew()
        }
      })
      .catch(({ message }: Error) => this.tell(`The other workers go on as they are: ${message}`))
  }

  /** Ends all of them, once all has been answered. */
  async end(): Promise<void> {
    this.isEnding = true
    const members = this.places.map((place) => place.close())
    for (const member of members) member.leave(true)
    // As long as one accepts connections, an answer that is the last on its own would lead clients to where nobody answers soon.
    await Promise.all(members.map(({ refusing, ended }) => Promise.race([refusing, ended])))
    for (const member of members) member.end()
    await Promise.all(members.map(({ ended }) => ended))
  }

  /** Ends all of them at once. */
  kill(): void {
    for (const place of this.places) place.close().kill()
  }

  private async gather(): Promise<readonly Counts[]> {
    const all = await Promise.all(this.places.map(({ holder }) => holder.tell()))
    return [this.past, ...all]
  }
}

/** A number in as many whole parts; what is left over is with the first. */
const sharesOf = (whole: number, parts: number): number[] =>
  Array.from({ length: parts }, (_, index) => Math.floor(whole / parts) + (index < whole % parts ? 1 : 0))
