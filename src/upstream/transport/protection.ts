/** Queueing, timeouts, retries, the circuit breaker and stale answers for calls to a site. All have defaults. */
export interface ProtectionOptions {
  /** Longest queue of REST calls, over all callers; 10,000 by default. Further calls are refused at once with UPSTREAM_BUSY. */
  readonly maxQueue?: number
  /** Longest queue of one caller; 5,000 by default. */
  readonly maxQueuePerCaller?: number
  /** Milliseconds a REST call may wait in the queue; 10,000 by default. */
  readonly queueTimeout?: number
  /** Milliseconds an operation may take; 30,000 by default. Its unfinished calls then fail with UPSTREAM_TIMEOUT. */
  readonly operationTimeout?: number
  /** Largest number of retries of a read after a transient failure; 2 by default. Writes are never retried. */
  readonly retries?: number
  /** Longest delay before a retry, in milliseconds; 5,000 by default. A read is not retried when the site asks for a longer delay. */
  readonly maxRetryDelay?: number
  /** Retries as a share of all calls, in percent; 10 by default. */
  readonly retryBudget?: number
  /** Share of failed recent calls, in percent, above which the circuit breaker opens; 50 by default, 100 disables the breaker. */
  readonly breakerThreshold?: number
  /** Number of recent calls that count; 20 by default. */
  readonly breakerCalls?: number
  /** Milliseconds for which the breaker stays open before a probe call; 500 by default. */
  readonly breakerCooldown?: number
  /** Seconds for which the last successful answer to an anonymous read may replace a failed one; 0, the default, disables this. */
  readonly staleIfError?: number
  /** Largest number of answers that are kept; 1,000 by default. */
  readonly staleEntries?: number
  /** Largest size of the kept answers in bytes; 10,000,000 by default. */
  readonly staleBytes?: number
}

export type Protection = Required<ProtectionOptions>

/** The defaults. */
export const PROTECTION: Protection = {
  maxQueue: 10_000,
  maxQueuePerCaller: 5_000,
  queueTimeout: 10_000,
  operationTimeout: 30_000,
  retries: 2,
  maxRetryDelay: 5_000,
  retryBudget: 10,
  breakerThreshold: 50,
  breakerCalls: 20,
  breakerCooldown: 500,
  staleIfError: 0,
  staleEntries: 1_000,
  staleBytes: 10_000_000,
}

/** The options with defaults for those that are undefined. */
export const protectionOf = (options: ProtectionOptions): Protection => ({
  ...PROTECTION,
  ...Object.fromEntries(Object.entries(PROTECTION).map(([name, value]) => [name, options[name as keyof Protection] ?? value])),
})
