import type { Fallback } from '../../engine/fallback.js'
import type { OnRepair } from '../../upstream/codec/records.js'
import type { Call } from '../../upstream/transport/transport.js'
import type { StalledClient } from '../http/clients.js'

type Labels = Readonly<Record<string, string | number>>

/** Values by the name and labels of a series. */
export type Counts = Readonly<Record<string, number>>

/** Receives a function that returns the counts of one gateway, and returns one that returns those of all gateways to sum up. */
export type MetricsSharing = (own: () => Counts) => () => Promise<readonly Counts[]>

/** Counters and their descriptions. */
const COUNTERS = {
  lms_rest_calls_total: 'REST calls; status 0 without an answer.',
  lms_rest_call_seconds_total: 'Seconds of REST calls.',
  lms_rest_bytes_total: 'Bytes of answers of the site.',
  lms_cleaned_answers_total: 'Answers with text before their JSON, which was skipped.',
  lms_refused_operations_total: 'Operations that were refused or ended because memory was short.',
  lms_stalled_clients_total: 'Clients that were disconnected because they did not read their responses.',
  lms_fallbacks_total: 'Operations that graphql-js answered because the fast path failed, by the step that failed.',
  lms_repairs_total: 'Values that could not be decoded, and became null.',
} as const

/** Sums counts by series. */
export function sumOf(all: readonly Counts[]): Counts {
  const sums: Record<string, number> = {}
  for (const counts of all) for (const [series, value] of Object.entries(counts)) sums[series] = (sums[series] ?? 0) + value
  return sums
}

/** Counts in the text format of Prometheus. */
function textOf(counts: Counts): string {
  const values = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))
  const lines = Object.entries(COUNTERS).flatMap(([name, help]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} counter`,
    ...values.filter(([series]) => series.startsWith(`${name}{`)).map(([series, value]) => `${series} ${Math.round(value * 1e6) / 1e6}`),
  ])
  return `${lines.join('\n')}\n`
}

/**
 * The counters of a gateway. Labels are templates of routes, statuses and fields of the graph, so they contain no values of requests.
 */
export class Metrics {
  private readonly counts = new Map<string, number>()
  private readonly gather: () => Promise<readonly Counts[]>

  constructor(share: MetricsSharing = (own) => async () => [own()]) {
    this.gather = share(() => Object.fromEntries(this.counts))
  }

  readonly onCall = ({ method, route, status, bytes, cleaned, duration }: Call): void => {
    this.add('lms_rest_calls_total', { method, route, status })
    this.add('lms_rest_call_seconds_total', { method, route }, duration / 1000)
    this.add('lms_rest_bytes_total', { method, route }, bytes)
    if (cleaned) this.add('lms_cleaned_answers_total', { route })
  }

  readonly onRepair: OnRepair = (shape, column) => this.add('lms_repairs_total', { field: column === '' ? shape : `${shape}.${column}` })

  readonly onFallback = ({ step }: Fallback): void => this.add('lms_fallbacks_total', { step })

  readonly onRefused = (): void => this.add('lms_refused_operations_total', { code: 'SERVER_BUSY' })

  readonly onStalled = ({ early }: StalledClient): void => this.add('lms_stalled_clients_total', { memory: early ? 'short' : 'enough' })

  /** All counters in the text format of Prometheus. */
  async text(): Promise<string> {
    return textOf(sumOf(await this.gather()))
  }

  private add(name: keyof typeof COUNTERS, labels: Labels, by = 1): void {
    const series = `${name}{${Object.entries(labels).map(([label, value]) => `${label}="${value}"`)}}`
    this.counts.set(series, (this.counts.get(series) ?? 0) + by)
  }
}
