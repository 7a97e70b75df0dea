import { readLists } from '../load/listing.js'
import { readRecords } from '../load/loading.js'
import { lookUp } from '../load/lookups.js'
import { getOrMake } from '../maps.js'
import { Connection, ListState, scopeName } from '../model/connection.js'
import type { ListArgs, Target } from '../model/edge.js'
import type { Entity, LmsRecord } from '../model/entity.js'
import { type FollowedEdge, type RecordState, StateList } from '../model/records.js'
import { badColumn, keysIn, scopeOf, targetsFrom, targetsOf } from '../model/targets.js'
import type { Branch, KeyStepLayout, ListStepLayout, StepLayout } from '../plan/layout.js'
import { type ColumnSet, NO_COLUMNS } from '../upstream/codec/records.js'
import { LmsError } from '../upstream/errors.js'
import type { Key } from '../upstream/routes.js'
import { ByParent } from './by-parent.js'
import type { Operation } from './operation.js'

/** One edge with its arguments, in one operation. `undefined` is unread, `null` is nothing there. */
export type Step = KeyStep | ListStep

/** A list below a parent, or the error that prevented its read. */
export type ReadList = Connection | LmsError

/** An edge to records by their keys. */
export class KeyStep {
  private found: ByParent<FollowedEdge | undefined> | undefined
  /** The records that it leads to from the parents of the plan, of each branch of its layout. */
  private readonly reached: readonly StateList[]
  private isSettled = false

  constructor(
    readonly layout: KeyStepLayout,
    private readonly operation: Operation,
  ) {
    this.reached = layout.branches.map(() => new StateList())
  }

  /** Follows the edge from all parents of a level, and returns the records of each branch of its layout. */
  reach(parents: readonly LmsRecord[]): readonly StateList[] {
    const { column } = this.layout.edge
    const found = column === undefined ? parents.map((parent) => this.followNow(parent, true)) : this.followColumn(column, parents)
    this.found = new ByParent(parents, found)
    return this.reached
  }

  /** Returns where the edge leads from a parent, whether or not that was read. */
  follow(parent: LmsRecord): FollowedEdge | undefined {
    const known = this.found?.get(parent)
    return known === undefined ? this.followNow(parent) : known
  }

  /** Returns where the edge leads from a parent, once its records were read. */
  peek(parent: LmsRecord): FollowedEdge | undefined {
    const known = this.found?.get(parent)
    if (known !== undefined && this.areAllSettled()) return known
    const found = known === undefined ? this.followNow(parent) : known
    return found === undefined || !this.settles(found) ? undefined : found
  }

  /** Reads the records that the edge leads to from a parent. Throws the `LmsError` of a column or key from which it cannot be followed. */
  load(parent: LmsRecord): Promise<FollowedEdge> {
    const targets = targetsFrom(this.layout.edge, parent, this.layout.args.value)
    if (!Array.isArray(targets)) return this.loadTarget(targets as Target | null)
    return Promise.all((targets as readonly (Target | null)[]).map((target) => this.loadTarget(target)))
  }

  private async loadTarget(target: Target | null): Promise<RecordState | null> {
    if (!target) return null
    const { records, loaders } = this.operation
    if (records.located(target) === undefined) await loaders.of(lookUp, lookUp).load([{ target, columns: this.columnsOf(target.entity) }])
    const found = records.located(target)
    return found ? loadRecord(this.operation, found, this.columnsOf(found.entity)) : null
  }

  private columnsOf(entity: Entity): ColumnSet {
    return this.layout.branches.find((branch) => branch.entity === entity)?.level.columns ?? NO_COLUMNS
  }

  /** Follows an edge whose keys are in a column. */
  private followColumn(column: string, parents: readonly LmsRecord[]): (FollowedEdge | undefined)[] {
    const { edge, branches } = this.layout
    const [reached] = this.reached as [StateList]
    const store = this.operation.records.store(branches[0] as Branch)
    const reach = (key: Key): RecordState => {
      const state = store.stateOf(key)
      reached.add(state)
      return state
    }
    return parents.map((parent) => {
      const keys = keysIn(edge, column, parent)
      if (keys === undefined || keys === null) return keys
      return typeof keys === 'object' ? keys.map(reach) : reach(keys)
    })
  }

  /** Follows the edge from one parent. With `reaches`, adds the records that it finds to the records that the plan reads. */
  private followNow(parent: LmsRecord, reaches = false): FollowedEdge | undefined {
    const targets = targetsOf(this.layout.edge, parent, this.layout.args.value)
    if (targets === undefined || targets === null) return targets
    const { records } = this.operation
    let isUnread = false
    const find = (reached: Target | null): RecordState | null => {
      const target = reached && records.located(reached)
      isUnread ||= target === undefined
      if (!target) return null
      const state = records.stateOf(target)
      if (reaches && !target.refused) this.reachedOf(target.entity)?.add(state)
      return state
    }
    const found = Array.isArray(targets) ? targets.map(find) : find(targets as Target)
    return isUnread ? undefined : found
  }

  private reachedOf(entity: Entity): StateList | undefined {
    return this.reached[this.layout.branches.findIndex((branch) => branch.entity === entity)]
  }

  private settles(found: FollowedEdge): boolean {
    const settled = (state: RecordState | null): boolean => state === null || state.settles(this.columnsOf(state.store.entity))
    return Array.isArray(found) ? found.every(settled) : settled(found as RecordState | null)
  }

  /** Whether all records that the plan has reached were read. */
  private areAllSettled(): boolean {
    this.isSettled ||= this.layout.branches.every(({ level }, index) =>
      (this.reached[index] as StateList).states.every((state) => state.settles(level.columns)),
    )
    return this.isSettled
  }
}

/** An edge to one window of a list per parent. */
export class ListStep {
  private found: ByParent<ListState | null | undefined> | undefined

  constructor(
    readonly layout: ListStepLayout,
    private readonly operation: Operation,
    /** The lists of the batch, by the names of their scopes. */
    private readonly lists = new Map<string, ListState>(),
  ) {}

  /** The arguments of the list. */
  get args(): ListArgs {
    return this.layout.args.value as ListArgs
  }

  /** Follows the edge from all parents of a level, and returns their lists. Parents with equal scopes share one. */
  reach(parents: readonly LmsRecord[]): readonly ListState[] {
    const found = parents.map((parent) => this.followNow(parent))
    this.found = new ByParent(parents, found)
    return [...new Set(found.filter((list) => list !== null && list !== undefined))]
  }

  /** Returns the list below a parent, whether or not it was read. */
  follow(parent: LmsRecord): ListState | null | undefined {
    const known = this.found?.get(parent)
    return known === undefined ? this.followNow(parent) : known
  }

  /** Returns the list below a parent, once it was read. */
  peek(parent: LmsRecord): ReadList | null | undefined {
    const state = this.follow(parent)
    return state ? state.list : state
  }

  /** Reads the list below a parent, with its columns that lists do not send. Rejects with the `LmsError` of a parent that has no list. */
  async load(parent: LmsRecord): Promise<ReadList | null> {
    const { edge, args, batch, wanted } = this.layout
    const bad = badColumn(edge, parent)
    if (bad) throw bad
    const scope = edge.scope(parent, this.args)
    if (!scope) return null
    const state = this.stateOf(scope)
    const { loaders } = this.operation
    await loaders.of(args.name, readLists).load({ edge, args, lists: [state], wants: batch.wants as NonNullable<typeof batch.wants> })
    const list = state.list as ReadList
    const { entity, columns } = wanted.readById
    if (list instanceof Connection && columns !== NO_COLUMNS)
      await Promise.all(list.states.map(({ key }) => loadRecord(this.operation, { entity, key }, columns)))
    return list
  }

  private followNow(parent: LmsRecord): ListState | null | undefined {
    const scope = scopeOf(this.layout.edge, parent, this.args)
    return scope && this.stateOf(scope)
  }

  private stateOf(scope: NonNullable<ReturnType<typeof scopeOf>>): ListState {
    return getOrMake(this.lists, scopeName(scope), () => new ListState(scope))
  }
}

/** Makes the step of a layout. Steps of one batch share `lists`. */
export const stepFrom = (layout: StepLayout, operation: Operation, lists?: Map<string, ListState>): Step =>
  layout.kind === 'key' ? new KeyStep(layout, operation) : new ListStep(layout, operation, lists)

/**
 * Reads a record that the plan has not read, through a DataLoader of its type: by id with all its columns, or with the columns that are needed when
 * the read has parameters of its own, such as a password, or edit-only columns.
 */
export async function loadRecord({ records, loaders }: Operation, target: Target, columns: ColumnSet): Promise<RecordState> {
  const state = records.stateOf(target)
  if (state.settles(columns)) return state
  const { entity, key, query } = target
  const isPlain = query === undefined && (columns & entity.shape.editOnly) === NO_COLUMNS
  if (isPlain) await loaders.byIdOf(entity).load(key).catch(ofTheSite)
  else await loaders.of(entity, readRecords).load({ states: [state], columns, ahead: NO_COLUMNS })
  return state
}

/** Errors of the site are in the state of the record, too. */
function ofTheSite(error: unknown): void {
  if (!(error instanceof LmsError)) throw error
}
