import { type ColumnSet, NO_COLUMNS } from '../upstream/codec/records.js'
import type { Route } from '../upstream/routes.js'
import type { Session } from '../upstream/session.js'
import type { CapabilityCache } from '../upstream/site/capabilities.js'
import type { Site } from '../upstream/site/site.js'
import type { Entity, ListEdge } from './edges.js'

type OnSite = { readonly site: Site }

/** Columns of `want` that a list does not send, or sends to editors only: they are read by id afterwards. */
export const lacking = ({ site }: OnSite, { shape }: ListEdge, want: ColumnSet): ColumnSet =>
  want & ~(shape.carried(site) & ~shape.editOnly)

/** Columns of a list's side, as the entity has them, that the site does not send there: they show through from the record itself. */
export const shownThrough = ({ site }: OnSite, { side, shape }: ListEdge, columns: ColumnSet): ColumnSet =>
  side ? shape.set(side.shape.list(columns).filter((name) => name in shape.columns)) & ~shape.carried(site) : NO_COLUMNS

/** Lists never carry edit-only columns: those of a side are read with the record it belongs to. */
export const sharedWithRecord = ({ entity, side }: ListEdge, columns: ColumnSet): ColumnSet =>
  entity.shape.set(side?.shape.list(columns) ?? [])

/** Capability to ask a list in `edit`. */
export const editOnList = ({ path }: Route): string => `edit on the list ${path}`

/**
 * Whether a list is asked in `edit` at once, since the caller is known to be allowed that: then it carries edit-only columns. What a
 * password guards is read in `view` always.
 */
export const asksInEdit = (
  { capabilities, session }: { readonly capabilities: CapabilityCache; readonly session: Session },
  { entity, route, shape }: ListEdge,
  want: ColumnSet,
): boolean =>
  (want & shape.editOnly) !== NO_COLUMNS &&
  (want & shape.guarded) === NO_COLUMNS &&
  entity.byKey?.many?.route === route &&
  capabilities.grants(session.credentials, editOnList(route))

/** What is wanted below the records of a selection: edges can lead back to records that are known by then. */
export interface WantedBelow {
  /** Columns by type. */
  readonly below?: ReadonlyMap<string, ColumnSet>
  /** Light columns of its own type, which are read with the others. Nothing where no edge leads back to its type. */
  readonly ahead?: ColumnSet
}

interface Wanting extends WantedBelow {
  readonly columns: ColumnSet
}

/** Looks through the edges of a selection of records of a type, with these columns. */
export function wantedBelow(
  edges: readonly { readonly children: ReadonlyMap<string, Wanting>; readonly side: Wanting | null }[],
  type: string,
  entity: Entity | undefined,
  columns: ColumnSet,
): WantedBelow {
  if (edges.length === 0) return {}
  const below = new Map<string, ColumnSet>()
  const add = (wanted: ColumnSet, of: string): void => void below.set(of, wanted | (below.get(of) ?? NO_COLUMNS))
  for (const { children, side } of edges) {
    for (const [of, child] of children) {
      add(child.columns, of)
      child.below?.forEach(add)
    }
    side?.below?.forEach(add)
  }
  const back = below.get(type)
  if (!entity || back === undefined) return { below }
  const { heavy, editOnly, guarded } = entity.shape
  return { below, ahead: back & ~(heavy | editOnly | guarded | columns) }
}

/** Columns that some selections read ahead for records below; nothing where no edge leads back. */
export function aheadOf(selections: readonly WantedBelow[]): ColumnSet | undefined {
  let columns: ColumnSet | undefined
  for (const { ahead } of selections) if (ahead !== undefined) columns = (columns ?? NO_COLUMNS) | ahead
  return columns
}
