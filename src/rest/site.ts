/** One site's names, caps and manners. Frozen; everything that reads or writes the wire takes it. */
export interface Site {
  /** REST root without a trailing slash, such as `https://example.org/wp-json`. */
  readonly url: string
  /** First path segment. The specification writes `lms`. */
  readonly namespace: string
  /** Path segments that are called otherwise here, by their name in the specification. */
  readonly segments: Readonly<Record<string, string>>
  /** What stands for `lms_` at the start of taxonomy columns and filters. */
  readonly termPrefix: string
  /** Query parameter that limits the fields of an answer; `null` when the site has none. */
  readonly fieldFilter: string | null
  /** Largest `per_page` the site accepts. */
  readonly pageCap: number
  /** Entities (by type name) whose records can't be asked for by `include`. */
  readonly unbatched: readonly string[]
  /** Columns a wire shape does not really carry here, by shape name. They are then read by id. */
  readonly lacking: Readonly<Record<string, readonly string[]>>
}

/** The interface as the specification writes it. */
const specification: Omit<Site, 'url'> = {
  namespace: 'lms',
  segments: {},
  termPrefix: 'lms_',
  fieldFilter: '_filter',
  pageCap: 100,
  unbatched: [],
  lacking: {},
}

/** Describes the site at `url`; `names` overrides what differs from the specification. */
export function defineSite(url: string, names: Partial<Omit<Site, 'url'>> = {}): Site {
  return Object.freeze({ ...specification, ...names, url: url.replace(/\/+$/, '') })
}

/** The site's spelling of a column or filter name of the specification. */
export const wireName = (site: Site, name: string): string => (name.startsWith('lms_') ? site.termPrefix + name.slice(4) : name)
