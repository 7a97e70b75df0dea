import { aheadOf, type ColumnsById, startOf } from '../model/columns.js'
import { joinWants, type KeyEdge, type ListArgs, type ListEdge, type ListWants, type PreparedArguments, widthOf } from '../model/edge.js'
import type { Entity } from '../model/entity.js'
import { WHOLE } from '../model/records.js'
import { mostFrom, rootTargetsOf } from '../model/targets.js'
import { type ColumnSet, NO_COLUMNS, type Shape } from '../upstream/codec/records.js'
import type { Site } from '../upstream/site/site.js'
import type { Arguments, EqualFields } from './arguments.js'
import { columnsOf, type PlannedEdge, type Selection, type ShownRecords, type WantedOfList, wantedOfList } from './plan.js'

/** A plan with its arguments: the steps of its edges, and the batches in which the steps read. It is data, made before the first call. */
export interface Layout {
  /** What is laid out. */
  readonly selections: readonly Selection[]
  readonly top: LevelLayout
  /** In the order in which steps first use them. */
  readonly batches: readonly Batch[]
  readonly steps: readonly StepLayout[]
  /** The step that follows a planned edge. */
  readonly stepOf: ReadonlyMap<PlannedEdge, StepLayout>
  /** Entities to whose records edges lead back: their columns are read ahead. */
  readonly readAhead: ReadonlySet<Entity>
  /** What is laid out apart, for the estimate: edges of records that computed fields show, which are followed while the response is written. */
  readonly shown: readonly Layout[]
  /** Whether it is the same in every run: no argument depends on variables or on the viewer. */
  readonly isFixed: boolean
}

/** What one batch reads. */
export type BatchReads =
  | { readonly kind: 'records'; readonly entity: Entity }
  | { readonly kind: 'slugs'; readonly entity: Entity }
  | { readonly kind: 'lists'; readonly edge: ListEdge; readonly args: PreparedArguments }

/** Reads of one wave that share calls. It is dispatched once, with the last of its loads. */
export interface Batch {
  /** Its position among the batches of the layout. */
  readonly index: number
  /** Counted from 1. All calls of a wave can be made once those of the waves before have ended. */
  readonly wave: number
  readonly reads: BatchReads
  /** The number of loads that it waits for: one for each level of each step that uses it. */
  readonly loads: number
  /** Batches of the same wave that may show the records of this one, so that it runs after them. */
  readonly after: readonly Batch[]
  /** The most keys or lists that it is expected to read. */
  readonly most: number
  /** How many of them have query parameters of their own, so that each is read alone. */
  readonly apart: number
  /** The columns that steps want of records. */
  readonly columns: ColumnSet
  /** The fields for which it reads. */
  readonly planned: readonly PlannedEdge[]
  /** Of a whole table: columns that other steps want of the same records. */
  readonly alsoColumns: ColumnSet
  /** What all steps together want of the lists, and of the records of lists that show all of them. */
  readonly wants: ListWants | undefined
}

/** The edges from the records at one place of the operation. */
export interface LevelLayout {
  /** What is wanted of these records. */
  readonly columns: ColumnSet
  readonly shape: Shape | undefined
  /** Light columns that edges leading back to these records want. Undefined when no edge leads back. */
  readonly ahead: ColumnSet | undefined
  readonly steps: readonly StepLayout[]
  /** The read by key of columns that the list above does not send. */
  readonly readById: { readonly batch: Batch; readonly columns: ColumnSet } | undefined
  /** The levels of records that computed fields show: one per record of this level, or a list. */
  readonly shown: readonly { readonly isList: boolean; readonly level: LevelLayout }[]
}

interface StepBase {
  /** Its position among the steps of the layout. */
  readonly index: number
  /** The fields that follow the edge with equal arguments. */
  readonly planned: readonly PlannedEdge[]
  readonly first: PlannedEdge
  readonly args: PreparedArguments
  /** What it starts from: keys of the parents, their rows, or their columns that are read by key after the rows. */
  readonly start: 'keys' | 'rows' | 'readById'
  /** The wave of its first read. */
  readonly wave: number
}

/** A step to records by their keys. */
export interface KeyStepLayout extends StepBase {
  readonly kind: 'key'
  readonly edge: KeyEdge
  /** The lookup of slugs, one wave before the keys are known. */
  readonly slugs: Batch | undefined
  readonly branches: readonly Branch[]
}

/** The records of one entity that a step leads to. */
export interface Branch {
  readonly entity: Entity
  readonly level: LevelLayout
  /** Undefined when only the keys of the records are needed. */
  readonly batch: Batch | undefined
}

/** A step to one window of a list per parent. */
export interface ListStepLayout extends StepBase {
  readonly kind: 'list'
  readonly edge: ListEdge
  readonly batch: Batch
  readonly wanted: WantedOfList
  readonly nodes: LevelLayout
  readonly rowData: LevelLayout | undefined
}

export type StepLayout = KeyStepLayout | ListStepLayout

/** Lays out selections on the same records. Fields with wrong arguments are left out: their resolvers report the error. */
export function layOut(selections: readonly Selection[], given: Arguments, isRoot = false): Layout {
  const laying = new Laying(given)
  return laying.finish(selections, laying.level(selections, { keys: 1, rows: 1, most: 1, isRoot }))
}

/** The records of a level: the waves in which their keys and their columns are known, and how many they are at most. */
interface Arriving {
  readonly keys: number
  readonly rows: number
  readonly most: number
  /** Whether they are the root, where arguments alone say which records an edge leads to. */
  readonly isRoot?: boolean
}

/** Waves until the edges of records that a computed field shows are followed: after the waves of the records that it needs, mostly three. */
const AFTER_RESPONSE = 3

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

/** A batch to which steps are still added. */
interface OpenBatch extends Writable<Batch> {
  readonly planned: PlannedEdge[]
  readonly after: Batch[]
  /** The branches that read by it and from which no step follows. */
  readonly ends: Writable<Branch>[]
}

class Laying {
  private readonly batches = new Map<string, OpenBatch>()
  private readonly steps: StepLayout[] = []
  private readonly stepOf = new Map<PlannedEdge, StepLayout>()
  private readonly readAhead = new Set<Entity>()
  /** Columns that are wanted by key of entities that are read as a whole table, or completely shown by one list. They are read once. */
  private readonly whole = new Map<Entity, ColumnSet>()
  private readonly shownApart: Layout[] = []
  private isFixed = true

  constructor(private readonly given: Arguments) {}

  get site(): Site {
    return this.given.asking.site
  }

  finish(selections: readonly Selection[], top: LevelLayout): Layout {
    const batches = [...this.batches.values()]
    for (const batch of batches) this.complete(batch, batches)
    const kept = batches.filter((batch) => !this.joinsNext(batch))
    kept.forEach((batch, index) => {
      batch.index = index
    })
    const { steps, stepOf, readAhead, isFixed, shownApart } = this
    const shown = shownApart.flatMap((each) => [each, ...each.shown])
    return { selections, top, batches: kept, steps, stepOf, readAhead, shown, isFixed }
  }

  /** Relates a batch to the others. */
  private complete(batch: OpenBatch, all: readonly OpenBatch[]): void {
    const { reads, wave } = batch
    if (reads.kind === 'slugs') return
    const entity = reads.kind === 'lists' ? reads.edge.entity : reads.entity
    const { table, many } = entity.byKey ?? {}
    const also = this.whole.get(entity) ?? NO_COLUMNS
    if (reads.kind === 'records') {
      if (table) batch.alsoColumns = also
      if (!many?.complete) return
      for (const each of all)
        if (each.wave === wave && each.reads.kind === 'lists' && each.reads.edge.entity === entity) batch.after.push(each)
    } else if (many?.complete && batch.wants?.rows)
      batch.wants = { ...batch.wants, columns: batch.wants.columns | (also & reads.edge.shape.carried(this.site)) }
  }

  /**
   * Joins a batch with the next one of its entity, when no step follows from its records and the list of an owner reads them: most of them have the
   * same owner. Other records do not wait, since those of the next batch may be known by then.
   */
  private joinsNext({ reads, wave, ends, loads, most, planned, after, columns }: OpenBatch): boolean {
    if (reads.kind !== 'records' || !reads.entity.byKey?.many?.scoped || ends.length < loads || after.length > 0) return false
    let next: OpenBatch | undefined
    for (const each of this.batches.values())
      if (each.reads.kind === 'records' && each.reads.entity === reads.entity && each.wave > wave && each.wave < (next?.wave ?? Infinity))
        next = each
    if (!next) return false
    for (const end of ends) end.batch = next
    next.ends.push(...ends)
    next.planned.push(...planned)
    next.loads += loads
    next.most += most
    next.columns |= columns
    this.batches.delete(`${wave} ${reads.entity.name}`)
    return true
  }

  level(
    selections: readonly Selection[],
    arriving: Arriving,
    shape?: Shape,
    readById?: ColumnsById,
    planned: readonly PlannedEdge[] = [],
  ): LevelLayout {
    const steps: StepLayout[] = []
    const byId = readById && readById.columns !== NO_COLUMNS ? readById : undefined
    const level: LevelLayout = {
      columns: columnsOf(selections),
      shape,
      ahead: aheadOf(selections),
      steps,
      readById: byId && { batch: this.records(arriving.rows, byId, planned, arriving.most), columns: byId.columns },
      shown: this.shownBy(selections, arriving),
    }
    for (const { edges } of selections) for (const { isFixed } of edges) if (!isFixed) this.isFixed = false
    for (const fields of this.given.together(selections)) {
      const start = startOf(fields.first.edge, shape, readById)
      const wave = start === 'keys' ? arriving.keys : start === 'rows' ? arriving.rows : arriving.rows + 1
      steps.push(this.step(fields, start, wave, arriving))
    }
    return level
  }

  private step(fields: EqualFields, start: StepLayout['start'], wave: number, parents: Arriving): StepLayout {
    const { first, planned, prepared: args } = fields
    const { edge } = first
    const index = this.steps.length
    // Keeps its place before the steps below it.
    this.steps.push(undefined as never)
    const base = { index, planned, first, args, start, wave }
    const step = edge.kind === 'list' ? this.list(edge, base, parents) : this.keys(edge, base, parents)
    this.steps[index] = step
    for (const each of planned) this.stepOf.set(each, step)
    return step
  }

  private keys(edge: KeyEdge, base: StepBase, parents: Arriving): KeyStepLayout {
    const { index, planned, first, args, start, wave } = base
    const { most, apart } = this.keysOf(edge, args, parents)
    const entities = edge.entities(args.value)
    // A slug is looked up in a wave of its own; the key is known in the next one.
    const hasSlugs = edge.bySlug?.(args.value) === true && entities.length > 0
    const slugs = hasSlugs
      ? this.batch(wave, `slug ${entities[0]?.name}`, { kind: 'slugs', entity: entities[0] as Entity }, planned, most)
      : undefined
    const keys = hasSlugs ? wave + 1 : wave
    const known = edge.knownColumns?.(this.given.asking)
    const branches = entities.map((entity): Branch => {
      const { shape } = entity
      const selections = known ? without(childrenOf(planned, entity), shape.set(known)) : childrenOf(planned, entity)
      const byKey = entity.byKeyAlone && columnsOf(selections) === NO_COLUMNS ? undefined : entity.byKey
      const level = this.level(selections, { keys, rows: byKey ? keys + 1 : keys, most }, shape)
      if (byKey?.table || byKey?.many?.complete) this.whole.set(entity, level.columns | (this.whole.get(entity) ?? NO_COLUMNS))
      if (level.ahead !== undefined) this.readAhead.add(entity)
      const batch = byKey && this.records(keys, { entity, columns: level.columns }, planned, most, apart)
      const branch = { entity, level, batch }
      if (level.steps.length === 0) batch?.ends.push(branch)
      return branch
    })
    // Every property is listed: spreading objects costs many times as much.
    return { kind: 'key', edge, index, planned, first, args, start, wave, slugs, branches }
  }

  /** The most records that an edge leads to, and how many of them have query parameters of their own. */
  private keysOf(edge: KeyEdge, { value }: PreparedArguments, { most, isRoot }: Arriving): Pick<Batch, 'most' | 'apart'> {
    const { unpaged } = this.given.asking.limits
    if (!isRoot) return { most: most * mostFrom(edge, unpaged), apart: 0 }
    const targets = rootTargetsOf(edge, value)
    if (targets[0]?.key === WHOLE) return { most: unpaged, apart: 0 }
    return { most: targets.length, apart: targets.filter(({ query }) => query).length }
  }

  private list(edge: ListEdge, base: StepBase, parents: Arriving): ListStepLayout {
    const { index, planned, first, args, start, wave } = base
    const { entity } = edge
    const batch = this.batch(wave, args.name, { kind: 'lists', edge, args }, planned, parents.most)
    const wanted = wantedOfList(this, edge, planned)
    const { window } = args.value as ListArgs
    const followed = edge.pick?.most(args.value as ListArgs) ?? Number.POSITIVE_INFINITY
    const rows = wanted.rows ? Math.min(widthOf(window), followed) : 0
    const arriving = { keys: wave + 1, rows: wave + 1, most: parents.most * rows }
    const nodes = this.level(wanted.nodes, arriving, entity.shape, wanted.readById, planned)
    if (nodes.ahead !== undefined) this.readAhead.add(entity)
    const rowData =
      edge.rowData && wanted.rowData.length > 0
        ? this.level(wanted.rowData, arriving, edge.rowData.shape, wanted.rowDataReadById, planned)
        : undefined
    const wants = {
      columns: nodes.columns | (nodes.ahead ?? NO_COLUMNS),
      rowData: rowData?.columns ?? NO_COLUMNS,
      rows: wanted.rows,
      total: wanted.total,
      next: wanted.next,
    }
    batch.wants = batch.wants ? joinWants(batch.wants, wants) : wants
    return { kind: 'list', edge, index, planned, first, args, start, wave, batch, wanted, nodes, rowData }
  }

  private shownBy(selections: readonly Selection[], arriving: Arriving): LevelLayout['shown'] {
    return selections.some(({ shown }) => shown)
      ? selections.flatMap(({ shown = NONE }) => shown.map((each) => this.shown(each, arriving)))
      : NONE_SHOWN
  }

  private shown({ isList, entity, selection }: ShownRecords, { rows, most }: Arriving): LevelLayout['shown'][number] {
    const wave = rows + AFTER_RESPONSE
    const laying = new Laying(this.given)
    const arriving = { keys: wave, rows: wave, most: isList ? most * this.given.asking.limits.unpaged : most }
    const level = laying.level([selection], arriving, entity.shape)
    this.shownApart.push(laying.finish([selection], level))
    this.isFixed &&= laying.isFixed
    return { isList, level }
  }

  private records(wave: number, { entity, columns }: ColumnsById, planned: readonly PlannedEdge[], most: number, apart = 0): OpenBatch {
    const batch = this.batch(wave, entity.name, { kind: 'records', entity }, planned, most)
    batch.columns |= columns
    batch.apart += apart
    return batch
  }

  private batch(wave: number, name: string, reads: BatchReads, planned: readonly PlannedEdge[], most: number): OpenBatch {
    const key = `${wave} ${name}`
    let batch = this.batches.get(key)
    if (!batch) {
      const [columns, alsoColumns, wants] = [NO_COLUMNS, NO_COLUMNS, undefined]
      batch = { index: 0, wave, reads, loads: 0, most: 0, apart: 0, columns, planned: [], after: [], ends: [], alsoColumns, wants }
      this.batches.set(key, batch)
    }
    batch.loads++
    batch.most += most
    batch.planned.push(...planned)
    return batch
  }
}

const NONE: readonly ShownRecords[] = []

const NONE_SHOWN: LevelLayout['shown'] = []

const without = (selections: readonly Selection[], columns: ColumnSet): readonly Selection[] =>
  selections.map((each) => ({ ...each, columns: each.columns & ~columns }))

/** What some fields select of the records of an entity. A loop, because `flatMap` takes as long as the rest of a small layout. */
function childrenOf(planned: readonly PlannedEdge[], { name }: Entity): readonly Selection[] {
  const selections: Selection[] = []
  for (const { children } of planned) {
    const selection = children.get(name)
    if (selection) selections.push(selection)
  }
  return selections
}
