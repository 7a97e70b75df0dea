import type { Limits, ListEdge } from '../model/edge.js'
import type { Query } from '../upstream/client.js'
import { confirmedIn, INCLUDE, idsFilteredBy } from './list-filters.js'
import { callsAt, type ListWindow, mostCalls, rowsIn, wholeList, widthOf } from './pages.js'
import type { ReadContext } from './part-reader.js'

/** Observed lengths of lists, with the same filters and without filters. */
export interface ObservedLengths {
  readonly filtered: readonly number[]
  readonly whole: readonly number[]
}

/** The largest and the expected number of calls or rows. */
interface Bounded {
  readonly most: number
  readonly likely: number
}

/** Expected length of a list that is wanted whole, as long as none was observed. */
const UNSEEN_LENGTH = 20

/** Returns the calls of `ListLoader` for one list, and the rows of its window. Without observed lengths, the most are expected of a window. */
export function listCalls(
  context: Pick<ReadContext, 'site' | 'capabilities' | 'session'> & { readonly limits: Limits },
  edge: ListEdge,
  query: Query,
  { args, wants, isWhole: isBound = false }: Pick<ListWindow, 'args' | 'wants'> & { readonly isWhole?: boolean | undefined },
  observed: ObservedLengths,
): { readonly calls: Bounded; readonly rows: Bounded } {
  const lengths = isBound && observed.filtered.length === 0 ? { ...observed, filtered: [UNSEEN_LENGTH] } : observed
  const window: ListWindow = { kind: edge.route.window, args, wants, cap: context.site.pageCap }
  const whole = wholeList(window, context.limits.rows)
  const ids = Array.isArray(query[INCLUDE]) ? query[INCLUDE].length : Number.POSITIVE_INFINITY
  const filteredBy = idsFilteredBy(context, edge, query)
  const confirmed = confirmedIn(context.site, edge, query).length
  const isWhole = filteredBy === 'gateway'
  const likely = isWhole
    ? (meanOf(lengths.whole, (length) => callsAt(whole, length)) ?? mostCalls(whole))
    : (meanOf(lengths.filtered, (length) => callsAt(window, Math.min(length, ids))) ?? mostCalls(window))
  // A record that a filter names may be read in a batch, and then by a single read.
  const most = (isWhole ? 0 : mostCalls(window)) + (filteredBy === 'site' ? 0 : mostCalls(whole)) + 2 * confirmed
  const width = wants.rows ? Math.min(widthOf(args), ids) : 0
  const shown = meanOf(lengths.filtered, (length) => Math.min(width, rowsIn(args, Math.min(length, ids)))) ?? width
  return { calls: { most, likely: likely + confirmed }, rows: { most: width, likely: shown } }
}

const meanOf = (values: readonly number[], of: (value: number) => number): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + of(value), 0) / values.length
