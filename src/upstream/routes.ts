import { reference } from './codec/kinds.js'
import { BadInputError } from './errors.js'
import type { Filters, Orders } from './filters.js'
import type { Site, Version } from './site/site.js'

/** A path of the interface: version first, then segments, `:name` for a parameter. Written as the specification names them. */
export interface Route {
  readonly path: `v${1 | 2}/${string}`
  /** False for a route that takes no `context`. */
  readonly contexts?: false
  /** Some sites answer a list of the one record, or an empty one. */
  readonly listed?: true
  /** Path parameter with the id of the user whom the records belong to. */
  readonly owner?: string
}

/** A route that answers a list. */
export interface ListRoute extends Route {
  /** Whether a window is asked for by `offset` and `per_page`, or only by whole pages. */
  readonly window: 'offset' | 'page'
  /** Some sites answer an object of the rows by their key. */
  readonly keyed?: true
  /** Whether the list hides unpublished records unless `status=any` is sent. */
  readonly anyStatus?: boolean
  /** The filter without which the list refuses callers who are no administrators. */
  readonly narrowedBy?: string
  /** How the list can be narrowed and ordered, by the names clients use. */
  readonly filters: Filters
  readonly orders: Orders
}

export type Params = Readonly<Record<string, string | number>>
export type Key = string | number

/** How the records of one entity are asked for by their key. */
export interface ByKey {
  /** One record. */
  readonly one: Route
  /** Path parameters of `one` for a key. */
  readonly params: (key: Key) => Params
  /** Many records in one call, by `include`. */
  readonly many?: Batch
  /** All records there are: a small table without pages, read whole as soon as two are wanted. */
  readonly table?: ListRoute
  /** The key of a row; `scope` is the one it was asked under. `null` when the row has none. */
  readonly keyOf: (row: Readonly<Record<string, unknown>>, scope: Params) => Key | null
  /** Columns on the wire that `keyOf` reads. */
  readonly keyColumns: readonly string[]
}

/** Keys with the same scope can be asked for in one call. */
export interface Batch {
  readonly route: ListRoute
  /** Path parameters shared by the keys of one call. */
  readonly scope: (key: Key) => Params
  /** Whether there are several scopes. */
  readonly scoped?: true
  /** Some sites answer an object of the rows by their key. */
  readonly keyed?: true
  /** Whether the list hides nothing: a key it does not show has no record. Else only a single read can tell. */
  readonly complete?: boolean
  /** What `include` takes for a key. */
  readonly id: (key: Key) => number
  /** Column of a record with the value that `route.narrowedBy` takes to list it. */
  readonly narrowedBy?: string
}

/** The id of a post-like row. */
export const idOf = (row: Readonly<Record<string, unknown>>): number | null => {
  const id = row.id === undefined || row.id === null ? null : reference(row.id)
  return typeof id === 'number' ? id : null
}

const NO_PARAMS: Params = Object.freeze({})

/** How post-like records are asked for: `<path>/:id` for one and, where the interface has a list, `include` for many. */
export const postByKey = (list: ListRoute): ByKey => ({
  one: { path: `${list.path}/:id` },
  params: (id) => ({ id }),
  many: { route: list, scope: () => NO_PARAMS, id: Number },
  keyOf: idOf,
  keyColumns: ['id'],
})

/** The query that limits an answer to some wire names, where the site takes one for this route. */
export const fieldsQuery = (
  { fieldFilter, unfiltered }: Site,
  { path }: Route,
  fields: readonly string[],
): Readonly<Record<string, readonly string[]>> => (fieldFilter === null || unfiltered.includes(path) ? {} : { [fieldFilter]: fields })

/** The path of a route on a site, from the REST root, with its parameters encoded. */
export const pathOf = (site: Site, route: Route, params: Params): string => pathTemplate(site, route)(params)

/** Makes the paths of a route on a site. */
export function pathTemplate(site: Site, { path }: Route): (params: Params) => string {
  const [version, ...segments] = path.split('/') as [Version, ...string[]]
  const parts: { param?: string; text?: string }[] = segments.map((segment) =>
    segment.startsWith(':') ? { param: segment.slice(1) } : { text: encodeURIComponent(site.segments[segment] ?? segment) },
  )
  return (params) => {
    let made = `/${site.namespaces[version]}`
    for (const { param, text } of parts) {
      const value = param === undefined ? text : params[param]
      if (value === undefined) throw new Error(`${path} lacks its parameter :${param}`)
      made += `/${param === undefined ? value : segmentOf(value)}`
    }
    return made
  }
}

/** Dots are not encoded, and two of them lead elsewhere. */
function segmentOf(value: string | number): string {
  if (typeof value === 'number') return String(value)
  if (/^\.*$/.test(value) || /\p{Surrogate}/u.test(value)) throw new BadInputError(`\`${value}\` can't stand in an address.`)
  return encodeURIComponent(value)
}
