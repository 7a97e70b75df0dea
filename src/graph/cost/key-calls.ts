import type { Batch } from '../../rest/routes.js'
import { LIBERTIES } from '../capabilities.js'
import type { Entity } from '../edges.js'
import type { Parts } from './parts.js'
import type { Asker } from './row.js'

/** How records are read in batches for a caller, as far as that is known. */
export interface Batching {
  readonly batch: Batch
  /** Whether unpublished records are asked for in vain first. */
  readonly retries: boolean
  /** Whether records may turn out to be read one by one after all: the site refuses the batch, or drops its filter. */
  readonly isUnsure: boolean
}

/** Nothing where records of an entity are read one by one. */
export function batchingOf({ byKey, name }: Entity, { site, manners, session: { credentials } }: Asker): Batching | undefined {
  const batch = byKey?.many
  if (!batch || site.unbatched.includes(name) || !manners.allows(credentials, LIBERTIES.include(batch.route))) return undefined
  const { route } = batch
  const anyStatus = route.anyStatus && !credentials.anonymous ? LIBERTIES.anyStatus(route) : undefined
  return {
    batch,
    retries: anyStatus !== undefined && manners.allows(credentials, anyStatus) && !manners.grants(credentials, anyStatus),
    isUnsure:
      (route.narrowedBy !== undefined && !manners.grants(credentials, LIBERTIES.include(route))) ||
      site.dropped.includes(`${route.path} include`),
  }
}

/** Calls at most: of a caller who may do all that is tried, and those on top for one who may not. */
export interface MostCalls {
  readonly granted: number
  readonly refused: number
}

/** Most calls for so many keys. What an editor's read is refused is read again in `view`, for anonymous callers always. */
export function mostKeyCalls(
  keys: number,
  { parts, each, edit }: Parts,
  batching: Batching | undefined,
  { site: { pageCap }, session }: Asker,
): MostCalls {
  const entries = keys * each
  const { anonymous } = session.credentials
  if (!batching || keys <= 1) {
    const again = edit ? keys : 0
    return anonymous ? { granted: entries + again, refused: 0 } : { granted: entries, refused: again }
  }
  const batches = Math.floor((entries + Math.min(parts, entries) * (pageCap - 1)) / pageCap)
  const retries = batching.retries ? batches : 0
  const again = edit ? batches + retries : 0
  const alone = batching.isUnsure ? entries * (edit ? 2 : 1) : 0
  return anonymous ? { granted: batches + again, refused: alone } : { granted: batches, refused: retries + again + alone }
}

/** Calls to be expected for so many keys, of which there are any with this probability. */
export function likelyKeyCalls(
  keys: number,
  any: number,
  { each, edit }: Parts,
  entity: Entity,
  { site: { pageCap, unbatched }, manners, session: { credentials } }: Asker,
): number {
  const { byKey, name } = entity
  const isBatched = byKey?.many && !unbatched.includes(name) && manners.allows(credentials, LIBERTIES.include(byKey.many.route))
  const calls = !isBatched ? keys : keys > pageCap ? Math.ceil(keys / pageCap) : Math.min(any, keys)
  const again = edit && (credentials.anonymous || !manners.allows(credentials, LIBERTIES.edit(entity)))
  return calls * each + (again ? calls : 0)
}
