import type { FieldNode, GraphQLField, GraphQLResolveInfo } from 'graphql'
import { type ColumnSet, NO_COLUMNS } from '../../upstream/codec/records.js'
import { LmsError } from '../../upstream/errors.js'
import { lacking, shownThrough } from '../columns.js'
import type { GraphContext } from '../context.js'
import {
  type Edge,
  type FieldMark,
  type KeyEdge,
  type ListEdge,
  type ListWants,
  type LmsRecord,
  marksOf,
  type Needs,
  type Target,
} from '../edges.js'
import { badColumn, Connection, type KeyStep, type ListStep, loadList, located } from '../fetch/index.js'

type Args = Readonly<Record<string, unknown>>

/**
 * Returns the resolver of an edge. It returns fetched records synchronously. Records that the plan has not fetched, or not with all columns,
 * are loaded here: an incomplete plan makes a response slower, but not wrong.
 */
export const resolveEdge = (edge: Edge) => (edge.kind === 'key' ? resolveKeys(edge) : resolveList(edge))

const resolveKeys = (edge: KeyEdge) => (parent: LmsRecord, args: Args, context: GraphContext, info: GraphQLResolveInfo) => {
  const refused = badColumn(edge, parent)
  if (refused) {
    // A non-null list has the error as its only item, so that the other fields of the parent are kept.
    if (edge.many) return [refused]
    throw refused
  }
  const {
    operation,
    prepared: { planner },
  } = context
  const step = stepFor<KeyStep>(edge, context, info)
  const prepared = step ? step.prepared : edge.prepare(args, operation)
  const targets = edge.targets(parent, prepared)
  const wanted = step ? null : planner.look(edge, info)
  const columnsOf = ({ entity }: Target): ColumnSet => step?.columnsOf(entity) ?? wanted?.children.get(entity.name)?.columns ?? NO_COLUMNS
  const show = (reached: Target | null): unknown => {
    const target = reached && located(operation, reached)
    if (target === undefined) return operation.lookUpUnplanned(reached as Target, columnsOf(reached as Target)).then(show)
    if (target === null) return null
    const state = operation.stateOf(target)
    const columns = columnsOf(target)
    return state.settles(columns) ? state.value : loadRecord(context, target, columns)
  }
  if (!Array.isArray(targets)) return show(targets as Target | null)
  // One promise per item: a rejection is the error of that item only.
  return targets.map(show)
}

const resolveList = (edge: ListEdge) => (parent: LmsRecord, args: Args, context: GraphContext, info: GraphQLResolveInfo) => {
  refuseBadColumns(edge, parent)
  const step = stepFor<ListStep>(edge, context, info, ({ batch }) => batch.listOf(parent) !== undefined)
  return step?.batch.listOf(parent) ?? loadUnplannedList(edge, parent, args, context, info)
}

async function loadUnplannedList(
  edge: ListEdge,
  parent: LmsRecord,
  args: Args,
  context: GraphContext,
  info: GraphQLResolveInfo,
): Promise<Connection | LmsError> {
  const {
    operation,
    prepared: { planner },
  } = context
  const prepared = edge.prepare(args, operation)
  const { children, side, rows, total, next } = planner.look(edge, info)
  const ofSide = side?.columns ?? NO_COLUMNS
  const columns = (children.get(edge.entity.name)?.columns ?? NO_COLUMNS) | shownThrough(operation, edge, ofSide)
  const wants: ListWants = { columns, side: ofSide, rows, total, next }
  const list = await loadList(operation, edge, edge.scope(parent, prepared), prepared, wants)
  const late = lacking(operation, edge, columns)
  if (list instanceof Connection && late !== NO_COLUMNS) {
    // A record that cannot be read becomes an error at its position.
    await Promise.allSettled(list.states.map(({ key }) => loadRecord(context, { entity: edge.entity, key }, late)))
  }
  return list
}

type Compute = (record: LmsRecord, related: Readonly<Record<string, unknown>>) => unknown

/** A field that is read from its record. */
interface ReadField {
  readonly extensions: { readonly lms: FieldMark }
  readonly resolve: (record: LmsRecord, args: Args, context: GraphContext, info: GraphQLResolveInfo) => unknown
}

/** Returns the resolver and the extensions of a computed field. Response writers also write fields that need the record alone. */
export function computedField(needs: Needs, compute: Compute): ReadField {
  const failed = (record: LmsRecord): unknown => needs.columns.map((name) => record[name]).find((value) => value instanceof LmsError)
  if (needs.relations.length === 0) {
    const read = (record: LmsRecord): unknown => failed(record) ?? attempt(() => compute(record, {}))
    return { extensions: { lms: { needs, read } }, resolve: read }
  }
  const resolve = (record: LmsRecord, _: Args, context: GraphContext, { parentType }: GraphQLResolveInfo): unknown => {
    const error = failed(record)
    if (error) return error
    const fields = parentType.getFields()
    const related = needs.relations.map(({ name: { value: name }, selectionSet }) => {
      const { edge } = marksOf(fields[name] as GraphQLField<unknown, unknown>)
      const columns = (selectionSet?.selections ?? []).map((node) => (node as FieldNode).name.value)
      return relatedRecords(context, edge as KeyEdge, record, columns)
    })
    const finish = (values: readonly unknown[]): unknown =>
      values.flat().find((value) => value instanceof LmsError) ??
      attempt(() => compute(record, Object.fromEntries(needs.relations.map(({ name }, index) => [name.value, values[index]]))))
    return related.some((value) => value instanceof Promise) ? Promise.all(related).then(finish) : finish(related)
  }
  return { extensions: { lms: { needs } }, resolve }
}

function attempt(compute: () => unknown): unknown {
  try {
    return compute()
  } catch (error) {
    return error
  }
}

/** Returns the records of a relation by key without arguments. Reads the records that were not fetched. */
function relatedRecords(context: GraphContext, edge: KeyEdge, parent: LmsRecord, names: readonly string[]): unknown {
  refuseBadColumns(edge, parent)
  const show = (target: Target | null): unknown => {
    if (target === null) return null
    const columns = target.entity.shape.set(names)
    const state = context.operation.stateOf(target)
    return state.settles(columns) ? state.value : loadRecord(context, target, columns)
  }
  const targets = edge.targets(parent, edge.prepare({}, context.operation))
  if (!Array.isArray(targets)) return show(targets as Target | null)
  const values = targets.map(show)
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : values
}

/**
 * Reads a record that the plan has not fetched, through the DataLoader of its type. Reads with query parameters of their own, such as a
 * password, and reads of edit-only columns have loaders of their own.
 */
function loadRecord(context: GraphContext, target: Target, columns: ColumnSet): Promise<unknown> {
  const { entity, key, query } = target
  const isPlain = query === undefined && (columns & entity.shape.editOnly) === NO_COLUMNS
  if (isPlain) return context.operation.loaderOf(entity).load(key)
  return context.operation.loadUnplanned(target, columns).then(({ value }) => value)
}

function refuseBadColumns(edge: Edge, parent: LmsRecord): void {
  const error = badColumn(edge, parent)
  if (error) throw error
}

/**
 * Returns the step that was run for all nodes of a field: a response key can be selected more than once. A node is planned once per type on
 * which it is selected; `holds` selects the step that has the result.
 */
function stepFor<S extends KeyStep | ListStep>(
  edge: Edge,
  { fetched }: GraphContext,
  { fieldNodes }: GraphQLResolveInfo,
  holds: (step: S) => boolean = () => true,
): S | undefined {
  if (!fetched) return undefined
  let step: S | undefined
  for (const node of fieldNodes) {
    let found: S | undefined
    for (const planned of fetched.plan.byNode.get(node) ?? []) {
      const followed = planned.edge === edge ? (fetched.fetcher.stepOf(planned) as S | undefined) : undefined
      if (followed && (followed === step || (!found && holds(followed)))) found = followed
    }
    if (!found || (step && step !== found)) return undefined
    step = found
  }
  return step
}
