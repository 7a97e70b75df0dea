import { aBoolean, anObject, aText, type Checks, checkOptions, must, options, texts, wholeNumber } from '../../options.js'
import { UNSPECIFIED } from './unspecified.js'

/** Names, limits and quirks of one site. Frozen. Used by everything that encodes or decodes wire values. */
export interface Site {
  /** REST root without a trailing slash: `https://example.org/wp-json`, or with the route as a query `https://example.org/?rest_route=`. */
  readonly url: string
  /** First path segments of each version, such as `lms/v1`. */
  readonly namespaces: Readonly<Record<Version, string>>
  /** Renamed path segments, by their name in the specification. */
  readonly segments: Readonly<Record<string, string>>
  /** Replaces the prefix `lms_` of taxonomy columns and filters. */
  readonly termPrefix: string
  /** Query parameter that limits the fields of an answer; `null` if the site has none. */
  readonly fieldFilter: string | null
  /** Routes, as `Route.path`, that return invalid answers with a field filter. */
  readonly unfiltered: readonly string[]
  /** Names of shapes whose routes support only `context=view`. */
  readonly viewOnly: readonly string[]
  /** Largest `per_page` that the site accepts. */
  readonly pageCap: number
  /** Further parameters that must be set to the page size. */
  readonly pageSizeParams: readonly string[]
  /** Whether the site omits the total of an empty list. */
  readonly emptyUntold: boolean
  /** Names of types whose records can't be read by `include`. */
  readonly unbatched: readonly string[]
  /** List filters that the site ignores, as `path parameter`. The gateway applies `include` and `exclude` itself and rejects others. */
  readonly ignored: readonly string[]
  /** Columns that the site omits from a shape, by shape name. The gateway reads them by id instead. */
  readonly lacking: Readonly<Record<string, readonly string[]>>
  /** Columns with another meaning on the site, by shape name. They are never requested and always null. */
  readonly unusable: Readonly<Record<string, readonly string[]>>
  /** Spelling of the price type `paynow` in version 1 of the interface. Both spellings are read. */
  readonly payNowSpelling: PayNowSpelling
  /**
   * Filters that the site drops when no visible record matches, as `path parameter`. The gateway first checks that a record exists; for
   * `include` it checks the rows instead.
   */
  readonly dropped: readonly string[]
  /** Whether the site has the route `wp/v2/users/me` of WordPress, which returns the current user. */
  readonly viewerRoute: boolean
  /** Time zone of the site: an IANA name or an offset such as `+02:00`; null when it is not known. */
  readonly timeZone: string | null
  /** Whether the site has the route that lists the completed steps of a course. */
  readonly progressSteps: boolean
  /** Whether the site enforces the order of lessons in open courses too. */
  readonly openProgression: OpenProgression
  /** What the site makes of prerequisites that do not exist. */
  readonly missingPrerequisites: MissingPrerequisites
  /** Users to whom the site does not apply the rules of access, such as administrators. */
  readonly bypassingUsers: readonly number[]
}

export type Version = 'v1' | 'v2'

export const PAY_NOW_SPELLINGS = ['paynow', 'buynow'] as const
export type PayNowSpelling = (typeof PAY_NOW_SPELLINGS)[number]

export const OPEN_PROGRESSIONS = ['enforced', 'ignored', 'unknown'] as const
type OpenProgression = (typeof OPEN_PROGRESSIONS)[number]

export const MISSING_PREREQUISITES = ['ignored', 'required', 'unknown'] as const
type MissingPrerequisites = (typeof MISSING_PREREQUISITES)[number]

type Names = Omit<Site, 'url'>

/** The interface of the specification. */
const specification: Names = {
  namespaces: { v1: 'lms/v1', v2: 'lms/v2' },
  segments: {},
  termPrefix: 'lms_',
  fieldFilter: '_filter',
  unfiltered: [],
  viewOnly: [],
  pageCap: 100,
  pageSizeParams: [],
  emptyUntold: false,
  unbatched: [],
  ignored: [],
  lacking: {},
  unusable: UNSPECIFIED,
  payNowSpelling: 'paynow',
  dropped: [],
  viewerRoute: false,
  timeZone: null,
  progressSteps: false,
  openProgression: 'ignored',
  missingPrerequisites: 'ignored',
  bypassingUsers: [],
}

/** Whether a value is an http or https address without user and password. */
export const isWebAddress = (value: unknown): boolean => {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

/** This machine, as `URL` writes it: `127.1` and other spellings are in this form. Other names that may mean it could be asked of a name server. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/

/** Whether an address is http and not on this machine, so that others on the way can read and change what is sent. */
export const isPlainHttp = (address: string): boolean => {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && !LOOPBACK.test(hostname)
}

/** Whether a value names a time zone. */
export function isTimeZone(value: unknown): boolean {
  if (typeof value !== 'string') return false
  const offset = /^[+-](\d\d):(\d\d)$/.exec(value)
  if (offset) return Number(offset[1]) <= 14 && Number(offset[2]) < 60
  // Versions of Node differ in the other forms of offsets that they accept.
  if (value.startsWith('+') || value.startsWith('-')) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const oneOf = (words: readonly string[]): Checks<Site>['url'] =>
  must((value) => words.includes(value as string), words.map((word) => `\`${word}\``).join(', '))

const textOrNull = must((value) => value === null || (typeof value === 'string' && value !== ''), 'a text, or null')

const CHECKS: Checks<Site> = {
  url: must(isWebAddress, 'an http or https address without user and password'),
  namespaces: options<Site['namespaces']>({ v1: aText, v2: aText }, 'v1', 'v2'),
  segments: anObject,
  termPrefix: aText,
  fieldFilter: textOrNull,
  unfiltered: texts,
  viewOnly: texts,
  pageCap: wholeNumber(1, 1_000),
  pageSizeParams: texts,
  emptyUntold: aBoolean,
  unbatched: texts,
  ignored: texts,
  lacking: anObject,
  unusable: anObject,
  payNowSpelling: must((value) => PAY_NOW_SPELLINGS.includes(value as PayNowSpelling), '`paynow` or `buynow`'),
  dropped: texts,
  viewerRoute: aBoolean,
  timeZone: must(
    (value) => value === null || isTimeZone(value),
    'the name of a time zone, such as `Europe/Berlin`, an offset such as `+02:00`, or null',
  ),
  progressSteps: aBoolean,
  openProgression: oneOf(OPEN_PROGRESSIONS),
  missingPrerequisites: oneOf(MISSING_PREREQUISITES),
  bypassingUsers: must((value) => Array.isArray(value) && value.every((id) => Number.isInteger(id) && id > 0), 'an array of ids of users'),
}

/** Defines the site at `url`. `names` overrides the specification. Throws a `TypeError` that names all wrong values. */
export function defineSite(url: string, names: Partial<Names> = {}): Site {
  checkOptions('defineSite', { ...names, url }, CHECKS)
  return Object.freeze({ ...specification, ...names, url: url.replace(/\/+$/, '') })
}

/** Origin of a site, and the WordPress paths that return the authenticated user and the addresses of the site. */
export function endpointsOf({ url }: Site): { readonly origin: string; readonly identityPath: string; readonly indexPath: string } {
  const { origin, pathname, searchParams } = new URL(url)
  const isQuery = searchParams.has('rest_route')
  const root = isQuery ? `${pathname}?rest_route=` : pathname.replace(/\/$/, '')
  return { origin, identityPath: `${root}/wp/v2/users/me`, indexPath: `${root}/${isQuery ? '&' : '?'}_fields=home,url` }
}

/** The name of a column or filter on the site. */
export const wireName = (site: Site, name: string): string => (name.startsWith('lms_') ? site.termPrefix + name.slice(4) : name)
