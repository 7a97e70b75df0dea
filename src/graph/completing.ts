import { type ColumnSet, NO_COLUMNS } from '../rest/records.js'
import type { Route } from '../rest/routes.js'
import type { Site } from '../rest/site.js'
import type { ListEdge } from './edges.js'
import type { ReadContext } from './part-reader.js'

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
  { manners, session }: Pick<ReadContext, 'manners' | 'session'>,
  { entity, route, shape }: ListEdge,
  want: ColumnSet,
): boolean =>
  (want & shape.editOnly) !== NO_COLUMNS &&
  (want & shape.guarded) === NO_COLUMNS &&
  entity.byKey?.many?.route === route &&
  manners.grants(session.credentials, editOnList(route))
