import { type ColumnSet, NO_COLUMNS } from '../../upstream/codec/records.js'
import type { Key } from '../../upstream/routes.js'
import type { Entity, Target } from '../edges.js'
import type { PlannedEdge } from '../prepare/selections.js'
import { type Parts, partsOf } from './estimate-parts.js'
import { batchingOf, likelyKeyCalls, mostKeyCalls } from './key-calls.js'
import type { Amount, Basis, Row } from './row.js'

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
