import type { OnRepair } from '../rest/records.js'
import type { Call } from '../rest/transport.js'

type Labels = Readonly<Record<string, string | number>>

/** One number that only grows, for each set of labels. */
class Counter {
  private readonly values = new Map<string, number>()

  constructor(
    private readonly name: string,
    private readonly help: string,
  ) {}

  add(labels: Labels, by = 1): void {
    const series = `${this.name}{${Object.entries(labels).map(([label, value]) => `${label}="${value}"`)}}`
    this.values.set(series, (this.values.get(series) ?? 0) + by)
  }

  get lines(): string[] {
    const series = [...this.values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([each, value]) => `${each} ${Math.round(value * 1e6) / 1e6}`)
    return [`# HELP ${this.name} ${this.help}`, `# TYPE ${this.name} counter`, ...series]
  }
}

/**
 * Counts what the gateway has to do with the site. Labels are templates of routes, statuses and fields of the graph, and so never
 * hold what anybody asked for.
 */
export class Metrics {
  private readonly calls = new Counter('lms_rest_calls_total', 'REST calls; status 0 had no answer.')
  private readonly seconds = new Counter('lms_rest_call_seconds_total', 'Seconds that REST calls took.')
  private readonly bytes = new Counter('lms_rest_bytes_total', 'Bytes of answers of the site.')
  private readonly mended = new Counter('lms_mended_answers_total', 'Answers with something before their JSON, which was passed over.')
  private readonly repairs = new Counter('lms_repairs_total', 'Values that could not be decoded, and were shown as null.')

  readonly onCall = ({ method, route, status, bytes, mended, duration }: Call): void => {
    this.calls.add({ method, route, status })
    this.seconds.add({ method, route }, duration / 1000)
    this.bytes.add({ method, route }, bytes)
    if (mended) this.mended.add({ route })
  }

  readonly onRepair: OnRepair = (shape, column) => this.repairs.add({ field: column === '' ? shape : `${shape}.${column}` })

  /** All of it in the text format of Prometheus. */
  get text(): string {
    const counters = [this.calls, this.seconds, this.bytes, this.mended, this.repairs]
    return `${counters.flatMap(({ lines }) => lines).join('\n')}\n`
  }
}
