import type { FieldNode } from 'graphql'
import { type Connection, loadColumnsById, loadList } from '../load/listing.js'
import type { KeyEdge, ListArgs, ListEdge, Target } from '../model/edge.js'
import type { LmsRecord } from '../model/entity.js'
import type { NeededRecord, Needs, Related } from '../model/needs.js'
import { badColumn } from '../model/targets.js'
import type { Arguments } from '../plan/arguments.js'
import type { Plan, PlannedEdge, Selection } from '../plan/plan.js'
import type { Fetcher } from '../prefetch/fetcher.js'
import type { Operation } from '../prefetch/operation.js'
import type { ListStep, Step } from '../prefetch/steps.js'
import { type ColumnSet, NO_COLUMNS } from '../upstream/codec/records.js'
import { LmsError } from '../upstream/errors.js'
import { getOrMake } from '../upstream/maps.js'

const NOTHING: Related = Object.freeze({})

/** The planned edges to the records that the nodes of a field need, or nothing when the plan does not have those of every node. */
export function plannedIn({ byNode }: Plan, { relations }: Needs, nodes: readonly FieldNode[]): readonly PlannedEdge[] | undefined {
  const names = new Set(relations.map(({ name }) => name))
  const known = nodes.map((node) => byNode.get(node)?.filter(({ neededAs }) => neededAs && names.has(neededAs)) ?? [])
  return known.some((planned) => planned.length === 0) ? undefined : known.flat()
}

/** Thrown for a record that was not fetched, where nothing is read. */
const UNREAD = new Error('A record that a field needs was not fetched.')

/** Collects the records that a field needs from a record: nothing when they were not all fetched, and when arguments are wrong. */
export type NeededFollower = (fetcher: Fetcher, record: LmsRecord) => Related | undefined

/** Returns what collects the records that the nodes of a field need, or nothing when the plan does not have those of every node. */
export function neededFollower(plan: Plan, needs: Needs, nodes: readonly FieldNode[]): NeededFollower | undefined {
  const planned = needs.relations.length === 0 ? [] : plannedIn(plan, needs, nodes)
  if (!planned) return undefined
  return (fetcher, record) => {
    const source = { operation: fetcher.operation, fetcher, given: fetcher.arguments, nodes }
    try {
      return whenAll(new NeededReader(source).related(record, planned), (values) => values) as Related
    } catch (error) {
      if (error === UNREAD || error instanceof LmsError) return undefined
      throw error
    }
  }
}

/** A value that is known at once, or later. */
type Now<T> = T | Promise<T>

/** Calls `then` with the values of an object, at once when none of them is a promise. */
export function whenAll<T, R>(values: Readonly<Record<string, Now<T>>>, then: (values: Readonly<Record<string, T>>) => R): Now<R> {
  const list = Object.values(values)
  if (!list.some((value) => value instanceof Promise)) return then(values as Readonly<Record<string, T>>)
  const names = Object.keys(values)
  return Promise.all(list).then((all) => then(Object.fromEntries(all.map((value, index) => [names[index], value]))))
}

type Found = Related[string]

/** Where the records that a computed field needs come from. */
export interface NeededSource {
  readonly operation: Operation
  /** Undefined without a plan. */
  readonly fetcher: Fetcher | undefined
  readonly given: Arguments
  readonly nodes: readonly FieldNode[]
  /** Reads a record that the plan has not fetched. Without it, nothing is read: `UNREAD` is thrown. */
  readonly load?: (target: Target, columns: ColumnSet) => Promise<unknown>
}

/** What an edge leads to from records: several ways can lead to one record. */
type Followed = Map<LmsRecord, Now<Found>>

/** What was followed in a step, or by a reader without steps: by edge, and by name for fields that need the same. */
const followed = new WeakMap<Step | NeededReader, Map<PlannedEdge | string, Followed>>()

/** Collects the records that a computed field needs, from the fetched records. Reads what the plan has not fetched. */
export class NeededReader {
  constructor(private readonly source: NeededSource) {}

  /** Returns what the planned edges lead to from a record, by their names. A field with several nodes has several of each name. */
  related(parent: LmsRecord, planned: readonly PlannedEdge[]): Readonly<Record<string, Now<Found>>> {
    const byName = new Map<string, PlannedEdge[]>()
    for (const each of planned) getOrMake(byName, each.neededAs as string, (): PlannedEdge[] => []).push(each)
    return Object.fromEntries(Array.from(byName, ([name, same]) => [name, this.follow(parent, same)]))
  }

  private follow(parent: LmsRecord, planned: readonly PlannedEdge[]): Now<Found> {
    const [edge] = planned as [PlannedEdge]
    const shared = getOrMake(followed, this.source.fetcher?.stepOf(edge) ?? this, () => new Map<PlannedEdge | string, Followed>())
    const known = getOrMake(shared, edge, () => getOrMake(shared, this.nameOf(planned), (): Followed => new Map()))
    if (!known.has(parent)) known.set(parent, this.followOnce(parent, planned))
    return known.get(parent)
  }

  /** The edges that are followed from some planned ones, with their arguments. */
  private nameOf(planned: readonly PlannedEdge[]): string {
    const names = planned.map((each) => {
      const below = [...each.children].map(([type, selection]) => `${type} ${this.nameOf(this.neededBelow(selection))}`)
      return `${this.source.given.of(each)?.name}(${below})`
    })
    return names.join()
  }

  /** The other edges are followed where the field shows the record. */
  private neededBelow({ edges }: Selection): readonly PlannedEdge[] {
    return edges.filter(({ node }) => this.source.nodes.includes(node))
  }

  private followOnce(parent: LmsRecord, planned: readonly PlannedEdge[]): Now<Found> {
    const { edge } = planned[0] as PlannedEdge
    const bad = badColumn(edge, parent)
    if (bad) return bad
    // Wrong arguments are an error of the field, not of the relation.
    const prepared = this.source.given.valueFor(planned[0] as PlannedEdge)
    try {
      return edge.kind === 'key' ? this.records(edge, parent, prepared, planned) : this.list(edge, parent, prepared as ListArgs, planned)
    } catch (error) {
      if (error instanceof LmsError) return error
      throw error
    }
  }

  private records(edge: KeyEdge, parent: LmsRecord, prepared: unknown, planned: readonly PlannedEdge[]): Now<Found> {
    const targets = edge.targets(parent, prepared)
    const read = (target: Target | null): Now<NeededRecord> => (target ? this.record(target, planned) : NO_RECORD)
    if (!Array.isArray(targets)) return read(targets as Target | null)
    const found = targets.map(read)
    return found.some((each) => each instanceof Promise) ? Promise.all(found) : (found as NeededRecord[])
  }

  private record(target: Target, planned: readonly PlannedEdge[]): Now<NeededRecord> {
    const selections = planned.flatMap(({ children }) => children.get(target.entity.name) ?? [])
    const columns = selections.reduce((all, selection) => all | selection.columns, NO_COLUMNS)
    const state = this.source.operation.stateOf(target)
    if (state.settles(columns)) return this.below(state.value as LmsRecord | null | LmsError, selections)
    const { load } = this.source
    if (!load) throw UNREAD
    const reading = load(target, columns).catch((error: unknown) => {
      if (error instanceof LmsError) return error
      throw error
    })
    return reading.then((value) => this.below(value as LmsRecord | null | LmsError, selections))
  }

  private below(record: LmsRecord | null | LmsError, selections: readonly Selection[]): Now<NeededRecord> {
    const planned = selections.flatMap((selection) => this.neededBelow(selection))
    if (record === null || record instanceof LmsError || planned.length === 0) return { record, related: NOTHING }
    return whenAll(this.related(record, planned), (related) => ({ record, related }))
  }

  private list(edge: ListEdge, parent: LmsRecord, prepared: ListArgs, planned: readonly PlannedEdge[]): Now<Found> {
    const scope = edge.scope(parent, prepared)
    if (!scope) return undefined
    const { operation, fetcher } = this.source
    const steps = planned.map((each) => fetcher?.stepOf(each) as ListStep | undefined)
    const known = steps.map((step) => step?.batch.listOf(parent)).find((list) => list !== undefined)
    const selections = planned.flatMap(({ children }) => children.get(edge.entity.name) ?? [])
    const columns = selections.reduce((all, selection) => all | selection.columns, NO_COLUMNS)
    const wants = { columns, rowData: NO_COLUMNS, rows: true, total: false, next: false }
    const show = (list: Connection | LmsError): Now<Found> => {
      if (list instanceof LmsError) return list
      const records = list.nodes.filter((node): node is LmsRecord => node !== null && !(node instanceof LmsError))
      const picked = edge.pick?.from(records, prepared) ?? records
      const found = picked.map((record) => this.below(record, selections))
      return found.some((each) => each instanceof Promise) ? Promise.all(found) : (found as NeededRecord[])
    }
    if (known) return show(known)
    const { load } = this.source
    if (!load) throw UNREAD
    return loadList(operation, edge, scope, prepared, wants).then(async (list) => {
      await loadColumnsById(list, operation, edge, columns, load)
      return show(list)
    })
  }
}

const NO_RECORD: NeededRecord = Object.freeze({ record: null, related: NOTHING })
