import type { Caller } from '../upstream/call-scope.js'
import { type ColumnSet, NO_COLUMNS, type Shape } from '../upstream/codec/records.js'
import { getsEditOnly } from '../upstream/roles.js'
import type { Route } from '../upstream/routes.js'
import { CAPABILITIES } from '../upstream/site/capabilities.js'
import type { Site } from '../upstream/site/site.js'
import type { Edge, ListEdge } from './edge.js'
import type { Entity } from './entity.js'
import type { ReadContext } from './reads.js'

export type OnSite = { readonly site: Site }

/** Returns the columns of `want` that a list does not send, or sends to editors only. They are read by id afterwards. */
export const notInList = ({ site }: OnSite, { shape }: ListEdge, want: ColumnSet): ColumnSet =>
  want & ~(shape.carried(site) & ~shape.editOnly)

/** Returns the columns of the rowData of a list that the site does not send there. They are taken from the record itself. */
export const takenFromRecord = ({ site }: OnSite, { rowData, shape }: ListEdge, columns: ColumnSet): ColumnSet =>
  rowData ? shape.set(rowData.shape.list(columns).filter((name) => name in shape.columns)) & ~shape.carried(site) : NO_COLUMNS

/** The columns of an entity that are asked for: roles that do not get its edit-only columns get an error for them, without a call. */
export const askable = (caller: Pick<Caller, 'role'>, { shape, byKey }: Entity, columns: ColumnSet): ColumnSet =>
  getsEditOnly(caller, byKey?.one) ? columns : columns & ~shape.editOnly

/** Columns of an entity that are read by id only after the rows of a list have arrived. */
export interface ColumnsById {
  readonly entity: Entity
  readonly columns: ColumnSet
}

/** When an edge can be followed from records of a shape: with their keys, with their columns, or after the columns that are read by id. */
export function startOf({ needs }: Edge, shape: Shape | undefined, readById: ColumnsById | undefined): 'keys' | 'rows' | 'readById' {
  if (readById && (readById.entity.shape.set(needs) & readById.columns) !== NO_COLUMNS) return 'readById'
  return (shape?.set(needs) ?? NO_COLUMNS) === NO_COLUMNS ? 'keys' : 'rows'
}

/** Returns the edit-only columns of a rowData. Lists never carry them: they are read with the record. */
export const sharedWithRecord = ({ entity, rowData }: ListEdge, columns: ColumnSet): ColumnSet =>
  entity.shape.set(rowData?.shape.list(columns) ?? [])

/** Capability to read a list with `context=edit`. */
export const editOnList = ({ path }: Route): string => `edit on the list ${path}`

/**
 * Whether a list is read with `context=edit` at once, so that it carries edit-only columns. Most callers who select them may read them, and a refusal
 * is remembered. Columns that a password guards are always read with `context=view`.
 */
export const asksInEdit = (
  { capabilities, call: { caller } }: Pick<ReadContext, 'capabilities' | 'call'>,
  { entity, route, shape }: ListEdge,
  want: ColumnSet,
): boolean =>
  (want & shape.editOnly) !== NO_COLUMNS &&
  (want & shape.guarded) === NO_COLUMNS &&
  entity.byKey?.many?.route === route &&
  !caller.credentials.anonymous &&
  getsEditOnly(caller, route) &&
  [editOnList(route), CAPABILITIES.edit(entity)].every((capability) => capabilities.allows(caller.credentials, capability))

/** The columns that are wanted below the records of a selection, because edges can lead back to records that are read by then. */
export interface WantedBelow {
  /** Columns by type name. */
  readonly below?: ReadonlyMap<string, ColumnSet>
  /** Light columns of its own type, which are read together with its own. Undefined when no edge leads back to its type. */
  readonly ahead?: ColumnSet
}

interface Wanting extends WantedBelow {
  readonly columns: ColumnSet
}

/** Collects the columns that are wanted below a selection of records of a type. */
export function wantedBelow(
  edges: readonly { readonly children: ReadonlyMap<string, Wanting>; readonly rowData: Wanting | null }[],
  type: string,
  entity: Entity | undefined,
  columns: ColumnSet,
): WantedBelow {
  if (edges.length === 0) return {}
  const below = new Map<string, ColumnSet>()
  const add = (wanted: ColumnSet, of: string): void => void below.set(of, wanted | (below.get(of) ?? NO_COLUMNS))
  for (const { children, rowData } of edges) {
    for (const [of, child] of children) {
      add(child.columns, of)
      child.below?.forEach(add)
    }
    rowData?.below?.forEach(add)
  }
  const back = below.get(type)
  if (!entity || back === undefined) return { below }
  const { heavy, editOnly, guarded } = entity.shape
  return { below, ahead: back & ~(heavy | editOnly | guarded | columns) }
}

/** Returns the columns that some selections read ahead for records below them, or nothing when no edge leads back. */
export function aheadOf(selections: readonly WantedBelow[]): ColumnSet | undefined {
  let columns: ColumnSet | undefined
  for (const { ahead } of selections) if (ahead !== undefined) columns = (columns ?? NO_COLUMNS) | ahead
  return columns
}
