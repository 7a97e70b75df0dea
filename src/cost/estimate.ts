import type { FieldNode } from 'graphql'
import { ignoredIn, missingWithIds } from '../load/list-filters.js'
import { columnsOfLookup, listedQuery, lookupName } from '../load/lookups.js'
import { mayAskTwice, SINGLE_READS } from '../load/part-reader.js'
import { WHOLE } from '../load/records.js'
import { PENDING_VIEWER, VIEWER_ROUTE } from '../load/viewer.js'
import { askable, asksInEdit, type ColumnsById, startOf } from '../model/columns.js'
import type { KeyEdge, ListArgs, ListEdge, Target } from '../model/edge.js'
import type { Entity } from '../model/entity.js'
import { rootTargetsOf } from '../model/targets.js'
import type { EqualFields } from '../plan/arguments.js'
import { argumentValues } from '../plan/graphql-js.js'
import { columnsOf, type Payload, type Plan, type PlannedEdge, type Selection, wantedOfList } from '../plan/plan.js'
import { type ColumnSet, NO_COLUMNS, type Shape } from '../upstream/codec/records.js'
import { isWithheld } from '../upstream/floor.js'
import { getOrMake } from '../upstream/maps.js'
import { estimateList } from './calls.js'
import { ceilingOf } from './ceiling.js'
import { type ObservedSizes, SizesByCaller } from './observed.js'
import { type Amount, type EstimateContext, KeyReads, type StepCalls } from './steps.js'

/** The REST calls of an operation, estimated before the first one. */
export interface Estimate {
  /** Calls that are made in any case. */
  readonly min: number
  /** Most calls, on a site that matches its settings. It does not depend on observed sizes. */
  readonly max: number
  /** Expected calls, by the sizes that were observed for the same credentials. */
  readonly expected: number
  /** Number of waves. Further pages of a list belong to its wave. */
  readonly waves: number
  readonly steps: readonly StepCalls[]
}

/** A list that is estimated with fewer rows. */
type Narrowed = { readonly list: PlannedEdge; readonly rows: number }

type Variables = Readonly<Record<string, unknown>>

/** Estimates the operations of one gateway, by the sizes that were observed for each caller. */
export class Estimator {
  private readonly sizes = new SizesByCaller()

  /** `unpaged` is the largest number of records of a relation without pages. */
  constructor(private readonly unpaged: number) {}

  /** Returns the sizes that were observed for a caller. */
  sizesOf(caller: string): ObservedSizes {
    return this.sizes.of(caller)
  }

  /** Returns an upper bound of the expected calls, in little time. */
  ceiling(context: EstimateContext, plan: Plan, variables: Variables): number {
    return ceilingOf(context, plan, variables, this.unpaged)
  }

  /** With `narrowed`, estimates the operation with fewer rows of one list. */
  estimate(context: EstimateContext, plan: Plan, variables: Variables, narrowed?: Narrowed): Estimate {
    const walk = new Walk(context, variables, this.sizesOf(context.call.caller.credentials.id), this.unpaged, narrowed)
    walk.learn(context.fieldsForViewer(plan, variables))
    if (plan.payloads.size === 0) walk.query(plan.root)
    const mutations = new Map<string, [FieldNode, Payload][]>()
    for (const each of plan.payloads) getOrMake(mutations, (each[0].alias ?? each[0].name).value, () => []).push(each)
    for (const fields of mutations.values()) walk.mutation(fields)
    const steps = walk.settle()
    const sum = (of: (step: StepCalls) => number): number => steps.reduce((total, step) => total + of(step), 0)
    const [min, max, likely] = [sum((step) => step.min), sum((step) => step.max), sum((step) => step.likely)]
    const waves = Math.max(0, ...steps.filter((step) => step.max > 0).map(({ wave }) => wave))
    return { min, max, expected: Math.max(min, Math.min(max, likely)), waves, steps }
  }
}

/** Waves until the edges of records that a computed field shows are followed: after the waves of the records that it needs, mostly three. */
const AFTER_RESPONSE = 3

/** Expected number of records of a relation without pages, as long as nothing was observed. */
const FAN_OUT = 2

const ONE: Amount = { most: 1, likely: 1 }

/** Walks a plan as the fetcher does, with amounts in place of records. */
class Walk {
  private readonly steps: StepCalls[] = []
  private readonly keyReads = new Map<string, KeyReads>()
  /** Slugs that share a lookup. */
  private readonly lookups = new Map<string, { readonly entity: Entity; readonly slugs: Set<string>; readonly planned: PlannedEdge[] }>()
  /** The sets of columns with which records of each entity are read. */
  private readonly columns = new Map<Entity, Set<ColumnSet>>()
  /** Lists that are certain to be read. Fields of the same edge may share their calls, so each edge is counted once in `min`. */
  private readonly certainLists = new Set<ListEdge>()
  /** Whether records below lists are read one list at a time, because they are not part of the plan. */
  private isLate = false
  /** The wave in which records are read first. */
  private start = 1

  constructor(
    private readonly context: EstimateContext,
    private readonly variables: Variables,
    private readonly sizes: ObservedSizes,
    private readonly unpaged: number,
    private readonly narrowed: Narrowed | undefined,
  ) {}

  /** Adds the call that learns the viewer for some fields. Everything else starts when it has ended. */
  learn(fields: readonly FieldNode[]): void {
    if (fields.length === 0) return
    const planned = fields.map((node) => ({ node }))
    this.steps.push({ wave: 1, method: 'GET', route: VIEWER_ROUTE.path, batch: 1, planned, min: 1, max: 1, likely: 1 })
    this.start = 2
  }

  query(root: Selection): void {
    const amount = { ...ONE, least: 1 }
    this.level([root], amount, amount, this.start, { isRoot: true })
  }

  /** Walks one mutation, which starts when the mutations before it have ended. `fields` have the same response key. */
  mutation(fields: readonly (readonly [FieldNode, Payload])[]): void {
    if (this.context.call.caller.readOnly) return
    const [node, { write, field }] = fields[0] as (typeof fields)[0]
    const wave = Math.max(0, ...[...this.steps, ...this.keyReads.values()].map((step) => step.wave)) + 1
    this.steps.push({ wave, method: write.method, route: write.route.path, batch: 1, planned: [{ node }], min: 1, max: 1, likely: 1 })
    const payloads = fields.map(([, payload]) => payload)
    this.level(payloads, ONE, ONE, wave + 1)
    this.isLate = true
    for (const { count, selection } of payloads.flatMap(({ inside }) => inside ?? [])) {
      const most = count(argumentValues(field, node, this.variables))
      const amount = { most, likely: most }
      this.level([selection], amount, amount, wave + 1)
    }
    this.isLate = false
  }

  /** Returns all steps. Called last. */
  settle(): readonly StepCalls[] {
    const { context } = this
    const { site } = context
    for (const { entity, slugs, planned } of this.lookups.values()) {
      const route = entity.byKey?.many?.route
      if (!route) continue
      const [min, batch] = [Math.ceil(slugs.size / site.pageCap), Math.min(slugs.size, site.pageCap)]
      // Slugs that are not found are looked up again among unpublished records.
      const isAskedTwice = mayAskTwice(context, route)
      this.steps.push({
        wave: this.start,
        method: 'GET',
        route: route.path,
        batch,
        planned,
        min,
        max: isAskedTwice ? 2 * min : min,
        likely: min,
      })
    }
    const reads = [...this.keyReads.values()]
    for (const each of reads) {
      each.settle(context, this.columns.get(each.entity) ?? new Set())
      // A list of the same wave probably shows these records.
      const { many } = each.entity.byKey ?? {}
      if (many?.complete && this.steps.some(({ wave, route }) => wave === each.wave && route === many.route.path))
        each.min = each.likely = 0
    }
    // An operation reads a few keys that batches left out. `max` assumes the most expensive ones.
    let left = SINGLE_READS
    for (const each of reads.toSorted((a, b) => b.strayCalls - a.strayCalls)) {
      const keys = Math.min(left, each.strays)
      each.max += keys * each.strayCalls
      left -= keys
    }
    return [...this.steps, ...reads]
  }

  /**
   * Follows the edges of records whose keys are known in `wave`. `rows` are the records that are present one wave later, or in the same wave
   * if `rows` and `keys` are the same object.
   */
  private level(selections: readonly Selection[], keys: Amount, rows: Amount, wave: number, on: On = {}): void {
    const rowWave = rows === keys ? wave : wave + 1
    for (const fields of this.context.argumentsUnder(this.variables).together(selections)) {
      const { edge } = fields.first
      const start = startOf(edge, on.shape, on.readById)
      const parents = start === 'keys' ? keys : rows
      const from = { parents, wave: start === 'keys' ? wave : start === 'rows' ? rowWave : rowWave + 1, ...on }
      if (edge.kind === 'list') this.list(edge, fields, from)
      else this.keys(edge, fields, from)
    }
    for (const { isList, entity, selection } of selections.flatMap(({ shown = [] }) => shown)) {
      // A computed field shows few of the records that it may show.
      const amount = { most: rows.most * (isList ? this.unpaged : 1), likely: rows.likely }
      const { isLate } = this
      this.isLate = true
      this.level([selection], amount, amount, rowWave + AFTER_RESPONSE, { isAlone: true, shape: entity.shape })
      this.isLate = isLate
    }
  }

  private list(edge: ListEdge, { first, planned, prepared }: EqualFields, { parents, wave, isAlone, isRoot, shape }: From): void {
    const { context, sizes, narrowed } = this
    const { entity, route, rowData } = edge
    const { query, window, isWhole } = prepared.value as ListArgs
    if (query === null || ignoredIn(context.site, edge, query) !== undefined || isWithheld(context.call.caller, route, query)) return
    if (isRoot && missingWithIds(context.site, edge, query) !== undefined) return
    const args = narrowed?.list === first ? { ...window, [window.last === null ? 'first' : 'last']: narrowed.rows } : window
    const wants = wantedOfList(context, edge, planned)
    const known = sizes.listsOf(first, query)
    const lengths = { filtered: known?.lengths ?? [], whole: sizes.listsOf(first, {})?.lengths ?? [] }
    const { calls, rows } = estimateList(context, edge, query, { args, wants, isWhole }, lengths)
    const isInEdit = asksInEdit(context, edge, wants.columns)
    const lists = outOf(parents.likely, known?.targets)
    this.steps.push({
      wave,
      method: 'GET',
      route: route.path,
      batch: Math.max(1, Math.min(rows.most, context.site.pageCap)),
      list: { planned: first, args },
      planned,
      min: !isRoot && this.certainLists.has(edge) ? 0 : (parents.least ?? 0) * Math.min(1, calls.most),
      // A list that is refused with `edit` is read again with `view`.
      max: parents.most * (calls.most + (isInEdit ? 1 : 0)),
      likely: lists * calls.likely,
    })
    if (parents.least && !isRoot) this.certainLists.add(edge)
    const followed = edge.pick?.most(prepared.value as ListArgs) ?? Number.POSITIVE_INFINITY
    const shown = { most: parents.most * Math.min(rows.most, followed), likely: lists * Math.min(rows.likely, followed) }
    const records = { most: shown.most, likely: outOf(shown.likely, known?.records) }
    const below = { isAlone: isAlone || this.isLate }
    this.note(entity, wants.columns & ~wants.readById.columns)
    const readById = askable(context.call.caller, entity.shape, wants.readById.columns)
    if (readById !== NO_COLUMNS) {
      const isEachApart = below.isAlone || entity.byKey?.many?.scoped === true
      const reads = this.read(wave + 1, entity, readById, planned, records.most)
      reads.add(isInEdit ? { ...records, likely: 0 } : records, isEachApart ? first : undefined, isEachApart)
    }
    const above = shape && { shape, likely: parents.likely }
    this.level(wants.nodes, records, records, wave + 1, { ...below, shape: entity.shape, readById: wants.readById, above })
    if (rowData) this.level(wants.rowData, shown, shown, wave + 1, { ...below, shape: rowData.shape, readById: wants.rowDataReadById })
  }

  /** Follows an edge to records by key: from their parents, or at the root from the arguments. */
  private keys(edge: KeyEdge, { first, planned, prepared }: EqualFields, { parents, wave, isAlone, isRoot, above }: From): void {
    const { sizes, unpaged } = this
    const targets = isRoot ? rootTargetsOf(edge, prepared.value) : undefined
    const hasSlugs = targets !== undefined && edge.bySlug?.(prepared.value) === true
    // The site may answer that there is no viewer.
    const isCertain = !prepared.isPerCaller || (this.context.viewer ?? PENDING_VIEWER) !== PENDING_VIEWER
    const keyWave = hasSlugs ? wave + 1 : wave
    for (const entity of edge.entities(prepared.value)) {
      const selections = planned.flatMap(({ children }) => children.get(entity.name) ?? [])
      const columns = columnsOf(selections)
      const known = sizes.keysOf(first, entity.name)
      const led = targets?.filter((target) => target.entity === entity)
      const most = led ? led.length : parents.most * (edge.many ? unpaged : 1)
      const bound = Math.min(most, sizes.totalOf(entity.name))
      const each = !led && edge.many ? FAN_OUT : 1
      // Rows of a list below a record mostly lead back to that record.
      const back = above?.shape === entity.shape && !edge.many && !known ? above.likely : Number.POSITIVE_INFINITY
      const likely = led ? most : Math.min(bound, back, outOf(parents.likely, known?.targets, each))
      const certain = new Set(
        led?.filter(({ key, bySlug, refused }) => isCertain && !bySlug && key !== WHOLE && !refused).map(({ key }) => key),
      )
      const keys: Amount = { least: certain.size, most, likely }
      this.note(entity, columns)
      if (led) for (const target of led) this.target(target, keyWave, columns, planned)
      else if (entity.byKey) {
        const reads = this.read(wave, entity, columns, planned, most)
        if (parents.least && !edge.many && isCertain) reads.isCertain = true
        const { scoped } = entity.byKey.many ?? {}
        const isEachApart = isAlone === true || (scoped === true && !edge.oneScope)
        reads.add(keys, isEachApart ? (isAlone ? first : parents) : scoped && first, isEachApart)
      }
      const rowsMost = led?.some(({ key }) => key === WHOLE) ? unpaged : most
      const rows = {
        most: rowsMost,
        likely: Math.min(led ? rowsMost : bound, back, outOf(led ? most : parents.likely, known?.records, each)),
      }
      this.level(selections, keys, entity.byKey ? rows : keys, keyWave, { isAlone, shape: entity.shape })
    }
  }

  /** Adds a record that a root field names. By slug it is looked up, and then read if the lookup does not read all columns. */
  private target(target: Target, wave: number, columns: ColumnSet, planned: readonly PlannedEdge[]): void {
    const { entity, query, bySlug } = target
    let wanted = askable(this.context.call.caller, entity.shape, columns)
    if (bySlug) {
      const lookups = getOrMake(this.lookups, `${entity.name} ${JSON.stringify(query)}`, () => ({
        entity,
        slugs: new Set<string>(),
        planned: [],
      }))
      lookups.slugs.add(lookupName(target))
      lookups.planned.push(...planned)
      wanted &= ~columnsOfLookup(this.context, { target, columns })
      if (wanted === NO_COLUMNS && !listedQuery(target).hasPassword) return
    }
    if (entity.byKey) this.read(wave, entity, wanted, planned, 1).addTarget(target, !bySlug)
  }

  /** Returns the reads of an entity in a wave, after adding the columns that some fields want of `most` records. */
  private read(wave: number, entity: Entity, columns: ColumnSet, planned: readonly PlannedEdge[], most: number): KeyReads {
    const reads = getOrMake(this.keyReads, `${wave} ${entity.name}`, () => new KeyReads(wave, entity))
    reads.want(askable(this.context.call.caller, entity.shape, columns), planned, most)
    this.note(entity, columns)
    return reads
  }

  private note(entity: Entity, columns: ColumnSet): void {
    getOrMake(this.columns, entity, () => new Set<ColumnSet>()).add(askable(this.context.call.caller, entity.shape, columns))
  }
}

/** The place of a level in the plan. */
interface On {
  readonly shape?: Shape
  readonly readById?: ColumnsById
  readonly isRoot?: boolean | undefined
  /** Whether its reads do not share batches. */
  readonly isAlone?: boolean | undefined
  /** The parents of the lists whose rows are on this level. */
  readonly above?: { readonly shape: Shape; readonly likely: number } | undefined
}

/** The parents of an edge, and the wave in which it starts. */
type From = On & { readonly parents: Amount; readonly wave: number }

/** Returns the expected results of a number of parents: by the observed ratio, or `each` per parent as long as nothing was observed. */
const outOf = (of: number, ratio: { at(of: number, share: number): number } | undefined, each = 1): number =>
  ratio ? ratio.at(of, each) : each * of
