import type { RouteTags } from './cache/tags.js'
import { reference } from './codec/kinds.js'
import { BadInputError } from './errors.js'
import type { Filters, Orders } from './filters.js'
import { type Site, type Version, wireName } from './site/site.js'

/**
 * A path of the interface as the specification names it: version, then segments; `:name` is a parameter. Or a path of WordPress itself, in which names
 * of taxonomies have the prefix of the specification.
 */
export interface Route {
  readonly path: `v${1 | 2}/${string}` | `wp/${string}`
  /** False for a route without the parameter `context`. */
  readonly contexts?: false
  /** Some sites answer with a list that contains the record, or with an empty list. */
  readonly listed?: true
  /** Path parameter with the id of the user who owns the records. */
  readonly owner?: string
  /** Whether its records have a publication status. */
  readonly hasStatus?: true
  /** Whether only editors may read the route: its records have no status that could be checked. */
  readonly editors?: true
  /** Whether only administrators may read and change it, such as the users of a course. */
  readonly members?: true
  /** The entry of the option `routes` of the sites that have it. All sites have routes without one. */
  readonly optional?: Site['routes'][number]
  /** Query parameters of each read by key. */
  readonly query?: Readonly<Record<string, string>>
  /** Whether it is read without credentials for callers of a service account who are not administrators. */
  readonly asStranger?: true
  /** What its reads depend on, and what its writes change. Without it, answers are dropped by each change. */
  readonly tags?: RouteTags
}

/** A route that returns a list. */
export interface ListRoute extends Route {
  /** Whether windows are requested by `offset` and `per_page`, or by page numbers. */
  readonly window: 'offset' | 'page'
  /** Some sites answer with an object of rows by key. */
  readonly keyed?: true
  /** Some sites answer with a list that contains the list of rows. */
  readonly nested?: true
  /** Whether the list hides unpublished records unless `status=any` is sent. Its records have a publication status. */
  readonly anyStatus?: boolean
  /** Wire names of the columns with the key of a row, where they differ from those of `byKey`. */
  readonly keyColumns?: readonly string[]
  /** The filter that the list requires from callers who are not administrators. */
  readonly narrowedBy?: string
  /** Filters and sort orders, by their names in the graph. */
  readonly filters: Filters
  readonly orders: Orders
}

export type Params = Readonly<Record<string, string | number>>
export type Key = string | number

/** How the records of one entity are read by key. */
export interface ByKey {
  /** Reads one record. */
  readonly one: Route
  /** Path parameters of `one` for a key. */
  readonly params: (key: Key) => Params
  /** Reads many records in one call, by `include`. */
  readonly many?: BatchRead
  /** A small list without pages that is read as a whole as soon as two records are needed. */
  readonly table?: ListRoute
  /** Whether a record that the site does not show is one without columns, from which edges lead on. */
  readonly orBlank?: true
  /** Returns the key of a row that was requested under `scope`, or `null` when it has none. */
  readonly keyOf: (row: Readonly<Record<string, unknown>>, scope: Params) => Key | null
  /** Wire names of the columns that `keyOf` reads. */
  readonly keyColumns: readonly string[]
}

/** Keys with the same scope can be read in one call. */
export interface BatchRead {
  readonly route: ListRoute
  /** Path parameters shared by the keys of one call. */
  readonly scope: (key: Key) => Params
  /** Whether there is more than one scope. */
  readonly scoped?: true
  /**
   * Whether the list decides: what it leaves out does not exist for the caller, and its refusal holds for all records. No record is then read alone,
   * except for columns of `context=edit`.
   */
  readonly final?: true
  /** Whether the list contains all records. Otherwise only a single read can show that a record does not exist. */
  readonly complete?: boolean
  /** The value of `include` for a key. */
  readonly id: (key: Key) => number
  /** Column of a record that holds the value of the filter `route.narrowedBy`. */
  readonly narrowedBy?: string
}

/** The id of a post-like row. */
export const idOf = (row: Readonly<Record<string, unknown>>): number | null => {
  const id = row.id === undefined || row.id === null ? null : reference(row.id)
  return typeof id === 'number' ? id : null
}

/** The route of a single record of a list, which is post-like unless it is one of WordPress itself. */
export const recordRoute = ({ path, optional, asStranger, tags }: ListRoute): Route => ({
  path: `${path}/:id`,
  ...(isOfWordPress(path) ? {} : { hasStatus: true }),
  ...(optional && { optional }),
  ...(asStranger && { asStranger }),
  ...(tags && { tags }),
})

/** The query parameter that limits an answer to some fields, if the site supports it for the route. */
export const fieldsQuery = (
  { fieldFilter, unfilteredRoutes: unfiltered }: Site,
  { path }: Route,
  fields: readonly string[],
): Readonly<Record<string, readonly string[]>> => (fieldFilter === null || unfiltered.includes(path) ? {} : { [fieldFilter]: fields })

/** Whether a site does not have a route, by its settings. */
export const isLacking = ({ routes }: Site, { optional }: Route): boolean => optional !== undefined && !routes.includes(optional)

/** Whether a path is one of WordPress itself. */
export const isOfWordPress = (path: Route['path']): boolean => path.startsWith('wp/')

/** The path of a route on a site, relative to the REST root, with encoded parameters. */
export const pathOf = (site: Site, route: Route, params: Params): string => pathTemplate(site, route)(params)

/** Returns a function that builds the paths of a route on a site. */
export function pathTemplate(site: Site, { path }: Route): (params: Params) => string {
  const [version, ...segments] = path.split('/') as [Version | 'wp', ...string[]]
  const isOwn = version === 'wp'
  let text = `/${isOwn ? version : site.namespaces[version]}`
  const nameOf = (segment: string): string => (isOwn ? wireName(site, segment) : (site.segments[segment] ?? segment))
  /** The parameters, each with the text before it. */
  const parts: { readonly text: string; readonly param: string }[] = []
  for (const segment of segments) {
    if (segment.startsWith(':')) {
      parts.push({ text: `${text}/`, param: segment.slice(1) })
      text = ''
    } else text += `/${encodeURIComponent(nameOf(segment))}`
  }
  return (params) => {
    let result = ''
    for (const { text: before, param } of parts) {
      const value = params[param]
      if (value === undefined) throw new Error(`${path} requires the parameter :${param}`)
      // Taxonomies have the prefix of the site.
      result += before + segmentOf(isOwn && typeof value === 'string' ? wireName(site, value) : value)
    }
    return result + text
  }
}

/** Rejects segments of dots: they are not encoded, and `..` would address another route. */
function segmentOf(value: string | number): string {
  if (typeof value === 'number') return String(value)
  if (/^\.*$/.test(value) || /\p{Surrogate}/u.test(value)) throw new BadInputError(`\`${value}\` can't be part of a URL.`)
  return encodeURIComponent(value)
}
