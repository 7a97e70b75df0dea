import { performance } from 'node:perf_hooks'
import type { Fallback } from '../../execute/fallback.js'
import type { AddressChange } from '../../upstream/transport/connections.js'
import type { Call } from '../../upstream/transport/transport.js'
import type { StalledClient } from '../http/clients.js'
import type { ClosedFor } from '../http/server-connections.js'
import type { Metrics } from '../metrics/metrics.js'
import type { OperationEvent, RequestState } from '../request-state.js'
import { type Log, Warning } from './levels.js'
import { SiteLog } from './site-log.js'

/** Where the gateway logs. */
export interface RequestLoggerOptions {
  /**
   * Receives a line for each operation (`info`; `warn` when it is answered with 5xx), fault (`error`), REST call and other request (`debug`).
   * None by default.
   */
  readonly log?: Log | undefined
  /** Called for each operation when it has ended, also for refused ones. */
  readonly onOperation?: ((operation: OperationEvent) => void) | undefined
  /** Whether both receive the variables of operations, with secrets redacted by name. False by default. */
  readonly logVariables?: boolean | undefined
  /**
   * Called for each fault of the gateway itself, whose text clients never see, with the id of its request when it is known. By default faults
   * go to `log`, or without one to `console.error`.
   */
  readonly onFault?: ((fault: unknown, requestId?: string) => void) | undefined
}

/** The properties of a request that are not in its state. */
interface RequestLine {
  readonly method?: string | undefined
  readonly url?: string | undefined
}

/** Logs operations, other requests, REST calls and faults. */
export class RequestLogger {
  private readonly isEnabled: boolean
  /** Connections closed since the last report, and when the next one is due. */
  private closed = 0
  private closedAgain = 0
  readonly onFault: (fault: unknown, requestId?: string) => void
  /** Called for each REST call. */
  readonly onCall: ((call: Call) => void) | undefined
  /** Called when the address of the site has changed. */
  readonly onMove: ((move: AddressChange) => void) | undefined

  /** Logs what is wrong without an exception of the gateway. */
  readonly onTrouble: (trouble: unknown, requestId?: string) => void

  constructor(
    private readonly options: RequestLoggerOptions,
    private readonly metrics?: Pick<Metrics, 'ended' | 'onFault'> | undefined,
  ) {
    const { log, onOperation } = options
    this.isEnabled = log !== undefined || onOperation !== undefined || metrics !== undefined
    this.onTrouble = options.onFault ?? (log ? faultLine(log) : (fault) => console.error(fault))
    this.onFault = (fault, requestId) => {
      metrics?.onFault()
      this.onTrouble(fault, requestId)
    }
    this.onCall = log && callLines(log)
    this.onMove = log && moveLine(log)
  }

  /** Whether the end of a request is to be reported. */
  follows({ span }: RequestState): boolean {
    return this.isEnabled || span !== undefined
  }

  /** Logs the end of a request, and ends its span. The status is 0 when the client left before the answer. */
  ended(state: RequestState, { method, url }: RequestLine, status: number): void {
    const { log, onOperation, logVariables = false } = this.options
    try {
      state.endSpan(status)
      const { endpoint } = state
      const path = url === endpoint ? endpoint : pathOf(url)
      if (path !== endpoint || state.isPage || method === 'OPTIONS') {
        const { requestId, duration } = state
        if (log && isEnabled(log, 'debug')) log.debug({ requestId, method, path: path.slice(0, MAX_PATH), status, duration }, 'request')
        return
      }
      this.metrics?.ended(state, status)
      const level = status >= 500 ? 'warn' : 'info'
      const isLogged = log !== undefined && isEnabled(log, level)
      if (!isLogged && !onOperation) return
      const event = state.event(status, logVariables)
      if (isLogged) log[level](event, 'operation')
      onOperation?.(event)
    } catch (fault) {
      this.onFault(fault, state.requestId)
    }
  }

  /** Reports an exception of the gateway that ended the fast path of an operation. */
  readonly onFallback = ({ step, operationName, cause, requestId }: Fallback): void => {
    const operation = operationName === undefined ? 'an operation without a name' : `the operation \`${operationName}\``
    this.onTrouble(new Error(`The fast path failed at the step \`${step}\` of ${operation}; graphql-js answered it.`, { cause }), requestId)
  }

  /** Logs that a client was disconnected because it did not read its response. */
  /** Reports that connections are closed by the limits: once in `CLOSED_INTERVAL`, with the number of all since then. */
  readonly onClosed = (reason: ClosedFor, address: string): void => {
    this.closed++
    const now = performance.now()
    if (now < this.closedAgain) return
    this.closedAgain = now + CLOSED_INTERVAL
    try {
      this.options.log?.warn({ reason, address, connections: this.closed }, 'connections of clients closed')
    } catch (fault) {
      this.onFault(fault)
    }
    this.closed = 0
  }

  readonly onStalled = (stalled: StalledClient): void => {
    try {
      this.options.log?.warn(stalled, 'client disconnected: it does not read its response')
    } catch (fault) {
      this.onFault(fault)
    }
  }
}

/** Milliseconds between two reports of closed connections. */
const CLOSED_INTERVAL = 10_000

const MAX_PATH = 200

/** The path of an address or of a path with a query. */
const pathOf = (url = ''): string => url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '')

const isEnabled = (log: Log, level: string): boolean => log.isLevelEnabled?.(level) !== false

const faultLine =
  (log: Log) =>
  (fault: unknown, requestId?: string): void =>
    fault instanceof Warning ? log.warn(fault.fields, fault.message) : log.error({ requestId, err: shownFault(fault) }, 'fault')

const moveLine =
  (log: Log) =>
  (move: AddressChange): void => {
    const message = move.undoneBy
      ? 'calls go to the configured address of the site again'
      : 'the site redirects to https: all calls go there from now on'
    log.warn(move, message)
  }

/** Routes are logged as templates, which contain no values of requests. */
function callLines(log: Log): (call: Call) => void {
  const siteLog = new SiteLog(log)
  return (call) => {
    siteLog.onCall(call)
    if (!isEnabled(log, 'debug')) return
    const { requestId, traceId, method, route, status, duration, bytes } = call
    const fields = { method, route, status, duration: Math.round(duration * 100) / 100, bytes }
    log.debug({ requestId, ...(traceId !== undefined && { traceId }), ...fields }, 'call')
  }
}

/** What a log shows of a fault. */
export interface ShownFault {
  readonly type: string
  readonly message: string
  readonly stack: string
}

/** Causes may be circular. */
const MAX_CAUSES = 10

/** The message and stack of an error and its causes, without their other properties, which may hold secrets. */
export function shownFault(fault: unknown): ShownFault {
  if (!(fault instanceof Error)) return { type: typeof fault, message: 'A value that is not an Error was thrown.', stack: '' }
  const stacks: string[] = []
  for (let each: unknown = fault; each instanceof Error && stacks.length < MAX_CAUSES; each = each.cause)
    stacks.push(each.stack ?? each.message)
  return { type: fault.name, message: fault.message, stack: stacks.join('\ncaused by: ') }
}

/** A fault as text, for the time before the log is open. */
export function faultText(fault: unknown): string {
  const { message, stack } = shownFault(fault)
  return `lms-graphql: ${stack || message}\n`
}
