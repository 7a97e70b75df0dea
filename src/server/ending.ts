import { type ExecutionResult, GraphQLError } from 'graphql'
import { BusyError, ServerBusyError, SuspendedError } from '../upstream/errors.js'
import type { Session } from '../upstream/session.js'
import { Deadline } from '../upstream/transport/deadline.js'
import type { Protection } from '../upstream/transport/protection.js'
import { StaleNotes } from '../upstream/transport/stale.js'
import type { Principal } from './auth/authenticator.js'
import { arose } from './errors.js'
import type { Trace } from './log/trace.js'

/**
 * The session of one operation, which waits for as long as the client stays and there is time, and takes old answers where they are
 * allowed. Written out: an object put together from others costs many times as much.
 */
export const beginning = (
  { credentials, caller, principal, viewer, ownOnly, readOnly }: Principal,
  trace: Trace,
  { operationTimeout, staleIfError }: Protection,
  signal?: AbortSignal,
): Session => ({
  credentials,
  caller,
  principal,
  address: trace.address,
  viewer,
  ownOnly,
  readOnly,
  requestId: trace.requestId,
  tally: trace,
  memory: trace.memory,
  operation: {},
  deadline: new Deadline(operationTimeout, signal),
  stale: staleIfError > 0 ? new StaleNotes() : undefined,
  calls: undefined,
})

/**
 * What becomes of the result of an operation that has ended: a refusal where all of it was refused to spare the site, and a note where old
 * answers stand in it. Status and headers of the refusal are in `extensions.http`, which is not for the client.
 */
export function ending(
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

/** Why there are no data at all, where every error says that the site was to be spared; the one to wait for longest. */
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

const REFUSALS = [BusyError, SuspendedError, ServerBusyError]

/** The result of an operation that is refused whole, with 503. */
export const refusedResult = ({ message, extensions, retryAfter }: Refusal): ExecutionResult => ({
  errors: [new GraphQLError(message, { extensions })],
  extensions: { http: { status: 503, headers: { 'retry-after': String(retryAfter) } } },
})
