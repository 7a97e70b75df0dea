import { type ColumnSet, NO_COLUMNS } from '../rest/records.js'
import type { Site } from '../rest/site.js'
import type { ListEdge } from './edges.js'

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
