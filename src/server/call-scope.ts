import { performance } from 'node:perf_hooks'
import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Dependencies } from '../upstream/cache/dependencies.js'
import { type CallScope, headersOf, StaleNotes } from '../upstream/call-scope.js'
import { BusyError, ServerBusyError, SuspendedError } from '../upstream/errors.js'
import { Deadline } from '../upstream/transport/deadline.js'
import type { Principal } from './auth/authenticator.js'
import { arose } from './errors.js'
import type { RequestState } from './request-state.js'

/** The settings for all operations. */
export interface ScopeOptions {
  /** Milliseconds an operation may take. */
  readonly operationTimeout: number
  /** Seconds for which old answers may replace those of a failing site. */
  readonly staleIfError: number
  /** Whether the site is told the address of the client. */
  readonly forwardClientAddress: boolean
}

/** Opens the call scope of one operation, with its deadline. Every property is listed: spreading objects costs many times as much. */
export const openCallScope = (
  { credentials, id, principal, viewer, role }: Principal,
  state: RequestState,
  { operationTimeout, staleIfError, forwardClientAddress }: ScopeOptions,
  readsAnew = false,
  dependencies?: Dependencies,
): CallScope => ({
  caller: { credentials, id, principal, address: state.address, viewer, role },
  trace: {
    requestId: state.requestId,
    headers: headersOf(credentials, state.requestId, state.traceHeaders, forwardClientAddress ? state.peer.client : ''),
    traceId: state.traceId,
    span: state.span?.recorded,
    counter: state,
  },
  freshness: { since: performance.now(), readsAnew, stale: staleIfError > 0 ? new StaleNotes() : undefined, dependencies },
  budget: { operation: {}, memory: state.memory, deadline: new Deadline(operationTimeout), calls: undefined },
})

/**
 * Closes the call scope of an operation and completes its result: an operation that was refused as a whole to protect the site becomes a
 * refusal with 503, one that failed as a whole because the site is down gets `Retry-After`, and stale answers are listed in `extensions.stale`.
 */
export function closeCallScope({ trace, freshness: { stale }, budget }: CallScope, result: ExecutionResult): ExecutionResult {
  budget.deadline?.close()
  let { extensions } = result
  if (result.errors) {
    for (const error of result.errors) arose(error, trace.requestId)
    const refusal = refusalIn(result)
    if (refusal) return refusedResult(refusal)
    const seconds = retryAfterIn(result)
    if (seconds !== undefined) extensions = { ...extensions, http: { headers: { 'retry-after': String(seconds) } } }
  }
  if (stale && stale.routes.size > 0) extensions = { ...extensions, stale: { age: stale.age, routes: [...stale.routes].sort() } }
  return extensions && extensions !== result.extensions ? { ...result, extensions } : result
}

type Refusal = BusyError | SuspendedError | ServerBusyError

const REFUSALS = [BusyError, SuspendedError, ServerBusyError]

/** The refusal with the longest `retryAfter`, when there are no data and every error is a refusal. */
function refusalIn({ data, errors = [] }: ExecutionResult): Refusal | undefined {
  if (hasData(data)) return undefined
  let longest: Refusal | undefined
  for (const { originalError } of errors) {
    if (!REFUSALS.some((Class) => originalError instanceof Class)) return undefined
    const refusal = originalError as Refusal
    if (!longest || refusal.retryAfter > longest.retryAfter) longest = refusal
  }
  return longest
}

const hasData = (data: ExecutionResult['data']): boolean => !!data && Object.values(data).some((value) => value !== null)

const OUTAGES: readonly unknown[] = ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_RATE_LIMITED', 'UPSTREAM_BUSY', 'SERVER_BUSY']

/** Seconds after which to try again, when there are no data and every error is temporary. */
function retryAfterIn({ data, errors = [] }: ExecutionResult): number | undefined {
  if (hasData(data) || !errors.every(({ extensions }) => OUTAGES.includes(extensions.code))) return undefined
  return Math.max(2, ...errors.map(({ extensions }) => (extensions.retryAfter as number | undefined) ?? 0))
}

/** The result of an operation that is refused as a whole. `extensions.http` has its status and headers; clients do not see it. */
export const refusedResult = ({ message, extensions, retryAfter }: Refusal): ExecutionResult => ({
  errors: [new GraphQLError(message, { extensions })],
  extensions: { http: { status: 503, headers: { 'retry-after': String(retryAfter) } } },
})
