import type { FieldNode } from 'graphql'
import { batchOf } from '../load/part-reader.js'
import { getOrMake } from '../maps.js'
import type { Limits, Target, WindowArgs } from '../model/edge.js'
import type { Entity } from '../model/entity.js'
import type { ReadContext } from '../model/reads.js'
import type { Arguments } from '../plan/arguments.js'
import type { Plan, PlannedEdge } from '../plan/plan.js'
import { type ColumnSet, NO_COLUMNS } from '../upstream/codec/records.js'
import { isWithheld } from '../upstream/roles.js'
import { isLacking } from '../upstream/routes.js'
import { type Amount, estimateKeys, partsOf } from './calls.js'

/** The operation whose calls are estimated: its caller, its site and its arguments. */
export interface EstimateContext extends Pick<ReadContext, 'site' | 'capabilities' | 'call'> {
  readonly limits: Limits
  /** The id of the caller; null when it is not known, `PENDING_VIEWER` when it is to be learned. */
  readonly viewer: number | null
  /** The route by which the viewer is learned. */
  readonly viewerRoute: string
  /** The fields of a plan for which the viewer has to be learned first. */
  fieldsForViewer(plan: Plan, given: Arguments): readonly FieldNode[]
}

/** The calls of one step: calls in one wave, for all fields that share them. */
export interface StepCalls {
  /** Counted from 1. */
  readonly wave: number
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Template of the route of most of the calls. */
  readonly route: string
  /** Ids in one call, or rows on one page. */
  readonly batch: number
  /** The entity whose records are read by key. */
  readonly entity?: Entity
  /** The list that is read. */
  readonly list?: { readonly planned: PlannedEdge; readonly args: WindowArgs }
  /** The fields for which the calls are made. */
  readonly fields: readonly FieldNode[]
  /** The least, most and expected calls. */
  readonly min: number
  readonly max: number
  readonly likely: number
}

/** Keys that can be read in one batch, or `scopes` equal pools. */
interface Pool {
  scopes: number
  keys: number
  likely: number
  /** How likely it is that there are any. */
  odds: number
  /** Keys that are certain to be read. */
  certain: number
}

/** The records of one entity that are read by key in one wave. */
export class KeyReads implements StepCalls {
  readonly method = 'GET'
  batch = 1
  min = 0
  max = 0
  likely = 0
  /** Keys that batches may leave out, and the calls of a single read of one of them. */
  strays = 0
  strayCalls = 1
  /** Whether at least one record is certain to be read. */
  isCertain = false
  /** The fields of the reads, with their number of keys. */
  private readonly keysOf = new Map<readonly PlannedEdge[], number>()
  private wanted = NO_COLUMNS
  private readonly targets = new Set<string>()
  private readonly pools = new Map<unknown, Pool>()

  constructor(
    readonly wave: number,
    readonly entity: Entity,
  ) {}

  /** The fields, sorted by their number of keys. */
  get fields(): readonly FieldNode[] {
    return [...this.keysOf].sort(([, a], [, b]) => b - a).flatMap(([planned]) => planned.map(({ node }) => node))
  }

  get route(): string {
    const { one, many, table } = this.entity.byKey ?? {}
    return (this.batch === 1 && !many?.final ? one : (table ?? many?.route ?? one))?.path ?? ''
  }

  /** Adds the columns that some fields want of at most `most` records. */
  want(columns: ColumnSet, planned: readonly PlannedEdge[], most: number): void {
    this.wanted |= columns
    this.keysOf.set(planned, (this.keysOf.get(planned) ?? 0) + most)
  }

  /** Adds keys of one scope. With `isEachApart`, each key has its own scope, and fields with the same `scope` share their calls. */
  add({ most, likely, odds = 1 }: Amount, scope: unknown, isEachApart = false): Pool {
    const pool = getOrMake(this.pools, scope, (): Pool => ({ scopes: 1, keys: 0, likely: 0, odds: 0, certain: 0 }))
    pool.scopes = isEachApart ? most : 1
    pool.keys += isEachApart ? 1 : most
    pool.odds = Math.min(1, pool.odds + odds)
    pool.likely = isEachApart ? Math.max(pool.likely, likely) : pool.likely + likely
    return pool
  }

  /** Adds a record of a root field. A read with query parameters of its own is not batched. */
  addTarget({ key, query, refused }: Target, isCertain: boolean): void {
    const name = `${key} ${JSON.stringify(query)}`
    if (this.targets.has(name)) return
    this.targets.add(name)
    const many = this.entity.byKey?.many
    const pool = this.add({ most: 1, likely: 1 }, query ? name : many?.scoped && JSON.stringify(many.scope(key)))
    if (isCertain && !refused) pool.certain++
  }

  /** Adds up the calls. `read` are the sets of columns with which records of the entity are read anywhere in the operation. */
  settle(context: EstimateContext, read: ReadonlySet<ColumnSet>): void {
    const { entity } = this
    const { pageCap } = context.site
    const { one, table, many } = entity.byKey ?? {}
    if (one && (isLacking(context.site, one) || isWithheld(context.call.caller, one, {}))) return
    const parts = partsOf(context, entity, this.wanted, read)
    this.strayCalls = parts.isEdit ? 2 : 1
    for (const { scopes, keys, likely, odds, certain } of this.pools.values()) {
      const isBatched = keys > 1 && (table ?? batchOf(context, entity)) !== undefined
      const calls = estimateKeys(context, entity, parts, keys, scopes > 1 ? Math.min(1, likely / scopes) : likely / (odds || 1))
      this.max += scopes * calls.most
      this.likely += (scopes > 1 ? scopes : odds) * calls.likely
      this.min += table ? Math.min(1, certain) : many ? Math.ceil(certain / pageCap) : certain
      if (isBatched) this.batch = Math.max(this.batch, Math.min(keys, pageCap))
      if (isBatched && !table && !many?.complete && !many?.final) this.strays += scopes * keys * parts.each
    }
    if (this.isCertain) this.min = Math.max(1, this.min)
  }
}
