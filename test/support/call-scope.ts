import type { Budget, Caller, CallScope, Freshness, Trace } from '../../src/upstream/call-scope.js'
import { ANONYMOUS } from '../../src/upstream/credentials.js'
import { Deadline } from '../../src/upstream/transport/deadline.js'

/** What tests give of a call scope. */
type Given = Caller & Pick<Trace, 'requestId' | 'counter'> & Pick<Freshness, 'since' | 'stale'> & Pick<Budget, 'operation' | 'deadline'>

/** With a signal, the deadline ends when it is aborted. */
export type CallOptions = Partial<Given> & { readonly signal?: AbortSignal }

/** Makes a call scope: of an anonymous caller and an operation of its own, unless the options say otherwise. */
export function callScope({
  credentials = ANONYMOUS,
  id = credentials.id,
  operation = {},
  signal,
  ...others
}: CallOptions = {}): CallScope {
  const { principal, address, viewer, role, requestId, counter, since, stale } = others
  const { deadline = signal && new Deadline(undefined, signal) } = others
  return {
    caller: { credentials, id, principal, address, viewer, ...(role && { role }) },
    trace: { requestId, counter },
    freshness: { since, stale },
    budget: { operation, deadline },
  }
}
