/** Within which bounds a site is called, and what is done when it fails. All have defaults. */
export interface ProtectionOptions {
  /** REST calls that may wait for their turn, over all callers, 1,000 by default, and of one of them, 500. More are refused at once with UPSTREAM_BUSY. */
  readonly maxQueue?: number
  readonly maxQueuePerCaller?: number
  /** Milliseconds a REST call may wait for its turn, 10,000 by default. */
  readonly queueTimeout?: number
  /** Milliseconds an operation may take; the calls it then waits for end in UPSTREAM_TIMEOUT. 30,000 by default. */
  readonly operationTimeout?: number
  /** How often a read is sent again when the site is in trouble for a moment, 2 by default. Writes never are. */
  readonly retries?: number
  /** Longest wait before that in milliseconds, 5,000 by default; when the site asks for a longer one, the read is not sent again. */
  readonly maxRetryDelay?: number
  /** Retries as a share of all calls, in percent, 10 by default. */
  readonly retryBudget?: number
  /** Share of failures among the last calls, in percent, above which the site is left alone for a while, 50 by default; 100 is never. */
  readonly breakerThreshold?: number
  /** Of how many of the last calls, 20 by default. */
  readonly breakerCalls?: number
  /** Milliseconds for which it is left alone before one call tries it, 500 by default. */
  readonly breakerCooldown?: number
  /** Seconds for which the last good answer to an anonymous read stands in for a site that fails; 0, the default, is never. */
  readonly staleIfError?: number
  /** Most answers that are kept for that, 1,000 by default, and their size in bytes, 10,000,000. */
  readonly staleEntries?: number
  readonly staleBytes?: number
}

export type Protection = Required<ProtectionOptions>

/** What holds where nothing is said. */
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

/** The options with what holds where they say nothing. */
export const protectionOf = (options: ProtectionOptions): Protection =>
  Object.fromEntries(
    Object.entries(PROTECTION).map(([name, otherwise]) => [name, options[name as keyof Protection] ?? otherwise]),
  ) as unknown as Protection
