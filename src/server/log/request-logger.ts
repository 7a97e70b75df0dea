import type { Fallback } from '../../engine/fallback.js'
import type { AddressChange } from '../../upstream/transport/connections.js'
import type { Call } from '../../upstream/transport/transport.js'
import type { StalledClient } from '../http/clients.js'
import { ENDPOINT } from '../http/protocol.js'
import { shownFault } from './faults.js'
import type { OperationEvent, Trace } from './trace.js'

/** Where lines go: a logger of pino, or one like it. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** Without it all lines are wanted. */
  isLevelEnabled?(level: string): boolean
}

/** Who is told of what the gateway does, and how much. */
export interface RequestLoggerOptions {
  /**
   * Gets a line for each operation (`info`; `warn` where it is answered with 5xx), fault (`error`), REST call and other request (`debug`).
   * None by default.
   */
  readonly log?: Log | undefined
  /** Told of each operation when it has ended, those that were refused included. */
  readonly onOperation?: ((operation: OperationEvent) => void) | undefined
  /** Whether both are shown the variables of operations, without what is named like a secret. False by default. */
  readonly logVariables?: boolean | undefined
  /**
   * Told of each fault of the gateway itself, whose text clients never see, and of the request it arose in, where that is known. By
   * default it goes to `log`, or to `console.error` without one.
   */
  readonly onFault?: ((fault: unknown, requestId?: string) => void) | undefined
}

/** What of a request is not in its trace. */
interface Asked {
  readonly method?: string | undefined
  readonly url?: string | undefined
}

/** Tells whoever wants to know of operations, other requests, REST calls and faults. */
export class RequestLogger {
  /** Whether anybody wants to know of requests. */
  readonly listens: boolean
  readonly onFault: (fault: unknown, requestId?: string) => void
  /** To be told of each REST call. */
  readonly onCall: ((call: Call) => void) | undefined
  /** Called when the calls to the site go to another address from now on. */
  readonly onMove: ((move: AddressChange) => void) | undefined

  constructor(private readonly options: RequestLoggerOptions) {
    const { log, onOperation } = options
    this.listens = log !== undefined || onOperation !== undefined
    this.onFault = options.onFault ?? (log ? faultLine(log) : (fault) => console.error(fault))
    this.onCall = log && callLine(log)
    this.onMove = log && moveLine(log)
  }

  /** A request has ended: with this status, or 0 where the client left before it was answered. */
  ended(trace: Trace, { method, url }: Asked, status: number): void {
    const { log, onOperation, logVariables = false } = this.options
    try {
      const path = url === ENDPOINT ? ENDPOINT : pathOf(url)
      if (path !== ENDPOINT || trace.isPage || method === 'OPTIONS') {
        const { requestId, duration } = trace
        if (log && wants(log, 'debug')) log.debug({ requestId, method, path: path.slice(0, MAX_PATH), status, duration }, 'request')
        return
      }
      const level = status >= 500 ? 'warn' : 'info'
      const isWanted = log !== undefined && wants(log, level)
      if (!isWanted && !onOperation) return
      const event = trace.event(status, logVariables)
      if (isWanted) log[level](event, 'operation')
      onOperation?.(event)
    } catch (fault) {
      this.onFault(fault, trace.requestId)
    }
  }

  /** An exception of the gateway ended the fast path of an operation. */
  readonly onFallback = ({ step, operationName, cause, requestId }: Fallback): void => {
    const operation = operationName === undefined ? 'an operation without a name' : `the operation \`${operationName}\``
    this.onFault(new Error(`The fast path failed at the step \`${step}\` of ${operation}; graphql-js answered it.`, { cause }), requestId)
  }

  /** A client was disconnected because it did not read its response. */
  readonly onStalled = (stalled: StalledClient): void => {
    try {
      this.options.log?.warn(stalled, 'client disconnected: it does not read its response')
    } catch (fault) {
      this.onFault(fault)
    }
  }
}

const MAX_PATH = 200

/** The path of an address, which may be whole, without its query. */
const pathOf = (url = ''): string => url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '')

const wants = (log: Log, level: string): boolean => log.isLevelEnabled?.(level) !== false

const faultLine =
  (log: Log) =>
  (fault: unknown, requestId?: string): void =>
    log.error({ requestId, err: shownFault(fault) }, 'fault')

const moveLine =
  (log: Log) =>
  (move: AddressChange): void => {
    const message = move.undoneBy
      ? 'calls go to the configured address of the site again'
      : 'the site redirects to https: all calls go there from now on'
    log.warn(move, message)
  }

/** Routes are told by their templates, which hold nothing that anybody asked for. */
const callLine =
  (log: Log) =>
  ({ requestId, method, route, status, duration, bytes }: Call): void => {
    if (wants(log, 'debug')) log.debug({ requestId, method, route, status, duration: Math.round(duration * 100) / 100, bytes }, 'call')
  }
