import type { Query, Row } from '../../upstream/client.js'
import { type ColumnSet, covers, NO_COLUMNS, type Projection } from '../../upstream/codec/records.js'
import { LmsError, UnresolvedError } from '../../upstream/errors.js'
import { getOrMake } from '../../upstream/maps.js'
import type { Key } from '../../upstream/routes.js'
import type { Edge, Entity, KeyEdge, ListArgs, ListEdge, LmsRecord } from '../edges.js'

/** What an operation knows of one record. It is made when the record is first mentioned, and filled as rows arrive. */
export class RecordState {
  has: ColumnSet = NO_COLUMNS
  /** A read that is under way, where records below may lead back to this one. */
  reading: Promise<unknown> | undefined
  error: LmsError | undefined
  /** All records of the store, for the entry that stands for the whole table. */
  rows: readonly LmsRecord[] | undefined

  constructor(
    readonly store: Store,
    readonly key: Key,
    readonly record: LmsRecord,
    public state: 'mentioned' | 'present' | 'missing' | 'failed',
  ) {}

  /** True when nothing more can or need be asked to show these columns. */
  settles(want: ColumnSet): boolean {
    return this.state === 'present' ? covers(this.has, want) : this.state !== 'mentioned'
  }

  /** The record, `null` when there is none, or why that is not known. */
  get value(): LmsRecord | readonly LmsRecord[] | null | LmsError {
    return this.state === 'present' ? (this.rows ?? this.record) : this.state === 'failed' ? (this.error as LmsError) : null
  }

  fill(row: Row, projection: Projection, columns: ColumnSet): void {
    projection.decode(row, this.record as Record<string, unknown>)
    this.has = this.has === NO_COLUMNS ? columns : this.has | columns
    this.state = 'present'
  }

  /** Makes this the entry of a whole table. */
  fillWhole(entries: readonly RecordState[], columns: ColumnSet): void {
    this.rows = entries.map(({ record }) => record)
    this.has |= columns
    this.state = 'present'
  }

  /** No such record. One that a list has just shown is unresolved rather than missing. */
  miss(columns: ColumnSet): void {
    if (this.state === 'present') this.fail(columns, new UnresolvedError('The site no longer shows this record.'))
    else this.state = 'missing'
  }

  /** Is not to be read at all. */
  refuse(error: LmsError): void {
    this.state = 'failed'
    this.error = error
  }

  /** Could not be read. Where the record itself is known, only the columns in question carry the error. */
  fail(columns: ColumnSet, error: LmsError): void {
    if (this.state === 'present') {
      const { key, shape } = this.store.entity
      // Its key is known whatever becomes of it.
      for (const name of shape.list(columns & ~this.has)) if (name !== key) (this.record as Record<string, unknown>)[name] = error
      this.has |= columns
    } else this.refuse(error)
  }
}

/** The records that are there; those of a whole table one by one. */
export function presentAmong(entries: Iterable<RecordState>): LmsRecord[] {
  const records: LmsRecord[] = []
  for (const { state, rows, record } of entries) {
    if (state !== 'present') continue
    if (!rows) records.push(record)
    else for (const row of rows) records.push(row)
  }
  return records
}

/** Key of the entry that stands for a whole table. */
export const WHOLE: Key = '*'

/** The records of one entity in one operation, each once. */
export class Store {
  /** The last read of the whole table, where the entity has one. */
  tableRead: { readonly columns: ColumnSet; readonly done: Promise<void> } | undefined
  /** Whether edges lead back to its records, so that reads under way are noted. */
  isReadAhead = false
  private readonly entries = new Map<Key, RecordState>()
  private readonly RecordOf: RecordClass

  constructor(
    readonly entity: Entity,
    /** Goes into every read of this store: records read with it are shared with no other store. */
    readonly query: Query | undefined,
  ) {
    this.RecordOf = getOrMake(classes, entity, () => recordClass(entity))
  }

  /** Whether this is its record of a key. */
  holds(key: Key, record: LmsRecord): boolean {
    return this.entries.get(key)?.record === record
  }

  entry(key: Key): RecordState {
    let entry = this.entries.get(key)
    if (entry === undefined) {
      const record = new this.RecordOf()
      record[this.entity.key] = key
      entry = new RecordState(this, key, record, this.entity.byKey ? 'mentioned' : 'present')
      this.entries.set(key, entry)
    }
    return entry
  }
}

type RecordClass = new () => Record<string, unknown>

const classes = new WeakMap<Entity, RecordClass>()

/**
 * A record is marked with its type on its prototype, so that a `node` of any type knows its own, and inherits nothing else. Objects of a
 * class are made faster than those of a prototype alone.
 */
function recordClass({ name }: Entity): RecordClass {
  class RecordOf {}
  Object.setPrototypeOf(RecordOf.prototype, null)
  Reflect.deleteProperty(RecordOf.prototype, 'constructor')
  Object.defineProperty(RecordOf.prototype, '__typename', { value: name })
  return RecordOf as RecordClass
}

/** Where an edge leads from one parent. */
export type FollowedEdge = RecordState | null | readonly (RecordState | null)[]

/** Why a column an edge starts from could not be read, which says the same of the edge. */
export function badColumn({ needs }: Edge, parent: LmsRecord): LmsError | undefined {
  for (const name of needs) {
    const value = parent[name]
    if (value instanceof LmsError) return value
  }
  return undefined
}

/** Where an edge leads from a parent; nothing when that can't be told: the resolver says why. */
export const targetsOf = (edge: KeyEdge, parent: LmsRecord, prepared: unknown): ReturnType<KeyEdge['targets']> | undefined =>
  followed(edge, parent, () => edge.targets(parent, prepared))

/** What an edge asks for from a parent; nothing where the parent has no such list: the resolver says why. */
export const scopeOf = (edge: ListEdge, parent: LmsRecord, args: ListArgs): ReturnType<ListEdge['scope']> | undefined =>
  followed(edge, parent, () => edge.scope(parent, args))

function followed<T>(edge: Edge, parent: LmsRecord, follow: () => T): T | undefined {
  if (badColumn(edge, parent)) return undefined
  try {
    return follow()
  } catch (error) {
    if (error instanceof LmsError) return undefined
    throw error
  }
}
