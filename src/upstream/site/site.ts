import { QUIRKS, type Quirks } from '../../options/site.js'

/** Address, names, limits and quirks of one site. Frozen. Used by everything that encodes or decodes wire values. */
export interface Site extends Omit<Quirks, 'namespaces' | 'segments'> {
  /** REST root without a trailing slash: `https://example.org/wp-json`, or with the route as a query `https://example.org/?rest_route=`. */
  readonly url: string
  /** First path segments of each version, such as `lms/v1`. */
  readonly namespaces: Readonly<Record<Version, string>>
  /** Renamed path segments, by their name in the specification. */
  readonly segments: Readonly<Record<string, string>>
  /** Names of shapes whose routes support only `context=view`. Only presets set it. */
  readonly viewOnly: readonly string[]
  /** Whether the site omits the total of an empty list. Only presets set it. */
  readonly emptyUntold: boolean
}

/** How a kind of site differs from the specification. */
export type SiteNames = Partial<Omit<Site, 'url'>>

export type Version = 'v1' | 'v2'

/** The interface of the specification. */
const SPECIFICATION: Omit<Site, 'url'> = {
  ...(Object.fromEntries(Object.entries(QUIRKS).map(([name, { specified }]) => [name, specified])) as unknown as Omit<
    Site,
    'url' | 'viewOnly' | 'emptyUntold'
  >),
  viewOnly: [],
  emptyUntold: false,
}

/** Defines the site at `url`. `names` overrides the specification. */
export const defineSite = (url: string, names: SiteNames = {}): Site =>
  Object.freeze({ ...SPECIFICATION, ...names, url: url.replace(/\/+$/, '') })

/** Origin of a site, and the WordPress paths that return the authenticated user and the addresses of the site. */
export function endpointsOf({ url }: Site): { readonly origin: string; readonly identityPath: string; readonly indexPath: string } {
  const { origin, pathname, searchParams } = new URL(url)
  const isQuery = searchParams.has('rest_route')
  const root = isQuery ? `${pathname}?rest_route=` : pathname.replace(/\/$/, '')
  return { origin, identityPath: `${root}/wp/v2/users/me`, indexPath: `${root}/${isQuery ? '&' : '?'}_fields=home,url` }
}

/** The name of a column or filter on the site. */
export const wireName = (site: Site, name: string): string => (name.startsWith('lms_') ? site.termPrefix + name.slice(4) : name)
