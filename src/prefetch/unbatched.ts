import { columnsOfLookup, listedQuery } from '../load/lookups.js'
import { callsAt, stretchOf } from '../load/pages.js'
import { getOrMake } from '../maps.js'
import { askable } from '../model/columns.js'
import { Connection } from '../model/connection.js'
import type { Target } from '../model/edge.js'
import type { LmsRecord } from '../model/entity.js'
import { presentAmong, type RecordState } from '../model/records.js'
import { targetsOf } from '../model/targets.js'
import { columnsOf, type Paths, type PlannedEdge, type Selection, wantedOfList } from '../plan/plan.js'
import { NO_COLUMNS } from '../upstream/codec/records.js'
import { BadInputError, ForbiddenError, LmsError, NotAvailableError } from '../upstream/errors.js'
import { isLacking } from '../upstream/routes.js'
import type { Operation } from './operation.js'
import { type KeyStep, ListStep, type Step } from './steps.js'

/**
 * Returns the calls that a run would have made without batches and without reuse: one for each record that a field leads to by key or slug,
 * one for each page of each list, and one for each record whose list lacks some of its fields. A record or list that is in several
 * places of the response counts in each of them.
 */
export const unbatchedCalls = (run: CountedRun, selections: readonly Selection[], records: readonly LmsRecord[]): number =>
  new Place(run, selections).callsBelow(records)

/** The steps that a run has followed, and the paths of its fields. */
interface CountedRun {
  readonly operation: Operation
  readonly paths: Paths
  stepOf(planned: PlannedEdge): Step | undefined
}

/** One place of the response: the selections on records of one type. */
class Place {
  private readonly fields: readonly Field[]
  /** Calls by record. The same record can be in one place several times, below different parents. */
  private readonly calls = new Map<LmsRecord, number>()

  constructor(counted: CountedRun, selections: readonly Selection[]) {
    const fields = new Map<string, PlannedEdge[]>()
    for (const planned of selections.flatMap(({ edges }) => edges))
      getOrMake(fields, `${counted.paths.get(planned.node)} ${planned.edge.id}`, (): PlannedEdge[] => []).push(planned)
    this.fields = [...fields.values()].map((planned) => new Field(counted, planned))
  }

  callsBelow(records: readonly LmsRecord[]): number {
    if (this.fields.length === 0) return 0
    let sum = 0
    for (const record of records) sum += this.calls.get(record) ?? this.callsOf(record)
    return sum
  }

  private callsOf(record: LmsRecord): number {
    let sum = 0
    for (const field of this.fields) sum += field.callsFrom(record)
    this.calls.set(record, sum)
    return sum
  }
}

/** One field of the response that follows an edge. */
class Field {
  private readonly places = new Map<string, Place>()
  private rowData: Place | undefined

  constructor(
    private readonly counted: CountedRun,
    /** The field wherever the document selects it. */
    private readonly planned: readonly PlannedEdge[],
  ) {}

  private get first(): PlannedEdge {
    return this.planned[0] as PlannedEdge
  }

  callsFrom(parent: LmsRecord): number {
    const step = this.counted.stepOf(this.first)
    if (!step) return 0
    return step instanceof ListStep ? this.ofList(step, parent) : this.ofRecords(step, parent)
  }

  private ofRecords(step: KeyStep, parent: LmsRecord): number {
    const states = [step.follow(parent) ?? []].flat() as (RecordState | null)[]
    const { edge, args, slugs } = step.layout
    const targets = slugs ? [targetsOf(edge, parent, args.value) ?? []].flat() : []
    const { site } = this.counted.operation
    const read = step.layout.branches.filter(({ entity: { byKey }, batch }) => batch && byKey && !isLacking(site, byKey.one))
    const isAsked = (state: RecordState | null, index: number): boolean =>
      !targets[index]?.bySlug && read.some(({ entity }) => entity === state?.store.entity) && isSent(state?.value)
    let calls = this.ofLookups(targets) + states.filter(isAsked).length
    for (const state of states) if (state) calls += this.callsBelow(state)
    return calls
  }

  /** The lookups of slugs, and the reads of records that they do not show completely. */
  private ofLookups(targets: readonly (Target | null)[]): number {
    const { site, call, records } = this.counted.operation
    let calls = 0
    for (const target of targets) {
      if (!target?.bySlug) continue
      const found = records.located(target)
      if (found?.refused && !isSent(found.refused)) continue
      const columns = columnsOf(this.selections(target.entity.name))
      const readById = askable(call.caller, target.entity, columns) & ~columnsOfLookup({ site }, { target, columns })
      const isRead = listedQuery(target).hasPassword || readById !== NO_COLUMNS
      calls += found && !found.refused && isRead ? 2 : 1
    }
    return calls
  }

  private ofList(step: ListStep, parent: LmsRecord): number {
    const { query, window: args } = step.args
    const { isInEdit, list } = step.follow(parent) ?? {}
    if (query === null || !list) return 0
    if (!(list instanceof Connection)) return isSent(list) ? 1 : 0
    const { site, call } = this.counted.operation
    const { edge } = step.layout
    const wanted = wantedOfList({ site }, edge, this.planned)
    const window = { kind: edge.route.window, args, wants: wanted, cap: site.pageCap }
    let calls = callsAt(window, list.totalCount ?? stretchOf(args).start + list.states.length)
    const { columns: readById } = step.layout.wanted.readById
    const later = isInEdit ? readById & ~edge.shape.carried(site) : readById
    if ((askable(call.caller, edge.entity, later) & wanted.columns) !== NO_COLUMNS) calls += list.states.length
    const picked = edge.pick && new Set(edge.pick.from(presentAmong(list.states), step.args))
    for (const state of list.states) if (!picked || picked.has(state.record)) calls += this.callsBelow(state)
    this.rowData ??= new Place(
      this.counted,
      this.planned.flatMap(({ rowData }) => rowData ?? []),
    )
    return calls + this.rowData.callsBelow(list.rowData ?? [])
  }

  private callsBelow(state: RecordState): number {
    const { name } = state.store.entity
    return getOrMake(this.places, name, () => new Place(this.counted, this.selections(name))).callsBelow(presentAmong([state]))
  }

  private selections(type: string): readonly Selection[] {
    return this.planned.flatMap(({ children }) => children.get(type) ?? [])
  }
}

/** Whether the site was asked before a value or an error: the gateway itself refuses wrong arguments and the data of others. */
const isSent = (value: unknown): boolean =>
  !(value instanceof LmsError) || value.upstream !== undefined || !REFUSALS.some((Class) => value instanceof Class)

const REFUSALS = [BadInputError, ForbiddenError, NotAvailableError]
