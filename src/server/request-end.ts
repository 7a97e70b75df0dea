import type { Emitter, FaultEvents } from '../upstream/events.js'
import type { OperationEvent, RequestState } from './request-state.js'

/** A request that has ended. */
export interface EndedRequest {
  readonly state: RequestState
  /** HTTP status; 0 when the client left before the answer. */
  readonly status: number
}

/** A request of pages, health, metrics or the webhook, or for an unknown path. */
export interface EndedOther extends EndedRequest {
  readonly method: string | undefined
  readonly path: string
}

/** An operation that has ended, also one that was refused. */
export class EndedOperation implements EndedRequest {
  private made: OperationEvent | undefined = undefined

  constructor(
    readonly state: RequestState,
    readonly status: number,
    private readonly withVariables: boolean,
  ) {}

  /** What logs and programs receive of it. */
  get event(): OperationEvent {
    this.made ??= this.state.event(this.status, this.withVariables)
    return this.made
  }
}

export interface RequestEvents extends FaultEvents {
  /** An operation has ended. An exception of a listener is a fault. */
  readonly operation: [operation: EndedOperation]
  /** Another request has ended. An exception of a listener is a fault. */
  readonly request: [request: EndedOther]
}

/** The properties of a request that are not in its state. */
interface RequestLine {
  readonly method?: string | undefined
  readonly url?: string | undefined
}

/** Reports the end of a request. The status is 0 when the client left before the answer. */
export type EndRequest = (state: RequestState, line: RequestLine, status: number) => void

/** `withVariables`: the events of operations have their variables. */
export const endingRequests =
  (events: Emitter<RequestEvents>, withVariables: boolean): EndRequest =>
  (state, { method, url }, status) => {
    try {
      const { endpoint } = state
      const path = url === endpoint ? endpoint : pathOf(url)
      if (path === endpoint && !state.isPage && method !== 'OPTIONS')
        events.emit('operation', new EndedOperation(state, status, withVariables))
      else events.emit('request', { state, status, method, path })
    } catch (fault) {
      events.emit('fault', fault, state.requestId)
    }
  }

/** The path of an address or of a path with a query. */
const pathOf = (url = ''): string => url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '')
