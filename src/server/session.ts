import { performance } from 'node:perf_hooks'
import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Dependencies } from '../upstream/cache/dependencies.js'
import { BusyError, ServerBusyError, SuspendedError } from '../upstream/errors.js'
import { headersOf, type Session, StaleNotes } from '../upstream/session.js'
import { Deadline } from '../upstream/transport/deadline.js'
import type { Protection } from '../upstream/transport/protection.js'
import type { Principal } from './auth/authenticator.js'
import { arose } from './errors.js'
import type { Trace } from './log/trace.js'

/** Starts the session of one operation, with its deadline. Every property is listed: spreading objects costs many times as much. */
export const startSession = (
  { credentials, caller, principal, viewer, ownOnly, readOnly }: Principal,
  trace: Trace,
  { operationTimeout, staleIfError }: Protection,
  readsAnew = false,
  dependencies?: Dependencies,
): Session => ({
  credentials,
  caller,
  principal,
  address: trace.address,
  viewer,
  ownOnly,
  readOnly,
  requestId: trace.requestId,
  headers: headersOf(credentials, trace.requestId, trace.traceHeaders),
  traceId: trace.traceId,
  span: trace.span?.recorded,
  tally: trace,
  memory: trace.memory,
  operation: {},
  deadline: new Deadline(operationTimeout),
  since: performance.now(),
  readsAnew,
  stale: staleIfError > 0 ? new StaleNotes() : undefined,
  dependencies,
  calls: undefined,
})

/**
 * Ends the session of an operation and completes its result: an operation that was refused as a whole to protect the site becomes a
 * refusal with 503, and stale answers of the site are listed in `extensions.stale`.
 */
export function endSession(
  { requestId, deadline, stale }: Pick<Session, 'requestId' | 'deadline' | 'stale'>,
  result: ExecutionResult,
): ExecutionResult {
  deadline?.close()
  if (result.errors) {
    for (const error of result.errors) arose(error, requestId)
    const refusal = refusalIn(result)
    if (refusal) return refusedResult(refusal)
  }
  if (!stale || stale.routes.size === 0) return result
  return { ...result, extensions: { ...result.extensions, stale: { age: stale.age, routes: [...stale.routes].sort() } } }
}

type Refusal = BusyError | SuspendedError | ServerBusyError

const REFUSALS = [BusyError, SuspendedError, ServerBusyError]

/** The refusal with the longest `retryAfter`, when there are no data and every error is a refusal. */
function refusalIn({ data, errors = [] }: ExecutionResult): Refusal | undefined {
  if (data && Object.values(data).some((value) => value !== null)) return undefined
  let longest: Refusal | undefined
  for (const { originalError } of errors) {
    if (!REFUSALS.some((Class) => originalError instanceof Class)) return undefined
    const refusal = originalError as Refusal
    if (!longest || refusal.retryAfter > longest.retryAfter) longest = refusal
  }
  return longest
}

/** The result of an operation that is refused as a whole. `extensions.http` has its status and headers; clients do not see it. */
const refusedResult = ({ message, extensions, retryAfter }: Refusal): ExecutionResult => ({
  errors: [new GraphQLError(message, { extensions })],
  extensions: { http: { status: 503, headers: { 'retry-after': String(retryAfter) } } },
})
