import { type ColumnSet, NO_COLUMNS, type Shape } from '../../upstream/codec/records.js'
import type { BatchRead } from '../../upstream/routes.js'
import { CAPABILITIES } from '../../upstream/site/capabilities.js'
import type { Entity } from '../edges.js'
import { ALWAYS_SINGLE, mayAskTwice, type ReadContext } from './part-reader.js'

type Caller = Pick<ReadContext, 'site' | 'capabilities' | 'session'>

/** How records of an entity can be asked for together; nothing where the interface, the site or the caller's rights have no batch. */
export function batchOf({ site, capabilities, session }: Caller, { byKey, name }: Entity): BatchRead | undefined {
  const many = byKey?.many
  if (!many || site.unbatched.includes(name)) return undefined
  return capabilities.allows(session.credentials, CAPABILITIES.include(many.route)) ? many : undefined
}

/** What a password guards is read in `view` always: it must not depend on whether edit-only columns are wanted as well. */
export const apart = (columns: ColumnSet, { editOnly, guarded }: Shape): ColumnSet[] =>
  (columns & editOnly) !== NO_COLUMNS && (columns & guarded) !== NO_COLUMNS ? [columns & ~guarded, columns & guarded] : [columns]

/** How records are read by key: in how many parts, one of them and all together, and whether in `edit`. */
export interface KeyParts {
  readonly each: number
  readonly all: number
  readonly isEdit: boolean
  /** Whether reads in `edit` will probably be refused, and are made again in `view`. */
  readonly isRefused: boolean
}

/**
 * Most parts in which `loadByKey` reads records: one for each combination of heavy and edit-only columns that can be missing. `read` are the
 * sets of columns that records of the entity are read with anywhere in the operation.
 */
export function partsOf({ capabilities, session }: Caller, entity: Entity, wanted: ColumnSet, read: ReadonlySet<ColumnSet>): KeyParts {
  const { shape } = entity
  const special = wanted & (shape.heavy | shape.editOnly)
  const isEdit = (wanted & shape.editOnly) !== NO_COLUMNS
  const isRefused = isEdit && (session.credentials.anonymous || !capabilities.allows(session.credentials, CAPABILITIES.edit(entity)))
  const each = special === NO_COLUMNS ? 1 : apart(wanted, shape).length
  return { each, all: read.size > 1 ? 2 ** shape.list(special).length : each, isEdit, isRefused }
}

/** Calls that `loadByKey` makes for so many keys of one scope: the most, and as many as are probable for `likely` of the keys. */
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
  // What is refused in a batch is read one by one.
  const mayBeAlone =
    batch.route.owner !== undefined ||
    !capabilities.grants(session.credentials, CAPABILITIES.include(batch.route)) ||
    site.dropped.includes(`${batch.route.path} include`)
  const batches = Math.floor((reads + Math.min(all, reads) * (site.pageCap - 1)) / site.pageCap)
  const tries = mayAskTwice(caller, batch.route) ? 2 : 1
  return { most: (batches * tries + (mayBeAlone ? alone : 0)) * again, likely: lists * reread }
}
