/** The outcome of a call on the wire. */
export interface WireCall {
  /** HTTP status; 0 without an answer. */
  readonly status: number
  readonly bytes: number
  /** Start in milliseconds since the process started, and duration in milliseconds. */
  readonly startedAt: number
  readonly duration: number
}

/** The headers of a W3C trace context. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string
}

/** A REST call that is about to be sent. */
export interface TracedCall {
  readonly method: string
  /** Template of the path. */
  readonly route: string
  readonly origin: string
  readonly path: string
  /** 1 for the first attempt. */
  readonly attempt: number
  /** In milliseconds since the process started. */
  readonly startedAt: number
  /** Milliseconds the call waited in the queue. */
  readonly queued: number
}

/** A span of a recorded trace, such as an operation or a wave. Times are in milliseconds since the process started. */
export interface Span {
  /** Starts the span of a step below this one. */
  step(name: string, attributes?: Readonly<Record<string, string | number | boolean>>, startedAt?: number): Span
  /** Starts the span of an attempt of a REST call below this one. */
  call(call: TracedCall): CallSpan
  end(endedAt?: number): void
}

/** The span of an attempt of a REST call. */
export interface CallSpan {
  /** Headers that continue the trace at the site. */
  readonly headers: Readonly<Record<string, string>>
  ended(outcome: WireCall & { readonly reason: string }): void
}
