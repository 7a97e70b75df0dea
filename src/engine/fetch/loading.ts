import { type ColumnSet, NO_COLUMNS, type Shape } from '../../upstream/codec/records.js'
import { getOrMake } from '../../upstream/maps.js'
import type { Batch } from '../../upstream/routes.js'
import { CAPABILITIES } from '../../upstream/site/capabilities.js'
import { BatchReader } from './batch-reader.js'
import { type Part, PartReader, type ReadContext, type Wants } from './part-reader.js'
import type { RecordState, Store } from './records.js'
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
function batchOf({ site, capabilities, session }: ReadContext, { entity, query }: Store): Batch | undefined {
  const many = entity.byKey?.many
  if (!many || query || site.unbatched.includes(entity.name)) return undefined
  return capabilities.allows(session.credentials, CAPABILITIES.include(many.route)) ? many : undefined
}

/** Heavy and edit-only columns are asked for only where they are wanted; all light columns of a part are asked for together. */
function partition(store: Store, wants: Wants): Part[] {
  const { shape } = store.entity
  const parts = new Map<ColumnSet, OpenPart>()
  let alike: { has: ColumnSet; want: ColumnSet; parts: OpenPart[] } | undefined
  for (const [entry, want] of wants) {
    if (entry.settles(want)) continue
    // Most entries of a wave are like the one before.
    if (!alike || alike.has !== entry.has || alike.want !== want)
      alike = { has: entry.has, want, parts: partsFor(parts, shape, want & ~entry.has) }
    for (const part of alike.parts) part.entries.push(entry)
  }
  return [...parts.values()]
}

interface OpenPart extends Part {
  readonly entries: RecordState[]
  columns: ColumnSet
}

function partsFor(parts: Map<ColumnSet, OpenPart>, shape: Shape, wanted: ColumnSet): OpenPart[] {
  const { heavy, editOnly } = shape
  return apart(wanted, shape).map((columns) => {
    const special = columns & (heavy | editOnly)
    const part = getOrMake(parts, special, () => ({ entries: [], columns: NO_COLUMNS, edit: (special & editOnly) !== NO_COLUMNS }))
    part.columns |= columns
    return part
  })
}

/** What a password guards is read in `view` always: it must not depend on whether edit-only columns are wanted as well. */
const apart = (columns: ColumnSet, { editOnly, guarded }: Shape): ColumnSet[] =>
  (columns & editOnly) !== NO_COLUMNS && (columns & guarded) !== NO_COLUMNS ? [columns & ~guarded, columns & guarded] : [columns]
