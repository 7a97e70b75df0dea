import { getOrMake } from '../maps.js'
import type { Query, Row } from '../upstream/client.js'
import { type ColumnSet, covers, NO_COLUMNS, type Projection } from '../upstream/codec/records.js'
import { type LmsError, UnresolvedError } from '../upstream/errors.js'
import type { Key } from '../upstream/routes.js'
import type { Target } from './edge.js'
import type { Entity, LmsRecord } from './entity.js'

/** What an operation knows of one record. It is created when the record is first mentioned, and filled as rows arrive. */
export class RecordState {
  has: ColumnSet = NO_COLUMNS
  /** The running read of this record, in stores that keep it. */
  reading: Promise<unknown> | undefined
  error: LmsError | undefined
  /** The list of states to which it was added last. */
  lastIn: StateList | undefined
  /** All records of the store, for the state that stands for the whole table. */
  rows: readonly LmsRecord[] | undefined
  /** What is derived from the record while the response is written. */
  memo: unknown
  /** The next state of its store that is not in the map of the store yet. */
  next: RecordState | undefined

  constructor(
    readonly store: Store,
    readonly key: Key,
    readonly record: LmsRecord,
    public status: 'mentioned' | 'present' | 'missing' | 'failed',
  ) {}

  /** Whether no further read is needed, or possible, for these columns. */
  settles(want: ColumnSet): boolean {
    return this.status === 'present' ? covers(this.has, want) : this.status !== 'mentioned'
  }

  /** The record, `null` when it does not exist, or the error that prevented the read. */
  get value(): LmsRecord | readonly LmsRecord[] | null | LmsError {
    return this.status === 'present' ? (this.rows ?? this.record) : this.status === 'failed' ? (this.error as LmsError) : null
  }

  fill(row: Row, projection: Projection, columns: ColumnSet): void {
    projection.decode(row, this.record as Record<string, unknown>)
    this.has = this.has === NO_COLUMNS ? columns : this.has | columns
    this.status = 'present'
  }

  /** Sets columns whose values are known without a read of the record. */
  know(values: LmsRecord): void {
    Object.assign(this.record, values)
    this.has |= this.store.entity.shape.set(Object.keys(values))
  }

  /** Makes this the state of a whole table. */
  fillWhole(states: readonly RecordState[], columns: ColumnSet): void {
    this.rows = states.map(({ record }) => record)
    this.has |= columns
    this.status = 'present'
  }

  /** Marks the record as missing. A record that a list has just shown becomes unresolved instead. */
  miss(columns: ColumnSet): void {
    const { shape, byKeyAlone } = this.store.entity
    if (byKeyAlone) this.know(Object.fromEntries(shape.list(columns & ~this.has).map((name) => [name, null])))
    else if (this.status === 'present') this.fail(columns, new UnresolvedError('The site no longer shows this record.'))
    else this.status = 'missing'
  }

  /** Marks the record as failed. */
  refuse(error: LmsError): void {
    this.status = 'failed'
    this.error = error
  }

  /** Reports that some columns could not be read. When the record itself is known, only these columns carry the error. */
  fail(columns: ColumnSet, error: LmsError): void {
    if (this.status === 'present') {
      const { key, shape } = this.store.entity
      // Its key is known in any case.
      for (const name of shape.list(columns & ~this.has)) if (name !== key) (this.record as Record<string, unknown>)[name] = error
      this.has |= columns
    } else this.refuse(error)
  }
}

/** Record states, each once, in the order in which they were first added. No other list may be filled between two calls of `add`. */
export class StateList {
  readonly states: RecordState[] = []

  add(state: RecordState): void {
    if (state.lastIn === this) return
    state.lastIn = this
    this.states.push(state)
  }
}

/** Returns the records that are present. A whole table counts as its records. */
export function presentAmong(states: Iterable<RecordState>): LmsRecord[] {
  const records: LmsRecord[] = []
  for (const { status, rows, record } of states) {
    if (status !== 'present') continue
    if (!rows) records.push(record)
    else for (const row of rows) records.push(row)
  }
  return records
}

/** Key of the state that stands for a whole table. */
export const WHOLE: Key = '*'

/** The records of one entity in one operation. */
export class Store {
  /** The last read of the whole table. */
  tableRead: { readonly columns: ColumnSet; readonly done: Promise<void> } | undefined
  /** Whether running reads are kept in `RecordState.reading`: edges lead back to its records, or resolvers read them. */
  isReadAhead = false
  private readonly states = new Map<Key, RecordState>()
  /** The first of the states that are not in the map yet. Records of most lists are never looked up, and adding them to the map takes long. */
  private unindexed: RecordState | undefined
  private readonly RecordOf: RecordClass

  constructor(
    readonly entity: Entity,
    /** Query parameters of every read of this store. */
    readonly query: Query | undefined,
  ) {
    this.RecordOf = getOrMake(classes, entity, () => recordClass(entity))
  }

  /** Whether no record was mentioned yet. */
  get isEmpty(): boolean {
    return this.states.size === 0 && !this.unindexed
  }

  stateOf(key: Key): RecordState {
    return this.known(key) ?? this.add(key)
  }

  /** Adds the state of a record that was not mentioned before. */
  add(key: Key): RecordState {
    const record = new this.RecordOf()
    record[this.entity.key] = key
    if (this.query) record.readWith = this.query
    const state = new RecordState(this, key, record, this.entity.byKey && !this.entity.byKeyAlone ? 'mentioned' : 'present')
    state.next = this.unindexed
    this.unindexed = state
    return state
  }

  /** The state of a record that was mentioned before. */
  known(key: Key): RecordState | undefined {
    for (let state = this.unindexed; state; state = state.next) this.states.set(state.key, state)
    this.unindexed = undefined
    return this.states.get(key)
  }
}

/** Number of single reads that an operation may make for ids that batches left out. */
export const SINGLE_READS = 10

/** The records of one operation, and the slugs that it has looked up. */
export class Records {
  /** Whether it is noted which lists have shown a record. */
  isNoting = false
  private readonly stores = new Map<Entity, Store>()
  private readonly queried = new Map<Entity, Map<string, Store>>()
  /** By the name of the lookup. */
  private readonly slugs = new Map<string, Target | null>()
  private singleReads = SINGLE_READS

  /** The store that holds the record of a target. Reads with query parameters of their own, such as a password, have a store of their own. */
  store({ entity, query }: Pick<Target, 'entity' | 'query'>): Store {
    if (!query) return getOrMake(this.stores, entity, () => new Store(entity, undefined))
    const stores = getOrMake(this.queried, entity, () => new Map<string, Store>())
    return getOrMake(stores, JSON.stringify(query), () => new Store(entity, query))
  }

  /** The state of the record that a target leads to. */
  stateOf(target: Target): RecordState {
    const state = this.store(target).stateOf(target.key)
    if (target.refused) state.refuse(target.refused)
    if (target.within) this.note(state, target.within)
    return state
  }

  /** While `isNoting`, notes in columns such as `in course` that a record is in a list limited to an id: the first 20 ids of each. */
  note({ record }: RecordState, limits: Query): void {
    if (!this.isNoting) return
    for (const [name, id] of Object.entries(limits)) {
      const ids = (record[`in ${name}`] ?? []) as readonly unknown[]
      if (typeof id === 'number' && ids.length < 20 && !ids.includes(id)) Object.assign(record, { [`in ${name}`]: [...ids, id] })
    }
  }

  /** Returns the target by which a record was reached. */
  targetOf(entity: Entity, record: LmsRecord): Target {
    const key = record[entity.key] as Key
    for (const store of this.queried.get(entity)?.values() ?? [])
      if (store.known(key)?.record === record) return { entity, key, query: store.query as Query }
    return { entity, key }
  }

  /** Returns the target with the key of its record, `null` when no record has the slug, or `undefined` before the slug was looked up. */
  located(target: Target): Target | null | undefined {
    return target.bySlug ? this.slugs.get(slugName(target)) : target
  }

  /** Keeps what the lookup of a slug has found. */
  locate(target: Target, found: Target | null): void {
    this.slugs.set(slugName(target), found)
  }

  /** Uses one of the single reads for ids that batches left out. Returns false when they are used up. */
  takeSingleRead(): boolean {
    return this.singleReads-- > 0
  }

  /** Drops everything that was read: a write may have changed it. */
  clear(): void {
    this.stores.clear()
    this.queried.clear()
    this.slugs.clear()
  }
}

/** The name of the lookup of a slug, which is equal for equal targets. */
export const slugName = ({ entity, key, query }: Target): string => `${entity.name} ${JSON.stringify(query ?? null)} ${key}`

type RecordClass = new () => Record<string, unknown>

const classes = new WeakMap<Entity, RecordClass>()

/**
 * Creates the class of an entity's records. Its prototype holds `__typename`, from which `node` takes the type, and nothing else. V8 creates
 * instances of a class faster than objects with a given prototype.
 */
function recordClass({ name }: Entity): RecordClass {
  class RecordOf {}
  Object.setPrototypeOf(RecordOf.prototype, null)
  Reflect.deleteProperty(RecordOf.prototype, 'constructor')
  Object.defineProperty(RecordOf.prototype, '__typename', { value: name })
  return RecordOf as RecordClass
}

/** The records that an edge leads to from one parent. */
export type FollowedEdge = RecordState | null | readonly (RecordState | null)[]
