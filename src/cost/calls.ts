import { confirmedIn, INCLUDE, idsFilteredBy } from '../load/list-filters.js'
import { callsAt, type ListWindow, mostCalls, rowsIn, wholeList } from '../load/pages.js'
import { ALWAYS_SINGLE, batchOf, mayAskTwice, splitGuarded } from '../load/part-reader.js'
import { type Limits, type ListEdge, widthOf } from '../model/edge.js'
import type { Entity } from '../model/entity.js'
import type { ReadContext } from '../model/reads.js'
import type { Query } from '../upstream/client.js'
import { type ColumnSet, NO_COLUMNS } from '../upstream/codec/records.js'
import { CAPABILITIES } from '../upstream/site/capabilities.js'

type Caller = Pick<ReadContext, 'site' | 'capabilities' | 'call'>

/** In how many parts records are read by key: each record, all together, and whether with `context=edit`. */
export interface KeyParts {
  readonly each: number
  readonly all: number
  readonly isEdit: boolean
  /** Whether reads with `edit` are expected to be refused, and repeated with `view`. */
  readonly isRefused: boolean
}

/**
 * Returns the largest number of parts in which `loadByKey` reads records: one per combination of heavy and edit-only columns that can be
 * missing. `read` are the sets of columns with which records of the entity are read anywhere in the operation.
 */
export function partsOf({ capabilities, call }: Caller, entity: Entity, wanted: ColumnSet, read: ReadonlySet<ColumnSet>): KeyParts {
  const { shape } = entity
  const special = wanted & (shape.heavy | shape.editOnly)
  const isEdit = (wanted & shape.editOnly) !== NO_COLUMNS
  const isRefused =
    isEdit && (call.caller.credentials.anonymous || !capabilities.allows(call.caller.credentials, CAPABILITIES.edit(entity)))
  const each = special === NO_COLUMNS ? 1 : splitGuarded(wanted, shape).length
  return { each, all: read.size > 1 ? 2 ** shape.list(special).length : each, isEdit, isRefused }
}

/** Returns the calls of `loadByKey` for keys of one scope: the most for `keys` keys, and the expected ones for `likely` keys. */
export function estimateKeys(caller: Caller, entity: Entity, { each, all, isEdit, isRefused }: KeyParts, keys: number, likely: number) {
  const { site, capabilities, call } = caller
  const { table, many } = entity.byKey ?? {}
  if (table) return { most: Math.min(all, keys * each), likely: Math.min(1, likely) }
  const again = isEdit ? 2 : 1
  const reads = keys * each
  const isNarrowed = many?.narrowedBy !== undefined && !isEdit
  const alone = reads + (isNarrowed && keys > ALWAYS_SINGLE ? Math.ceil(reads / site.pageCap) : 0)
  const lists = likely > site.pageCap ? Math.ceil(likely / site.pageCap) : Math.min(1, likely)
  const reread = each * (isRefused ? 2 : 1)
  const batch = keys > 1 ? batchOf(caller, entity) : undefined
  if (!batch)
    return {
      most: alone + (isEdit ? keys : 0),
      likely: (isNarrowed && likely > ALWAYS_SINGLE ? Math.min(likely, 1 + lists) : likely) * reread,
    }
  // Records of a refused batch are read one by one.
  const mayBeAlone =
    batch.route.owner !== undefined ||
    !capabilities.grants(call.caller.credentials, CAPABILITIES.include(batch.route)) ||
    site.dropped.includes(`${batch.route.path} include`)
  const batches = Math.floor((reads + Math.min(all, reads) * (site.pageCap - 1)) / site.pageCap)
  const tries = mayAskTwice(caller, batch.route) ? 2 : 1
  return { most: (batches * tries + (mayBeAlone ? alone : 0)) * again, likely: lists * reread }
}

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

/** Returns the calls of one list, and the rows of its window. Without observed lengths, the most are expected of a window. */
export function estimateList(
  context: Caller & { readonly limits: Limits },
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
