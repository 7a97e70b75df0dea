import type { Served } from '../cost/budget.js'
import { Connection } from '../model/connection.js'
import type { Target } from '../model/edge.js'
import type { LmsRecord } from '../model/entity.js'
import type { ReadContext, SlugRead } from '../model/reads.js'
import { presentAmong, type RecordState, StateList } from '../model/records.js'
import { targetsOf } from '../model/targets.js'
import type { Arguments } from '../plan/arguments.js'
import type { Batch, Branch, Layout, LevelLayout, StepLayout } from '../plan/layout.js'
import type { Plan, PlannedEdge } from '../plan/plan.js'
import { NO_COLUMNS } from '../upstream/codec/records.js'
import { BatchRun } from './batch-run.js'
import type { Operation } from './operation.js'
import { KeyStep, type ListStep, type Step, stepFrom } from './steps.js'
import { unbatchedCalls } from './unbatched.js'
import { type WaveSpan, WaveSpans } from './wave-spans.js'

const NOTHING: readonly never[] = []

/** What calls are made for while nothing is recorded. */
const NOBODY: Served = { fields: NOTHING }

/**
 * Reads the records of a layout before the response is written: a loop over its levels. On each level, each step loads from its batch once, for all
 * parents together; the last load dispatches the batch. There is no timer, and no promise per record.
 */
export class Prefetch {
  private readonly runs: readonly BatchRun[]
  private readonly steps: readonly Step[]
  private readonly spans: WaveSpans | undefined

  constructor(
    readonly operation: Operation,
    readonly layout: Layout,
    /** The number of waves before its first one, when calls are recorded. */
    wavesBefore = operation.recorder?.lastWave ?? 0,
  ) {
    const { span } = operation.call.trace
    this.spans = span && new WaveSpans(span)
    this.runs = layout.batches.map((batch) => {
      const waveSpan = this.spans?.of(batch.wave)
      return new BatchRun(batch, this.contextOf(batch, wavesBefore, waveSpan), waveSpan)
    })
    for (const run of this.runs) for (const batch of run.batch.after) run.follow(this.runOf(batch))
    this.steps = layout.steps.map((step) => stepFrom(step, operation, step.kind === 'list' ? this.runOf(step.batch).lists : undefined))
  }

  /** Resolves when all batches have ended. Rejects only for an exception of the gateway itself; resolvers then read the missing records. */
  async run(parents: readonly LmsRecord[]): Promise<void> {
    const { layout, operation } = this
    for (const entity of layout.readAhead) operation.records.store({ entity }).isReadAhead = true
    try {
      await this.arrive(layout.top, parents, NOTHING)
    } finally {
      this.spans?.end()
    }
    const { recorder } = operation
    if (!recorder) return
    const run = { operation, paths: recorder.paths, stepOf: (planned: PlannedEdge) => this.stepOf(planned) }
    recorder.unbatched += unbatchedCalls(run, layout.selections, parents)
  }

  /** The step that follows a planned edge. */
  stepOf(planned: PlannedEdge): Step | undefined {
    const step = this.layout.stepOf.get(planned)
    return step && this.steps[step.index]
  }

  private contextOf({ wave, reads, planned }: Batch, wavesBefore: number, waveSpan: WaveSpan | undefined): ReadContext {
    const { operation } = this
    if (!operation.recorder) return operation.readsFor(NOBODY, waveSpan)
    const entity = reads.kind === 'records' ? reads.entity : undefined
    return operation.readsFor({ fields: planned.map(({ node }) => node), entity, wave: wavesBefore + wave }, waveSpan)
  }

  private runOf({ index }: Batch): BatchRun {
    return this.runs[index] as BatchRun
  }

  /** Follows the edges of a level whose records have arrived. */
  private arrive(level: LevelLayout, records: readonly LmsRecord[], states: readonly RecordState[]): Promise<unknown> {
    return both(this.follow(level, 'keys', records), this.followRows(level, records, states))
  }

  private followRows(level: LevelLayout, records: readonly LmsRecord[], states: readonly RecordState[]): Promise<unknown> {
    const followed = this.follow(level, 'rows', records)
    const { readById } = level
    if (!readById) return followed
    const read = this.runOf(readById.batch).load({ states, columns: readById.columns, ahead: NO_COLUMNS })
    return both(
      followed,
      read.then(() => this.follow(level, 'readById', records)),
    )
  }

  /** Follows the edges that start from what is known now: keys, rows, or columns that were read by key after the rows. */
  private follow({ steps }: LevelLayout, start: StepLayout['start'], records: readonly LmsRecord[]): Promise<unknown> {
    const ends: Promise<unknown>[] = []
    for (const each of steps) {
      if (each.start !== start) continue
      const step = this.steps[each.index] as Step
      ends.push(step instanceof KeyStep ? this.keys(step, records) : this.lists(step, records))
    }
    return ends.length > 1 ? Promise.all(ends) : (ends[0] ?? DONE)
  }

  private keys(step: KeyStep, parents: readonly LmsRecord[]): Promise<unknown> {
    const { slugs } = step.layout
    if (!slugs) return this.branches(step, parents)
    return this.runOf(slugs)
      .load(this.lookupsOf(step, parents))
      .then(() => this.branches(step, parents))
  }

  private branches(step: KeyStep, parents: readonly LmsRecord[]): Promise<unknown> {
    const { branches } = step.layout
    const reached = step.reach(parents)
    const ends = branches.map((branch, index) => this.branch(step, branch, parents, (reached[index] as StateList).states))
    return ends.length > 1 ? Promise.all(ends) : (ends[0] ?? DONE)
  }

  private lookupsOf({ layout: { edge, args, branches } }: KeyStep, parents: readonly LmsRecord[]): SlugRead {
    const columnsOf = ({ entity }: Target) => branches.find((branch) => branch.entity === entity)?.level.columns ?? NO_COLUMNS
    const targets = parents.flatMap((parent) => (targetsOf(edge, parent, args.value) as Target | null | undefined) ?? NOTHING)
    return targets.filter(({ bySlug }) => bySlug).map((target) => ({ target, columns: columnsOf(target) }))
  }

  /** Reads the records of one entity that a step leads to. Edges that need only their keys are followed meanwhile. */
  private branch(step: KeyStep, branch: Branch, parents: readonly LmsRecord[], states: readonly RecordState[]): Promise<unknown> {
    const { entity, level, batch } = branch
    const { sizes } = this.operation
    const isLast = isEnd(level)
    const mentioned = isLast ? NOTHING : states.map(({ record }) => record)
    const followed = this.follow(level, 'keys', mentioned)
    const arrive = (records: readonly LmsRecord[]): Promise<unknown> => {
      sizes?.learnKeys(step.layout.first, entity, parents, states)
      return this.followRows(level, records, NOTHING)
    }
    if (!batch) return both(followed, arrive(mentioned))
    const read = this.runOf(batch).load({ states, columns: level.columns | batch.alsoColumns, ahead: level.ahead ?? NO_COLUMNS })
    if (isLast && !sizes) return read
    return both(
      followed,
      read.then(() => arrive(isLast ? NOTHING : presentAmong(states))),
    )
  }

  private async lists(step: ListStep, parents: readonly LmsRecord[]): Promise<unknown> {
    const { edge, args, batch, first, nodes, rowData } = step.layout
    const wants = batch.wants as NonNullable<Batch['wants']>
    await this.runOf(batch).load({ edge, args, lists: step.reach(parents), wants })
    const lists = parents.map((parent) => step.peek(parent) ?? undefined)
    this.operation.sizes?.learnLists(first, step.args.query, lists)
    if (isEnd(nodes) && (!rowData || isEnd(rowData))) return
    const shown = new StateList()
    const rows: LmsRecord[] = []
    for (const list of lists) {
      if (!(list instanceof Connection)) continue
      const picked = edge.pick && new Set(edge.pick.from(presentAmong(list.states), step.args))
      for (const state of list.states) if (!picked || picked.has(state.record)) shown.add(state)
      if (rowData && list.rowData) for (const record of list.rowData) rows.push(record)
    }
    const { states } = shown
    const arrived = this.arrive(nodes, presentAmong(states), states)
    return rowData ? both(arrived, this.arrive(rowData, rows, states)) : arrived
  }
}

const DONE: Promise<unknown> = Promise.resolve()

/** Resolves when both have ended. */
const both = (a: Promise<unknown>, b: Promise<unknown>): Promise<unknown> => (a === DONE ? b : b === DONE ? a : Promise.all([a, b]))

/** Whether no reads follow from a level. */
const isEnd = ({ steps, readById }: LevelLayout): boolean => steps.length === 0 && !readById

/** What was prefetched for a plan. */
export interface Prefetched {
  readonly plan: Plan
  readonly given: Arguments
  prefetch: Prefetch
}
