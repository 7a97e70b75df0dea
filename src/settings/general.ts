import { z } from 'zod'
import { isWebAddress } from '../upstream/site/site.js'
import { COSTS } from './costs.js'
import { EMBEDDED } from './embedded.js'
import { addressHint, digits, fileName, onByDefault, onOff, type Setting, wholeNumber } from './setting.js'
import { SUBGRAPH } from './subgraph.js'

/** Whether a text is the address of a REST root: a path, or a query with the route. */
function isRestRoot(text: string): boolean {
  if (!isWebAddress(text)) return false
  const { hash, searchParams } = new URL(text)
  const [route, ...others] = [...searchParams]
  return hash === '' && others.length === 0 && (route === undefined || (route[0] === 'rest_route' && /^\/?$/.test(route[1])))
}

/** The normal form of such an address. */
function restRoot(text: string): string {
  const { origin, pathname, searchParams } = new URL(text)
  return searchParams.has('rest_route') ? `${origin}${pathname}?rest_route=` : `${origin}${pathname}`.replace(/\/+$/, '')
}

const hostName = z.string().regex(/^[\w.:-]+$/)

/** The socket, the site, and how it is called. */
export const GENERAL = {
  configFile: {
    ...fileName,
    flag: 'config',
    env: 'CONFIG_FILE',
    commands: ['serve', 'lms', 'doctor'],
    description: 'File with settings, in JSON or YAML. A relative name starts at the working directory.',
  },
  upstream: {
    flag: 'upstream',
    env: 'LMS_URL',
    value: 'URL',
    commands: ['serve', 'doctor'],
    schema: z.string().refine(isRestRoot).transform(restRoot).nullable().default(null),
    otherwise: 'the embedded LMS',
    hint: addressHint,
    allowed: 'an http or https address without user and password, and without a query other than `?rest_route=`',
    description: 'REST root of the site, such as https://example.org/wp-json or https://example.org/?rest_route=.',
  },
  port: {
    flag: 'port',
    env: 'PORT',
    value: 'NUMBER',
    commands: ['serve', 'lms'],
    ...wholeNumber(0, 65_535, 4000),
    otherwise: '4000; lms: 4001',
    description: 'Port to listen on; 0 takes a free port.',
  },
  host: {
    flag: 'host',
    env: 'HOST',
    value: 'NAME',
    commands: ['serve', 'lms'],
    schema: hostName.default('127.0.0.1'),
    otherwise: '127.0.0.1',
    allowed: 'a host name or address',
    description: 'Host name or address to listen on.',
  },
  maxInFlight: {
    flag: 'max-in-flight',
    env: 'MAX_IN_FLIGHT',
    value: 'NUMBER',
    commands: ['serve'],
    ...wholeNumber(1, 1024, 4),
    description: 'REST calls to the site at a time, over all callers of this gateway. Several gateways do not share it.',
  },
  timeout: {
    flag: 'timeout',
    env: 'UPSTREAM_TIMEOUT',
    value: 'MS',
    commands: ['serve', 'doctor'],
    ...wholeNumber(1, 600_000, 20_000),
    description: 'Milliseconds the site may take for the headers of an answer, and for each pause in its body.',
  },
  connectTimeout: {
    flag: 'connect-timeout',
    env: 'UPSTREAM_CONNECT_TIMEOUT',
    value: 'MS',
    commands: ['serve', 'doctor'],
    ...wholeNumber(1, 600_000, 5_000),
    description: 'Milliseconds a connection to the site may take.',
  },
  maxResponseBytes: {
    flag: 'max-response-bytes',
    env: 'MAX_RESPONSE_BYTES',
    value: 'NUMBER',
    commands: ['serve', 'doctor'],
    ...wholeNumber(1_000, 1_000_000_000, 20_000_000),
    description: 'Largest answer of the site, in bytes.',
  },
  compile: {
    flag: 'compile',
    env: 'COMPILE',
    commands: ['serve'],
    ...onByDefault,
    description: 'Whether compiled response writers answer queries; the answers are the same without, but slower.',
  },
  shortPath: {
    flag: 'short-path',
    env: 'SHORT_PATH',
    commands: ['serve'],
    ...onByDefault,
    description: 'Whether JSON posts are answered without Yoga; the answers are the same with it, but slower.',
  },
  maxRows: {
    flag: 'max-rows',
    env: 'MAX_ROWS',
    value: 'NUMBER',
    commands: ['serve'],
    ...wholeNumber(1, 10_000, 1_000),
    description: 'Largest `first` and `last` of a list.',
  },
  ...COSTS,
  metrics: {
    flag: 'metrics',
    env: 'METRICS',
    commands: ['serve'],
    ...onOff,
    description:
      'Shows metrics at `/metrics`: to everybody, or when API keys, tokens or an account are configured, to callers with a key or token.',
  },
  metricsPort: {
    flag: 'metrics-port',
    env: 'METRICS_PORT',
    value: 'NUMBER',
    commands: ['serve'],
    ...digits(0, 65_535),
    schema: digits(0, 65_535).schema.nullable().default(null),
    otherwise: 'none',
    description:
      'Port of its own for the metrics, to everybody who reaches it; they are then not at the port of GraphQL. 0 takes a free port.',
  },
  metricsHost: {
    flag: 'metrics-host',
    env: 'METRICS_HOST',
    value: 'NAME',
    commands: ['serve'],
    schema: hostName.nullable().default(null),
    otherwise: 'the value of `--host`',
    allowed: 'a host name or address',
    description: 'Host name or address on which `--metrics-port` listens.',
  },
  metricsOpen: {
    flag: 'metrics-open',
    env: 'METRICS_OPEN',
    commands: ['serve'],
    ...onOff,
    description: 'Shows `/metrics` to everybody in any case.',
  },
  ...SUBGRAPH,
  semanticNullability: {
    flag: 'semantic-nullability',
    env: 'SEMANTIC_NULLABILITY',
    commands: ['schema'],
    ...onOff,
    description: 'Prints the graph with `@semanticNonNull` on fields that are null only with an error.',
  },
  ...EMBEDDED,
} as const satisfies Record<string, Setting>
