import { count, membersOf, numberOf, type Switch } from './switch-kinds.js'

/** To which requests a fault applies. Without members: to all. */
export interface Fault {
  /** Only to this number of requests, then to none. */
  readonly next?: number
  /** Only to this share of the requests, from 0 to 1. */
  readonly chance?: number
  /** Only to requests whose `GET /path?query` contains this text. `*` is any text. */
  readonly route?: string
  /** Seconds in `Retry-After`, for responses that have it. 0 omits it. */
  readonly retryAfter?: number
}

const within = (least: number, most: number, whole: boolean) => (given: unknown) => {
  const number = numberOf(given)
  return number !== undefined && number >= least && number <= most && (!whole || Number.isInteger(number)) ? number : undefined
}

const MEMBERS: { readonly [Name in keyof Fault]-?: (given: unknown) => Fault[Name] } = {
  next: within(1, 1_000_000, true),
  chance: within(0, 1, false),
  route: (given) => (typeof given === 'string' && given !== '' ? given : undefined),
  retryAfter: within(0, 86_400, true),
}

/** Values that switch a fault on for all requests, or off. */
const ON_OFF: ReadonlyMap<unknown, Fault | null> = new Map<unknown, Fault | null>([
  ...[true, 'true', 'on'].map((given) => [given, {}] as const),
  ...[false, null, 'false', 'off'].map((given) => [given, null] as const),
])

function readFault(given: unknown): Fault | null | undefined {
  if (ON_OFF.has(given)) return ON_OFF.get(given)
  const members = membersOf(given)
  if (members === undefined) return undefined
  const read = Object.entries(members).map(([name, value]) => [name, MEMBERS[name as keyof Fault]?.(value)] as const)
  return read.every(([, value]) => value !== undefined) ? Object.freeze(Object.fromEntries(read)) : undefined
}

const EXAMPLE = '`next:3+chance:0.5+route:GET */sfwd-courses+retryAfter:5`'

/** A switch for a fault. Off by the specification. */
export const fault = (purpose: string): Switch<Fault | null> => ({
  default: null,
  purpose,
  allowed: `true, false, or some of next, chance, route and retryAfter, as an object or like ${EXAMPLE}`,
  read: readFault,
})

/** Latency of responses, in milliseconds. */
export interface Latency {
  readonly median: number
  readonly p95: number
}

const MAX_LATENCY = 600_000

/** A switch for the latency of responses. Off by the specification. */
export const latency = (purpose: string): Switch<Latency | null> => ({
  default: null,
  purpose,
  allowed: `false, or median and p95 in milliseconds, at most ${MAX_LATENCY} and median not above p95, as an object or like \`median:80+p95:300\``,
  read(given) {
    if (ON_OFF.get(given) === null) return null
    const { median, p95, ...others } = membersOf(given) ?? {}
    const [half, most] = [median, p95].map(within(0, MAX_LATENCY, false))
    if (half === undefined || most === undefined || half > most || Object.keys(others).length) return undefined
    return Object.freeze({ median: half, p95: most })
  },
})

/** Speed of a site. */
const LOAD = {
  latency: latency('Latency of responses, by a log-normal distribution.'),
  workers: count('Requests that run at a time; others wait in the order of arrival. 0: no limit.', 1000),
} as const

/** Faults, in the order in which they are checked. The first that replaces the response wins. */
export const FAULTS = {
  redirectHttps: fault('301 to the same address with https.'),
  redirectHost: fault('301 to the same path of another host.'),
  redirectSlash: fault('301 to the same path with a trailing slash.'),
  maintenance: fault('503 of a site under maintenance, as HTML or as JSON by `Accept`; `Retry-After` is 600.'),
  rateLimited: fault('429 as HTML; without `Retry-After` unless given.'),
  fatalHtml: fault('500 of a fatal error in PHP, as HTML.'),
  fatalJson: fault('500 of a fatal error in PHP, as JSON with HTML in its message.'),
  errorUnder200: fault('200 with the body of an error.'),
  empty200: fault('200 with an empty body.'),
  phpWarning: fault('A warning of PHP as HTML before the JSON.'),
  bom: fault('A byte order mark before the JSON.'),
  wrongContentType: fault('The JSON as text/html.'),
  invalidGzip: fault('The JSON with `Content-Encoding: gzip`, although it is not compressed.'),
  cutOff: fault('The connection closes in the middle of the body.'),
} as const

/** Switches for the speed and the faults of a site. */
export const LOAD_AND_FAULTS = { ...LOAD, ...FAULTS } as const
