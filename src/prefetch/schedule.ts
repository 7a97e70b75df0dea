import type { FieldNode } from 'graphql'
import type { ListArgs, ListEdge } from '../model/edge.js'
import type { Entity } from '../model/entity.js'
import type { Arguments } from '../plan/arguments.js'
import type { PlannedEdge } from '../plan/plan.js'
import { type ColumnSet, NO_COLUMNS } from '../upstream/codec/records.js'
import { getOrMake } from '../upstream/maps.js'
import { KeyBatch, ListBatch, LookupBatch, type RunBatch } from './batches.js'
import type { Operation } from './operation.js'
import { WaveSpans } from './wave-spans.js'

type AnyBatch = KeyBatch | ListBatch | LookupBatch

/** The batches of one fetcher, by wave. */
export class Schedule {
  private readonly batches = new Map<string, AnyBatch>()
  /** Columns that are wanted by key, for entities that are read as a whole table or completely shown by one list. They are read once. */
  private readonly wholeColumns = new Map<Entity, ColumnSet>()
  /** Lists that may hold records that are also read by key, by wave and entity. */
  private readonly completeLists = new Map<string, ListBatch[]>()
  /** The fields of each batch, when calls are recorded. */
  private readonly served: Map<AnyBatch, FieldNode[]> | undefined
  /** The number of waves before the first one, when calls are recorded. */
  private readonly wavesBefore: number
  /** The spans of the waves, in a recorded trace. */
  private readonly waves: WaveSpans | undefined
  readonly arguments: Arguments
  private open = 0
  private finish: (fault?: unknown) => void = () => {}

  constructor(
    readonly operation: Operation,
    variables: Readonly<Record<string, unknown>>,
  ) {
    this.arguments = operation.argumentsUnder(variables)
    this.served = operation.recorder && new Map()
    this.wavesBefore = operation.recorder?.lastWave ?? 0
    this.waves = operation.call.trace.span && new WaveSpans(operation.call.trace.span)
  }

  /** Calls back when all batches have ended, at once when there are none; or with the exception that one of them threw. */
  whenDone(finish: (fault?: unknown) => void): void {
    this.finish = finish
    if (this.open === 0) finish()
  }

  /** Records which columns of an entity a step wants. */
  want(entity: Entity, columns: ColumnSet): void {
    const { table, many } = entity.byKey ?? {}
    if (table || many?.complete) this.wholeColumns.set(entity, columns | (this.wholeColumns.get(entity) ?? NO_COLUMNS))
  }

  /** Records whether edges below a level lead back to its entity. */
  readAhead(entity: Entity, { ahead }: { readonly ahead: ColumnSet | undefined }): void {
    if (ahead !== undefined) this.operation.store({ entity, key: 0 }).isReadAhead = true
  }

  /** Returns the columns to read when `columns` are wanted now. */
  wanted(entity: Entity, columns: ColumnSet): ColumnSet {
    return entity.byKey?.table ? columns | (this.wholeColumns.get(entity) ?? NO_COLUMNS) : columns
  }

  /** `planned` are the fields that need the records. */
  keyBatch(wave: number, entity: Entity, planned: readonly PlannedEdge[]): KeyBatch {
    const make = (operation: Operation, run: RunBatch) => new KeyBatch(operation, run, () => this.listsOf(wave, entity))
    return this.batch(wave, entity.name, planned, make, entity)
  }

  lookupBatch(wave: number, entity: Entity, planned: readonly PlannedEdge[]): LookupBatch {
    return this.batch(wave, `slug ${entity.name}`, planned, (operation, run) => new LookupBatch(operation, run))
  }

  listBatch(wave: number, name: string, edge: ListEdge, args: ListArgs, planned: readonly PlannedEdge[]): ListBatch {
    return this.batch(wave, name, planned, (operation, run) => {
      const batch = new ListBatch(operation, run, edge, args, this.wholeColumns)
      if (edge.entity.byKey?.many?.complete) getOrMake(this.completeLists, `${wave} ${edge.entity.name}`, (): ListBatch[] => []).push(batch)
      return batch
    })
  }

  /** Lists of the same wave that may hold records of an entity; nothing when the interface has no list of all of them. */
  private listsOf(wave: number, { name }: Entity): readonly ListBatch[] | undefined {
    return this.completeLists.get(`${wave} ${name}`)
  }

  private batch<B extends AnyBatch>(
    wave: number,
    named: string,
    planned: readonly PlannedEdge[],
    make: (operation: Operation, run: RunBatch) => B,
    entity?: Entity,
  ): B {
    const name = `${wave} ${named}`
    let batch = this.batches.get(name) as B | undefined
    if (!batch) {
      const traced = this.waves ? this.waves.traced(wave, make) : make
      batch = this.served ? this.recorded(this.served, wave, traced, entity) : traced(this.operation, this.run)
      this.batches.set(name, batch)
      this.open++
    }
    this.served?.get(batch)?.push(...planned.map(({ node }) => node))
    batch.expect()
    return batch
  }

  /** Makes a batch whose calls are recorded. */
  private recorded<B extends AnyBatch>(
    served: Map<AnyBatch, FieldNode[]>,
    wave: number,
    make: (operation: Operation, run: RunBatch) => B,
    entity: Entity | undefined,
  ): B {
    const fields: FieldNode[] = []
    const batch = make(this.operation.serving({ fields, entity, wave: this.wavesBefore + wave }), this.run)
    served.set(batch, fields)
    return batch
  }

  /** Runs a batch. Batches handle the errors of the site, so anything thrown here is an exception of the gateway. */
  private readonly run: RunBatch = (calls, then) => {
    const failed = (fault: unknown): void => {
      this.waves?.end()
      this.finish(fault ?? new Error('A batch failed.'))
    }
    calls().then(() => {
      try {
        then()
        if (--this.open > 0) return
        this.waves?.end()
        this.finish()
      } catch (fault) {
        failed(fault)
      }
    }, failed)
  }
}
