import type { Query } from '../../upstream/client.js'
import { CAPABILITIES } from '../../upstream/site/capabilities.js'
import type { ListEdge } from '../edges.js'
import { EXCLUDE, INCLUDE } from '../fetch/ignored-filters.js'
import type { Lengths } from './means.js'
import type { Amount, EstimateContext } from './row.js'
import { callsAt, mostCalls, type PricedWindow, rowsIn, widthOf } from './windows.js'

/** What one list costs, and what it leads to. */
export interface ListPrice {
  /** Calls at most, and at most where filters are honoured. */
  readonly max: number
  readonly permitted: number
  /** Calls to be expected. */
  readonly likely: number
  /** Rows of its window. */
  readonly rows: Amount
}

/** What is known of the length of an edge's lists: under the filters that are given, and whole. */
export interface KnownLengths {
  readonly filtered: Lengths | undefined
  readonly whole: Lengths | undefined
}

const BY_ID = [INCLUDE, EXCLUDE]

/** Who limits a list to ids: the site; the gateway, that reads it whole; or the gateway where the site turns out not to. */
function filteredBy(
  { site, capabilities, session }: EstimateContext,
  { entity, route }: ListEdge,
  query: Query,
): 'site' | 'gateway' | 'either' {
  if (!entity.byKey?.many || (query[INCLUDE] === undefined && query[EXCLUDE] === undefined)) return 'site'
  const given = BY_ID.filter((param) => query[param] !== undefined)
  const isUnbatched = query[INCLUDE] !== undefined && site.unbatched.includes(entity.name) && entity.byKey.many.route === route
  const isIgnored = given.some((param) => site.ignored.includes(`${route.path} ${param}`))
  if (isUnbatched || isIgnored || !capabilities.allows(session.credentials, CAPABILITIES.ids(route))) return 'gateway'
  return given.some((param) => site.dropped.includes(`${route.path} ${param}`)) ? 'either' : 'site'
}

/** Records that are looked for first, since the site drops filters that name one it does not have. */
const namedIn = ({ site }: EstimateContext, { route }: ListEdge, query: Query): number =>
  site.dropped.length === 0
    ? 0
    : Object.values(route.filters).filter(
        ({ kind, param }) => kind === 'id' && query[param] !== undefined && site.dropped.includes(`${route.path} ${param}`),
      ).length

/** Prices one list. */
export function priceList(context: EstimateContext, edge: ListEdge, query: Query, window: PricedWindow, known: KnownLengths): ListPrice {
  const ids = (query[INCLUDE] as readonly unknown[] | undefined)?.length ?? Number.POSITIVE_INFINITY
  const named = namedIn(context, edge, query)
  const by = filteredBy(context, edge, query)
  const direct = mostCalls(window)
  const shown = likelyWindow(window, known.filtered, ids)
  if (by === 'site') return { permitted: direct + named, max: direct + 2 * named, likely: shown.calls + named, rows: shown.rows }
  const all = { start: 0, end: null, first: context.limits.rows, last: null }
  const whole: PricedWindow = { ...window, args: all, wants: { rows: true, total: true, next: true } }
  const most = mostCalls(whole)
  // Two that are looked for at once may be a batch that leaves both out.
  if (by === 'either') return { permitted: direct + named, max: direct + most + 2 * named, likely: shown.calls + named, rows: shown.rows }
  const likely = likelyWindow(whole, known.whole, Number.POSITIVE_INFINITY).calls + named
  return { permitted: most + named, max: most + 2 * named, likely, rows: shown.rows }
}

/** Calls and rows of a window on lists of such lengths; as many as can be while nothing is known of those. */
function likelyWindow(window: PricedWindow, lengths: Lengths | undefined, ids: number): { calls: number; rows: Amount } {
  const most = window.wants.rows ? Math.min(widthOf(window.args), ids) : 0
  if (!lengths?.known) return { calls: mostCalls(window), rows: { most, likely: most, any: Math.min(1, most) } }
  let [calls, likely, any] = [0, 0, 0]
  lengths.each((length, share) => {
    const rows = most === 0 ? 0 : rowsIn(window.args, Math.min(length, ids))
    calls += share * callsAt(window, Math.min(length, ids))
    likely += share * rows
    any += share * Math.min(1, rows)
  })
  return { calls, rows: { most, likely, any } }
}
