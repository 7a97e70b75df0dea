import { performance } from 'node:perf_hooks'
import type { EndedMutation } from '../../execute/context.js'
import type { Fallback } from '../../execute/fallback.js'
import type { AddressChange } from '../../upstream/transport/connections.js'
import type { Call } from '../../upstream/transport/transport.js'
import type { EventView } from '../auth/callers.js'
import type { Events, Listeners } from '../events.js'
import type { ClosedFor } from '../http/server-connections.js'
import type { RateLimit } from '../limits/shares.js'
import { mutationEvent, type RequestState } from '../request-state.js'
import { type Log, Warning } from './levels.js'
import { SiteLog } from './site-log.js'

/** Options of the log and of listeners. */
export interface LogOptions {
  /**
   * Receives a line for each operation (`info`; `warn` when it is answered with 5xx), root field of a mutation (`info`), fault (`error`), REST call
   * and other request (`debug`). None by default.
   */
  readonly log?: Log | undefined
  /** Listeners of a program. None by default. */
  readonly on?: Listeners | undefined
}

/** Logs operations, other requests, REST calls, faults, and what else happens. Without a log, only faults are shown. */
export function logEvents(events: Events, { log, on }: LogOptions, shown: EventView): void {
  const report: Report = on?.fault ?? (log ? faultLine(log) : (fault) => console.error(fault))
  const hook = hookReports(report)
  events
    .on('fault', report)
    .on('fallback', fallbackReport(report))
    .on('accountRefused', report)
    .on('keySetFailed', (error) => report(error))
    .on('documentsUnfit', (warning) => report(warning))
    .on('changesFailed', hook.failed)
    .on('changesReceived', hook.received)
  if (!log) return
  /** Reports exceptions of a listener as faults: they would end the process or a request. */
  const guarded =
    <Event extends unknown[]>(listener: (...event: Event) => void) =>
    (...event: Event): void => {
      try {
        listener(...event)
      } catch (fault) {
        events.emit('fault', fault)
      }
    }
  events
    .on('operation', operationLine(log, shown))
    .on('mutation', mutationLine(log, shown))
    .on('request', requestLine(log, shown))
    .on('call', callLines(log))
    .on('addressChanged', addressLine(log))
    .on('connectionClosed', guarded(closedLines(log, shown)))
    .on('rateLimited', guarded(rateLimitLines(log, shown)))
    .on(
      'proxyIgnored',
      guarded((address) => log.warn({ address }, PROXY_IGNORED)),
    )
    .on(
      'clientStalled',
      guarded((stalled) => log.warn(stalled, 'client disconnected: it does not read its response')),
    )
}

type Report = NonNullable<Listeners['fault']>

/** Reports an exception of the gateway that ended the fast path of an operation. */
const fallbackReport =
  (report: Report) =>
  ({ step, operationName, cause, requestId }: Fallback): void => {
    const operation = operationName === undefined ? 'an operation without a name' : `the operation \`${operationName}\``
    report(new Error(`The fast path failed at the step \`${step}\` of ${operation}; graphql-js answered it.`, { cause }), requestId)
  }

/** Reports that changes of the site cannot be made known: once until a delivery is accepted, because senders try again. */
function hookReports(report: Report) {
  let isFailing = false
  return {
    failed: (reason: unknown, requestId: string | undefined): void => {
      if (!isFailing) report(reason, requestId)
      isFailing = true
    },
    received: (): void => {
      isFailing = false
    },
  }
}

const operationLine =
  (log: Log, shown: EventView) =>
  (state: RequestState, status: number): void => {
    const level = status >= 500 ? 'warn' : 'info'
    if (isEnabled(log, level)) log[level](state.event(status, shown), 'operation')
  }

const mutationLine =
  (log: Log, shown: EventView) =>
  (state: RequestState, ended: EndedMutation): void => {
    if (isEnabled(log, 'info')) log.info(mutationEvent(state, ended, shown), 'mutation')
  }

const requestLine =
  (log: Log, shown: EventView) =>
  (state: RequestState, status: number, method: string | undefined, path: string): void => {
    if (!isEnabled(log, 'debug')) return
    const { requestId, duration } = state
    log.debug({ requestId, ...shown.caller(state), method, path: path.slice(0, MAX_PATH), status, duration }, 'request')
  }

/** Logs that connections are closed by the limits. */
const closedLines = (log: Log, shown: EventView) =>
  sometimes((connections, reason: ClosedFor, address: string) =>
    log.warn({ reason, ...shown.caller({ peer: { client: address } }), connections }, 'connections of clients closed'),
  )

/** Logs that requests are refused because a client has used up its share. */
const rateLimitLines = (log: Log, shown: EventView) =>
  sometimes((requests, limit: RateLimit, state: RequestState) =>
    log.warn({ requestId: state.requestId, limit, ...shown.caller(state), requests }, 'client limited'),
  )

const PROXY_IGNORED =
  'a proxy passes on requests of clients, which have no limits by address: name it in `--trusted-proxies` (`TRUSTED_PROXIES`)'

/** Limits a line that clients can cause often to one per `INTERVAL`, with the number of events since the line before. */
function sometimes<Event extends unknown[]>(log: (times: number, ...event: Event) => void): (...event: Event) => void {
  let times = 0
  let dueAt = 0
  return (...event) => {
    times++
    const now = performance.now()
    if (now < dueAt) return
    dueAt = now + INTERVAL
    const logged = times
    times = 0
    log(logged, ...event)
  }
}

/** Milliseconds between two lines of one kind. */
const INTERVAL = 10_000

const MAX_PATH = 200

const isEnabled = (log: Log, level: string): boolean => log.isLevelEnabled?.(level) !== false

const faultLine =
  (log: Log): Report =>
  (fault, requestId) =>
    fault instanceof Warning ? log.warn(fault.fields, fault.message) : log.error({ requestId, err: shownFault(fault) }, 'fault')

const addressLine =
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
    siteLog.ended(call)
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
