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

/** A number of parents, keys or records: the least (distinct ones), the most and the expected number. */
export interface Amount {
  readonly least?: number
  readonly most: number
  readonly likely: number
  /** How likely it is that there are any, when it is not certain. */
  readonly odds?: number
}

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
    site.droppedFilters.includes(`${batch.route.path} include`)
  const batches = Math.floor((reads + Math.min(all, reads) * (site.pageCap - 1)) / site.pageCap)
  const tries = mayAskTwice(caller, batch.route) ? 2 : 1
  return { most: (batches * tries + (mayBeAlone ? alone : 0)) * again, likely: lists * reread }
}

/** Expected length of a list that is wanted whole, as long as none was observed. */
const UNSEEN_LENGTH = 20

type ListContext = Caller & { readonly limits: Limits }

/** The window that is asked of a list. */
type Asked = Pick<ListWindow, 'args' | 'wants'>

/** Returns a window of a list, and the whole list, which is read when the gateway filters it by ids. */
function windowsOf({ site, limits }: ListContext, { route }: ListEdge, asked: Asked): Record<'window' | 'whole', ListWindow> {
  const window = { kind: route.window, cap: site.pageCap, ...asked }
  return { window, whole: { ...window, ...wholeList(limits.rows) } }
}

/** Returns the most calls of one list. */
export function mostOfList(context: ListContext, edge: ListEdge, query: Query, asked: Asked): number {
  const { window, whole } = windowsOf(context, edge, asked)
  const filteredBy = idsFilteredBy(context, edge, query)
  // A record that a filter names may be read in a batch, and then by a single read.
  const confirmed = 2 * confirmedIn(context.site, edge, query).length
  return (filteredBy === 'gateway' ? 0 : mostCalls(window)) + (filteredBy === 'site' ? 0 : mostCalls(whole)) + confirmed
}

/**
 * Returns the expected calls of one list, and the rows of its window, by observed lengths of lists with the same filters and of whole lists.
 * Without observed lengths, the most are expected of a window.
 */
export function estimateList(
  context: ListContext,
  edge: ListEdge,
  query: Query,
  asked: Asked & { readonly isWhole: boolean | undefined },
  observed: { readonly filtered: readonly number[]; readonly whole: readonly number[] },
): { readonly likely: number; readonly rows: Amount } {
  const { args, wants, isWhole } = asked
  const { window, whole } = windowsOf(context, edge, { args, wants })
  const filtered = isWhole && observed.filtered.length === 0 ? [UNSEEN_LENGTH] : observed.filtered
  const ids = Array.isArray(query[INCLUDE]) ? query[INCLUDE].length : Number.POSITIVE_INFINITY
  const likely =
    idsFilteredBy(context, edge, query) === 'gateway'
      ? (meanOf(observed.whole, (length) => callsAt(whole, length)) ?? mostCalls(whole))
      : (meanOf(filtered, (length) => callsAt(window, Math.min(length, ids))) ?? mostCalls(window))
  const width = wants.rows ? Math.min(widthOf(args), ids) : 0
  const shown = meanOf(filtered, (length) => Math.min(width, rowsIn(args, Math.min(length, ids)))) ?? width
  return { likely: likely + confirmedIn(context.site, edge, query).length, rows: { most: width, likely: shown } }
}

const meanOf = (values: readonly number[], of: (value: number) => number): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + of(value), 0) / values.length
