import { STATUS_CODES } from 'node:http'
import { version as nodeVersion } from 'node:process'
import type { DocumentNode, OperationDefinitionNode } from 'graphql'
import type { Counter, Registry } from 'prom-client'
import { getOrMake } from '../../maps.js'
import { optionalPackage } from '../../optional-package.js'
import { CACHE_RESULTS, type CacheResult } from '../../upstream/cache/read-cache.js'
import { ERROR_CODES } from '../../upstream/error-codes.js'
import type { Call } from '../../upstream/transport/transport.js'
import { kindOf } from '../auth/callers.js'
import type { Events } from '../events.js'
import { FORWARDED } from '../hooks/forwarder.js'
import { RECEIVED } from '../hooks/receive.js'
import { CLOSED_FOR } from '../http/server-connections.js'
import { RATE_LIMITS } from '../limits/shares.js'
import type { RequestState } from '../request-state.js'
import { GAUGES, gaugeValues, type MetricsSources } from './gauges.js'
import { type Count, type Distribution, FastCounter, FastHistogram, readAtScrape } from './series.js'

/** Loads prom-client, which gateways without metrics do not need. Throws an `Error` for operators. */
const promClient = (): typeof import('prom-client') => optionalPackage('prom-client', 'The metrics need') as typeof import('prom-client')

/** The label of values that have no series of their own. */
const OTHER = 'other'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const GATEWAY_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]
const BYTES = [256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304]
const CALLS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 300]

/** All counters and histograms. Series whose labels are known exist from the start, so that their rates are right from the first event on. */
function seriesIn(registry: Registry) {
  const { Counter } = promClient()
  const counter = (name: string, help: string, labels: Readonly<Record<string, readonly string[]>> = {}): Counter => {
    const made = new Counter({ name, help, labelNames: Object.keys(labels), registers: [registry] })
    for (const [label, values] of Object.entries(labels)) for (const value of values) made.inc({ [label]: value }, 0)
    return made
  }
  const fastCounter = (name: string, help: string): FastCounter => new FastCounter(registry, { name, help })
  const histogram = (name: string, help: string, bounds: readonly number[]): FastHistogram =>
    new FastHistogram(registry, { name, help }, bounds)
  return {
    operations: fastCounter('lms_operations_total', 'Operations, by how they ended.'),
    callers: fastCounter('lms_caller_operations_total', 'Operations, by kind of caller and class of the HTTP status.'),
    requestBytes: histogram('lms_operation_request_bytes', 'Bytes of the body of a request.', BYTES),
    responseBytes: histogram('lms_operation_response_bytes', 'Bytes of a response with its headers.', BYTES),
    errors: counter('lms_operation_errors_total', 'Errors in answers, by code.', { code: [] }),
    duration: histogram('lms_operation_duration_seconds', 'Seconds from the headers of a request to the end of its answer.', SECONDS),
    gateway: histogram(
      'lms_operation_gateway_duration_seconds',
      'Seconds of an operation in which it did not wait for REST calls.',
      GATEWAY_SECONDS,
    ),
    operationCalls: histogram('lms_operation_rest_calls', 'REST calls sent for an operation.', CALLS),
    responses: fastCounter('lms_responses_written_total', 'Results of operations, by what wrote them.'),
    fallbacks: counter(
      'lms_fallbacks_total',
      'Operations that graphql-js answered because the fast path failed, by the step that failed.',
      { step: ['prepare', 'estimate', 'fetch', 'write'] },
    ),
    faults: counter('lms_faults_total', 'Exceptions of the gateway itself.'),
    calls: fastCounter('lms_rest_calls_total', 'REST calls that ended; status 0 without an answer.'),
    callDuration: histogram('lms_rest_call_duration_seconds', 'Seconds of a REST call on the wire.', SECONDS),
    bytes: fastCounter('lms_rest_bytes_total', 'Bytes of answers of the site.'),
    queueWait: histogram('lms_rest_queue_wait_seconds', 'Seconds a REST call waited before it was sent.', SECONDS),
    retries: counter('lms_rest_retries_total', 'Reads that were tried again, by the error before.', { reason: [] }),
    shared: counter('lms_rest_shared_reads_total', 'Reads that shared an identical read in flight.'),
    cached: fastCounter('lms_cache_reads_total', 'Reads that the cache was asked for, by result.'),
    redisFailures: counter('lms_redis_failures_total', 'Commands of Redis that failed.'),
    stale: counter('lms_rest_stale_answers_total', 'Failed reads that a stored answer replaced.', { route: [] }),
    refusals: counter('lms_rest_refusals_total', 'REST calls that were not made, by reason.', {
      reason: ['queue_full', 'caller_limit', 'queue_timeout', 'breaker_open', 'egress'],
    }),
    openings: counter('lms_breaker_openings_total', 'How often a circuit breaker opened.', { calls: ['reads', 'writes'] }),
    cleaned: counter('lms_cleaned_answers_total', 'Answers with text before their JSON, which was skipped.', { route: [] }),
    repairs: counter('lms_repairs_total', 'Values that could not be decoded, and became null.', { field: [] }),
    refused: counter('lms_refused_operations_total', 'Operations that were refused or ended because memory was short.', {
      code: ['SERVER_BUSY'],
    }),
    rateLimited: counter('lms_rate_limited_total', 'Requests that were refused because their client has used up a share.', {
      limit: RATE_LIMITS,
    }),
    stalled: counter(
      'lms_stalled_clients_total',
      'Clients that were disconnected because they did not read their responses, by memory at that time.',
      { memory: ['short', 'enough'] },
    ),
    closed: counter('lms_closed_connections_total', 'Connections of clients that were closed by the limits of their number, by reason.', {
      reason: CLOSED_FOR,
    }),
    hooksReceived: counter('lms_hooks_received_total', 'Deliveries to the webhook, by how they ended.', { outcome: RECEIVED }),
    hooksForwarded: counter('lms_hooks_forwarded_total', 'Deliveries of changes to further addresses, by how they ended.', {
      outcome: FORWARDED,
    }),
  }
}

/** The series of one route. */
interface RouteSeries {
  readonly duration: Distribution
  readonly bytes: Count
  /** By status and reason. */
  readonly calls: Map<string, Count>
  /** Those of the last call, because most calls end alike. */
  last: { readonly status: number; readonly reason: string; readonly count: Count } | undefined
}

/** The series of one operation. */
interface OperationSeries {
  readonly duration: Distribution
  readonly gateway: Distribution
  readonly calls: Distribution
  readonly requestBytes: Distribution
  readonly responseBytes: Distribution
  /** By outcome. */
  readonly operations: Map<string, Count>
}

/**
 * The metrics of a gateway. Labels have no values of requests: they are templates of routes, statuses, codes, fields of the graph, and names of
 * trusted operations. So clients cannot make the number of series grow.
 */
export class Metrics {
  private readonly registry = new (promClient().Registry)()
  private readonly series = seriesIn(this.registry)
  /** The texts of trusted documents, and the names of their operations that have series of their own. */
  private trusted: ReadonlySet<string> = new Set()
  private readonly names = new Set<string>()
  private sources: MetricsSources | undefined
  /** Lookups in the caches of prepared operations that earlier options had. */
  private readonly lookups = { hits: 0, misses: 0 }
  /** By method, then by route. */
  private readonly byRoute = new Map<string, Map<string, RouteSeries>>()
  private readonly byOperation = new Map<string, OperationSeries>()
  private readonly byCaller = new Map<string, Count>()
  private readonly written = {
    fast: this.series.responses.with({ writer: 'fast' }),
    'graphql-js': this.series.responses.with({ writer: 'graphql-js' }),
  }
  private readonly cacheResults = Object.fromEntries(
    CACHE_RESULTS.map((result) => [result, this.series.cached.with({ result })]),
  ) as Record<CacheResult, Count>
  private readonly queueWait = this.series.queueWait.with()

  /** `version` is that of the gateway. */
  constructor(version: string) {
    const { registry, lookups } = this
    const build = [{ labels: { version, node: nodeVersion }, value: 1 }]
    readAtScrape(registry, 'gauge', 'lms_build_info', 'The version of the gateway and of Node.js; always 1.', () => build)
    for (const [name, help, read] of GAUGES)
      readAtScrape(registry, 'gauge', name, help, () => (this.sources ? gaugeValues(read(this.sources)) : []))
    readAtScrape(registry, 'counter', 'lms_log_lines_dropped_total', 'Lines of the log that could not be written.', () => [
      { labels: {}, value: this.sources?.log?.droppedLines ?? 0 },
    ])
    const help = 'Operations that ran, by whether they were in the cache of prepared operations.'
    readAtScrape(registry, 'counter', 'lms_prepared_operation_lookups_total', help, () => {
      const { hits = 0, misses = 0 } = this.sources?.prepared.state ?? {}
      return [
        { labels: { result: 'hit' }, value: lookups.hits + hits },
        { labels: { result: 'miss' }, value: lookups.misses + misses },
      ]
    })
  }

  /** Counts the operations of these texts by name, the first `MAX_NAMES` that run. Clients can make up all other names. */
  trust(texts: ReadonlySet<string>): void {
    this.trusted = texts
  }

  /** Counts what the gateway reports. */
  subscribe(events: Events): void {
    const { series, written, cacheResults } = this
    events
      .on('operation', (state, status) => this.ended(state, status))
      .on('call', (call) => this.called(call))
      .on('readShared', () => series.shared.inc())
      .on('readRetried', (reason) => series.retries.inc({ reason }))
      .on('callRefused', (reason) => series.refusals.inc({ reason }))
      .on('breakerOpened', (calls) => series.openings.inc({ calls }))
      .on('repair', (shape, column) => series.repairs.inc({ field: column === '' ? shape : `${shape}.${column}` }))
      .on('cacheLookup', (result, route) => {
        cacheResults[result].value++
        if (result === 'stale_if_error') series.stale.inc({ route })
      })
      .on('resultWritten', (writer) => written[writer].value++)
      .on('fallback', ({ step }) => series.fallbacks.inc({ step }))
      .on('fault', () => series.faults.inc())
      .on('memoryRefused', () => series.refused.inc({ code: 'SERVER_BUSY' }))
      .on('rateLimited', (limit) => series.rateLimited.inc({ limit }))
      .on('clientStalled', ({ early }) => series.stalled.inc({ memory: early ? 'short' : 'enough' }))
      .on('connectionClosed', (reason) => series.closed.inc({ reason }))
      .on('deliveryReceived', (outcome) => series.hooksReceived.inc({ outcome }))
      .on('deliverySent', (outcome) => series.hooksForwarded.inc({ outcome }))
      .on('redisCommandFailed', () => series.redisFailures.inc())
  }

  /** Shows the state of a gateway, which is read at each scrape. After a change of options it is that of the last one. */
  watch(sources: MetricsSources): void {
    const { sources: before } = this
    if (before && before.prepared !== sources.prepared) {
      this.lookups.hits += before.prepared.state.hits
      this.lookups.misses += before.prepared.state.misses
    }
    this.sources = sources
  }

  /** Counts an operation that has ended. The status is 0 when its client left. */
  private ended(state: RequestState, status: number): void {
    const { codes, calls, times, definition } = state
    const kind = definition?.operation ?? 'unknown'
    const operation = this.nameOf(state.document, definition)
    const own = getOrMake(this.byOperation, `${kind} ${operation}`, () => this.operationSeries({ operation, kind }))
    const outcome = state.outcomeAt(status)
    getOrMake(own.operations, outcome, () => this.series.operations.with({ operation, kind, outcome })).value++
    own.duration.observe(times.total / 1000)
    own.gateway.observe(times.gateway / 1000)
    own.calls.observe(calls)
    own.requestBytes.observe(state.requestBytes)
    if (state.responseBytes >= 0) own.responseBytes.observe(state.responseBytes)
    const ofCaller = { caller: kindOf(state.principal), status: status === 0 ? 'none' : `${Math.floor(status / 100)}xx` }
    getOrMake(this.byCaller, `${ofCaller.caller} ${ofCaller.status}`, () => this.series.callers.with(ofCaller)).value++
    // A client that left has not received them.
    if (codes && status !== 0)
      for (const [code, count] of Object.entries(codes)) this.series.errors.inc({ code: KNOWN_CODES.has(code) ? code : OTHER }, count)
  }

  private called({ method, route, status, reason, bytes, cleaned, duration, queued }: Call): void {
    const ofMethod = getOrMake(this.byRoute, method, () => new Map<string, RouteSeries>())
    const own = getOrMake(ofMethod, route, () => this.routeSeries({ method, route }))
    if (own.last?.status !== status || own.last.reason !== reason) {
      const shown = statusLabel(status)
      const count = getOrMake(own.calls, `${shown} ${reason}`, () => this.series.calls.with({ method, route, status: shown, reason }))
      own.last = { status, reason, count }
    }
    own.last.count.value++
    own.duration.observe(duration / 1000)
    own.bytes.value += bytes
    this.queueWait.observe(queued / 1000)
    if (cleaned) this.series.cleaned.inc({ route })
  }

  /** All metrics in the text format of Prometheus. */
  text(): Promise<string> {
    return promClient().Registry.merge([this.registry, processMetrics()]).metrics()
  }

  /** Sizes are not counted by name, as that would be many series. */
  private operationSeries(labels: { readonly operation: string; readonly kind: string }): OperationSeries {
    const { duration, gateway, operationCalls, requestBytes, responseBytes } = this.series
    return {
      duration: duration.with(labels),
      gateway: gateway.with(labels),
      calls: operationCalls.with(labels),
      requestBytes: requestBytes.with({ kind: labels.kind }),
      responseBytes: responseBytes.with({ kind: labels.kind }),
      operations: new Map(),
    }
  }

  private routeSeries(labels: { readonly method: string; readonly route: string }): RouteSeries {
    const { callDuration, bytes } = this.series
    return { duration: callDuration.with(labels), bytes: bytes.with(labels), calls: new Map(), last: undefined }
  }

  private nameOf(document: DocumentNode | undefined, definition: OperationDefinitionNode | undefined): string {
    const name = definition?.name?.value
    if (name === undefined || this.trusted.size === 0 || !this.trusted.has(document?.loc?.source.body ?? '')) return OTHER
    if (this.names.size < MAX_NAMES) this.names.add(name)
    return this.names.has(name) ? name : OTHER
  }
}

const KNOWN_CODES: ReadonlySet<string> = new Set(ERROR_CODES.map(({ code }) => code))

/** Sites can answer with any status: only those with a name have a series of their own. */
const statusLabel = (status: number): string => (status === 0 || status in STATUS_CODES ? String(status) : `${Math.floor(status / 100)}xx`)

let ofProcess: Registry | undefined

/** The metrics of this process, which all of its gateways share. */
function processMetrics(): Registry {
  if (!ofProcess) {
    const { collectDefaultMetrics, Registry } = promClient()
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
    // Gauges, whose names end like those of counters. Others have the same values by type.
    for (const each of ['handles', 'requests', 'resources']) ofProcess.removeSingleMetric(`nodejs_active_${each}_total`)
  }
  return ofProcess
}

/** Largest number of names of operations. */
const MAX_NAMES = 200
