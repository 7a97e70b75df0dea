import { PROTECTION as OPTIONS } from '../../options/protection.js'

/** Queueing, timeouts, retries and the circuit breaker of calls to a site. */
export interface Protection {
  readonly maxQueue: number
  readonly operationTimeout: number
  readonly retries: number
  readonly breakerThreshold: number
  /** Longest queue of one caller: half of `maxQueue`, so that no caller fills the queue alone. */
  readonly maxQueuePerCaller: number
  /** Milliseconds a REST call may be queued: clients and proxies have given up by then. */
  readonly queueTimeout: number
  /** Milliseconds for a connection. Sites that need longer are down. */
  readonly connectTimeout: number
  /** Largest age of a connection that is given to a call, in milliseconds. A changed DNS answer is followed after this time and that of its cache. */
  readonly maxConnectionAge: number
  /** Longest delay before a retry, in milliseconds. A read is not retried when the site asks for a longer delay: the client would not wait for it. */
  readonly maxRetryDelay: number
  /** Retries as a share of all calls, in percent: more of them would multiply the load of a site that fails because of load. */
  readonly retryBudget: number
  /** Number of recent calls that the circuit breaker considers: enough that one slow page does not open it. */
  readonly breakerCalls: number
  /** Milliseconds for which the breaker stays open before a probe call. One call in half a second harms no site. */
  readonly breakerCooldown: number
}

/** The defaults. */
export const PROTECTION: Protection = {
  maxQueue: OPTIONS.maxQueue.default,
  operationTimeout: OPTIONS.operationTimeout.default,
  retries: OPTIONS.retries.default,
  breakerThreshold: OPTIONS.breakerThreshold.default,
  maxQueuePerCaller: OPTIONS.maxQueue.default / 2,
  queueTimeout: 10_000,
  connectTimeout: 5_000,
  maxConnectionAge: 60_000,
  maxRetryDelay: 5_000,
  retryBudget: 10,
  breakerCalls: 20,
  breakerCooldown: 500,
}

/** The protection with defaults for what is not given. */
export const protectionOf = (given: Partial<Protection>): Protection => ({
  ...PROTECTION,
  maxQueuePerCaller: Math.ceil((given.maxQueue ?? PROTECTION.maxQueue) / 2),
  ...given,
})
