import { EventEmitter } from 'node:events'
import { getOrMake, isObject } from '../../maps.js'
import type { Row } from '../client.js'
import type { Emitter } from '../events.js'
import { type Site, wireName } from '../site/site.js'
import type { Column, Columns } from './columns.js'
import { type OnMemberRepair, UNDECODABLE } from './kinds.js'

/** A set of columns of one shape: a bit mask in the order of its table. */
export type ColumnSet = bigint

export const NO_COLUMNS: ColumnSet = 0n

/** Whether `have` includes all columns of `want`. */
export const covers = (have: ColumnSet, want: ColumnSet): boolean => have === want || (have & want) === want

/** Returns the smaller `embed` context when it has all columns and the site has no field filter to limit `view`. */
export const contextFor = ({ fieldFilter, viewOnly }: Site, { name, embed }: Shape, columns: ColumnSet): 'embed' | 'view' =>
  fieldFilter === null && !viewOnly.includes(name) && covers(embed, columns) ? 'embed' : 'view'

export interface RepairEvents {
  /** A value could not be decoded and became null. The column is empty for an item of a list that was dropped. */
  readonly repair: [shape: string, column: string]
}

/** The columns of a record as one kind of route sends it. */
export class Shape {
  readonly names: readonly string[]
  /** Columns of `context=edit`; large columns; columns that a password hides; columns of `context=embed`. */
  readonly editOnly: ColumnSet
  readonly heavy: ColumnSet
  readonly guarded: ColumnSet
  readonly embed: ColumnSet
  private readonly bits = new Map<string, ColumnSet>()
  private readonly onSites = new WeakMap<Site, { readonly columns: ColumnSet }>()

  /** `order` assigns the bits. A shape for records of another shape uses the order of that one. */
  constructor(
    readonly name: string,
    readonly columns: Columns,
    order: readonly string[] = Object.keys(columns),
  ) {
    for (const [index, column] of order.entries()) this.bits.set(column, 1n << BigInt(index))
    this.names = order.filter((column) => column in columns)
    this.editOnly = this.where((column) => column.editOnly)
    this.heavy = this.where((column) => column.heavy)
    this.guarded = this.where((column) => column.guarded !== undefined)
    this.embed = this.where((column) => column.embed)
  }

  /** The set with one column; empty for an unknown name. */
  bit(name: string): ColumnSet {
    return this.bits.get(name) ?? NO_COLUMNS
  }

  set(names: Iterable<string>): ColumnSet {
    let columns = NO_COLUMNS
    for (const name of names) columns |= this.bit(name)
    return columns
  }

  /** The columns that a site sends in this shape. */
  carried(site: Site): ColumnSet {
    return getOrMake(this.onSites, site, () => ({
      columns: this.set(this.names.filter((name) => !site.missingColumns.includes(`${this.name}.${name}`))),
    })).columns
  }

  /** The columns present in an answer to a write, which has `context=edit`. A guarded column counts only without a password. */
  shownBy(row: Row, site: Site): ColumnSet {
    return this.set(
      this.names.filter((name) => {
        const { wire, guarded } = this.columns[name] as Column
        return wireAt(row, wireName(site, wire)) !== undefined && (guarded === undefined || wireAt(row, guarded) === false)
      }),
    )
  }

  list(columns: ColumnSet): string[] {
    return this.names.filter((name) => (columns & this.bit(name)) !== 0n)
  }

  private where(test: (column: Column) => boolean | undefined): ColumnSet {
    return this.set(this.names.filter((name) => test(this.columns[name] as Column)))
  }
}

/** Decodes one column of a row. */
export type Reader = (row: Row) => unknown

/** How some columns of a shape are requested from one site, and decoded. */
export interface Projection {
  /** Sorted wire names for the field filter. */
  readonly filter: readonly string[]
  /** Decodes the columns of a row into properties of `record`. */
  readonly decode: (row: Row, record: Record<string, unknown>) => void
}

const MAX_PROJECTIONS = 500

/** Creates and caches the projections of one site. */
export class Projections {
  private readonly kept = new Map<Shape, Map<ColumnSet, Projection>>()

  constructor(
    private readonly site: Site,
    private readonly events: Emitter<RepairEvents> = new EventEmitter<RepairEvents>(),
  ) {}

  /**
   * `also` lists further wire names to request, such as those of the key. The column `key` is not decoded when it is one of them: records have their
   * key from the start.
   */
  of(shape: Shape, columns: ColumnSet, also: readonly string[], key?: string): Projection {
    const kept = getOrMake(this.kept, shape, () => new Map<ColumnSet, Projection>())
    let projection = kept.get(columns)
    if (!projection) {
      if (kept.size >= MAX_PROJECTIONS) kept.clear()
      projection = this.make(shape, columns, also, key)
      kept.set(columns, projection)
    }
    return projection
  }

  private make(shape: Shape, columns: ColumnSet, also: readonly string[], key?: string): Projection {
    const asked = shape.list(columns)
    const isUsable = (name: string): boolean => !this.site.unusableColumns.includes(`${shape.name}.${name}`)
    const usable = asked.filter(isUsable)
    const names = asked.filter((name) => name !== key || !also.includes((shape.columns[name] as Column).wire))
    const readers = names.map((name) => (isUsable(name) ? this.reader(shape.columns[name] as Column) : () => null))
    const wires = new Set(
      [...also, ...usable.flatMap((name) => wiresOf(shape.columns[name] as Column))].map((wire) => wireName(this.site, wire)),
    )
    return {
      filter: [...wires].filter((wire) => !wires.has(wire.split('.')[0] as string) || !wire.includes('.')).sort(),
      decode: (row, record) => {
        for (let i = 0; i < readers.length; i++) {
          const name = names[i] as string
          const value = (readers[i] as Reader)(row)
          if (value === UNDECODABLE) this.repair(shape, name, record)
          else record[name] = value
        }
      },
    }
  }

  private reader(column: Column): Reader {
    const [member, inner] = wireName(this.site, column.wire).split('.') as [string, string?]
    const decode = column.members ? this.membersOf(column) : column.decode
    const otherwise = column.otherwise ?? null
    const fallback = column.fallback === undefined ? undefined : wireName(this.site, column.fallback)
    const { beside, ...alone } = column
    if (beside) {
      const other = wireName(this.site, beside.wire)
      const read = this.reader(alone)
      return (row) => beside.decide(read(row), row[other], this.site)
    }
    return (row) => {
      let raw = row[member]
      if (inner !== undefined) raw = isObject(raw) ? raw[inner] : inner === 'rendered' && typeof raw === 'string' ? raw : undefined
      if (fallback !== undefined && (raw ?? '') === '') raw = row[fallback]
      if (raw === undefined || raw === null) return otherwise
      return decode(raw, this.onMemberRepair) ?? otherwise
    }
  }

  /** Sets a value that can't be decoded to null, and reports it. */
  private repair(shape: Shape, name: string, record: Record<string, unknown>): void {
    // Stryker disable next-line OptionalChaining: A shape has the columns that it reads.
    record[name] = shape.columns[name]?.otherwise ?? null
    this.onMemberRepair(shape.name, record, name)
  }

  private readonly onMemberRepair: OnMemberRepair = (type, record, member) => {
    getOrMake(repaired, record, () => new Set<string>()).add(member)
    this.events.emit('repair', type, member)
  }

  /** Returns the decoder of a list of records in a record. Items that are not objects are dropped and reported. */
  private membersOf(column: Column): Column['decode'] {
    const { name, columns } = column.members as NonNullable<Column['members']>
    const shape = new Shape(name, columns)
    const { decode } = this.make(shape, shape.set(shape.names), [])
    return (raw) => {
      const rows = column.decode(raw)
      if (!Array.isArray(rows)) return UNDECODABLE
      return rows.flatMap((row: unknown) => {
        if (!isObject(row)) {
          this.events.emit('repair', shape.name, '')
          return []
        }
        const record: Record<string, unknown> = {}
        decode(row, record)
        return [record]
      })
    }
  }
}

const repaired = new WeakMap<object, Set<string>>()

/** Names of the columns of a record whose values could not be decoded. */
export const repairsOf = (record: object): ReadonlySet<string> | undefined => repaired.get(record)

/** Reads the value of a wire name; a dot separates the name of a member. */
export function wireAt(row: Row, wire: string): unknown {
  const [member, inner] = wire.split('.') as [string, string?]
  const value = row[member]
  return inner === undefined ? value : isObject(value) ? value[inner] : undefined
}

/** The wire names to request for a column. */
const wiresOf = ({ wire, whole, fallback, beside }: Column): string[] =>
  [whole ? (wire.split('.')[0] as string) : wire, fallback, beside?.wire].filter((each) => each !== undefined)
