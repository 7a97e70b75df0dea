import { performance } from 'node:perf_hooks'
import type { Call } from '../../upstream/transport/transport.js'
import type { Log } from './levels.js'

/** Milliseconds between two lines about the same route and reason. */
const PAUSE = 10_000

/** All calls have failed: so many in a row, or a few for so many milliseconds. */
const OUTAGE = { calls: 10, few: 3, milliseconds: 10_000 }

/** Reasons of calls that failed because of the site. */
const FAILURES: readonly string[] = ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_INVALID_RESPONSE']
const RATE_LIMITED = 'UPSTREAM_RATE_LIMITED'
/** Reasons of calls that the site has not answered, without being at fault. */
const UNANSWERED: readonly string[] = ['REQUEST_CANCELLED', 'UPSTREAM_BUSY']

interface Repeated {
  loggedAt: number
  /** Failures since the last line. */
  count: number
}

/**
 * Logs REST calls that fail because of the site at `warn`, by route and reason, with pauses. Logs at `error` when all calls fail, once, and at
 * `info` when the site answers again.
 */
export class SiteLog {
  private readonly repeated = new Map<string, Repeated>()
  /** Failures in a row, and the time of the first one. */
  private failures = 0
  private failingSince = 0
  private isOut = false

  constructor(private readonly log: Log) {}

  /** A call has ended. */
  ended(call: Call): void {
    const { reason } = call
    if (FAILURES.includes(reason)) this.failed(call, true)
    else if (reason === RATE_LIMITED) this.failed(call, false)
    else if (this.failures > 0 && !UNANSWERED.includes(reason)) this.answered()
  }

  private failed(call: Call, isOutage: boolean): void {
    const now = performance.now()
    if (isOutage && this.failures++ === 0) this.failingSince = now
    if (this.isOut) return
    const { failures, failingSince } = this
    this.isOut = failures >= OUTAGE.calls || (failures >= OUTAGE.few && now - failingSince >= OUTAGE.milliseconds)
    if (this.isOut) this.log.error({ ...fieldsOf(call), failures, duration: Math.round(now - failingSince) }, 'site outage')
    else this.warn(call, now)
  }

  private warn(call: Call, now: number): void {
    const key = `${call.method} ${call.route} ${call.reason}`
    const known = this.repeated.get(key) ?? { loggedAt: Number.NEGATIVE_INFINITY, count: 0 }
    this.repeated.set(key, known)
    known.count++
    if (now - known.loggedAt < PAUSE) return
    this.log.warn({ ...fieldsOf(call), failures: known.count, duration: Math.round(call.duration * 100) / 100 }, 'call failed')
    known.loggedAt = now
    known.count = 0
  }

  private answered(): void {
    if (this.isOut)
      this.log.info({ failures: this.failures, duration: Math.round(performance.now() - this.failingSince) }, 'site answers again')
    this.failures = 0
    this.isOut = false
  }
}

const fieldsOf = ({ requestId, traceId, method, route, status, reason, cause = reason }: Call) => ({
  requestId,
  ...(traceId !== undefined && { traceId }),
  method,
  route,
  status,
  reason,
  // The code of an error of the gateway is its reason.
  ...(cause !== reason && { cause }),
})
