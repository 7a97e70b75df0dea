import { z } from 'zod'
import { isAddressRange } from '../server/auth/client-address.js'
import { PROTECTION } from '../upstream/transport/protection.js'
import { type Setting, wholeNumber } from './setting.js'

const commands = ['serve'] as const

/** Whose address clients have, in front of the queue in which they wait. */
export const PROXIES = {
  trustedProxies: {
    flag: 'trusted-proxies',
    env: 'TRUSTED_PROXIES',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: z
      .string()
      .transform((texts): readonly string[] => (texts === 'none' ? [] : texts.split(',').map((each) => each.trim())))
      .refine((ranges) => ranges.every(isAddressRange))
      .default([]),
    otherwise: 'none',
    allowed: 'a list of addresses and networks such as 10.0.0.0/8, separated by commas, or `none`',
    description: 'Proxies in front of the gateway whose `X-Forwarded-For` tells the address of a client.',
  },
} as const satisfies Record<string, Setting>

/** What keeps the site from harm, and answers from hanging. */
export const PROTECTING = {
  maxQueue: {
    flag: 'max-queue',
    env: 'MAX_QUEUE',
    value: 'NUMBER',
    commands,
    ...wholeNumber(0, 100_000, PROTECTION.maxQueue),
    description: 'REST calls that may wait for their turn, over all callers; when there are more, the longest line gives way.',
  },
  maxQueuePerCaller: {
    flag: 'max-queue-per-caller',
    env: 'MAX_QUEUE_PER_CALLER',
    value: 'NUMBER',
    commands,
    ...wholeNumber(0, 100_000, PROTECTION.maxQueuePerCaller),
    description: 'Of them those of one caller.',
  },
  queueTimeout: {
    flag: 'queue-timeout',
    env: 'QUEUE_TIMEOUT',
    value: 'MS',
    commands,
    ...wholeNumber(1, 600_000, PROTECTION.queueTimeout),
    description: 'Milliseconds a REST call may wait for its turn.',
  },
  operationTimeout: {
    flag: 'operation-timeout',
    env: 'OPERATION_TIMEOUT',
    value: 'MS',
    commands,
    ...wholeNumber(1, 600_000, PROTECTION.operationTimeout),
    description: 'Milliseconds an operation may take as a whole; what it then waits for is given up.',
  },
  retries: {
    flag: 'retries',
    env: 'UPSTREAM_RETRIES',
    value: 'NUMBER',
    commands,
    ...wholeNumber(0, 10, PROTECTION.retries),
    description: 'How often a read is sent again after a refused or broken connection, 429, 502, 503 or 504.',
  },
  maxRetryDelay: {
    flag: 'max-retry-delay',
    env: 'MAX_RETRY_DELAY',
    value: 'MS',
    commands,
    ...wholeNumber(0, 60_000, PROTECTION.maxRetryDelay),
    description: 'Longest wait before that, in milliseconds; where `Retry-After` asks for a longer one, the read is not sent again.',
  },
  retryBudget: {
    flag: 'retry-budget',
    env: 'RETRY_BUDGET',
    value: 'PERCENT',
    commands,
    ...wholeNumber(0, 100, PROTECTION.retryBudget),
    description: 'Most reads that are sent again, as a share of all REST calls; ten more may be at any time.',
  },
  breakerThreshold: {
    flag: 'breaker-threshold',
    env: 'BREAKER_THRESHOLD',
    value: 'PERCENT',
    commands,
    ...wholeNumber(1, 100, PROTECTION.breakerThreshold),
    description: 'Share of failures among the last REST calls above which the site is left alone; 100: never.',
  },
  breakerCalls: {
    flag: 'breaker-calls',
    env: 'BREAKER_CALLS',
    value: 'NUMBER',
    commands,
    ...wholeNumber(1, 1_000, PROTECTION.breakerCalls),
    description: 'Of how many of the last REST calls; there must have been half as many.',
  },
  breakerCooldown: {
    flag: 'breaker-cooldown',
    env: 'BREAKER_COOLDOWN',
    value: 'MS',
    commands,
    ...wholeNumber(1, 600_000, PROTECTION.breakerCooldown),
    description: 'Milliseconds for which the site is left alone before one REST call tries it.',
  },
  staleIfError: {
    flag: 'stale-if-error',
    env: 'STALE_IF_ERROR',
    value: 'SECONDS',
    commands,
    ...wholeNumber(0, 604_800, PROTECTION.staleIfError),
    description: 'Seconds for which the last good answer to an anonymous read stands in for a site that fails; 0: never.',
  },
  staleEntries: {
    flag: 'stale-entries',
    env: 'STALE_ENTRIES',
    value: 'NUMBER',
    commands,
    ...wholeNumber(1, 100_000, PROTECTION.staleEntries),
    description: 'Most answers that are kept for that.',
  },
  staleBytes: {
    flag: 'stale-bytes',
    env: 'STALE_BYTES',
    value: 'NUMBER',
    commands,
    ...wholeNumber(1_000, 1_000_000_000, PROTECTION.staleBytes),
    description: 'Their size together, in bytes.',
  },
} as const satisfies Record<keyof typeof PROTECTION, Setting>
