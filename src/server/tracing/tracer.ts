import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Attributes,
  type Context,
  context,
  createTraceState,
  type Span as OtelSpan,
  type ProxyTracerProvider,
  propagation,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { packageVersion } from '../../package-version.js'
import { shownPath } from '../../upstream/query.js'
import type { CallSpan, Span, TraceContext, TracedCall } from '../../upstream/spans.js'

/** The end of an operation, for its span. */
export interface TracedOperation {
  readonly kind: string | undefined
  readonly name: string | undefined
  readonly outcome: string
  /** HTTP status; 0 when the client left. */
  readonly status: number
  readonly calls: number
  /** The first error code. */
  readonly code: string | undefined
  readonly requestId: string
}

/** Starts spans with the OpenTelemetry SDK that the program has set up. The SDK decides which traces are recorded. */
export class OperationTracer {
  private provider: TracerProvider | undefined
  private tracer: Tracer | undefined
  /** Whether the SDK continues traces in the headers of W3C alone. */
  private isW3C = false
  /** When the process started, in milliseconds since 1970. */
  private origin = 0

  /**
   * Starts the span of an operation, below the active span, else below that of a trusted client. The span of another client is linked. Returns
   * nothing when no SDK is set up. `startedAt` is in milliseconds since the process started.
   */
  start(client: TraceContext | undefined, startedAt: number, isTrusted: boolean): OperationSpan | undefined {
    const tracer = this.currentTracer()
    if (!tracer) return undefined
    const active = context.active()
    const remote = client && remoteSpan(client)
    const parent = trace.getSpan(active) || !remote || !isTrusted ? active : trace.setSpanContext(active, remote)
    const links = remote && !isTrusted ? [{ context: remote }] : []
    // The clock of a long-lived process drifts away from `performance.timeOrigin`.
    const origin = Date.now() - performance.now()
    if (Math.abs(origin - this.origin) > MAX_DRIFT) this.origin = origin
    const source = { tracer, origin: this.origin }
    const span = tracer.startSpan('GraphQL operation', { kind: SpanKind.SERVER, startTime: source.origin + startedAt, links }, parent)
    return new OperationSpan(span, span.isRecording() ? new RecordedSpan(source, span, parent) : undefined, startedAt, () =>
      this.isW3C ? w3cHeaders(span.spanContext()) : headersIn(trace.setSpan(parent, span)),
    )
  }

  /** The tracer of the SDK, which may be set up and shut down at any time. */
  private currentTracer(): Tracer | undefined {
    // The registered provider is a proxy. Without an SDK it has no tracer.
    const proxy = trace.getTracerProvider() as ProxyTracerProvider
    const provider = proxy.getDelegate()
    if (provider !== this.provider) {
      this.provider = provider
      this.tracer = proxy.getDelegateTracer(NAME, packageVersion())
      const fields = propagation.fields()
      this.isW3C = fields.includes('traceparent') && fields.every((field) => W3C_FIELDS.includes(field))
    }
    return this.tracer
  }
}

const NAME = 'lms-graphql'
/** Milliseconds by which clocks may differ before they are compared again. The system clock has a resolution of one. */
const MAX_DRIFT = 2
const W3C_FIELDS: readonly string[] = ['traceparent', 'tracestate', 'baggage']

/** What the spans of one operation share. */
interface SpanSource {
  readonly tracer: Tracer
  /** When the process started, in milliseconds since 1970. */
  readonly origin: number
}

/** A span that is recorded. */
class RecordedSpan implements Span {
  private readonly context: Context

  constructor(
    private readonly source: SpanSource,
    private readonly span: OtelSpan,
    parent: Context,
  ) {
    this.context = trace.setSpan(parent, span)
  }

  step(name: string, attributes: Attributes = {}, startedAt = performance.now()): Span {
    const { tracer, origin } = this.source
    return new RecordedSpan(this.source, tracer.startSpan(name, { attributes, startTime: origin + startedAt }, this.context), this.context)
  }

  call({ method, route, origin: site, path, attempt, startedAt, queued }: TracedCall): CallSpan {
    const { hostname, port, protocol } = new URL(site)
    const attributes: Attributes = {
      'http.request.method': method,
      'url.template': route,
      'url.full': site + shownPath(path),
      'server.address': hostname,
      'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number.parseInt(port, 10),
      'lms.queue.wait': Math.round(queued * 1000) / 1000,
      ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
    }
    const { tracer, origin } = this.source
    const options = { kind: SpanKind.CLIENT, attributes, startTime: origin + startedAt }
    const span = tracer.startSpan(`${method} ${route}`, options, this.context)
    return {
      headers: headersIn(trace.setSpan(this.context, span)),
      ended: ({ status, bytes, reason, duration }) => {
        if (status > 0) span.setAttributes({ 'http.response.status_code': status, 'http.response.body.size': bytes })
        if (reason !== 'ok' && reason !== 'redirect') {
          span.setAttribute('error.type', reason)
          span.setStatus({ code: SpanStatusCode.ERROR })
        }
        span.end(origin + startedAt + duration)
      },
    }
  }

  end(endedAt = performance.now()): void {
    this.span.end(this.source.origin + endedAt)
  }
}

/** The span of an operation. Most traces are not recorded, so for those it does as little as possible. */
export class OperationSpan {
  private stage: 'prepare' | 'fetch' | 'respond' = 'prepare'
  /** The span of the stage. Waves have their own while records are fetched. */
  private stageSpan: Span | undefined

  constructor(
    private readonly span: OtelSpan,
    /** The span to make others below. Undefined unless the trace is recorded. */
    readonly recorded: RecordedSpan | undefined,
    startedAt: number,
    private readonly makeHeaders: () => Readonly<Record<string, string>>,
  ) {
    this.stageSpan = recorded?.step('prepare', {}, startedAt)
  }

  /** Headers that continue the trace at the site. */
  get headers(): Readonly<Record<string, string>> {
    return this.makeHeaders()
  }

  get traceId(): string {
    return this.span.spanContext().traceId
  }

  /** Undefined unless the trace is recorded. */
  get spanId(): string | undefined {
    return this.recorded && this.span.spanContext().spanId
  }

  /** Ends the span of the current stage, and starts that of the next one. */
  enters(stage: 'fetch' | 'respond'): void {
    if (!this.recorded || this.stage === stage) return
    this.stage = stage
    this.stageSpan?.end()
    this.stageSpan = stage === 'respond' ? this.recorded.step(stage) : undefined
  }

  /** Ends the span. */
  ended({ kind, name, outcome, status, calls, code, requestId }: TracedOperation): void {
    const { span, recorded } = this
    if (!recorded) return
    this.stageSpan?.end()
    // Clients choose the names of operations, so the name of the span is only the kind.
    if (kind !== undefined) span.updateName(kind)
    span.setAttributes({
      ...(kind !== undefined && { 'graphql.operation.type': kind }),
      ...(name !== undefined && { 'graphql.operation.name': name }),
      ...(status > 0 && { 'http.response.status_code': status }),
      'lms.outcome': outcome,
      'lms.rest_calls': calls,
      'lms.request_id': requestId,
      ...(code !== undefined && { 'error.type': code }),
    })
    if (outcome === 'failed' || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    recorded.end()
  }
}

/** The headers of a span that is not recorded, as the propagator of W3C writes them, in a fraction of the time. */
const w3cHeaders = ({ traceId, spanId, traceFlags, traceState }: SpanContext): Readonly<Record<string, string>> => {
  const traceparent = `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`
  return traceState ? { traceparent, tracestate: traceState.serialize() } : { traceparent }
}

function headersIn(at: Context): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  propagation.inject(at, headers)
  return headers
}

/** The span in the headers of a request, which are valid. */
function remoteSpan({ traceparent, tracestate }: TraceContext) {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-')
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  }
}

/** Milliseconds for which the end of a process waits for its last spans. */
const FLUSHING = 2_000

/** Resolves when the SDK, if one is set up, has sent the spans so far. */
export async function flushSpans(): Promise<void> {
  const proxy = trace.getTracerProvider() as ProxyTracerProvider
  // Providers of SDKs have this method; the API does not.
  const { forceFlush } = proxy.getDelegate() as { forceFlush?: () => Promise<void> }
  if (!forceFlush) return
  const timer = new AbortController()
  const late = sleep(FLUSHING, undefined, { signal: timer.signal }).catch(() => {})
  await Promise.race([forceFlush.call(proxy.getDelegate()).catch(() => {}), late])
  timer.abort()
}
