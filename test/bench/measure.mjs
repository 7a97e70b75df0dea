import { CPU_IS_KNOWN } from './servers.mjs'

/** Operations at a time while CPU is measured, unless the job has its own `concurrency`. */
const CONCURRENCY = 4
/** Share of a slice for CPU; the rest is for latency. */
const CPU_SHARE = 0.7
/** Longest and shortest slice in milliseconds. */
const LONGEST = 1_500
const SHORTEST = 60

/**
 * Adds medians of CPU and latency, in milliseconds per operation, to the results of the check. `endsAt` is in seconds after the
 * start of the process; a machine too busy to get through all rounds by then gets through fewer, but at least one.
 */
export async function measure(servers, results, { rounds, endsAt, latency = true }) {
  const timeLeft = () => endsAt * 1000 - performance.now()
  const cells = results.flatMap((result) => Object.keys(servers).map((name) => new Cell(servers[name], result.job, result[name], latency)))
  let slicesLeft = cells.length * (rounds + 1)
  // Slices that overrun, by operations still under way at their end, shorten those after them.
  const next = () => Math.min(LONGEST, Math.max(SHORTEST, timeLeft() / slicesLeft--))
  for (const cell of cells) await cell.warmUp(next())
  for (let round = 0; round < rounds; round++) {
    for (const cell of round % 2 === 0 ? cells : cells.toReversed()) {
      if (round === 0 || timeLeft() > 0) await cell.slice(next())
    }
  }
  for (const cell of cells) cell.finish()
}

/** One job on one server. */
class Cell {
  operations = 0
  cpu = []
  latency = []

  constructor(server, job, figures, withLatency) {
    const { concurrency = CONCURRENCY } = job
    Object.assign(this, { server, job, figures, concurrency, cpuShare: withLatency ? CPU_SHARE : 1 })
  }

  warmUp(ms) {
    return this.run(this.concurrency, ms)
  }

  async slice(ms) {
    if (CPU_IS_KNOWN) {
      // Opens connections that were closed since the last slice.
      await this.run(this.concurrency, 0)
      const before = this.server.cpu()
      const latencies = await this.run(this.concurrency, ms * this.cpuShare)
      this.cpu.push((this.server.cpu() - before) / latencies.length)
    }
    if (this.cpuShare < 1) this.latency.push(median(await this.run(1, ms * (1 - this.cpuShare))))
  }

  /** Asks for operation after operation, `concurrency` at a time; returns how long each took. */
  async run(concurrency, ms) {
    const end = performance.now() + ms
    const latencies = []
    const worker = async () => {
      do {
        const start = performance.now()
        await this.server.ask(this.job, this.operations++)
        latencies.push(performance.now() - start)
      } while (performance.now() < end)
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
    return latencies
  }

  finish() {
    if (CPU_IS_KNOWN) this.figures.cpu = median(this.cpu)
    if (this.latency.length > 0) this.figures.latency = median(this.latency)
  }
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2
}
