import { z } from 'zod'
import { digits, type Setting, wholeNumber } from './setting.js'

const commands = ['serve'] as const
const workers = digits(1, 1024)

/** Processes of the gateway, and how it ends. */
export const HOSTING = {
  workers: {
    flag: 'workers',
    env: 'WORKERS',
    value: 'NUMBER',
    commands,
    holds: 'number',
    schema: z.union([z.literal('auto'), workers.schema]).default(1),
    otherwise: '1',
    allowed: `${workers.allowed}, or auto`,
    description: 'Processes that answer requests and share `--max-in-flight`; `auto` is one per core, but at most `--max-in-flight`.',
  },
  drainTimeout: {
    flag: 'drain-timeout',
    env: 'DRAIN_TIMEOUT',
    value: 'MS',
    commands,
    ...wholeNumber(0, 3_600_000, 10_000),
    description: 'Milliseconds that running requests have when the gateway or a worker ends.',
  },
} as const satisfies Record<string, Setting>

/** Complaints about a port of metrics that is the port of GraphQL on the same host. */
export function samePort(
  { port, host, metricsPort, metricsHost }: Record<string, unknown>,
  named: (name: string) => string | undefined,
): string[] {
  if (typeof metricsPort !== 'number' || metricsPort === 0 || metricsPort !== port || (metricsHost ?? host) !== host) return []
  return [`${named('metricsPort')} is \`${metricsPort}\`, which is the port of GraphQL; it must be another one.`]
}

/** Complaints about the number of workers: each one needs at least one concurrent REST call. */
export function tooManyWorkers(workers: unknown, maxInFlight: unknown, named: (name: string) => string | undefined): string[] {
  if (typeof workers !== 'number' || typeof maxInFlight !== 'number' || workers <= maxInFlight) return []
  const limit = named('maxInFlight') ?? '`--max-in-flight`'
  return [
    `${named('workers')} is \`${workers}\`, but ${limit} lets all workers together have ${maxInFlight} REST calls at a time; it must be a whole number from 1 to ${maxInFlight}, or auto.`,
  ]
}
