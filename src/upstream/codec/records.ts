import type { Row } from '../client.js'
import { isObject } from '../errors.js'
import { getOrMake } from '../maps.js'
import { type Site, wireName } from '../site/site.js'
import type { Column, Columns } from './columns.js'
import { type OnMemberRepair, UNDECODABLE } from './kinds.js'

/** A set of columns of one shape, a bit each in the order of its table. */
export type ColumnSet = bigint

export const NO_COLUMNS: ColumnSet = 0n

/** True when `have` holds all of `want`. */
export const covers = (have: ColumnSet, want: ColumnSet): boolean => have === want || (have & want) === want

/** The smaller `embed` context where the site has no field filter, takes it, and `embed` holds all that is wanted. */
export const contextFor = ({ fieldFilter, viewOnly }: Site, { name, embed }: Shape, columns: ColumnSet): 'embed' | 'view' =>
  fieldFilter === null && !viewOnly.includes(name) && covers(embed, columns) ? 'embed' : 'view'

/** Told of each value that could not be decoded; the value becomes null. */
export type OnRepair = (shape: string, column: string) => void

/** The columns of one wire shape of a record. */
export class Shape {
  readonly names: readonly string[]
  /** Columns only `context=edit` sends; large ones; those a password guards; those `context=embed` sends as well. */
  readonly editOnly: ColumnSet
  readonly heavy: ColumnSet
  readonly guarded: ColumnSet
  readonly embed: ColumnSet
  private readonly bits = new Map<string, ColumnSet>()
  private readonly onSites = new WeakMap<Site, { readonly columns: ColumnSet }>()

  /** `order` gives the bits: a shape that fills records of another one uses that one's order. */
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

  /** The set with one column; nothing for a name that is no column. */
  bit(name: string): ColumnSet {
    return this.bits.get(name) ?? NO_COLUMNS
  }

  set(names: Iterable<string>): ColumnSet {
    let columns = NO_COLUMNS
    for (const name of names) columns |= this.bit(name)
    return columns
  }

  /** The columns this shape really carries on a site. */
  carried(site: Site): ColumnSet {
    return getOrMake(this.onSites, site, () => ({
      columns: this.set(this.names.filter((name) => !site.lacking[this.name]?.includes(name))),
    })).columns
  }

  /** The columns a row shows in `context=edit`, as answers to writes are. What a password may guard counts only where none does. */
  shownBy(row: Row, site: Site): ColumnSet {
    return this.set(
      this.names.filter((name) => {
        const { wire, guarded } = this.columns[name] as Column
        return readWire(row, wireName(site, wire)) !== undefined && (guarded === undefined || readWire(row, guarded) === false)
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

/** Columns of a shape as they are asked for and read on one site. */
export interface Projection {
  /** What goes into the field filter: sorted wire names. */
  readonly filter: readonly string[]
  /** Decodes a row's columns into `record`, under their names. */
  readonly decode: (row: Row, record: Record<string, unknown>) => void
}

const MAX_PROJECTIONS = 500

/** Makes the projections of one site, and keeps those in use. */
export class Projections {
  private readonly kept = new Map<Shape, Map<ColumnSet, Projection>>()

  constructor(
    private readonly site: Site,
    private readonly onRepair: OnRepair = () => {},
  ) {}

  /** `also` are wire names asked for besides, such as the key. */
  of(shape: Shape, columns: ColumnSet, also: readonly string[]): Projection {
    const kept = getOrMake(this.kept, shape, () => new Map<ColumnSet, Projection>())
    let projection = kept.get(columns)
    if (!projection) {
      if (kept.size >= MAX_PROJECTIONS) kept.clear()
      projection = this.make(shape, columns, also)
      kept.set(columns, projection)
    }
    return projection
  }

  private make(shape: Shape, columns: ColumnSet, also: readonly string[]): Projection {
    const names = shape.list(columns)
    const unusable = this.site.unusable[shape.name] ?? []
    const readers = names.map((name) => (unusable.includes(name) ? () => null : this.reader(shape.columns[name] as Column)))
    const usable = names.filter((name) => !unusable.includes(name))
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
    return (row) => {
      let raw = row[member]
      if (inner !== undefined) raw = isObject(raw) ? raw[inner] : inner === 'rendered' && typeof raw === 'string' ? raw : undefined
      if (fallback !== undefined && (raw ?? '') === '') raw = row[fallback]
      if (raw === undefined || raw === null) return otherwise
      return decode(raw, this.onMemberRepair) ?? otherwise
    }
  }

  /** What can't be decoded becomes null, is counted, and noted with its record. */
  private repair(shape: Shape, name: string, record: Record<string, unknown>): void {
    // Stryker disable next-line OptionalChaining: A shape has the columns that it reads.
    record[name] = shape.columns[name]?.otherwise ?? null
    this.onMemberRepair(shape.name, record, name)
  }

  private readonly onMemberRepair: OnMemberRepair = (type, record, member) => {
    getOrMake(repaired, record, () => new Set<string>()).add(member)
    this.onRepair(type, member)
  }

  /** Decodes a list of records inside a record; what is no object in it is left out and counted. */
  private membersOf(column: Column): Column['decode'] {
    const { name, columns } = column.members as NonNullable<Column['members']>
    const shape = new Shape(name, columns)
    const { decode } = this.make(shape, shape.set(shape.names), [])
    return (raw) => {
      if (!Array.isArray(raw)) return UNDECODABLE
      return raw.flatMap((row: unknown) => {
        if (!isObject(row)) {
          this.onRepair(shape.name, '')
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

/** Columns of a record whose values could not be decoded. */
export const repairsOf = (record: object): ReadonlySet<string> | undefined => repaired.get(record)

/** What stands in a row under a wire name; a dot leads to a member. */
function readWire(row: Row, wire: string): unknown {
  const [member, inner] = wire.split('.') as [string, string?]
  const value = row[member]
  return inner === undefined ? value : isObject(value) ? value[inner] : undefined
}

const wiresOf = (column: Column): string[] => (column.fallback === undefined ? [column.wire] : [column.wire, column.fallback])

type Reader = (row: Row) => unknown
