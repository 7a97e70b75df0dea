import { isAddressRange } from '../server/auth/client-address.js'
import { PROTECTION } from '../upstream/transport/protection.js'
import { textList } from './names.js'
import { type Setting, wholeNumber } from './setting.js'

const commands = ['serve'] as const

/** Proxies, for the network address of clients. */
export const PROXIES = {
  trustedProxies: {
    flag: 'trusted-proxies',
    env: 'TRUSTED_PROXIES',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: textList.refine((ranges) => ranges.every(isAddressRange)).default([]),
    otherwise: 'none',
    allowed: 'a list of addresses and networks such as 10.0.0.0/8, separated by commas, or `none`',
    description: 'Proxies in front of the gateway whose `X-Forwarded-For` has the address of the client.',
  },
} as const satisfies Record<string, Setting>

/** The protection of the site against overload, and of operations against a slow site. */
export const PROTECTING = {
  maxQueue: {
    flag: 'max-queue',
    env: 'MAX_QUEUE',
    value: 'NUMBER',
    commands,
    ...wholeNumber(0, 100_000, PROTECTION.maxQueue),
    description: 'REST calls that may be queued, over all callers; when there are more, the caller with most queued calls loses one.',
  },
  maxQueuePerCaller: {
    flag: 'max-queue-per-caller',
    env: 'MAX_QUEUE_PER_CALLER',
    value: 'NUMBER',
    commands,
    ...wholeNumber(0, 100_000, PROTECTION.maxQueuePerCaller),
    description: 'REST calls of one caller that may be queued.',
  },
  queueTimeout: {
    flag: 'queue-timeout',
    env: 'QUEUE_TIMEOUT',
    value: 'MS',
    commands,
    ...wholeNumber(1, 600_000, PROTECTION.queueTimeout),
    description: 'Milliseconds a REST call may be queued.',
  },
  operationTimeout: {
    flag: 'operation-timeout',
    env: 'OPERATION_TIMEOUT',
    value: 'MS',
    commands,
    ...wholeNumber(1, 600_000, PROTECTION.operationTimeout),
    description: 'Milliseconds an operation may take; its remaining REST calls are cancelled then.',
  },
  retries: {
    flag: 'retries',
    env: 'UPSTREAM_RETRIES',
    value: 'NUMBER',
    commands,
    ...wholeNumber(0, 10, PROTECTION.retries),
    description: 'Retries of a read after a refused or broken connection, 429, 502, 503 or 504.',
  },
  maxRetryDelay: {
    flag: 'max-retry-delay',
    env: 'MAX_RETRY_DELAY',
    value: 'MS',
    commands,
    ...wholeNumber(0, 60_000, PROTECTION.maxRetryDelay),
    description: 'Longest wait before a retry, in milliseconds; when `Retry-After` asks for a longer one, the read is not retried.',
  },
  retryBudget: {
    flag: 'retry-budget',
    env: 'RETRY_BUDGET',
    value: 'PERCENT',
    commands,
    ...wholeNumber(0, 100, PROTECTION.retryBudget),
    description: 'Largest share of retries among all REST calls; ten more are always allowed.',
  },
  breakerThreshold: {
    flag: 'breaker-threshold',
    env: 'BREAKER_THRESHOLD',
    value: 'PERCENT',
    commands,
    ...wholeNumber(1, 100, PROTECTION.breakerThreshold),
    description: 'Share of failures among the last REST calls above which the circuit breaker opens; 100: never.',
  },
  breakerCalls: {
    flag: 'breaker-calls',
    env: 'BREAKER_CALLS',
    value: 'NUMBER',
    commands,
    ...wholeNumber(1, 1_000, PROTECTION.breakerCalls),
    description: 'Number of last REST calls that the circuit breaker considers; it opens after half as many at the earliest.',
  },
  breakerCooldown: {
    flag: 'breaker-cooldown',
    env: 'BREAKER_COOLDOWN',
    value: 'MS',
    commands,
    ...wholeNumber(1, 600_000, PROTECTION.breakerCooldown),
    description: 'Milliseconds for which the circuit breaker stays open before one REST call tests the site.',
  },
  staleIfError: {
    flag: 'stale-if-error',
    env: 'STALE_IF_ERROR',
    value: 'SECONDS',
    commands,
    ...wholeNumber(0, 604_800, PROTECTION.staleIfError),
    description: 'Seconds for which the last good answer to an anonymous read replaces answers of a failing site; 0: never.',
  },
  staleEntries: {
    flag: 'stale-entries',
    env: 'STALE_ENTRIES',
    value: 'NUMBER',
    commands,
    ...wholeNumber(1, 100_000, PROTECTION.staleEntries),
    description: 'Largest number of such answers.',
  },
  staleBytes: {
    flag: 'stale-bytes',
    env: 'STALE_BYTES',
    value: 'NUMBER',
    commands,
    ...wholeNumber(1_000, 1_000_000_000, PROTECTION.staleBytes),
    description: 'Largest total size of such answers, in bytes.',
  },
} as const satisfies Record<keyof typeof PROTECTION, Setting>
