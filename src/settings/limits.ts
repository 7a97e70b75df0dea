import { LIMITS, type LimitName } from '../server/limits/limits.js'
import { digits, type Setting, wholeNumber } from './setting.js'

const commands = ['serve'] as const

const limit = (name: LimitName) => {
  const { least, largest, most, counts } = LIMITS[name]
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const env = flag.replaceAll('-', '_').toUpperCase()
  return { flag, env, value: 'NUMBER', commands, ...wholeNumber(least, largest, most), description: counts } as const
}

const COUNTED = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, limit(name as LimitName)])) as {
  readonly [Name in LimitName]: ReturnType<typeof limit>
}

const milliseconds = (most: number) => ({ value: 'MS', commands, ...wholeNumber(100, 3_600_000, most) })

const BUDGET = digits(1_000_000, 1_000_000_000_000)

/** Limits on the size and duration of requests and answers. */
export const BOUNDS = {
  maxBodyBytes: {
    flag: 'max-body-bytes',
    env: 'MAX_BODY_BYTES',
    value: 'NUMBER',
    commands,
    ...wholeNumber(1_000, 100_000_000, 100_000),
    description: 'Largest body of a request to the gateway, in bytes.',
  },
  ...COUNTED,
  headersTimeout: {
    flag: 'headers-timeout',
    env: 'HEADERS_TIMEOUT',
    ...milliseconds(10_000),
    description: 'Milliseconds a client may take for the headers of a request.',
  },
  requestTimeout: {
    flag: 'request-timeout',
    env: 'REQUEST_TIMEOUT',
    ...milliseconds(20_000),
    description: 'Milliseconds a client may take for a whole request.',
  },
  idleTimeout: {
    flag: 'idle-timeout',
    env: 'IDLE_TIMEOUT',
    ...milliseconds(120_000),
    description: 'Milliseconds without a byte in either direction after which a connection is closed, also during a request.',
  },
  memoryBudget: {
    flag: 'memory-budget',
    env: 'MEMORY_BUDGET',
    value: 'BYTES',
    commands,
    ...BUDGET,
    schema: BUDGET.schema.nullable().default(null),
    otherwise: 'a quarter of the heap limit or of the memory limit of the container, whichever is smaller',
    description:
      'Bytes that requests, answers of the site and responses may hold together; new operations are refused from three quarters on.',
  },
  writeTimeout: {
    flag: 'write-timeout',
    env: 'WRITE_TIMEOUT',
    ...milliseconds(20_000),
    description: 'Milliseconds a client may stop reading its response before it is disconnected; 2,000 while memory is short.',
  },
  drainTimeout: {
    flag: 'drain-timeout',
    env: 'DRAIN_TIMEOUT',
    value: 'MS',
    commands,
    ...wholeNumber(0, 3_600_000, 10_000),
    description: 'Milliseconds that running requests have when the gateway ends.',
  },
  maxConnections: {
    flag: 'max-connections',
    env: 'MAX_CONNECTIONS',
    value: 'NUMBER',
    commands,
    ...wholeNumber(1, 1_000_000, 10_000),
    description: 'Connections of clients at a time. The one that has been idle longest is closed for a new one.',
  },
  maxConnectionsPerAddress: {
    flag: 'max-connections-per-address',
    env: 'MAX_CONNECTIONS_PER_ADDRESS',
    value: 'NUMBER',
    commands,
    ...wholeNumber(1, 1_000_000, 1_000),
    description:
      'Connections of one address, or one /64 network of IPv6, at a time; more are closed immediately. `trustedProxies` have no such limit, nor have private addresses that send `X-Forwarded-For`.',
  },
} as const satisfies Record<string, Setting>
