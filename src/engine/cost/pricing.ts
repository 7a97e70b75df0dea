import { getArgumentValues } from 'graphql'
import { NO_COLUMNS } from '../../upstream/codec/records.js'
import { getOrMake } from '../../upstream/maps.js'
import type { Key } from '../../upstream/routes.js'
import { asksInEdit } from '../columns.js'
import type { PreparedArguments } from '../edges.js'
import { type Args, type Entity, type KeyEdge, type ListArgs, type ListEdge, ROOT, type Target } from '../edges.js'
import { columnsOfLookup, listedQuery, SINGLE_READS, targetsOf, WHOLE } from '../fetch/index.js'
import type { PlannedEdge } from '../plan.js'
import { KeyRow } from './key-estimate.js'
import { LookupRow, listRow } from './list-estimate.js'
import type { ChildModel, EdgeModel, LevelModel, MutationModel, StepModel } from './model.js'
import type { Tally } from './observed-sizes.js'
import { type Amount, type Basis, outOf, type Row } from './row.js'

const NEVER = { likely: 0, any: 0 }
const ONE: Amount = { most: 1, likely: 1, any: 1 }

/** The records of a level: those whose keys are known and those that are there, and in which waves that is so. */
interface Arrivals {
  readonly keys: Amount
  readonly keyWave: number
  readonly rows: Amount
  readonly rowWave: number
  /** Whether reads for it share no batch with each other. */
  readonly alone: boolean
}

/** Goes through the levels of an operation as its `Fetcher` will, with amounts in place of records. */
export class Pricing {
  readonly rows: Row[] = []
  private keyRows: KeyRow[] = []
  private readonly lookupRows = new Map<string, LookupRow>()
  private singleReads = SINGLE_READS
  /** Lists below known keys that are counted as certain: fields of the same edge may share their calls. */
  private readonly certainLists = new Set<ListEdge>()
  /** Whether nothing is fetched ahead: what lists lead to is then read as each of them arrives. */
  private isLate = false

  /** `prepare` reads the arguments of a field; `null` where they are wrong. */
  constructor(
    private readonly basis: Basis,
    private readonly prepare: (planned: PlannedEdge) => PreparedArguments | null,
  ) {}

  /** All fields of a query. */
  root({ edges }: LevelModel): void {
    for (const each of edges) {
      this.divide(each, (step, prepared) => {
        if (each.edge.kind === 'list') this.list(each.edge, step, prepared as ListArgs, { ...ONE, least: 1 }, 1, false)
        else this.targets(each.edge, step, prepared)
      })
    }
  }

  /** One mutation, which begins when those before have ended. */
  mutation(mutation: MutationModel, variables: Readonly<Record<string, unknown>>): void {
    const { payload, level } = mutation
    this.settleReads()
    const wave = this.rows.reduce((last, row) => Math.max(last, row.wave), 0) + 1
    const { method, route } = payload.write
    this.rows.push({ wave, method, route: route.path, batch: 1, planned: [mutation], min: 1, max: 1, permitted: 1, likely: 1 })
    this.below(level, ONE, wave + 1, false)
    this.isLate = true
    for (const { count, level: inner } of level.inside) {
      const most = count(argumentsOf(mutation, variables))
      this.below(inner, { most, likely: most, any: 1 }, wave + 1, false)
    }
    this.isLate = false
  }

  /** All rows, when nothing more is to be added. */
  settle(): readonly Row[] {
    this.settleReads()
    return this.rows
  }

  /** Keys that batches leave out are looked for one by one, a few in each operation: the dearest ones, to be sure. */
  private settleReads(): void {
    for (const row of this.keyRows) {
      row.settle(this.basis)
      row.leaveTo(this.rows)
    }
    for (const strayCalls of [2, 1])
      for (const row of this.keyRows) if (row.strayCalls === strayCalls) this.singleReads -= row.lookFor(this.singleReads)
    this.rows.push(...this.keyRows)
    this.keyRows = []
  }

  private below(level: LevelModel, amount: Amount, wave: number, alone: boolean): void {
    if (level.edges.length > 0) this.level(level, { keys: amount, keyWave: wave, rows: amount, rowWave: wave, alone })
  }

  private level({ edges }: LevelModel, { keys, keyWave, rows, rowWave, alone }: Arrivals): void {
    for (const each of edges) {
      const parents = each.starts === 'keys' ? keys : rows
      const wave = each.starts === 'keys' ? keyWave : each.starts === 'rows' ? rowWave : rowWave + 1
      this.divide(each, (step, prepared) => {
        if (each.edge.kind === 'list') {
          const isCounted = this.certainLists.has(each.edge)
          if (parents.least) this.certainLists.add(each.edge)
          this.list(each.edge, step, prepared as ListArgs, isCounted ? { ...parents, least: 0 } : parents, wave, alone)
        } else this.keys(each.edge, step, prepared, parents, wave, alone)
      })
    }
  }

  /** The fields of an edge, together where their arguments are equal. */
  private divide({ planned, step, stepOf }: EdgeModel, follow: (step: StepModel, prepared: unknown) => void): void {
    if (planned.length === 1) {
      const prepared = this.prepare(planned[0] as PlannedEdge)
      if (prepared) follow(step, prepared.value)
      return
    }
    const groups = new Map<string, { value: unknown; some: PlannedEdge[] }>()
    for (const each of planned) {
      const prepared = this.prepare(each)
      if (prepared) getOrMake(groups, prepared.name, () => ({ value: prepared.value, some: [] as PlannedEdge[] })).some.push(each)
    }
    for (const { value, some } of groups.values()) follow(stepOf(some), value)
  }

  private list(edge: ListEdge, step: StepModel, args: ListArgs, parents: Amount, wave: number, alone: boolean): void {
    const price = listRow(this.basis, edge, step, args, parents, wave)
    if (!price) return
    const { row, rows, known } = price
    this.rows.push(row)
    this.nodes(edge, step, rows, known?.records, wave + 1, alone || this.isLate)
    if (step.side) this.below(step.side, rows, wave + 1, alone || this.isLate)
  }

  /** The records of lists. What those do not carry is read by id when they are there. */
  private nodes(edge: ListEdge, step: StepModel, rows: Amount, known: Tally | undefined, wave: number, alone: boolean): void {
    const { entity } = edge
    const level = step.children.get(entity.name) as LevelModel
    if (level.late === NO_COLUMNS && level.edges.length === 0) return
    const { likely, any } = outOf(rows, known)
    const records: Amount = { most: rows.most, likely, any }
    if (level.late !== NO_COLUMNS) {
      const row = this.keyRow(wave, entity)
      row.want(level.late, step.planned, records.most)
      if (alone || entity.byKey?.many?.scoped) row.addScoped(level, records.most, records)
      else row.add(undefined, records.most, asksInEdit(this.basis.context, edge, level.columns) ? NEVER : records)
    }
    this.below(level, records, wave, alone)
  }

  /** Records that are looked up by their slugs, and what is read of them when their keys are known. */
  private lookup(edge: KeyEdge, step: StepModel, prepared: unknown): void {
    const target = targetsOf(edge, ROOT, prepared) as Target
    const { entity, query } = target
    const level = step.children.get(entity.name)
    if (!level) return
    const name = `${entity.name} ${JSON.stringify(query ?? null)}`
    getOrMake(this.lookupRows, name, () => this.added(new LookupRow(entity, this.basis.context))).add(target, step.planned)
    const late = level.columns & ~columnsOfLookup(this.basis.context, { target, columns: level.columns })
    if (late !== NO_COLUMNS || listedQuery(target).hasPassword) {
      const reads = this.keyRow(2, entity)
      reads.want(late, step.planned, 1)
      reads.addTarget(target, false)
    }
    this.arrive(entity, level, ONE, ONE, 1, 2, false)
  }

  /** An edge from the root: where it leads is known already. */
  private targets(edge: KeyEdge, step: StepModel, prepared: unknown): void {
    if (edge.bySlug?.(prepared)) {
      this.lookup(edge, step, prepared)
      return
    }
    const led = targetsOf(edge, ROOT, prepared) ?? []
    const targets = Array.isArray(led) ? led : [led as Target]
    for (const entity of edge.entities(prepared)) {
      const level = step.children.get(entity.name)
      if (!level) continue
      const row = entity.byKey && this.keyRow(1, entity)
      let [keys, whole] = [0, false]
      const certain = new Set<Key>()
      for (const target of targets) {
        if (target?.entity !== entity) continue
        keys++
        if (target.key === WHOLE) whole = true
        else if (!target.refused) certain.add(target.key)
        row?.addTarget(target)
      }
      row?.want(level.columns, step.planned, keys)
      const amount: Amount = { least: certain.size, most: keys, likely: keys, any: Math.min(1, keys) }
      this.arrive(entity, level, amount, amount, whole ? this.basis.unpaged : keys, 1, false)
    }
  }

  private keys(edge: KeyEdge, step: StepModel, prepared: unknown, parents: Amount, wave: number, alone: boolean): void {
    const most = parents.most * (edge.many ? this.basis.unpaged : 1)
    const { sizes } = this.basis
    for (const entity of edge.entities(prepared)) {
      const level = step.children.get(entity.name)
      if (!level) continue
      const known = sizes.keysOf(level.names)
      const bound = Math.min(most, sizes.totalOf(entity.name))
      if (entity.byKey) {
        const row = this.keyRow(wave, entity)
        row.want(level.columns, step.planned, most)
        const reads = outOf(parents, known?.reads, edge.many, bound)
        if (parents.least && !edge.many) row.addCertain()
        const isScoped = entity.byKey.many?.scoped === true
        if (alone || (isScoped && !edge.oneScope)) row.addScoped(alone ? step : parents, most, reads)
        else row.add(isScoped ? step : undefined, most, reads)
      }
      if (level.edges.length === 0) continue
      const { likely, any } = outOf(parents, known?.keys, edge.many, bound)
      this.arrive(entity, level, { most, likely, any }, known ? parents : { most, likely, any }, most, wave, alone)
    }
  }

  /** What is below records that are read by key: those that are there, as far as they are shown to the caller. */
  private arrive(entity: Entity, level: ChildModel, keys: Amount, from: Amount, most: number, wave: number, alone: boolean): void {
    if (level.edges.length === 0) return
    const { sizes } = this.basis
    const shown = sizes.shownOf(level.names)
    const { likely, any } = outOf(from, sizes.keysOf(level.names)?.records)
    const rows: Amount = { most, likely: Math.min(likely, sizes.totalOf(entity.name)) * shown, any: any * shown }
    this.level(level, { keys, keyWave: wave, rows, rowWave: entity.byKey ? wave + 1 : wave, alone })
  }

  private added<R extends Row>(row: R): R {
    this.rows.push(row)
    return row
  }

  private keyRow(wave: number, entity: Entity): KeyRow {
    let row = this.keyRows.find((each) => each.entity === entity && each.wave === wave)
    if (!row) {
      row = new KeyRow(wave, entity)
      this.keyRows.push(row)
    }
    return row
  }
}

const argumentsOf = ({ node, payload }: MutationModel, variables: Readonly<Record<string, unknown>>): Args =>
  getArgumentValues(payload.field, node, variables)
