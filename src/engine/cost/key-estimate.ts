import { type ColumnSet, NO_COLUMNS, type Shape } from '../../upstream/codec/records.js'
import type { Batch, Key } from '../../upstream/routes.js'
import { CAPABILITIES } from '../../upstream/site/capabilities.js'
import type { Entity, Target } from '../edges.js'
import { FEW } from '../fetch/index.js'
import type { PlannedEdge } from '../plan.js'
import type { Amount, Basis, EstimateContext, Row } from './row.js'

/** In how many parts records may be read, as `partition` divides them. */
export interface Parts {
  readonly parts: number
  /** Parts of a single record. */
  readonly each: number
  /** Whether some parts are asked for in `edit`. */
  readonly edit: boolean
}

const ONE: Parts = { parts: 1, each: 1, edit: false }

/** Sets of columns of which all unions are looked at; of more of them, each combination of columns is taken for a part. */
const MAX_SETS = 4

/**
 * Most parts for records of which these sets of columns are wanted, one or several of them of each, while any of `read` may be there
 * already. Heavy and edit-only columns are read only where they are wanted, so each combination of them that is missing is a part.
 */
function partsOf(wanted: readonly ColumnSet[], read: Iterable<ColumnSet>, { heavy, editOnly, guarded }: Shape): Parts {
  const special = heavy | editOnly
  const all = wanted.reduce((columns, each) => columns | each, NO_COLUMNS)
  if ((all & special) === NO_COLUMNS) return ONE
  const edit = (all & editOnly) !== NO_COLUMNS
  const [wants, there] = [new Set(wanted), new Set(read)]
  if (wants.size > MAX_SETS || there.size > MAX_SETS)
    return { parts: 2 ** sizeOf(all & special), each: edit && (all & guarded) !== NO_COLUMNS ? 2 : 1, edit }
  const parts = new Set<ColumnSet>()
  let each = 1
  for (const want of unions(wants)) {
    for (const has of unions(there)) {
      const missing = want & ~has
      if (missing === NO_COLUMNS) continue
      const isApart = (missing & editOnly) !== NO_COLUMNS && (missing & guarded) !== NO_COLUMNS
      if (isApart) each = 2
      for (const part of isApart ? [missing & ~guarded, missing & guarded] : [missing]) parts.add(part & special)
    }
  }
  return { parts: parts.size, each, edit }
}

function sizeOf(columns: ColumnSet): number {
  let size = 0
  for (let left = columns; left !== NO_COLUMNS; left &= left - 1n) size++
  return size
}

/** All unions of some of these sets, that of none among them. */
function unions(sets: ReadonlySet<ColumnSet>): Set<ColumnSet> {
  const all = new Set<ColumnSet>([NO_COLUMNS])
  for (const set of sets) for (const other of [...all]) all.add(set | other)
  return all
}

/** How records are read in batches for a caller, as far as that is known. */
export interface Batching {
  readonly batch: Batch
  /** Whether unpublished records are asked for in vain first. */
  readonly retries: boolean
  /** Whether records may turn out to be read one by one after all: the site refuses the batch, or drops its filter. */
  readonly isUnsure: boolean
}

/** Nothing where records of an entity are read one by one. */
function batchingOf({ byKey, name }: Entity, { site, capabilities, session: { credentials } }: EstimateContext): Batching | undefined {
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
function mostKeyCalls(
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
function likelyKeyCalls(keys: number, any: number, { each, edit }: Parts, entity: Entity, { context, sizes }: Basis): number {
  const { byKey, name } = entity
  const { site, capabilities, session } = context
  const isBatched =
    byKey?.many && !site.unbatched.includes(name) && capabilities.allows(session.credentials, CAPABILITIES.include(byKey.many.route))
  const batches = keys > site.pageCap ? Math.ceil(keys / site.pageCap) : Math.min(any, keys)
  const isNarrowed = byKey?.many?.narrowedBy !== undefined && !edit && keys > FEW
  const calls = isBatched ? batches : isNarrowed ? Math.min(keys, 1 + batches + keys * sizes.singlesOf(name)) : keys
  return calls * each + (edit && isEditRefused(entity, context) ? calls : 0)
}

/** Keys of one scope, or of several scopes alike: those can be read in one call. */
interface Pool {
  /** What the scope is told by: several pools are not joined. */
  readonly scope: unknown
  scopes: number
  keys: number
  /** How many of them are read for certain, and how many probably, and how probable it is that none is. */
  certain: number
  reads: number
  none: number
}

const ONE_PART: Parts = { parts: 1, each: 1, edit: false }

/** All records of one entity that are read by key in one wave. */
export class KeyRow implements Row {
  readonly method = 'GET'
  batch = 1
  min = 0
  max = 0
  permitted = 0
  likely = 0
  /** In how many calls a key that a batch left out is looked for. */
  strayCalls = 1
  /** Keys that batches may leave out, and how many probably are. */
  private strays = 0
  private likelyStrays = 0
  private readonly steps: { readonly planned: readonly PlannedEdge[]; readonly most: number }[] = []
  private readonly wanted: ColumnSet[] = []
  private readonly pools: Pool[] = []
  /** Keys that are known before the first call, and reads with a query of their own, which share nothing. */
  private known: Set<Key> | undefined
  private alone: Set<string> | undefined
  private certainAlone = 0
  /** Whether at least one record is read, whichever it is. */
  private isCertain = false

  constructor(
    readonly wave: number,
    readonly entity: Entity,
  ) {}

  /** Those with most keys first. */
  get planned(): readonly PlannedEdge[] {
    return this.steps.toSorted((a, b) => b.most - a.most).flatMap(({ planned }) => planned)
  }

  get route(): string {
    const { one, many, table } = this.entity.byKey as NonNullable<Entity['byKey']>
    return (this.batch === 1 ? one : (table ?? many?.route ?? one)).path
  }

  /** Columns a step wants of so many records at most, and the fields it is for. */
  want(columns: ColumnSet, planned: readonly PlannedEdge[], most: number): void {
    this.wanted.push(columns)
    this.steps.push({ planned, most })
  }

  /** Notes that some record is read whatever the site holds. */
  addCertain(): void {
    this.isCertain = true
  }

  /** Keys of one scope: at most, and of them those that are probably to be read. */
  add(scope: unknown, most: number, { likely, any }: Pick<Amount, 'likely' | 'any'>): void {
    const pool = this.pool(scope)
    pool.keys += most
    pool.reads += likely
    pool.none *= 1 - any
  }

  /** A key for each of so many parents, which all have scopes of their own; steps from the same parents share them. */
  addScoped(parents: object, most: number, { likely }: Pick<Amount, 'likely'>): void {
    const pool = this.pool(parents)
    pool.scopes = most
    pool.keys++
    pool.reads = Math.max(pool.reads, likely)
    pool.none = 0
  }

  /** A record that is asked for at the root. It may not be read when its key has to be found first. */
  addTarget({ key, query, refused }: Target, isFound = true): void {
    if (query) {
      this.alone ??= new Set()
      const name = `${key} ${JSON.stringify(query)}`
      if (isFound && !this.alone.has(name)) this.certainAlone++
      this.alone.add(name)
      return
    }
    this.known ??= new Set()
    if (this.known.has(key)) return
    this.known.add(key)
    const many = this.entity.byKey?.many
    const scope = many?.scoped ? JSON.stringify(many.scope(key)) : undefined
    this.add(scope, 1, CERTAIN)
    if (isFound && !refused) this.pool(scope).certain++
  }

  /** Adds up the calls, when all steps have said what they want. */
  settle(basis: Basis): void {
    const parts = this.parts(basis)
    if (parts.edit) this.strayCalls = 2
    if (this.alone)
      this.charge(
        { scope: null, scopes: this.alone.size, keys: 1, certain: this.certainAlone, reads: this.alone.size, none: 0 },
        parts,
        basis,
      )
    for (const pool of this.pools) this.charge(pool, parts, basis)
    if (this.isCertain) this.min = Math.max(1, this.min)
  }

  /** Leaves the reads to a list of the same wave, which probably shows the records. */
  leaveTo(rows: readonly Row[]): void {
    const many = this.entity.byKey?.many
    if (!many?.complete || !rows.some(({ wave, route }) => wave === this.wave && route === many.route.path)) return
    this.min = 0
    this.likely = 0
  }

  /** Adds the calls by which left-out keys are looked for, of which so many are left; answers how many keys those are. */
  lookFor(left: number): number {
    const keys = Math.min(left, this.strays)
    this.permitted += keys
    this.max += keys * this.strayCalls
    this.likely += Math.min(keys, this.likelyStrays)
    return keys
  }

  private charge({ scope, scopes, keys, certain, reads, none }: Pool, parts: Parts, basis: Basis): void {
    const { context, sizes } = basis
    const { entity } = this
    const isBatched = scope !== null && (entity.byKey?.table ?? entity.byKey?.many) !== undefined
    this.min += isBatched ? Math.ceil(certain / context.site.pageCap) : certain
    if (entity.byKey?.table) {
      this.min = Math.min(1, this.min)
      this.batch = Math.max(this.batch, Math.min(keys, context.site.pageCap))
      this.permitted += Math.min(parts.parts, keys * parts.each)
      this.max = this.permitted
      this.likely += 1 - none
      return
    }
    const batching = keys > 1 ? batchingOf(entity, context) : undefined
    const { permitted, refused } = mostKeyCalls(keys, parts, entity, batching, context)
    this.permitted += scopes * permitted
    this.max += scopes * (permitted + refused)
    this.likely += scopes > 1 ? reads * parts.each : likelyKeyCalls(reads, 1 - none, parts, entity, basis)
    if (!batching) return
    this.batch = Math.max(this.batch, Math.min(keys, context.site.pageCap))
    if (batching.batch.complete) return
    this.strays += scopes * keys * parts.each
    if (reads > 1) this.likelyStrays += reads * sizes.straysOf(entity.name)
  }

  private pool(scope: unknown): Pool {
    let pool = this.pools.find((each) => each.scope === scope)
    if (!pool) {
      pool = { scope, scopes: 1, keys: 0, certain: 0, reads: 0, none: 1 }
      this.pools.push(pool)
    }
    return pool
  }

  private parts({ model }: Basis): Parts {
    const { heavy, editOnly } = this.entity.shape
    if (this.wanted.every((columns) => (columns & (heavy | editOnly)) === NO_COLUMNS)) return ONE_PART
    return partsOf(this.wanted, model.reads.get(this.entity) ?? [], this.entity.shape)
  }
}

const CERTAIN = { likely: 1, any: 1 }
