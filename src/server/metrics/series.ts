import type { Metric, Registry } from 'prom-client'
import { getOrMake } from '../../maps.js'

type Labels = Readonly<Record<string, string>>

interface Description {
  readonly name: string
  readonly help: string
}

/** A value as registries read it. */
export interface Value {
  readonly value: number
  readonly labels: Readonly<Record<string, string | number>>
  /** Of a histogram: its name with a suffix. */
  readonly metricName?: string
}

/** One series of a counter. */
export interface Count {
  value: number
}

/** Adds a metric whose values are read at each scrape. */
export function readAtScrape(
  registry: Registry,
  type: 'counter' | 'gauge' | 'histogram',
  name: string,
  help: string,
  read: () => readonly Value[],
): void {
  // The cast: the registry accepts its own classes by type, but only uses these members.
  registry.registerMetric({ name, get: async () => ({ name, help, type, values: read() }) } as unknown as Metric)
}

/** A metric whose series are kept by their labels. */
abstract class Recorded<Series> {
  protected readonly name: string
  protected readonly series = new Map<string, { readonly labels: Labels; readonly series: Series }>()

  constructor(registry: Registry, { name, help }: Description, type: 'counter' | 'histogram') {
    this.name = name
    readAtScrape(registry, type, name, help, () => [...this.series.values()].flatMap(({ labels, series }) => this.valuesOf(labels, series)))
  }

  /** The series with these labels. Callers keep it, because recording must cost next to nothing. */
  with(labels: Labels = {}): Series {
    const key = Object.values(labels).join('\n')
    return getOrMake(this.series, key, () => ({ labels, series: this.make() })).series
  }

  protected abstract make(): Series
  protected abstract valuesOf(labels: Labels, series: Series): Value[]
}

/**
 * A counter for code that runs for each REST call. Those of prom-client look up the series by its labels each time, which took a tenth of the CPU
 * of an operation with many calls.
 */
export class FastCounter extends Recorded<Count> {
  constructor(registry: Registry, description: Description) {
    super(registry, description, 'counter')
  }

  protected make(): Count {
    return { value: 0 }
  }

  protected valuesOf(labels: Labels, { value }: Count): Value[] {
    return [{ value, labels }]
  }
}

/** One series of a histogram. */
export class Distribution {
  /** Observations in each bucket, and those above all. */
  readonly counts: number[]
  sum = 0

  constructor(private readonly bounds: readonly number[]) {
    this.counts = Array(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    const { bounds } = this
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++
    ;(this.counts[bucket] as number)++
    this.sum += value
  }
}

/** A histogram for code that runs for each REST call; see `FastCounter`. */
export class FastHistogram extends Recorded<Distribution> {
  constructor(
    registry: Registry,
    description: Description,
    private readonly bounds: readonly number[],
  ) {
    super(registry, description, 'histogram')
  }

  protected make(): Distribution {
    return new Distribution(this.bounds)
  }

  protected valuesOf(labels: Labels, { counts, sum }: Distribution): Value[] {
    const { name, bounds } = this
    let total = 0
    const buckets = counts.map((count, index) => {
      total += count
      return { value: total, labels: { le: bounds[index] ?? '+Inf', ...labels }, metricName: `${name}_bucket` }
    })
    return [...buckets, { value: sum, labels, metricName: `${name}_sum` }, { value: total, labels, metricName: `${name}_count` }]
  }
}
