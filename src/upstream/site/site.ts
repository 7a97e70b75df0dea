/** One site's names, caps and capabilities. Frozen; everything that reads or writes the wire takes it. */
export interface Site {
  /** REST root without a trailing slash, such as `https://example.org/wp-json`, or with the route as a query: `https://example.org/?rest_route=`. */
  readonly url: string
  /** First path segments of each version, such as `lms/v1`. */
  readonly namespaces: Readonly<Record<Version, string>>
  /** Path segments that are called otherwise here, by their name in the specification. */
  readonly segments: Readonly<Record<string, string>>
  /** What stands for `lms_` at the start of taxonomy columns and filters. */
  readonly termPrefix: string
  /** Query parameter that limits the fields of an answer; `null` when the site has none. */
  readonly fieldFilter: string | null
  /** Routes, as `Route.path`, whose answers break when they are asked for some fields only. */
  readonly unfiltered: readonly string[]
  /** Wire shapes, by name, whose routes take no context but `view`. */
  readonly viewOnly: readonly string[]
  /** Largest `per_page` the site accepts. */
  readonly pageCap: number
  /** Parameters that must say the page size besides `per_page`. */
  readonly pageSizeParams: readonly string[]
  /** Whether an empty list tells no total. */
  readonly emptyUntold: boolean
  /** Entities (by type name) whose records can't be asked for by `include`. */
  readonly unbatched: readonly string[]
  /** List filters the site ignores, as `path parameter`: by `include` and `exclude` lists are then filtered here, others are refused. */
  readonly ignored: readonly string[]
  /** Columns a wire shape does not really carry here, by shape name. They are then read by id. */
  readonly lacking: Readonly<Record<string, readonly string[]>>
  /** Columns that mean something else here, by shape name: never asked for, always null. */
  readonly unusable: Readonly<Record<string, readonly string[]>>
  /** How version 1 of the interface spells the price type `paynow` of a course. Both spellings are read. */
  readonly payNowSpelling: PayNowSpelling
  /**
   * Filters the site drops when they name no record it shows, as `path parameter`: that there is one is asked for first; by `include`,
   * what comes is checked.
   */
  readonly dropped: readonly string[]
}

export type Version = 'v1' | 'v2'

export const PAY_NOW_SPELLINGS = ['paynow', 'buynow'] as const
export type PayNowSpelling = (typeof PAY_NOW_SPELLINGS)[number]

type Names = Omit<Site, 'url'>

/** The interface as the specification writes it. */
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
  unusable: {},
  payNowSpelling: 'paynow',
  dropped: [],
}

/** Describes the site at `url`; `names` overrides what differs from the specification. */
export function defineSite(url: string, names: Partial<Names> = {}): Site {
  return Object.freeze({ ...specification, ...names, url: url.replace(/\/+$/, '') })
}

/** Where a site is: its origin, and the path, as WordPress has it, that tells callers who they are. */
export function placesOf({ url }: Site): { readonly origin: string; readonly identityPath: string } {
  const { origin, pathname, searchParams } = new URL(url)
  const root = searchParams.has('rest_route') ? `${pathname}?rest_route=` : pathname.replace(/\/$/, '')
  return { origin, identityPath: `${root}/wp/v2/users/me` }
}

/** The site's spelling of a column or filter name of the specification. */
export const wireName = (site: Site, name: string): string => (name.startsWith('lms_') ? site.termPrefix + name.slice(4) : name)
