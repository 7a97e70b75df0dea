import type { FieldNode } from 'graphql'
import { getOrMake } from '../maps.js'
import { Connection } from '../model/connection.js'
import type { LmsRecord } from '../model/entity.js'
import type { NeededRecord, Needs, Related } from '../model/needs.js'
import type { RecordState } from '../model/records.js'
import { badColumn } from '../model/targets.js'
import type { StepLayout } from '../plan/layout.js'
import type { Plan, PlannedEdge } from '../plan/plan.js'
import { KeyStep, type ListStep, type ReadList, type Step } from '../prefetch/steps.js'
import { LmsError } from '../upstream/errors.js'

const NOTHING: Related = Object.freeze({})

/** The planned edges to the records that the nodes of a field need, or nothing when the plan does not have those of every node. */
export function plannedIn({ byNode }: Plan, { relations }: Needs, nodes: readonly FieldNode[]): readonly PlannedEdge[] | undefined {
  const names = new Set(relations.map(({ name }) => name))
  const known = nodes.map((node) => byNode.get(node)?.filter(({ neededAs }) => neededAs && names.has(neededAs)) ?? [])
  return known.some((planned) => planned.length === 0) ? undefined : known.flat()
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

/** What a step leads to from records: several ways can lead to one record. */
type FoundFrom = Map<LmsRecord, Now<Found>>

/** What was found in a step: by planned edge, and by name for fields that need the same below it. */
const known = new WeakMap<Step, Map<PlannedEdge | string, FoundFrom>>()

/** Collects the records that the nodes of a computed field need, from what their steps have read. */
export class NeededRecords {
  constructor(
    private readonly nodes: readonly FieldNode[],
    /** The step of a planned edge, if it was laid out. May throw the error of wrong arguments. */
    private readonly stepOf: (planned: PlannedEdge) => Step | undefined,
    /** Throws in place of loading what was not read. */
    private readonly onUnread?: () => never,
  ) {}

  /** Returns what the planned edges lead to from a record, by their names. A field with several nodes has several of each name. */
  of(parent: LmsRecord, planned: readonly PlannedEdge[]): Readonly<Record<string, Now<Found>>> {
    const byName = new Map<string, PlannedEdge[]>()
    for (const each of planned) getOrMake(byName, each.neededAs as string, (): PlannedEdge[] => []).push(each)
    return Object.fromEntries(Array.from(byName, ([name, same]) => [name, this.follow(parent, same)]))
  }

  private follow(parent: LmsRecord, planned: readonly PlannedEdge[]): Now<Found> {
    const [first] = planned as [PlannedEdge]
    const bad = badColumn(first.edge, parent)
    if (bad) return bad
    // A field that is selected on several types is planned once for each: the step that has read the records is that of one of them.
    const steps = planned.flatMap((each) => this.stepOf(each) ?? [])
    const step = steps.find((each) => each.peek(parent) !== undefined) ?? steps[0]
    if (!step) {
      this.onUnread?.()
      throw new Error(`${first.edge.id} was not laid out.`)
    }
    const ofStep = getOrMake(known, step, () => new Map<PlannedEdge | string, FoundFrom>())
    const found = getOrMake(ofStep, first, () => getOrMake(ofStep, this.nameBelow(planned, step.layout), (): FoundFrom => new Map()))
    if (!found.has(parent)) found.set(parent, this.find(step, parent, planned))
    return found.get(parent)
  }

  /** A name that is equal for edges below which the same steps lead to what is needed. */
  private nameBelow(planned: readonly PlannedEdge[], layout: StepLayout): string {
    const selections = planned.flatMap(({ children }) => [...children.values()])
    const needed = new Set(selections.flatMap(({ edges }) => edges.filter(({ node }) => this.nodes.includes(node))))
    if (needed.size === 0) return ''
    const levels = layout.kind === 'key' ? layout.branches.map(({ level }) => level) : [layout.nodes]
    const names = levels.flatMap(({ steps }) =>
      steps.map((step) => {
        const followed = step.planned.filter((each) => needed.has(each))
        return followed.length === 0 ? '' : `${step.index}(${this.nameBelow(followed, step)})`
      }),
    )
    return names.join()
  }

  private find(step: Step, parent: LmsRecord, planned: readonly PlannedEdge[]): Now<Found> {
    return step instanceof KeyStep ? this.records(step, parent, planned) : this.list(step, parent, planned)
  }

  private records(step: KeyStep, parent: LmsRecord, planned: readonly PlannedEdge[]): Now<Found> {
    const read = (state: RecordState | null): Now<NeededRecord> => (state ? this.below(state, planned) : NO_RECORD)
    const show = (found: NonNullable<ReturnType<KeyStep['peek']>> | null): Now<Found> =>
      Array.isArray(found) ? together(found.map(read)) : read(found as RecordState | null)
    const found = step.peek(parent)
    return found === undefined ? this.load(() => step.load(parent), show) : show(found)
  }

  private list(step: ListStep, parent: LmsRecord, planned: readonly PlannedEdge[]): Now<Found> {
    const { edge } = step.layout
    const show = (list: ReadList | null): Now<Found> => {
      if (!(list instanceof Connection)) return list ?? undefined
      const states = new Map(list.states.filter(({ status }) => status === 'present').map((state) => [state.record, state]))
      const picked = edge.pick?.from([...states.keys()], step.args) ?? states.keys()
      return together(Array.from(picked, (record) => this.below(states.get(record) as RecordState, planned)))
    }
    const list = step.peek(parent)
    return list === undefined ? this.load(() => step.load(parent), show) : show(list)
  }

  private load<T>(load: () => Promise<T>, show: (found: T) => Now<Found>): Now<Found> {
    this.onUnread?.()
    try {
      return load().then(show, errorOfTheSite)
    } catch (error) {
      return errorOfTheSite(error)
    }
  }

  /** A record, and what is needed of the records that its edges lead to. The other edges are followed where the field shows the record. */
  private below(state: RecordState, planned: readonly PlannedEdge[]): Now<NeededRecord> {
    const record = state.value as LmsRecord | null | LmsError
    const selections = planned.flatMap(({ children }) => children.get(state.store.entity.name) ?? [])
    const needed = selections.flatMap(({ edges }) => edges.filter(({ node }) => this.nodes.includes(node)))
    if (record === null || record instanceof LmsError || needed.length === 0) return { record, related: NOTHING }
    return whenAll(this.of(record, needed), (related) => ({ record, related }))
  }
}

/** The error of a relation is its value. Throws exceptions of the gateway itself. */
function errorOfTheSite(error: unknown): LmsError {
  if (error instanceof LmsError) return error
  throw error
}

const together = (found: readonly Now<NeededRecord>[]): Now<readonly NeededRecord[]> =>
  found.some((each) => each instanceof Promise) ? Promise.all(found) : (found as readonly NeededRecord[])

const NO_RECORD: NeededRecord = Object.freeze({ record: null, related: NOTHING })
