import { performance } from 'node:perf_hooks'
import { type ASTNode, type DocumentNode, type ExecutionResult, type GraphQLError, type OperationDefinitionNode, visit } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import type { EndedMutation } from '../execute/context.js'
import { getOrMake, isObject } from '../maps.js'
import { operationOf } from '../plan/document.js'
import type { CallCounter } from '../upstream/call-scope.js'
import type { ViewerCache } from '../upstream/site/viewers.js'
import type { TraceContext } from '../upstream/spans.js'
import type { RequestMemory } from '../upstream/transport/memory.js'
import type { Principal } from './auth/authenticator.js'
import type { EventView, ShownCaller } from './auth/callers.js'
import type { Peer } from './auth/client-address.js'
import { ENDPOINT } from './http/protocol.js'
import type { Share } from './limits/share.js'
import type { Attempt } from './limits/sign-ins.js'
import type { OperationSpan } from './tracing/tracer.js'

/**
 * The outcome of an operation. `ok`: no errors. `partial`: errors and data. `failed`: it ran without data, or the gateway is at fault. `refused`:
 * it did not run. `cancelled`: the client left before the answer.
 */
export type Outcome = 'ok' | 'partial' | 'failed' | 'refused' | 'cancelled'

/** One request to the GraphQL endpoint that has ended. */
export interface OperationEvent extends ShownCaller {
  readonly requestId: string
  /** Ids of the trace of the request, and of the span of the operation when the trace is recorded. */
  readonly traceId?: string
  readonly spanId?: string
  /** Null when it has no name, or is unknown. */
  readonly operation: string | null
  readonly kind: 'query' | 'mutation' | 'subscription' | null
  readonly outcome: Outcome
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number
  /** Milliseconds from the headers of the request to the end of the answer. */
  readonly duration: number
  /** REST calls that were sent for it. A shared call counts for the operation that sent it. */
  readonly calls: number
  /** The number of errors in the answer by code, for five codes at most. Absent without errors. */
  readonly codes?: Readonly<Record<string, number>>
  /** Redacted. Absent unless `logVariables` is set and the document could be parsed. */
  readonly variables?: Readonly<Record<string, unknown>>
}

/** A root field of a mutation that has ended. */
export interface MutationEvent extends ShownCaller, EndedMutation {
  readonly requestId: string
}

const MAX_CODES = 5
const MAX_NAME = 100
const INTERNAL = 'INTERNAL_SERVER_ERROR'

/** What is recorded of a request until it ends. */
export class RequestState implements CallCounter {
  calls = 0
  /** Whether it is a request for a page. */
  isPage = false
  private isClosed = false
  private body: { readonly size: number; abandon(): void } | undefined
  /** Bytes of the response with its headers; not a number without a socket. */
  responseBytes = Number.NaN
  private leave: (() => void) | undefined
  /** The share of its client. Undefined when the client has no limits. */
  share: Share | undefined
  /** The use of the caller's own credentials, which counts as a sign-in. */
  attempt: Attempt | undefined
  /** The span of the operation, when an OpenTelemetry SDK is set up. */
  span: OperationSpan | undefined
  readonly startedAt = performance.now()
  /** Calls for which the operation waits, since when, and the milliseconds for which it has waited. */
  private waitedFor = 0
  private waitsSince = 0
  private waited = 0
  private params: GraphQLParams | undefined
  document: DocumentNode | undefined
  private outcome: Outcome = 'refused'
  /** The number of errors in the answer by code. */
  codes: Record<string, number> | undefined

  /** Who sends it. Undefined before it is authenticated, and when it is rejected. */
  principal: Principal | undefined
  /** The users of credentials, as far as they are known. Undefined before the operation starts. */
  viewers: Pick<ViewerCache, 'of'> | undefined

  constructor(
    readonly requestId: string,
    /** What it holds of the memory budget. */
    readonly memory: RequestMemory,
    /** Where it comes from. */
    readonly peer: Peer,
    /** The network address of the client; `''` if unknown. */
    readonly address: string,
    /** The path of GraphQL for this request. */
    readonly endpoint = ENDPOINT,
    /** The W3C trace context in its headers. The request belongs to that trace if its peer is trusted. */
    readonly context?: TraceContext | undefined,
  ) {}

  /** The caller's user id in the LMS, as far as it is known. */
  get viewer(): number | undefined {
    const { principal, viewers } = this
    if (!principal || principal.viewer !== undefined) return principal?.viewer ?? undefined
    const learned = principal.own && viewers?.of(principal.credentials)
    return learned instanceof Error ? undefined : learned?.id
  }

  /** Whether the address is that of the client. */
  get isClientKnown(): boolean {
    return this.address !== '' && !this.peer.isProxied
  }

  /** A REST call is sent. */
  sent(): void {
    this.calls++
    this.share?.callsPerMinute.take(1)
  }

  /** The site has rejected the credentials. */
  rejected(): void {
    if (this.attempt) this.attempt.isRejected = true
  }

  get isShort(): boolean {
    return this.share !== undefined && (this.share.callsPerMinute.isHalfEmpty || this.share.operationsPerMinute.isHalfEmpty)
  }

  /** Keeps the body of the request until it is received or the request is closed. */
  holds(body: { readonly size: number; abandon(): void }): void {
    if (this.isClosed) body.abandon()
    else this.body = body
  }

  /** Bytes of the body that were received. */
  get requestBytes(): number {
    return this.body?.size ?? 0
  }

  /** Calls back when the client leaves before the answer; at once when it has left. */
  onClose(leave: () => void): void {
    if (this.isClosed) leave()
    else this.leave = leave
  }

  /** Returns the memory of the request: its response has been sent, or its client has left. */
  close(hasLeft = false): void {
    this.isClosed = true
    this.body?.abandon()
    this.memory.release()
    this.attempt?.end(this.calls, hasLeft)
    this.attempt = undefined
    if (hasLeft) this.leave?.()
  }

  waits(): void {
    if (this.waitedFor++ === 0) this.waitsSince = performance.now()
  }

  resumes(at: number): void {
    if (--this.waitedFor === 0) this.waited += Math.max(0, at - this.waitsSince)
  }

  /** Id of the trace: that of the span, else that of the request. */
  get traceId(): string | undefined {
    // A trace context begins with its version and a hyphen.
    return this.span ? this.span.traceId : this.traceHeaders?.traceparent?.slice(3, 35)
  }

  /** Headers that continue the trace at the site. */
  get traceHeaders(): Readonly<Record<string, string>> | undefined {
    const own = this.span?.headers
    if (own && Object.keys(own).length > 0) return own
    return this.peer.isTrusted ? (this.context as Readonly<Record<string, string>> | undefined) : undefined
  }

  /** Ends the span of the operation. The status is 0 when the client left. */
  endSpan(status: number): void {
    const { span, definition, codes, calls, requestId } = this
    if (!span?.recorded) return
    const [code] = Object.keys(codes ?? {})
    span.ended({
      kind: definition?.operation,
      name: definition?.name?.value,
      outcome: this.outcomeAt(status),
      status,
      calls,
      code,
      requestId,
    })
  }

  /** Records the parameters of the request. */
  received(params: GraphQLParams): void {
    this.params = params
  }

  /** Records the parsed document. */
  parsed(document: DocumentNode): void {
    this.document = document
  }

  /** Records that the request was refused before its operation was read. */
  refused(code: string): void {
    this.codes = { [code]: 1 }
    this.outcome = code === INTERNAL ? 'failed' : 'refused'
  }

  /** Records the result, as clients see it. */
  answered({ data, errors }: ExecutionResult): void {
    if (!errors || errors.length === 0) {
      this.outcome = 'ok'
      return
    }
    const codes = this.count(errors)
    if (data && Object.values(data).some((value) => value !== null)) this.outcome = 'partial'
    else this.outcome = data !== undefined || INTERNAL in codes || this.calls > 0 ? 'failed' : 'refused'
  }

  /** Records the errors of a later part of the answer. */
  partSent(errors: readonly GraphQLError[]): void {
    this.count(errors)
    if (errors.length > 0 && this.outcome === 'ok') this.outcome = 'partial'
  }

  private count(errors: readonly GraphQLError[]): Readonly<Record<string, number>> {
    this.codes ??= {}
    for (const { extensions } of errors) {
      const code = String(extensions?.code)
      this.codes[code] = (this.codes[code] ?? 0) + 1
    }
    return this.codes
  }

  /** Milliseconds so far, to a hundredth. */
  get duration(): number {
    return Math.round((performance.now() - this.startedAt) * 100) / 100
  }

  /** Milliseconds so far in all, and without those in which the operation waited for REST calls. */
  get times(): { readonly total: number; readonly gateway: number } {
    const now = performance.now()
    const waits = this.waitedFor > 0 ? now - this.waitsSince : 0
    const total = now - this.startedAt
    return { total, gateway: Math.max(0, total - this.waited - waits) }
  }

  /** The operation of the request, when its document is known and has it. */
  get definition(): OperationDefinitionNode | undefined {
    return this.document && operationOf(this.document, this.operationName)
  }

  /** How the request ended. The status is 0 when the client left. */
  outcomeAt(status: number): Outcome {
    return status === 0 ? 'cancelled' : this.outcome
  }

  private get operationName(): string | undefined {
    const { operationName } = isObject(this.params) ? this.params : ({} as GraphQLParams)
    return typeof operationName === 'string' && NAME.test(operationName) ? operationName : undefined
  }

  /** The event for the log at the end of the request. The status is 0 when the client left. */
  event(status: number, shown: EventView): OperationEvent {
    const { requestId, params, document, codes, calls, duration } = this
    const { variables } = isObject(params) ? params : ({} as GraphQLParams)
    const { definition, operationName } = this
    const shownName = definition ? definition.name?.value : operationName
    // Not by spreading objects, which costs many times as much. The properties are in the order of the line.
    const event = shown.addCaller({ requestId } as { -readonly [Name in keyof OperationEvent]: OperationEvent[Name] }, this)
    const { traceId, span } = this
    if (traceId !== undefined) event.traceId = traceId
    if (span?.spanId !== undefined) event.spanId = span.spanId
    event.operation = shownName?.slice(0, MAX_NAME) ?? null
    event.kind = definition?.operation ?? null
    event.outcome = this.outcomeAt(status)
    event.status = status
    event.duration = duration
    event.calls = calls
    if (codes && status !== 0 && Object.keys(codes).length > 0) event.codes = firstOf(codes)
    if (shown.variables && document && isObject(variables)) event.variables = shownVariables(variables, document)
    return event
  }
}

/** The event for a mutation of a request. */
export const mutationEvent = (state: RequestState, ended: EndedMutation, shown: EventView): MutationEvent => ({
  requestId: state.requestId,
  ...shown.caller(state),
  ...ended,
})

const firstOf = (codes: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(codes).slice(0, MAX_CODES))

const NAME = /^[_A-Za-z]\w*$/

/** Names of secrets. */
const SECRET_NAME = /password|passwd|passphrase|secret|token|authorization|cookie|credential|nonce|key/i

const REDACTED = '[redacted]'
const MAX_TEXT = 200
const MAX_VALUES = 200

/**
 * The variables of a request for the log. Values are redacted when their name is that of a secret, at any depth, or when the document passes
 * them to an argument or input field with such a name. Long texts and lists are cut.
 */
function shownVariables(variables: Readonly<Record<string, unknown>>, document: DocumentNode): Record<string, unknown> {
  const secret = secretVariables(document)
  let left = MAX_VALUES
  const shown = (value: unknown): unknown => {
    if (left-- <= 0) return '…'
    if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
    if (Array.isArray(value)) return cut(value).map(shown)
    return isObject(value) ? members(value, SECRET_NAME) : value
  }
  const cut = <T>(values: readonly T[]): readonly T[] => values.slice(0, Math.max(left + 1, 0))
  const members = (value: object, hidden: { test(name: string): boolean }): Record<string, unknown> =>
    Object.fromEntries(cut(Object.entries(value)).map(([name, each]) => [cutName(name), hidden.test(name) ? REDACTED : shown(each)]))
  return members(variables, { test: (name) => secret.has(name) || SECRET_NAME.test(name) })
}

const cutName = (name: string): string => (name.length > MAX_TEXT ? `${name.slice(0, MAX_TEXT)}…` : name)

const secretsByDocument = new WeakMap<DocumentNode, ReadonlySet<string>>()

/** Variables that the document passes to arguments or input fields with names of secrets. */
const secretVariables = (document: DocumentNode): ReadonlySet<string> =>
  getOrMake(secretsByDocument, document, () => {
    const found = new Set<string>()
    const look = ({ name, value }: { readonly name: { readonly value: string }; readonly value: ASTNode }): void => {
      if (SECRET_NAME.test(name.value)) visit(value, { Variable: (variable) => void found.add(variable.name.value) })
    }
    visit(document, { Argument: look, ObjectField: look })
    return found
  })
