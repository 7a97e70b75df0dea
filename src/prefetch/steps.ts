import { Connection } from '../load/listing.js'
import { located } from '../load/lookups.js'
import { aheadOf, type ColumnsById, startOf } from '../model/columns.js'
import type { KeyEdge, ListArgs, ListEdge, ListWants, Target } from '../model/edge.js'
import type { Entity, LmsRecord } from '../model/entity.js'
import { type FollowedEdge, presentAmong, type RecordState, StateList } from '../model/records.js'
import { targetsOf } from '../model/targets.js'
import type { EqualFields } from '../plan/arguments.js'
import { columnsOf, type PlannedEdge, type Selection, wantedOfList } from '../plan/plan.js'
import { type ColumnSet, NO_COLUMNS, type Shape } from '../upstream/codec/records.js'
import { LmsError } from '../upstream/errors.js'
import type { Key } from '../upstream/routes.js'
import type { KeyBatch, ListBatch, LookupBatch } from './batches.js'
import { ByParent } from './by-parent.js'
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

  constructor(
    run: FetchRun,
    selections: readonly Selection[],
    waves: Waves,
    shape?: Shape,
    readonly readById?: ColumnsById,
    planned: readonly PlannedEdge[] = [],
  ) {
    this.columns = columnsOf(selections)
    this.ahead = aheadOf(selections)
    this.completion = readById && readById.columns !== NO_COLUMNS ? run.schedule.keyBatch(waves.rows, readById.entity, planned) : undefined
    for (const fields of run.schedule.arguments.together(selections)) {
      const { edge } = fields.first
      const start = startOf(edge, shape, readById)
      const wave = start === 'keys' ? waves.key : start === 'rows' ? waves.rows : waves.rows + 1
      const step = edge.kind === 'list' ? new ListStep(run, edge, fields, wave) : new KeyStep(run, edge, fields, wave)
      for (const each of fields.planned) run.steps.set(each, step)
      const steps = start === 'keys' ? this.atKey : start === 'rows' ? this.atRows : this.atCompletion
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
    this.completion?.report(states, this.readById?.columns ?? NO_COLUMNS, NO_COLUMNS, () => {
      for (const step of this.atCompletion) step.report(records)
    })
  }

  arrive(records: readonly LmsRecord[], states?: Iterable<RecordState>): void {
    this.keysArrive(records)
    this.rowsArrive(records, states)
  }
}

const NO_RECORDS: readonly LmsRecord[] = []

/** An edge that leads to records by their keys. */
export class KeyStep {
  readonly prepared: unknown
  private readonly first: PlannedEdge
  private readonly branches = new Map<Entity, Branch>()
  private found: ByParent<FollowedEdge | undefined> | undefined
  private settled: boolean | undefined
  private lookups: LookupBatch | undefined

  constructor(
    private readonly run: FetchRun,
    private readonly edge: KeyEdge,
    { first, planned, prepared }: EqualFields,
    wave: number,
  ) {
    this.first = first
    this.prepared = prepared.value
    // A slug is looked up in a wave of its own; the key is known in the next one.
    const keyWave = edge.bySlug?.(this.prepared) ? wave + 1 : wave
    for (const entity of edge.entities(this.prepared)) {
      if (keyWave > wave) this.lookups ??= run.schedule.lookupBatch(wave, entity, planned)
      const children = planned.flatMap(({ children }) => children.get(entity.name) ?? [])
      const level = new Level(run, children, { key: keyWave, rows: entity.byKey ? keyWave + 1 : keyWave }, entity.shape)
      run.schedule.want(entity, level.columns)
      run.schedule.readAhead(entity, level)
      this.branches.set(entity, { level, batch: entity.byKey && run.schedule.keyBatch(keyWave, entity, planned), reached: new StateList() })
    }
  }

  /** The columns that are read of an entity's records. */
  columnsOf(entity: Entity): ColumnSet {
    return this.branches.get(entity)?.level.columns ?? NO_COLUMNS
  }

  /** Returns where the edge leads from a parent, or nothing when it was not followed or its records were not all fetched. */
  foundFrom(parent: LmsRecord): FollowedEdge | undefined {
    this.settled ??= this.settles()
    return this.settled ? this.found?.get(parent) : undefined
  }

  /** Returns where the edge leads from a parent, or nothing when it was not followed. */
  followedFrom(parent: LmsRecord): FollowedEdge | undefined {
    return this.found?.get(parent)
  }

  report(parents: readonly LmsRecord[]): void {
    const { edge, prepared, lookups } = this
    if (!lookups) {
      this.keysArrive(parents)
      return
    }
    const targets = parents.flatMap((parent) => (targetsOf(edge, parent, prepared) as Target | null | undefined) ?? [])
    lookups.report(
      targets.filter(({ bySlug }) => bySlug).map((target) => ({ target, columns: this.columnsOf(target.entity) })),
      () => this.keysArrive(parents),
    )
  }

  private keysArrive(parents: readonly LmsRecord[]): void {
    const { column } = this.edge
    const found = column === undefined ? parents.map((parent) => this.follow(parent)) : this.followColumn(column, parents)
    this.found = new ByParent(parents, found)
    for (const [entity, { level, batch, reached }] of this.branches) {
      const { states } = reached
      const records = level.isLast ? NO_RECORDS : states.map(({ record }) => record)
      level.keysArrive(records)
      const want = this.run.schedule.wanted(entity, level.columns)
      const go = (arrived: readonly LmsRecord[]): void => {
        this.run.schedule.operation.sizes?.learnKeys(this.first, entity, parents, states)
        if (!level.isLast) level.rowsArrive(arrived)
      }
      if (!batch) go(records)
      else batch.report(states, want, level.ahead ?? NO_COLUMNS, () => go(level.isLast ? NO_RECORDS : presentAmong(states)))
    }
  }

  /** Follows an edge whose keys are in a column. */
  private followColumn(column: string, parents: readonly LmsRecord[]): (FollowedEdge | undefined)[] {
    const { edge, prepared } = this
    const [entity] = edge.entities(prepared) as [Entity]
    const store = this.run.schedule.operation.store({ entity, key: 0 })
    const { reached } = this.branches.get(entity) as Branch
    const reach = (key: Key): RecordState => {
      const state = store.stateOf(key)
      reached.add(state)
      return state
    }
    return parents.map((parent) => {
      const keys = parent[column] as Key | readonly Key[] | LmsError | null | undefined
      if (keys instanceof LmsError) return undefined
      if (keys === null || keys === undefined) return edge.many ? [] : null
      return typeof keys === 'object' ? keys.map(reach) : reach(keys)
    })
  }

  private follow(parent: LmsRecord): FollowedEdge | undefined {
    const targets = targetsOf(this.edge, parent, this.prepared)
    if (targets === undefined) return undefined
    return Array.isArray(targets) ? targets.map((target) => this.reach(target)) : this.reach(targets as Target | null)
  }

  private reach(reached: Target | null): RecordState | null {
    const target = reached && located(this.run.schedule.operation, reached)
    if (!target) return null
    const state = this.run.schedule.operation.stateOf(target)
    if (!target.refused) this.branches.get(target.entity)?.reached.add(state)
    return state
  }

  private settles(): boolean {
    for (const { level, reached } of this.branches.values())
      for (const state of reached.states) if (!state.settles(level.columns)) return false
    return true
  }
}

/** The records of one entity that an edge leads to. */
interface Branch {
  readonly level: Level
  readonly batch: KeyBatch | undefined
  readonly reached: StateList
}

/** An edge that leads to one window of a list per parent. */
export class ListStep {
  readonly batch: ListBatch
  private readonly nodes: Level
  private readonly rowData: Level | undefined
  private readonly wants: ListWants
  readonly prepared: ListArgs
  private readonly first: PlannedEdge

  constructor(
    private readonly run: FetchRun,
    private readonly edge: ListEdge,
    { first, planned, prepared }: EqualFields,
    wave: number,
  ) {
    const { entity } = edge
    const waves = { key: wave + 1, rows: wave + 1 }
    this.first = first
    this.prepared = prepared.value as ListArgs
    this.batch = run.schedule.listBatch(wave, prepared.name, edge, this.prepared, planned)
    const { nodes, readById, rowData, rowDataReadById, rows, total, next } = wantedOfList(run.schedule.operation, edge, planned)
    this.nodes = new Level(run, nodes, waves, entity.shape, readById, planned)
    run.schedule.readAhead(entity, this.nodes)
    this.rowData =
      edge.rowData && rowData.length > 0 ? new Level(run, rowData, waves, edge.rowData.shape, rowDataReadById, planned) : undefined
    this.wants = {
      columns: this.nodes.columns | (this.nodes.ahead ?? NO_COLUMNS),
      rowData: this.rowData?.columns ?? NO_COLUMNS,
      rows,
      total,
      next,
    }
  }

  /** Columns that are read by key after the rows. */
  get readById(): ColumnSet {
    return this.nodes.readById?.columns ?? NO_COLUMNS
  }

  report(parents: readonly LmsRecord[]): void {
    this.batch.report(parents, this.wants, () => {
      const { nodes, rowData } = this
      const { sizes } = this.run.schedule.operation
      sizes?.learnLists(
        this.first,
        this.prepared.query,
        parents.map((parent) => this.batch.listOf(parent)),
      )
      if (nodes.isLast && (!rowData || rowData.isLast)) return
      const shown = new StateList()
      const arrived: LmsRecord[] = []
      const { pick } = this.edge
      for (const parent of parents) {
        const list = this.batch.listOf(parent)
        if (!(list instanceof Connection)) continue
        const picked = pick && new Set(pick.from(presentAmong(list.states), this.prepared))
        for (const state of list.states) if (!picked || picked.has(state.record)) shown.add(state)
        if (rowData && list.rowData) for (const record of list.rowData) arrived.push(record)
      }
      nodes.arrive(presentAmong(shown.states), shown.states)
      rowData?.arrive(arrived, shown.states)
    })
  }
}
