import type { Batch } from '../../upstream/routes.js'
import { CAPABILITIES } from '../../upstream/site/capabilities.js'
import type { Entity } from '../edges.js'
import { FEW } from '../fetch/part-reader.js'
import type { Parts } from './estimate-parts.js'
import type { Basis, EstimateContext } from './row.js'

/** How records are read in batches for a caller, as far as that is known. */
export interface Batching {
  readonly batch: Batch
  /** Whether unpublished records are asked for in vain first. */
  readonly retries: boolean
  /** Whether records may turn out to be read one by one after all: the site refuses the batch, or drops its filter. */
  readonly isUnsure: boolean
}

/** Nothing where records of an entity are read one by one. */
export function batchingOf(
  { byKey, name }: Entity,
  { site, capabilities, session: { credentials } }: EstimateContext,
): Batching | undefined {
  const batch = byKey?.many
  if (!batch || site.unbatched.includes(name) || !capabilities.allows(credentials, CAPABILITIES.include(batch.route))) return undefined
  const { route } = batch
  const anyStatus = route.anyStatus && !credentials.anonymous ? CAPABILITIES.anyStatus(route) : undefined
  return {
    batch,
    retries: anyStatus !== undefined && capabilities.allows(credentials, anyStatus) && !capabilities.grants(credentials, anyStatus),
    isUnsure:
      route.owner !== undefined ||
      !capabilities.grants(credentials, CAPABILITIES.include(route)) ||
      site.dropped.includes(`${route.path} include`),
  }
}

/** Calls at most: of a caller who may do all that is tried, and those on top for one who may not. */
export interface MostCalls {
  readonly permitted: number
  readonly refused: number
}

/** Lists that may be read in vain where records are read without a batch by ids, and how many calls records take at most in all. */
const aloneCalls = (keys: number, entries: number, edit: boolean, { byKey }: Entity, pageCap: number): number =>
  entries + (byKey?.many?.narrowedBy !== undefined && !edit && keys > FEW ? Math.ceil(entries / pageCap) : 0)

/** Whether reads in `edit` will probably be refused. */
const isEditRefused = (entity: Entity, { capabilities, session: { credentials } }: EstimateContext): boolean =>
  credentials.anonymous || !capabilities.allows(credentials, CAPABILITIES.edit(entity))

/** Most calls for so many keys. What is refused in `edit` is read again in `view`. */
export function mostKeyCalls(
  keys: number,
  { parts, each, edit }: Parts,
  entity: Entity,
  batching: Batching | undefined,
  context: EstimateContext,
): MostCalls {
  const { pageCap } = context.site
  const entries = keys * each
  const isRefused = isEditRefused(entity, context)
  if (!batching || keys <= 1) {
    const again = edit ? keys : 0
    const alone = aloneCalls(keys, entries, edit, entity, pageCap)
    return isRefused ? { permitted: alone + again, refused: 0 } : { permitted: alone, refused: again }
  }
  const batches = Math.floor((entries + Math.min(parts, entries) * (pageCap - 1)) / pageCap)
  const retries = batching.retries ? batches : 0
  const again = edit ? batches + retries : 0
  const alone = batching.isUnsure ? aloneCalls(keys, entries, edit, entity, pageCap) * (edit ? 2 : 1) : 0
  return isRefused ? { permitted: batches + again, refused: retries + alone } : { permitted: batches, refused: retries + again + alone }
}

/** Calls to be expected for so many keys, of which there are any with this probability. */
export function likelyKeyCalls(keys: number, any: number, { each, edit }: Parts, entity: Entity, { context, sizes }: Basis): number {
  const { byKey, name } = entity
  const { site, capabilities, session } = context
  const isBatched =
    byKey?.many && !site.unbatched.includes(name) && capabilities.allows(session.credentials, CAPABILITIES.include(byKey.many.route))
  const batches = keys > site.pageCap ? Math.ceil(keys / site.pageCap) : Math.min(any, keys)
  const isNarrowed = byKey?.many?.narrowedBy !== undefined && !edit && keys > FEW
  const calls = isBatched ? batches : isNarrowed ? Math.min(keys, 1 + batches + keys * sizes.singlesOf(name)) : keys
  return calls * each + (edit && isEditRefused(entity, context) ? calls : 0)
}
