import { membersOf, numberOf, type Switch } from './switch.js'

/** When something goes wrong: with every request, or only with some. */
export interface Fault {
  /** So many of the requests that come next, and then no more. */
  readonly next?: number
  /** Share of the requests, from 0 to 1. */
  readonly chance?: number
  /** Only requests whose `GET /path?query` has this text; `*` is any text. */
  readonly route?: string
  /** Seconds in `Retry-After`, where the answer has one; 0 leaves it out. */
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

/** With every request, or never. */
const ALWAYS: ReadonlyMap<unknown, Fault | null> = new Map<unknown, Fault | null>([
  ...[true, 'true', 'on'].map((given) => [given, {}] as const),
  ...[false, null, 'false', 'off'].map((given) => [given, null] as const),
])

function readFault(given: unknown): Fault | null | undefined {
  if (ALWAYS.has(given)) return ALWAYS.get(given)
  const members = membersOf(given)
  if (members === undefined) return undefined
  const read = Object.entries(members).map(([name, value]) => [name, MEMBERS[name as keyof Fault]?.(value)] as const)
  return read.every(([, value]) => value !== undefined) ? Object.freeze(Object.fromEntries(read)) : undefined
}

const EXAMPLE = '`next:3+chance:0.5+route:GET */sfwd-courses+retryAfter:5`'

/** Something that goes wrong on the way; never, by the specification. */
export const fault = (purpose: string): Switch<Fault | null> => ({
  default: null,
  purpose,
  allowed: `true, false, or some of next, chance, route and retryAfter, as an object or like ${EXAMPLE}`,
  read: readFault,
})

/** How long answers take: half of them less than `median` milliseconds, one of twenty more than `p95`. */
export interface Latency {
  readonly median: number
  readonly p95: number
}

const MOST_LATENCY = 600_000

/** How long answers take; no longer than they need, by the specification. */
export const latency = (purpose: string): Switch<Latency | null> => ({
  default: null,
  purpose,
  allowed: `false, or median and p95 in milliseconds, up to ${MOST_LATENCY} and the first not above the second, as an object or like \`median:80+p95:300\``,
  read(given) {
    if (ALWAYS.get(given) === null) return null
    const { median, p95, ...others } = membersOf(given) ?? {}
    const [half, most] = [median, p95].map(within(0, MOST_LATENCY, false))
    if (half === undefined || most === undefined || half > most || Object.keys(others).length) return undefined
    return Object.freeze({ median: half, p95: most })
  },
})
