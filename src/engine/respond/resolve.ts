import type { FieldNode, GraphQLField, GraphQLResolveInfo } from 'graphql'
import { type ColumnSet, NO_COLUMNS } from '../../upstream/codec/records.js'
import { LmsError } from '../../upstream/errors.js'
import { lacking, shownThrough } from '../columns.js'
import type { GraphContext } from '../context.js'
import { type Edge, type KeyEdge, type ListEdge, type ListWants, type LmsRecord, marksOf, type Needs, type Target } from '../edges.js'
import { badColumn, Connection, type KeyStep, type ListStep, loadList, located } from '../fetch/index.js'

type Args = Readonly<Record<string, unknown>>

/**
 * Shows what has been fetched ahead for an edge, at once. What has not been, or not with all columns, is loaded late: so the plan
 * may forget things, but never be wrong.
 */
export const resolveEdge = (edge: Edge) => (edge.kind === 'key' ? resolveKeys(edge) : resolveList(edge))

const resolveKeys = (edge: KeyEdge) => (parent: LmsRecord, args: Args, context: GraphContext, info: GraphQLResolveInfo) => {
  const refused = badColumn(edge, parent)
  if (refused) {
    // A list that is never null has the error as its item, so that the rest of the parent is not lost.
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
    if (target === undefined) return operation.locateLate(reached as Target, columnsOf(reached as Target)).then(show)
    if (target === null) return null
    const entry = operation.entry(target)
    const columns = columnsOf(target)
    return entry.settles(columns) ? entry.value : readLate(context, target, columns)
  }
  if (!Array.isArray(targets)) return show(targets as Target | null)
  // A promise for each item: one that rejects is the error of that item.
  return targets.map(show)
}

const resolveList = (edge: ListEdge) => (parent: LmsRecord, args: Args, context: GraphContext, info: GraphQLResolveInfo) => {
  refuseBadColumns(edge, parent)
  const step = stepFor<ListStep>(edge, context, info, ({ group }) => group.listOf(parent) !== undefined)
  return step?.group.listOf(parent) ?? listLate(edge, parent, args, context, info)
}

async function listLate(
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
    // A record that can't be read becomes an error in its place.
    await Promise.allSettled(list.entries.map(({ key }) => readLate(context, { entity: edge.entity, key }, late)))
  }
  return list
}

type Compute = (record: LmsRecord, related: Readonly<Record<string, LmsRecord | null | readonly (LmsRecord | null)[]>>) => unknown

/** The resolver of a computed field, and its marks. Where it needs the record alone, the response writer computes it as well. */
export function computedField(needs: Needs, compute: Compute): { extensions: object; resolve: (...args: never[]) => unknown } {
  const failed = (record: LmsRecord): unknown => needs.columns.map((name) => record[name]).find((value) => value instanceof LmsError)
  if (needs.relations.length === 0) {
    const read = (record: LmsRecord): unknown => failed(record) ?? attempt(() => compute(record, {}))
    return { extensions: { lms: { needs, read } }, resolve: read as never }
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
      attempt(() => compute(record, Object.fromEntries(needs.relations.map(({ name }, index) => [name.value, values[index]])) as never))
    return related.some((value) => value instanceof Promise) ? Promise.all(related).then(finish) : finish(related)
  }
  return { extensions: { lms: { needs } }, resolve: resolve as never }
}

function attempt(compute: () => unknown): unknown {
  try {
    return compute()
  } catch (error) {
    return error
  }
}

/** The records of a relation by key, without arguments: from what was fetched, or read late. */
function relatedRecords(context: GraphContext, edge: KeyEdge, parent: LmsRecord, names: readonly string[]): unknown {
  refuseBadColumns(edge, parent)
  const show = (target: Target | null): unknown => {
    if (target === null) return null
    const columns = target.entity.shape.set(names)
    const entry = context.operation.entry(target)
    return entry.settles(columns) ? entry.value : readLate(context, target, columns)
  }
  const targets = edge.targets(parent, edge.prepare({}, context.operation))
  if (!Array.isArray(targets)) return show(targets as Target | null)
  const values = targets.map(show)
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : values
}

/**
 * Reads a record that the plan has not fetched, through the DataLoader of its type. A read with query parameters of its own, such as a
 * password, and one of edit-only columns has a loader of its own.
 */
function readLate(context: GraphContext, target: Target, columns: ColumnSet): Promise<unknown> {
  const { entity, key, query } = target
  const isPlain = query === undefined && (columns & entity.shape.editOnly) === NO_COLUMNS
  if (isPlain && entity.loader) return entity.loader(context).load(key)
  return context.operation.loadLate(target, columns).then(({ value }) => value)
}

function refuseBadColumns(edge: Edge, parent: LmsRecord): void {
  const error = badColumn(edge, parent)
  if (error) throw error
}

/**
 * What was fetched for all nodes of a field: several where its key is selected more than once. A node is planned once for each type it is
 * selected on, and followed from those that were met; `holds` tells which of these steps will do.
 */
function stepFor<S extends KeyStep | ListStep>(
  edge: Edge,
  { ahead }: GraphContext,
  { fieldNodes }: GraphQLResolveInfo,
  holds: (step: S) => boolean = () => true,
): S | undefined {
  if (!ahead) return undefined
  let step: S | undefined
  for (const node of fieldNodes) {
    let found: S | undefined
    for (const planned of ahead.plan.byNode.get(node) ?? []) {
      const followed = planned.edge === edge ? (ahead.fill.stepOf(planned) as S | undefined) : undefined
      if (followed && (followed === step || (!found && holds(followed)))) found = followed
    }
    if (!found || (step && step !== found)) return undefined
    step = found
  }
  return step
}
