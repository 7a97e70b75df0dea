import { AggregatorRegistry } from 'prom-client'

/** The values of all metrics of one process, as JSON. */
export type Snapshot = readonly { readonly type: unknown }[]

const sumOf = (all: readonly Snapshot[]) => AggregatorRegistry.aggregate(all as object[])

/** The metrics of several processes, added up, in the text format of Prometheus. */
export const textOf = (all: readonly Snapshot[]): Promise<string> => sumOf(all).metrics()

/** The counters and histograms of processes that have ended. Gauges describe processes that run. */
export async function totalsOf(all: readonly Snapshot[]): Promise<Snapshot> {
  const metrics = (await sumOf(all).getMetricsAsJSON()) as Snapshot
  return metrics.filter(({ type }) => TOTALS.includes(type))
}

const TOTALS: readonly unknown[] = ['counter', 'histogram']
