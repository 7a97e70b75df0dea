import type { FieldNode } from 'graphql'
import { titleWords } from '../load/id-filters.js'
import { ignoredIn, missingWithIds } from '../load/list-filters.js'
import { columnsOfLookup, listedQuery } from '../load/lookups.js'
import { batchOf, mayAskTwice } from '../load/part-reader.js'
import { PENDING_VIEWER } from '../load/viewer.js'
import { getOrMake } from '../maps.js'
import { askable, asksInEdit } from '../model/columns.js'
import type { ListArgs, ListEdge, Target } from '../model/edge.js'
import type { Entity } from '../model/entity.js'
import { SINGLE_READS, slugName, WHOLE } from '../model/records.js'
import { mostFrom, rootTargetsOf } from '../model/targets.js'
import type { Arguments } from '../plan/arguments.js'
import { type Batch, type KeyStepLayout, type Layout, type LevelLayout, type ListStepLayout, layOut } from '../plan/layout.js'
import type { Payload, Plan, PlannedEdge } from '../plan/plan.js'
import { type ColumnSet, NO_COLUMNS, type Shape } from '../upstream/codec/records.js'
import { isWithheld, refusesWrite } from '../upstream/roles.js'
import { isLacking, type ListRoute } from '../upstream/routes.js'
import { type Amount, estimateList, mostOfList } from './calls.js'
import { type ObservedSizes, SizesByCaller } from './observed.js'
import { type EstimateContext, KeyReads, type StepCalls } from './steps.js'

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

/** Estimates the operations of one gateway, by the sizes that were observed for each caller. */
export class Estimator {
  private readonly sizes = new SizesByCaller()

  /** Returns the sizes that were observed for a caller. */
  sizesOf(caller: string): ObservedSizes {
    return this.sizes.of(caller)
  }

  /**
   * Returns an upper bound of the expected calls of a query, by the most keys and lists of its batches. It takes little time: most operations are
   * below the budget by it, so that they need no estimate.
   */
  bound(context: EstimateContext, plan: Plan, { batches, shown }: Layout, given: Arguments): number {
    const viewer = context.fieldsForViewer(plan, given).length > 0 ? 1 : 0
    const add = (calls: number, batch: Batch): number => calls + mostOf(context, batch)
    return shown.reduce((calls, each) => each.batches.reduce(add, calls), batches.reduce(add, viewer))
  }

  /** With `narrowed`, estimates the operation with fewer rows of one list. `layout` is that of its root. */
  estimate(context: EstimateContext, plan: Plan, layout: Layout, given: Arguments, narrowed?: Narrowed): Estimate {
    const sum = new Sum(context, this.sizesOf(context.call.caller.credentials.id), narrowed)
    sum.learn(context.fieldsForViewer(plan, given))
    if (plan.payloads.size === 0) sum.query(layout)
    const mutations = new Map<string, [FieldNode, Payload][]>()
    for (const each of plan.payloads) getOrMake(mutations, (each[0].alias ?? each[0].name).value, () => []).push(each)
    for (const fields of mutations.values()) sum.mutation(fields, given)
    const steps = sum.settle()
    const total = (of: (step: StepCalls) => number): number => steps.reduce((all, step) => all + of(step), 0)
    const [min, max, likely] = [total((step) => step.min), total((step) => step.max), total((step) => step.likely)]
    const waves = Math.max(0, ...steps.filter((step) => step.max > 0).map(({ wave }) => wave))
    return { min, max, expected: Math.max(min, Math.min(max, likely)), waves, steps }
  }
}

/** A record is read in at most two parts, and each again when `edit` is refused. */
const READS_IN_EDIT = 4

/** The most calls that are expected of a batch. */
function mostOf(context: EstimateContext, { reads, most, apart, columns, wants, planned }: Batch): number {
  if (reads.kind === 'slugs') return most
  if (reads.kind === 'records') {
    const { byKey, shape } = reads.entity
    const { scoped } = byKey?.many ?? {}
    const areScopesFew = !scoped || planned.every(({ edge }) => edge.kind === 'key' && edge.oneScope)
    const isBatched = most > 1 && (byKey?.table || (areScopesFew && batchOf(context, reads.entity)))
    const others = apart + (scoped ? planned.length - 1 : 0)
    return (
      (isBatched ? Math.ceil((most - apart) / context.site.pageCap) + others : most) *
      ((columns & shape.editOnly) === NO_COLUMNS ? 1 : READS_IN_EDIT)
    )
  }
  const { query, window: args } = reads.args.value as ListArgs
  return query === null || !wants ? 0 : most * mostOfList(context, reads.edge, query, { args, wants })
}

/** Expected number of records of a relation without pages, as long as nothing was observed. */
const FAN_OUT = 2

const ONE: Amount = { most: 1, likely: 1 }

/** Adds up the calls of layouts, with amounts in place of records. */
class Sum {
  private readonly steps: StepCalls[] = []
  private readonly keyReads = new Map<string, KeyReads>()
  /** Slugs that share a lookup. */
  private readonly lookups = new Map<string, { readonly route: ListRoute; readonly slugs: Set<string>; readonly fields: FieldNode[] }>()
  /** The sets of columns with which records of each entity are read. */
  private readonly columns = new Map<Entity, Set<ColumnSet>>()
  /** Lists that are certain to be read. Fields of the same edge may share their calls, so each edge is counted once in `min`. */
  private readonly certainLists = new Set<ListEdge>()
  /** The waves before those of the layout. */
  private before = 0

  constructor(
    private readonly context: EstimateContext,
    private readonly sizes: ObservedSizes,
    private readonly narrowed: Narrowed | undefined,
  ) {}

  /** Adds the call that learns the viewer for some fields. Everything else starts when it has ended. */
  learn(fields: readonly FieldNode[]): void {
    if (fields.length === 0) return
    // Some sites are asked again in another way.
    this.steps.push({ wave: 1, method: 'GET', route: this.context.viewerRoute, batch: 1, fields, min: 1, max: 2, likely: 1 })
    this.before = 1
  }

  query({ top }: Layout): void {
    const amount = { ...ONE, least: 1 }
    this.level(top, amount, amount, { isRoot: true })
  }

  /** Adds one mutation, which starts when the mutations before it have ended. `fields` have the same response key. */
  mutation(fields: readonly (readonly [FieldNode, Payload])[], given: Arguments): void {
    const { context } = this
    const [node, { write, field }] = fields[0] as (typeof fields)[0]
    if (refusesWrite(context.call.caller, write.route) || isLacking(context.site, write.route)) return
    const wave = Math.max(0, ...[...this.steps, ...this.keyReads.values()].map((step) => step.wave)) + 1
    const calls = write.calls?.(given.coerced(field, node)) ?? 1
    this.steps.push({ wave, method: write.method, route: write.route.path, batch: 1, fields: [node], min: 1, max: calls, likely: calls })
    this.before = wave
    const payloads = fields.map(([, payload]) => payload)
    this.level(layOut(payloads, given).top, ONE, ONE)
    for (const { count, selection } of payloads.flatMap(({ inside }) => inside ?? [])) {
      const most = count(given.coerced(field, node))
      const amount = { most, likely: most }
      this.level(layOut([selection], given).top, amount, amount, { isLate: true })
    }
  }

  /** Returns all steps. Called last. */
  settle(): readonly StepCalls[] {
    const { context } = this
    const { site } = context
    for (const { route, slugs, fields } of this.lookups.values()) {
      const [wave, batch, min] = [this.before + 1, Math.min(slugs.size, site.pageCap), Math.ceil(slugs.size / site.pageCap)]
      // Slugs that are not found are looked up again among unpublished records.
      const max = mayAskTwice(context, route) ? 2 * min : min
      this.steps.push({ wave, method: 'GET', route: route.path, batch, fields, min, max, likely: min })
    }
    const reads = [...this.keyReads.values()]
    for (const each of reads) {
      each.settle(context, this.columns.get(each.entity) ?? new Set())
      // A list of the same wave probably shows these records.
      const { many } = each.entity.byKey ?? {}
      const lists = many?.complete ? this.steps.filter(({ wave, route }) => wave === each.wave && route === many.route.path) : []
      if (lists.length > 0) each.min = 0
      each.likely *= Math.max(0, 1 - lists.reduce((sum, { likely }) => sum + likely, 0))
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

  /** Adds the steps from some records: `keys` are those whose keys are known, `rows` those of them that exist. */
  private level({ steps, shape, ahead, shown }: LevelLayout, keys: Amount, rows: Amount, place: Place = {}): void {
    for (const step of steps) {
      const from = { ...place, shape, isAhead: ahead !== undefined, parents: step.start === 'keys' ? keys : rows }
      if (step.kind === 'list') this.list(step, from)
      else this.keys(step, from)
    }
    for (const { isList, level } of shown) {
      // A computed field shows few of the records that it may show.
      const amount = { most: rows.most * (isList ? this.context.limits.unpaged : 1), likely: rows.likely }
      this.level(level, amount, amount, { isAlone: true, isLate: true })
    }
  }

  private list(step: ListStepLayout, { parents, isAlone, isLate, isRoot, isAhead, shape, above }: From): void {
    const { context, sizes, narrowed } = this
    const { edge, first, planned, args: prepared, batch, wanted, nodes, rowData } = step
    const { entity, route } = edge
    const { query, window, isWhole } = prepared.value as ListArgs
    if (query === null || isLacking(context.site, route)) return
    if (ignoredIn(context.site, edge, query) !== undefined || isWithheld(context.call.caller, route, query)) return
    if (titleWords(context.call.caller, edge, query)?.length === 0) return
    if (isRoot && missingWithIds(context.site, edge, query) !== undefined) return
    const args = narrowed?.list === first ? { ...window, [window.last === null ? 'first' : 'last']: narrowed.rows } : window
    const known = sizes.listsOf(first, query)
    const lengths = { filtered: known?.lengths ?? [], whole: sizes.listsOf(first, {})?.lengths ?? [] }
    const { likely, rows } = estimateList(context, edge, query, { args, wants: wanted, isWhole }, lengths)
    const most = mostOfList(context, edge, query, { args, wants: wanted })
    const isInEdit = asksInEdit(context, edge, wanted.columns)
    const lists = outOf(parents.likely, known?.targets, edge.isSeldom?.(prepared.value as ListArgs) ? 0 : 1)
    this.steps.push({
      wave: this.before + batch.wave,
      method: 'GET',
      route: route.path,
      batch: Math.max(1, Math.min(rows.most, context.site.pageCap)),
      list: { planned: first, args },
      fields: planned.map(({ node }) => node),
      min: !isRoot && this.certainLists.has(edge) ? 0 : (parents.least ?? 0) * Math.min(1, most),
      // A list that is refused with `edit` is read again with `view`.
      max: parents.most * (most + (isInEdit ? 1 : 0)),
      likely: lists * likely,
    })
    if (parents.least && !isRoot) this.certainLists.add(edge)
    const followed = edge.pick?.most(prepared.value as ListArgs) ?? Number.POSITIVE_INFINITY
    const shown = {
      most: parents.most * Math.min(rows.most, followed),
      likely: lists * Math.min(rows.likely, followed),
      odds: Math.min(parents.odds ?? 1, lists),
    }
    const records = { ...shown, likely: outOf(shown.likely, known?.records) }
    const below = { isAlone: isAlone || isLate, isLate }
    this.note(entity, wanted.columns & ~wanted.readById.columns)
    const readById = askable(context.call.caller, entity, wanted.readById.columns)
    if (nodes.readById && readById !== NO_COLUMNS) {
      const isEachApart = below.isAlone || entity.byKey?.many?.scoped === true
      const reads = this.read(nodes.readById.batch, entity, readById, planned, records.most)
      reads.add(isInEdit ? { ...records, likely: 0 } : records, isEachApart ? first : undefined, isEachApart)
    }
    const limit = Object.values(route.filters).find(({ kind, param }) => kind === 'id' && query[param] !== undefined)
    const from = shape ? { name: shape.name, likely: parents.likely, isAhead, above } : above
    const isNamed = limit?.of !== undefined && !recordAbove(from, limit.of)
    this.level(nodes, records, records, { ...below, above: isNamed ? { name: limit.of, likely: 1, isAhead: false, above: from } : from })
    if (rowData) this.level(rowData, shown, shown, below)
  }

  /** Adds a step to records by key: from their parents, or at the root from the arguments. */
  private keys(step: KeyStepLayout, from: From): void {
    const { parents, isAlone, isLate, isRoot } = from
    const { edge, first, planned, args: prepared } = step
    const targets = isRoot ? rootTargetsOf(edge, prepared.value) : undefined
    // The site may answer that there is no viewer.
    const isCertain = !prepared.isPerCaller || (this.context.viewer ?? PENDING_VIEWER) !== PENDING_VIEWER
    for (const { entity, level, batch } of step.branches) {
      const { columns } = level
      const led = targets?.filter((target) => target.entity === entity)
      const { back, ...amounts } = this.amounts(step, entity, led, from)
      this.note(entity, columns)
      if (led) for (const target of led) this.target(target, batch, columns, planned)
      else if (batch) {
        const reads = this.read(batch, entity, columns, planned, amounts.keys.most)
        if (parents.least && !edge.many && isCertain) reads.isCertain = true
        const { scoped } = entity.byKey?.many ?? {}
        // Records whose columns are read ahead need no call.
        const keys = edge.leadsBack && back?.isAhead ? { ...amounts.keys, likely: 0 } : amounts.keys
        const isEachApart = isAlone === true || (scoped === true && !edge.oneScope)
        const scope = typeof edge.oneScope === 'string' ? edge.oneScope : first
        reads.add(keys, isEachApart ? (isAlone ? first : parents) : scoped && scope, isEachApart)
      }
      const isSure = ({ key, bySlug, refused }: Target): boolean => isCertain && !bySlug && key !== WHOLE && !refused
      const keys = { ...amounts.keys, least: new Set(led?.filter(isSure).map(({ key }) => key)).size }
      this.level(level, keys, batch ? amounts.rows : keys, { isAlone, isLate, above: back })
    }
  }

  /** The numbers of keys and of records of one entity that a step leads to. */
  private amounts({ edge, first }: KeyStepLayout, entity: Entity, led: readonly Target[] | undefined, { parents, above }: From) {
    const { sizes } = this
    const { unpaged } = this.context.limits
    const known = sizes.keysOf(first, entity.name)
    const most = led ? led.length : parents.most * mostFrom(edge, unpaged)
    const bound = Math.min(most, sizes.totalOf(entity.name))
    const each = led ? 1 : edge.isSeldom ? 0 : mostFrom(edge, FAN_OUT)
    // Rows of a list below a record mostly lead back to that record.
    const back = edge.leadsBack || (!edge.many && !known) ? recordAbove(above, entity.name) : undefined
    const few = Math.min(bound, back?.likely ?? bound)
    const likely = led ? most : Math.min(few, outOf(parents.likely, known?.targets, each))
    const rowsMost = led?.some(({ key }) => key === WHOLE) ? unpaged : most
    const rowsLikely = Math.min(led ? rowsMost : few, outOf(led ? most : parents.likely, known?.records, each))
    const odds = Math.min(parents.odds ?? 1, likely)
    return { keys: { most, likely, odds }, rows: { most: rowsMost, likely: rowsLikely, odds }, back }
  }

  /** Adds a record that a root field names. By slug it is looked up, and then read if the lookup does not read all columns. */
  private target(target: Target, batch: Batch | undefined, columns: ColumnSet, planned: readonly PlannedEdge[]): void {
    const { entity, query, bySlug } = target
    let wanted = askable(this.context.call.caller, entity, columns)
    if (bySlug) {
      const noSlugs = () => ({ route: entity.byKey?.many?.route as ListRoute, slugs: new Set<string>(), fields: [] })
      const lookups = getOrMake(this.lookups, `${entity.name} ${JSON.stringify(query)}`, noSlugs)
      lookups.slugs.add(slugName(target))
      lookups.fields.push(...planned.map(({ node }) => node))
      wanted &= ~columnsOfLookup(this.context, { target, columns })
      if (wanted === NO_COLUMNS && !listedQuery(target).hasPassword) return
    }
    if (batch) this.read(batch, entity, wanted, planned, 1).addTarget(target, !bySlug)
  }

  /** Returns the reads of the wave of a batch, after adding the columns that some fields want of `most` records. */
  private read(batch: Batch, entity: Entity, columns: ColumnSet, planned: readonly PlannedEdge[], most: number): KeyReads {
    const wave = this.before + batch.wave
    const reads = getOrMake(this.keyReads, `${wave} ${entity.name}`, () => new KeyReads(wave, entity))
    reads.want(askable(this.context.call.caller, entity, columns), planned, most)
    this.note(entity, columns)
    return reads
  }

  private note(entity: Entity, columns: ColumnSet): void {
    getOrMake(this.columns, entity, () => new Set<ColumnSet>()).add(askable(this.context.call.caller, entity, columns))
  }
}

/** What the place of a level decides. */
interface Place {
  readonly isRoot?: boolean | undefined
  /** Whether its reads do not share batches. */
  readonly isAlone?: boolean | undefined
  /** Whether records below its lists are read one list at a time, because they are not part of the plan. */
  readonly isLate?: boolean | undefined
  /** The parents of the lists whose rows are on this level, or the record to which a filter limits them. */
  readonly above?: RecordsAbove | undefined
}

interface RecordsAbove {
  readonly name: string
  readonly likely: number
  /** Whether they are read with the columns that edges leading back to them want. */
  readonly isAhead: boolean
  readonly above: RecordsAbove | undefined
}

/** The parents of a step. */
type From = Place & Pick<RecordsAbove, 'isAhead'> & { readonly shape: Shape | undefined; readonly parents: Amount }

/** Returns the closest records of a type above some rows. */
function recordAbove(above: RecordsAbove | undefined, name: string): RecordsAbove | undefined {
  return above === undefined || above.name === name ? above : recordAbove(above.above, name)
}

/** Returns the expected results of a number of parents: by the observed ratio, or `each` per parent as long as nothing was observed. */
const outOf = (of: number, ratio: { at(of: number, share: number): number } | undefined, each = 1): number =>
  ratio ? ratio.at(of, each) : each * of
