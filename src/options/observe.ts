import { z } from 'zod'
import { choice, listOfWords, offByDefault, type Section } from './option.js'

/** Levels of the log. Each one includes the levels before it. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const

/** `json`: one object per line. `pretty`: text for people. */
export const LOG_FORMATS = ['json', 'pretty'] as const

const METRICS_PLACE = /^(?:\[[\da-fA-F:.]+\]|[\w.-]+):\d{1,5}$/

/** The log, the metrics, and the explanations of operations. */
export const OBSERVE = {
  logLevel: {
    ...choice(LOG_LEVELS),
    default: 'info' as const,
    value: 'LEVEL',
    only: 'command',
    description: 'Level of the log: operations are logged at `info`, with 5xx at `warn`, faults at `error`, everything else at `debug`.',
  },
  logFormat: {
    ...choice(LOG_FORMATS),
    value: 'FORMAT',
    only: 'command',
    needsRestart: true,
    otherwise: 'pretty; json when `NODE_ENV` is production',
    description: 'Format of the log: JSON objects, or text for people.',
  },
  logVariables: { ...offByDefault, needsRestart: true, description: 'Logs the variables of operations, with secrets redacted by name.' },
  logCallers: {
    ...choice(['plain', 'hashed', 'none']),
    default: 'plain' as const,
    description:
      'How the log shows addresses of clients, and who calls: in plain text, as keyed hashes, or not at all. With `cache.secret` hashes are the same on all gateways and after a restart.',
  },
  metrics: {
    kind: 'any',
    schema: z.union([
      z.boolean(),
      z.number().int().min(0).max(65_535),
      z.string().refine((given) => given === 'open' || (METRICS_PLACE.test(given) && Number(given.split(':').at(-1)) <= 65_535)),
    ]),
    default: false,
    needsRestart: true,
    allowed: 'true, false, `open`, a port from 0 to 65535, or a host with a port such as 0.0.0.0:9464',
    type: 'boolean | number | string',
    description:
      'Metrics for Prometheus. `true`: at `/metrics`, to everybody, or when API keys, tokens or an account are configured, to callers with a key or token; with an account, not to those whose token makes them visitors or learners. `open`: at `/metrics`, to everybody. A port, or a host with a port: there instead, to everybody who reaches it; 0 takes a free port.',
  },
  explainFor: {
    ...listOfWords(['administrator', 'editor', 'keys', 'callers', 'everybody']),
    otherwise:
      'callers when API keys, tokens or an account are configured, else everybody; none when `NODE_ENV` is production; in programs none',
    description:
      'Who may have operations explained: `administrator` and `editor` (callers of a service account with this role), `keys` (callers with an API key), `callers` (with any key or token) or `everybody`.',
  },
} as const satisfies Section

/** The host and port of the metrics; undefined when they have none of their own. `host` is that of the gateway. */
export function metricsAddress(
  metrics: boolean | number | string,
  host: string,
): { readonly host: string; readonly port: number } | undefined {
  if (typeof metrics === 'number') return { host, port: metrics }
  if (typeof metrics === 'boolean' || metrics === 'open') return undefined
  const [, name = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(metrics) ?? []
  return { host: name, port: Number(port) }
}
