import type { Emitter, FaultEvents } from '../upstream/events.js'
import type { RequestState } from './request-state.js'

/** A request has ended. The status is 0 when its client left before the answer. An exception of a listener is a fault. */
export interface RequestEvents extends FaultEvents {
  /** An operation, also one that was refused. */
  readonly operation: [state: RequestState, status: number]
  /** A request of pages, health, metrics or the webhook, or for an unknown path. */
  readonly request: [state: RequestState, status: number, method: string | undefined, path: string]
}

/** The properties of a request that are not in its state. */
interface RequestLine {
  readonly method?: string | undefined
  readonly url?: string | undefined
}

/** Reports the end of a request. */
export type EndRequest = (state: RequestState, line: RequestLine, status: number) => void

export const endingRequests =
  (events: Emitter<RequestEvents>): EndRequest =>
  (state, { method, url }, status) => {
    try {
      const { endpoint } = state
      const path = url === endpoint ? endpoint : pathOf(url)
      const isOperation = path === endpoint && !state.isPage && method !== 'OPTIONS'
      if (isOperation) events.emit('operation', state, status)
      else events.emit('request', state, status, method, path)
    } catch (fault) {
      events.emit('fault', fault, state.requestId)
    }
  }

/** The path of an address or of a path with a query. */
const pathOf = (url = ''): string => url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '')
