import { Connection, joinWants, ListLoader, type Scope } from '../load/listing.js'
import { joinedLookups, type Lookup, lookUp } from '../load/lookups.js'
import { allOf, EqualWants, type Wants } from '../load/part-reader.js'
import type { ListArgs, ListEdge, ListWants } from '../model/edge.js'
import type { Entity, LmsRecord } from '../model/entity.js'
import type { RecordState, Store } from '../model/records.js'
import { scopeOf } from '../model/targets.js'
import { type ColumnSet, NO_COLUMNS } from '../upstream/codec/records.js'
import type { LmsError } from '../upstream/errors.js'
import { getOrMake } from '../upstream/maps.js'
import type { Params } from '../upstream/routes.js'
import { ByParent } from './by-parent.js'
import type { Operation } from './operation.js'

/** Runs the calls of a batch, then the steps that follow. */
export type RunBatch = (calls: () => Promise<unknown>, then: () => void) => void

/** Steps that share their calls. It runs when every step has reported, including those without parents. */
abstract class Batch {
  private expected = 0
  private reported = 0
  private isDone = false
  private readonly followers: (() => void)[] = []

  constructor(
    protected readonly operation: Operation,
    private readonly run: RunBatch,
  ) {}

  expect(): void {
    this.expected++
  }

  /** Calls back when the calls have ended and the steps that follow have started. */
  whenDone(callback: () => void): void {
    if (this.isDone) callback()
    else this.followers.push(callback)
  }

  protected reportOne(then: () => void): void {
    this.followers.push(then)
    if (++this.reported < this.expected) return
    this.run(
      () => this.calls(),
      () => {
        this.isDone = true
        for (const follow of this.followers) follow()
      },
    )
  }

  protected abstract calls(): Promise<unknown>
}

/** All records of one entity that are read by key in one wave. */
export class KeyBatch extends Batch {
  private readonly wants = new Map<Store, Wants>()
  private ahead: ColumnSet = NO_COLUMNS

  /** `lists` returns the lists of the same wave that may hold its records. */
  constructor(
    operation: Operation,
    run: RunBatch,
    private readonly lists: () => readonly ListBatch[] | undefined,
  ) {
    super(operation, run)
  }

  /** Records that are read for `want` are read with the columns of `ahead` as well. */
  report(states: Iterable<RecordState>, want: ColumnSet, ahead: ColumnSet, then: () => void): void {
    this.ahead |= ahead
    const store = onlyStore(states)
    if (store && !this.wants.has(store)) this.wants.set(store, new EqualWants(states, want))
    else for (const state of states) this.join(state, want)
    this.reportOne(then)
  }

  private join(state: RecordState, want: ColumnSet): void {
    const before = this.wants.get(state.store)
    const joined = before instanceof Map ? (before as Map<RecordState, ColumnSet>) : new Map<RecordState, ColumnSet>()
    if (before !== joined) {
      before?.forEach((columns, each) => {
        joined.set(each, columns)
      })
      this.wants.set(state.store, joined)
    }
    joined.set(state, (joined.get(state) ?? NO_COLUMNS) | want)
  }

  protected calls(): Promise<unknown> {
    const lists = this.lists()
    return lists ? this.callsAfter(lists) : this.load()
  }

  private load(): Promise<unknown> {
    return allOf(
      [...this.wants].map(([store, wanted]) => (store.isReadAhead ? this.loadAhead(store, wanted) : this.operation.load(store, wanted))),
    )
  }

  /** Reads records with the columns that edges leading back to them need. Waits for reads of the same records that are running. */
  private loadAhead(store: Store, wanted: Wants): Promise<unknown> {
    const now: RecordState[] = []
    const later = new Map<RecordState, ColumnSet>()
    const unread: Wants = {
      forEach: (each) =>
        wanted.forEach((want, state) => {
          if (state.settles(want)) return
          if (state.reading) later.set(state, want)
          else {
            now.push(state)
            each(want | this.ahead, state)
          }
        }),
    }
    const done = this.operation.load(store, unread).then(() => {
      for (const state of now) state.reading = undefined
    })
    const running = new Set<Promise<unknown> | undefined>()
    for (const state of later.keys()) running.add(state.reading)
    for (const state of now) state.reading = done
    return later.size === 0 ? done : Promise.all([done, Promise.all(running).then(() => this.loadAhead(store, later))])
  }

  /** Reads by key only the records that these lists do not show. */
  private async callsAfter(lists: readonly ListBatch[]): Promise<unknown> {
    await Promise.all(lists.map((list) => new Promise<void>((resolve) => list.whenDone(resolve))))
    for (const [{ entity }, wanted] of this.wants) {
      const scope = entity.byKey?.many?.scope
      wanted.forEach((columns, state) => {
        if (scope && state.status === 'mentioned' && lists.some((list) => list.showsAll(scope(state.key)))) state.miss(columns)
      })
    }
    return this.load()
  }
}

/** The records of one entity that are looked up by slug in one wave. */
export class LookupBatch extends Batch {
  private readonly lookups: Lookup[] = []

  report(lookups: readonly Lookup[], then: () => void): void {
    this.lookups.push(...lookups)
    this.reportOne(then)
  }

  protected calls(): Promise<unknown> {
    return lookUp(this.operation, joinedLookups(this.lookups))
  }
}

/** The lists of one edge with the same arguments in one wave, one per scope. */
export class ListBatch extends Batch {
  private readonly scopes = new Map<string, ScopedList>()
  private readonly reports: ByParent<ScopedList | undefined>[] = []
  private wants: ListWants | undefined
  /** Whether the lists carried edit-only columns. */
  isInEdit = false

  constructor(
    operation: Operation,
    run: RunBatch,
    private readonly edge: ListEdge,
    private readonly args: ListArgs,
    /** Columns that are wanted by key, for entities whose records one list shows completely. */
    private readonly byKey: ReadonlyMap<Entity, ColumnSet>,
  ) {
    super(operation, run)
  }

  report(parents: readonly LmsRecord[], wants: ListWants, then: () => void): void {
    this.wants = this.wants ? joinWants(this.wants, wants) : wants
    const lists = parents.map((parent) => {
      const scope = scopeOf(this.edge, parent, this.args)
      return scope ? getOrMake(this.scopes, nameOf(scope), (): ScopedList => ({ scope, list: undefined })) : undefined
    })
    this.reports.push(new ByParent(parents, lists))
    this.reportOne(then)
  }

  /** Returns the list below a parent, or nothing when it was not fetched. */
  listOf(parent: LmsRecord): Connection | LmsError | undefined {
    for (const report of this.reports) {
      const known = report.get(parent)
      if (known) return known.list
    }
    const scope = scopeOf(this.edge, parent, this.args)
    return scope ? this.scopes.get(nameOf(scope))?.list : undefined
  }

  /** Whether the list of a scope was read completely. */
  showsAll(params: Params): boolean {
    const list = this.scopes.get(nameOf({ params }))?.list
    return list instanceof Connection && list.isWhole && this.isUnfiltered
  }

  private get isUnfiltered(): boolean {
    return this.args.query !== null && Object.values(this.args.query).every((value) => value === undefined)
  }

  protected calls(): Promise<unknown> {
    const loader = new ListLoader(this.operation, this.edge, this.args, this.withByKey(this.wants as ListWants))
    this.isInEdit = loader.isInEdit
    const loads: Promise<void>[] = []
    for (const scoped of this.scopes.values()) {
      const keep = (list: Connection | LmsError): void => {
        scoped.list = list
      }
      loads.push(loader.load(scoped.scope, keep))
    }
    return allOf(loads)
  }

  /** Adds the columns that are wanted of the same records by key, so that they are not read again. */
  private withByKey(wants: ListWants): ListWants {
    const { entity, shape } = this.edge
    const also = entity.byKey?.many?.complete && wants.rows ? this.byKey.get(entity) : undefined
    return also ? { ...wants, columns: wants.columns | (also & shape.carried(this.operation.site)) } : wants
  }
}

/** The list of one scope, once it has been read. */
interface ScopedList {
  readonly scope: Scope
  list: Connection | LmsError | undefined
}

const nameOf = ({ params, query }: Scope): string => {
  let name = ''
  for (const key in params) name += `${params[key]}/`
  for (const key in query) name += `${key}=${query[key]}&`
  return name
}

/** The store of some records, when it is the same for all of them. */
function onlyStore(states: Iterable<RecordState>): Store | undefined {
  let only: Store | undefined
  for (const { store } of states) {
    if (only && store !== only) return undefined
    only = store
  }
  return only
}
