import { performance } from 'node:perf_hooks'
import { type CallScope, headersOf, JSON_TYPE } from '../call-scope.js'
import type { Credentials } from '../credentials.js'
import {
  BusyError,
  CancelledError,
  type LmsError,
  type RefusalReason,
  type SuspendedError,
  TimeoutError,
  UnauthenticatedError,
  UnavailableError,
  UpstreamError,
} from '../errors.js'
import type { Emitter, FaultEvents } from '../events.js'
import { SECRET, shownPath } from '../query.js'
import type { CallSpan, Span, WireCall } from '../spans.js'
import type { Breakers } from './breaker.js'
import type { ConnectionPool, Connections, PooledConnection } from './connections.js'
import type { CredentialProofs } from './credential-proofs.js'
import { cancelled } from './deadline.js'
import { type Answered, Exchange, type Failed, type Receiver } from './exchange.js'
import type { FairQueue } from './fair-queue.js'
import type { MemoryBudget } from './memory.js'
import type { QueuedRequest } from './queue-nodes.js'
import { type Answer, errorOf, inDoubt, isTransient, type Method, type Request, read } from './responses.js'
import type { Retries } from './retries.js'
import { SharedRequest } from './shared-request.js'

/** One REST call on the wire, for tests, logs and explain. */
export interface Call extends WireCall {
  /** Id of the request that caused the call; of the first one if several share it. */
  readonly requestId: string | undefined
  /** Id of its trace, if it has one. */
  readonly traceId?: string | undefined
  readonly method: Method
  readonly route: string
  /** Path and query, with the password of a record redacted. */
  readonly path: string
  /** `ok`, `redirect`, or the code of the error. */
  readonly reason: string
  /** Why there was no complete answer: a code of Node.js or of its TLS, or `PROXY_` and a status. */
  readonly cause?: string | undefined
  /** Milliseconds the call waited in the queue. */
  readonly queued: number
  /** Whether text before the JSON of the answer was skipped. */
  readonly cleaned: boolean
}

export interface CallEvents extends FaultEvents {
  /** A call has ended. An exception of a listener is a fault; it does not fail the call. */
  readonly call: [call: Call]
  /** A call was not made. */
  readonly callRefused: [reason: RefusalReason]
  /** A read is tried again after an error with this code. */
  readonly readRetried: [code: string]
  /** The site rejects credentials (401). */
  readonly credentialsRefused: [credentials: Credentials]
}

/** The parts that all calls to one site share. */
export interface TransportParts {
  readonly queue: FairQueue<CallScope>
  readonly connections: Connections
  readonly breakers: Breakers | undefined
  readonly retries: Retries | undefined
  /** Undefined when all calls use one account. */
  readonly proofs: CredentialProofs | undefined
  readonly events: Emitter<CallEvents>
  readonly maxBytes: number
  readonly memory: MemoryBudget | undefined
  /** Converts a refusal of the gateway's account into an error of the site. */
  readonly withAccountRefusal: (error: LmsError, call: CallScope) => LmsError
  /** Stops sharing a read. */
  readonly stopSharing: (shareKey: string, request: UpstreamRequest) => void
  /** Called when a write has ended. */
  readonly onWriteEnd: () => void
}

/** One request to the site: it is queued, sent, and may be retried. A write is sent once. */
export class UpstreamRequest extends SharedRequest<Answer> implements QueuedRequest<CallScope>, Receiver, Request {
  admittedAt = 0
  node: QueuedRequest['node'] = undefined
  previous: QueuedRequest['previous'] = undefined
  next: QueuedRequest['next'] = undefined
  older: QueuedRequest['older'] = undefined
  newer: QueuedRequest['newer'] = undefined
  readonly method: Method
  readonly route: string
  readonly path: string
  readonly body: string | undefined
  private exchange: Exchange | undefined = undefined
  private pool: ConnectionPool | undefined = undefined
  private pooled: PooledConnection | undefined = undefined
  /** Connections for the next attempt after a redirect. */
  private redirectedTo: ConnectionPool | undefined = undefined
  private isRedirected = false
  private retryTimer: NodeJS.Timeout | undefined = undefined
  private startedAt = 0
  /** The span of the attempt, in a recorded trace. */
  private span: CallSpan | undefined = undefined
  /** When the headers of the answer were received, if the call is observed. */
  private answeredAt: number | undefined = undefined
  /** Number of attempts. */
  private sent = 0
  /** Whether the call is the probe of an open circuit breaker. */
  // Stryker disable next-line BooleanLiteral: It is set at each attempt.
  private isProbe = false

  constructor(
    private readonly parts: TransportParts,
    { method, route, path, body }: Request,
    readonly call: CallScope,
    private readonly shareKey: string | undefined,
    /** The state of what it reads when it was begun, if that is known. */
    private readonly validity?: string | undefined,
  ) {
    super()
    this.method = method
    this.route = route
    this.path = path
    this.body = body
  }

  /**
   * Whether a read may share this call: the call has not been sent, or nothing has changed since then. That is so when it was sent after the
   * operation of the read had started, `since`; or, if the state of what is read is known, when that is the same.
   */
  isCurrent(since: number | undefined, validity: string | undefined): boolean {
    if (this.exchange === undefined) return true
    if (validity !== undefined) return validity === this.validity
    return since !== undefined && this.startedAt >= since
  }

  /** Starts or queues the call. To be called after the first `join`. */
  enqueue(): void {
    const refusal = this.parts.queue.accept(this)
    if (refusal) this.refuse(refusal)
  }

  start(): boolean {
    const { breakers, connections, retries, maxBytes, memory } = this.parts
    const { method, path, body } = this
    const refusal = breakers?.refusal(method)
    if (refusal) {
      this.refuse(refusal)
      return false
    }
    this.isProbe = breakers?.of(method).startProbe() === true
    if (this.sent++ === 0) retries?.earn()
    this.startedAt = performance.now()
    this.answeredAt = undefined
    // The answer to a write is always read, even when memory is low.
    this.exchange = new Exchange(maxBytes, this, method === 'GET' ? memory : undefined)
    this.isRedirected = this.redirectedTo !== undefined
    this.pool = this.redirectedTo ?? connections.current
    this.redirectedTo = undefined
    this.pooled = this.pool.take(this.startedAt)
    const { counter, span } = this.call.trace
    counter?.sent()
    this.span = span && this.traced(span, this.pool)
    this.pooled.connection.dispatch({ path, method, headers: this.headersWith(this.span), body: body ?? null }, this.exchange)
    return true
  }

  private traced(span: Span, { origin }: ConnectionPool): CallSpan {
    const { method, route, path, startedAt, admittedAt, sent } = this
    return span.call({ method, route, origin, path, attempt: sent, startedAt, queued: startedAt - admittedAt })
  }

  /** Whether the request has credentials, or a password in its path. */
  private get isSecret(): boolean {
    return !this.call.caller.credentials.anonymous || SECRET.test(this.path)
  }

  private headersWith(span: CallSpan | undefined): Readonly<Record<string, string>> {
    const { caller, trace } = this.call
    const { requestId, headers = headersOf(caller.credentials, requestId) } = trace
    const { body } = this
    if (!span && body === undefined) return headers
    return { ...headers, ...span?.headers, ...(body !== undefined && { 'content-type': JSON_TYPE }) }
  }

  refuse(error: BusyError | SuspendedError): void {
    this.parts.events.emit('callRefused', error.reason)
    this.reject(error)
  }

  answering(): void {
    if (this.observers) this.answeredAt = performance.now()
  }

  answered(answered: Answered): void {
    const { connections, breakers, proofs, queue, maxBytes } = this.parts
    const at = performance.now()
    let cleaned = false
    const answer = read(this, answered, maxBytes, () => {
      cleaned = true
    })
    const redirect = 'body' in answer ? undefined : connections.redirect(this.pool, answered, this, this.isSecret, answer.upstream?.code)
    // A proxy that refused the call is not the site, which has not answered.
    const status = answer instanceof BusyError ? 0 : answered.status
    this.complete(at, status, answered.body.length, redirect ? 'redirect' : 'body' in answer ? 'ok' : answer.code, cleaned)
    if (!redirect && 'body' in answer) {
      breakers?.of(this.method).ended(this.isProbe, true)
      proofs?.recordSuccess(this, this.call)
      if (this.method === 'GET') connections.recordSuccess(this.pool)
      this.resolve(answer, at)
      // The connection is kept busy by the next call: undici checks one that was idle, which costs a turn of the event loop.
      queue.handOver(at - this.startedAt)
      return
    }
    queue.release(at - this.startedAt)
    if (!redirect) this.fail(answer as LmsError, isTransient(answered))
    else if ('to' in redirect) this.resend(redirect.to)
    else this.fail(redirect.error, false)
  }

  failed(failed: Failed): void {
    const { maxBytes, queue } = this.parts
    const error = errorOf(this, failed, maxBytes)
    const at = performance.now()
    this.complete(at, failed.status, failed.bytes, error.code, false, (failed.error as NodeJS.ErrnoException).code)
    queue.release(at - this.startedAt)
    const isLost = failed.status === 0 && this.method === 'GET' && !this.isRedirected && !this.abandoned
    const fallbackPool = isLost ? this.parts.connections.fallbackPool(this.pool) : undefined
    if (fallbackPool) this.resend(fallbackPool)
    else this.fail(error, isTransient(failed))
  }

  /** Sends the call again over other connections. */
  private resend(pool: ConnectionPool): void {
    this.parts.breakers?.of(this.method).ended(this.isProbe, true)
    this.redirectedTo = pool
    this.enqueue()
  }

  protected onEnd(): void {
    if (this.shareKey !== undefined) this.parts.stopSharing(this.shareKey, this)
  }

  protected onAbandon(): void {
    clearTimeout(this.retryTimer)
    this.parts.queue.withdraw(this)
    if (this.method === 'GET') this.exchange?.abort(cancelled())
  }

  protected errorForCancelled(reason: LmsError): LmsError {
    const isOpen = this.method !== 'GET' && this.sent > 0 && reason instanceof TimeoutError
    return isOpen ? inDoubt(this, new TimeoutError(reason.message)) : reason
  }

  /** Releases the connection, and reports the call, which has ended at `at`. Its slot is still to be released. */
  private complete(at: number, status: number, bytes: number, reason: string, cleaned: boolean, cause?: string): void {
    const { events, onWriteEnd } = this.parts
    const { startedAt } = this
    const { requestId, traceId } = this.call.trace
    this.exchange = undefined
    // Stryker disable next-line OptionalChaining: A channel belongs to channels.
    if (this.pooled) this.pool?.giveBack(this.pooled)
    this.pooled = undefined
    if (this.method !== 'GET') onWriteEnd()
    const { span } = this
    const isReported = events.listenerCount('call') > 0
    if (!isReported && !this.observers && !span) return
    const call = {
      requestId,
      traceId,
      method: this.method,
      route: this.route,
      path: shownPath(this.path),
      status,
      bytes,
      reason,
      cause,
      queued: startedAt - this.admittedAt,
      cleaned,
      startedAt,
      duration: at - startedAt,
    }
    span?.ended(call)
    for (const observer of this.observers ?? []) observer.ended(call, this.answeredAt)
    if (!isReported) return
    try {
      events.emit('call', call)
    } catch (fault) {
      events.emit('fault', fault, requestId)
    }
  }

  private fail(error: LmsError, canRetry: boolean): void {
    const { breakers, retries, proofs, events, withAccountRefusal } = this.parts
    const breaker = breakers?.of(this.method)
    if (error instanceof UnauthenticatedError) {
      proofs?.recordRefusal(this.call.caller.credentials)
      this.call.trace.counter?.rejected?.()
      events.emit('credentialsRefused', this.call.caller.credentials)
    }
    if (error instanceof BusyError) events.emit('callRefused', error.reason)
    // A call that was cancelled or did not reach the site says nothing about the site. If it was the probe, another one is needed.
    if (this.isProbe || !UNTESTED.some((Class) => error instanceof Class))
      breaker?.ended(this.isProbe, !FAILURES.some((Class) => error instanceof Class))
    if (canRetry && this.method === 'GET' && !this.abandoned && breaker?.isClosed !== false) {
      const retryAfter = error instanceof UpstreamError ? error.retryAfter : undefined
      const delay = retries?.spend(this.sent, retryAfter, this.endsAt - performance.now())
      if (delay !== undefined) {
        events.emit('readRetried', error.code)
        this.retryTimer = setTimeout(() => this.retry(error), delay)
        return
      }
    }
    this.reject(inDoubt(this, withAccountRefusal(error, this.call)))
  }

  /** Retries the call. If the retry is refused, rejects with the error of the last attempt. */
  private retry(error: LmsError): void {
    const { breakers, queue, withAccountRefusal } = this.parts
    if (breakers?.refusal('GET') ?? queue.accept(this)) this.reject(withAccountRefusal(error, this.call))
  }
}

/** Errors of calls that did not test the site. */
const UNTESTED = [CancelledError, BusyError]
/** Errors that count as failures of the site, or of its probe. */
const FAILURES = [UnavailableError, TimeoutError, ...UNTESTED]
