import { milliseconds, type Section, wholeNumberOr } from './option.js'

/** Commands that call the site. */
const commands = ['serve', 'doctor'] as const

/** The protection of the site against overload, and of operations against a slow site. */
export const PROTECTION = {
  maxInFlight: {
    ...wholeNumberOr(4, 1, 1_024),
    description: 'REST calls to the site at a time in this process, over all callers.',
  },
  maxQueue: {
    ...wholeNumberOr(10_000, 0, 100_000),
    description:
      'REST calls that may be queued in this process, over all callers; when there are more, the caller with most queued calls loses one. One caller may have half as many.',
  },
  timeout: {
    ...milliseconds(20_000, 1, 600_000),
    env: 'UPSTREAM_TIMEOUT',
    commands,
    description: 'Milliseconds the site may take for the headers of an answer, and for each pause in its body.',
  },
  operationTimeout: {
    ...milliseconds(30_000, 1, 600_000),
    description: 'Milliseconds an operation may take; its remaining REST calls are cancelled then.',
  },
  retries: {
    ...wholeNumberOr(2, 0, 10),
    env: 'UPSTREAM_RETRIES',
    description: 'Retries of a read after a refused or broken connection, 429, 502, 503 or 504. Writes are never retried.',
  },
  breakerThreshold: {
    ...wholeNumberOr(50, 1, 100, 'percent'),
    value: 'PERCENT',
    description: 'Share of failures among the last 20 REST calls of this process above which the circuit breaker opens; 100: never.',
  },
  maxResponseBytes: {
    ...wholeNumberOr(20_000_000, 1_000, 1_000_000_000, 'bytes'),
    commands,
    description: 'Largest answer of the site, in bytes.',
  },
} as const satisfies Section
