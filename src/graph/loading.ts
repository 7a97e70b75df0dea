import { getOrMake } from '../rest/maps.js'
import { type ColumnSet, NO_COLUMNS, type Shape } from '../rest/records.js'
import type { Batch } from '../rest/routes.js'
import { BatchReader } from './batch-reader.js'
import { type Part, PartReader, type ReadContext, type Wants } from './part-reader.js'
import type { Entry, Store } from './store.js'
import { TableReader } from './table-reader.js'

/**
 * Reads records by key with the fewest calls: whole tables once, in batches where the interface has them, else one by one. Never
 * rejects: each entry ends present, missing or failed.
 */
export async function loadByKey(context: ReadContext, store: Store, wants: Wants): Promise<void> {
  await Promise.all(partition(store, wants).map((part) => load(context, store, part)))
}

function load(context: ReadContext, store: Store, part: Part): Promise<unknown> | undefined {
  const { byKey } = store.entity
  if (!byKey) return undefined
  const batch = batchOf(context, store)
  if (byKey.table) return new TableReader(context, store, byKey, part).load()
  return (batch ? new BatchReader(context, store, byKey, part, batch) : new PartReader(context, store, byKey, part)).load()
}

/** How records of a store can be asked for together; nothing where the interface, the site or the caller's rights have no batch. */
function batchOf({ site, manners, session }: ReadContext, { entity, query }: Store): Batch | undefined {
  const many = entity.byKey?.many
  if (!many || query || site.unbatched.includes(entity.name)) return undefined
  return manners.allows(session.credentials, `include on ${many.route.path}`) ? many : undefined
}

/** Heavy and edit-only columns are asked for only where they are wanted; all light columns of a part are asked for together. */
function partition(store: Store, wants: Wants): Part[] {
  const { heavy, editOnly } = store.entity.shape
  const parts = new Map<ColumnSet, { entries: Entry[]; columns: ColumnSet; edit: boolean }>()
  for (const [entry, want] of wants) {
    if (entry.settles(want)) continue
    for (const missing of apart(want & ~entry.has, store.entity.shape)) {
      const special = missing & (heavy | editOnly)
      const part = getOrMake(parts, special, () => ({
        entries: [] as Entry[],
        columns: NO_COLUMNS,
        edit: (special & editOnly) !== NO_COLUMNS,
      }))
      part.entries.push(entry)
      part.columns |= missing
    }
  }
  return [...parts.values()]
}

/** What a password guards is read in `view` always: it must not depend on whether edit-only columns are wanted as well. */
const apart = (columns: ColumnSet, { editOnly, guarded }: Shape): ColumnSet[] =>
  (columns & editOnly) !== NO_COLUMNS && (columns & guarded) !== NO_COLUMNS ? [columns & ~guarded, columns & guarded] : [columns]
