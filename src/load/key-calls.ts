import type { Entity } from '../model/entity.js'
import { type ColumnSet, NO_COLUMNS, type Shape } from '../upstream/codec/records.js'
import type { BatchRead } from '../upstream/routes.js'
import { CAPABILITIES } from '../upstream/site/capabilities.js'
import { ALWAYS_SINGLE, mayAskTwice, type ReadContext } from './part-reader.js'

type Caller = Pick<ReadContext, 'site' | 'capabilities' | 'session'>

/** Returns how records of an entity are read in batches, or nothing if the interface, the site or the capabilities do not allow it. */
export function batchOf({ site, capabilities, session }: Caller, { byKey, name }: Entity): BatchRead | undefined {
  const many = byKey?.many
  if (!many || site.unbatched.includes(name)) return undefined
  return capabilities.allows(session.credentials, CAPABILITIES.include(many.route)) ? many : undefined
}

/** Separates columns that a password guards from edit-only ones. They are always read with `view`, so that they do not depend on other columns. */
export const apart = (columns: ColumnSet, { editOnly, guarded }: Shape): ColumnSet[] =>
  (columns & editOnly) !== NO_COLUMNS && (columns & guarded) !== NO_COLUMNS ? [columns & ~guarded, columns & guarded] : [columns]

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
export function partsOf({ capabilities, session }: Caller, entity: Entity, wanted: ColumnSet, read: ReadonlySet<ColumnSet>): KeyParts {
  const { shape } = entity
  const special = wanted & (shape.heavy | shape.editOnly)
  const isEdit = (wanted & shape.editOnly) !== NO_COLUMNS
  const isRefused = isEdit && (session.credentials.anonymous || !capabilities.allows(session.credentials, CAPABILITIES.edit(entity)))
  const each = special === NO_COLUMNS ? 1 : apart(wanted, shape).length
  return { each, all: read.size > 1 ? 2 ** shape.list(special).length : each, isEdit, isRefused }
}

/** Returns the calls of `loadByKey` for keys of one scope: the most for `keys` keys, and the expected ones for `likely` keys. */
export function keyCalls(caller: Caller, entity: Entity, { each, all, isEdit, isRefused }: KeyParts, keys: number, likely: number) {
  const { site, capabilities, session } = caller
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
    !capabilities.grants(session.credentials, CAPABILITIES.include(batch.route)) ||
    site.dropped.includes(`${batch.route.path} include`)
  const batches = Math.floor((reads + Math.min(all, reads) * (site.pageCap - 1)) / site.pageCap)
  const tries = mayAskTwice(caller, batch.route) ? 2 : 1
  return { most: (batches * tries + (mayBeAlone ? alone : 0)) * again, likely: lists * reread }
}
