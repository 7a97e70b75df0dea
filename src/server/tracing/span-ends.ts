import type { Events } from '../events.js'
import type { RequestState } from '../request-state.js'

/** Ends the span of each operation with its request. */
export function traceEvents(events: Events): void {
  const end = (state: RequestState, status: number): void => state.endSpan(status)
  // An operation at another spelling of its path is a request like others.
  events.on('operation', end).on('request', end)
}
