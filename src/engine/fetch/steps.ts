import { type ColumnSet, NO_COLUMNS, type Shape } from '../../upstream/codec/records.js'
import { aheadOf, lacking, shownThrough } from '../columns.js'
import { learnKeys, learnLists } from '../cost/index.js'
import type { Entity, KeyEdge, ListArgs, ListEdge, ListWants, LmsRecord, Target } from '../edges.js'
import { columnsOf, type PlannedEdge, type Selection } from '../plan.js'
import type { KeyBatch, ListBatch, LookupBatch } from './batches.js'
import { Connection } from './listing.js'
import { located } from './lookups.js'
import { type FollowedEdge, presentAmong, type RecordState, targetsOf } from './records.js'
import type { Schedule } from './schedule.js'

/** What the levels of one fetcher share: the batches they report to, and the steps by field. */
export interface FetchRun {
  readonly schedule: Schedule
  readonly steps: Map<PlannedEdge, Step>
}

/** The waves in which the keys and the columns of a level's records are known. */
interface Waves {
  readonly key: number
  readonly rows: number
}

/** One edge on one level, under one set of arguments. */
export type Step = KeyStep | ListStep

/** The edges of one level, sorted by when they can start. */
export class Level {
  readonly columns: ColumnSet
  /** Columns that are read together with `columns`, because records below need them. */
  readonly ahead: ColumnSet | undefined
  private readonly atKey: Step[] = []
  private readonly atRows: Step[] = []
  private readonly atCompletion: Step[] = []
  private readonly completion: KeyBatch | undefined
  private readonly lacking: ColumnSet

  /** `late` tells which of the wanted columns are read by id after the rows have arrived, because the list does not carry them. */
  constructor(
    run: FetchRun,
    selections: readonly Selection[],
    waves: Waves,
    shape?: Shape,
    late?: { entity: Entity; planned: readonly PlannedEdge[]; lacking: (columns: ColumnSet) => ColumnSet },
  ) {
    this.columns = columnsOf(selections)
    this.ahead = aheadOf(selections)
    this.lacking = late?.lacking(this.columns) ?? NO_COLUMNS
    this.completion = late && this.lacking !== NO_COLUMNS ? run.schedule.keyBatch(waves.rows, late.entity, late.planned) : undefined
    for (const { planned, prepared } of run.schedule.together(selections)) {
      const { edge } = planned[0] as PlannedEdge
      const needs = shape?.set(edge.needs) ?? NO_COLUMNS
      const completed = late !== undefined && (late.entity.shape.set(edge.needs) & this.lacking) !== NO_COLUMNS
      const wave = completed ? waves.rows + 1 : needs === NO_COLUMNS ? waves.key : waves.rows
      const step =
        edge.kind === 'list'
          ? new ListStep(run, edge, planned, prepared.value as ListArgs, wave, prepared.name)
          : new KeyStep(run, edge, planned, prepared.value, wave)
      for (const each of planned) run.steps.set(each, step)
      const steps = completed ? this.atCompletion : needs === NO_COLUMNS ? this.atKey : this.atRows
      steps.push(step)
    }
  }

  /** Whether no further reads depend on this level. */
  get isLast(): boolean {
    return this.atKey.length + this.atRows.length + this.atCompletion.length === 0 && !this.completion
  }

  /** Reports the keys of the records. The records themselves may still be being read. */
  keysArrive(records: readonly LmsRecord[]): void {
    for (const step of this.atKey) step.report(records)
  }

  /** Reports the records. */
  rowsArrive(records: readonly LmsRecord[], states: Iterable<RecordState> = []): void {
    for (const step of this.atRows) step.report(records)
    this.completion?.report(states, this.lacking, NO_COLUMNS, () => {
      for (const step of this.atCompletion) step.report(records)
    })
  }

  arrive(records: readonly LmsRecord[], states?: Iterable<RecordState>): void {
    this.keysArrive(records)
    this.rowsArrive(records, states)
  }
}

/** An edge that leads to records by their keys. */
export class KeyStep {
  private readonly branches = new Map<Entity, Branch>()
  private readonly found = new Map<LmsRecord, FollowedEdge>()
  private settled: boolean | undefined
  private lookups: LookupBatch | undefined

  constructor(
    private readonly run: FetchRun,
    private readonly edge: KeyEdge,
    private readonly planned: readonly PlannedEdge[],
    readonly prepared: unknown,
    wave: number,
  ) {
    // A slug is looked up in a wave of its own. Its key is known in the next wave.
    const keyWave = edge.bySlug?.(prepared) ? wave + 1 : wave
    for (const entity of edge.entities(prepared)) {
      if (keyWave > wave) this.lookups = run.schedule.lookupBatch(wave, entity, planned)
      const children = planned.flatMap(({ children }) => children.get(entity.name) ?? [])
      const level = new Level(run, children, { key: keyWave, rows: entity.byKey ? keyWave + 1 : keyWave }, entity.shape)
      run.schedule.want(entity, level.columns)
      run.schedule.readAhead(entity, level)
      this.branches.set(entity, { level, batch: entity.byKey && run.schedule.keyBatch(keyWave, entity, planned), states: new Set() })
    }
  }

  /** The columns that are read of an entity's records. */
  columnsOf(entity: Entity): ColumnSet {
    return this.branches.get(entity)?.level.columns ?? NO_COLUMNS
  }

  /** Returns where the edge leads from a parent, or nothing when it was not followed or its records were not all fetched. */
  foundFrom(parent: LmsRecord): FollowedEdge | undefined {
    this.settled ??= this.settles()
    return this.settled ? this.found.get(parent) : undefined
  }

  report(parents: readonly LmsRecord[]): void {
    const { edge, prepared, lookups } = this
    if (!lookups) {
      this.keysArrive(parents)
      return
    }
    const targets = parents.flatMap((parent) => (targetsOf(edge, parent, prepared) as Target | null | undefined) ?? [])
    lookups.report(
      targets.map((target) => ({ target, columns: this.columnsOf(target.entity) })),
      () => this.keysArrive(parents),
    )
  }

  private keysArrive(parents: readonly LmsRecord[]): void {
    for (const parent of parents) this.follow(parent)
    for (const [entity, { level, batch, states }] of this.branches) {
      const records = level.isLast ? [] : Array.from(states, ({ record }) => record)
      level.keysArrive(records)
      const want = this.run.schedule.wanted(entity, level.columns)
      const learn = learnKeys(this.run.schedule.operation, this.planned[0] as PlannedEdge, entity, parents, states, want)
      const go = (arrived: readonly LmsRecord[]): void => {
        learn?.()
        if (!level.isLast) level.rowsArrive(arrived)
      }
      if (!batch) go(records)
      else batch.report(states, want, level.ahead ?? NO_COLUMNS, () => go(level.isLast ? [] : presentAmong(states)))
    }
  }

  private follow(parent: LmsRecord): void {
    const targets = targetsOf(this.edge, parent, this.prepared)
    if (targets === undefined) return
    this.found.set(parent, Array.isArray(targets) ? targets.map((target) => this.reach(target)) : this.reach(targets as Target | null))
  }

  private reach(reached: Target | null): RecordState | null {
    const target = reached && located(this.run.schedule.operation, reached)
    if (!target) return null
    const state = this.run.schedule.operation.stateOf(target)
    if (!target.refused) this.branches.get(target.entity)?.states.add(state)
    return state
  }

  private settles(): boolean {
    for (const { level, states } of this.branches.values()) for (const state of states) if (!state.settles(level.columns)) return false
    return true
  }
}

/** The records of one entity that an edge leads to. */
interface Branch {
  readonly level: Level
  readonly batch: KeyBatch | undefined
  readonly states: Set<RecordState>
}

/** An edge that leads to one window of a list per parent. */
export class ListStep {
  readonly batch: ListBatch
  private readonly nodes: Level
  private readonly side: Level | undefined
  private readonly wants: ListWants

  constructor(
    private readonly run: FetchRun,
    edge: ListEdge,
    private readonly planned: readonly PlannedEdge[],
    readonly prepared: ListArgs,
    wave: number,
    name: string,
  ) {
    const { entity } = edge
    const waves = { key: wave + 1, rows: wave + 1 }
    this.batch = run.schedule.listBatch(wave, name, edge, prepared, planned)
    const { operation } = run.schedule
    const sides = planned.flatMap(({ side }) => side ?? [])
    const through = shownThrough(operation, edge, columnsOf(sides))
    const nodes = [...planned.flatMap(({ children }) => children.get(entity.name) ?? []), { columns: through, edges: [] }]
    const late = { entity, planned, lacking: (columns: ColumnSet) => lacking(operation, edge, columns) }
    this.nodes = new Level(run, nodes, waves, entity.shape, late)
    run.schedule.readAhead(entity, this.nodes)
    const lateSide = { entity, planned, lacking: () => through }
    this.side = edge.side && sides.length > 0 ? new Level(run, sides, waves, edge.side.shape, lateSide) : undefined
    this.wants = {
      columns: this.nodes.columns | (this.nodes.ahead ?? NO_COLUMNS),
      side: this.side?.columns ?? NO_COLUMNS,
      rows: planned.some(({ rows }) => rows),
      total: planned.some(({ total }) => total),
      next: planned.some(({ next }) => next),
    }
  }

  report(parents: readonly LmsRecord[]): void {
    this.batch.report(parents, this.wants, () => {
      const { nodes, side } = this
      learnLists(this.run.schedule.operation, this.planned[0] as PlannedEdge, this.prepared, parents, (parent) => this.batch.listOf(parent))
      if (nodes.isLast && (!side || side.isLast)) return
      const states = new Set<RecordState>()
      const sides: LmsRecord[] = []
      for (const parent of parents) {
        const list = this.batch.listOf(parent)
        if (!(list instanceof Connection)) continue
        for (const state of list.states) states.add(state)
        if (side && list.sides) for (const record of list.sides) sides.push(record)
      }
      nodes.arrive(presentAmong(states), states)
      side?.arrive(sides, states)
    })
  }
}
