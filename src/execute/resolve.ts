import type { GraphQLResolveInfo } from 'graphql'
import { type Connection, loadColumnsById, loadList } from '../load/listing.js'
import { located } from '../load/lookups.js'
import { takenFromRecord } from '../model/columns.js'
import { type Edge, isPerCaller, type KeyEdge, type ListEdge, type ListWants, type Target } from '../model/edge.js'
import type { LmsRecord } from '../model/entity.js'
import type { FieldMark } from '../model/marks.js'
import { badColumn } from '../model/targets.js'
import type { KeyStep, ListStep } from '../prefetch/steps.js'
import { type ColumnSet, NO_COLUMNS } from '../upstream/codec/records.js'
import type { LmsError } from '../upstream/errors.js'
import type { Viewer } from '../upstream/site/viewers.js'
import type { GraphContext } from './context.js'

type Args = Readonly<Record<string, unknown>>

/**
 * Returns the resolver of an edge. It returns fetched records synchronously. Records that the plan has not fetched, or not with all columns,
 * are loaded here: an incomplete plan makes a response slower, but not wrong.
 */
export function resolveEdge(edge: Edge): Resolve {
  const resolve: Resolve = edge.kind === 'key' ? resolveKeys(edge) : resolveList(edge)
  if (!edge.perCaller) return resolve
  return (parent, args, context, info) => {
    const learning = isPerCaller(edge, args) ? context.operation.learnViewer(info.fieldNodes) : undefined
    return learning ? learning.then(() => resolve(parent, args, context, info)) : resolve(parent, args, context, info)
  }
}

export type Resolve = (parent: LmsRecord, args: Args, context: GraphContext, info: GraphQLResolveInfo) => unknown

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
  const prepared = step ? step.prepared : edge.parse(args, operation)
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
  const prepared = edge.parse(args, operation)
  const { children, rowData, rows, total, next } = planner.look(edge, info)
  const ofRowData = rowData?.columns ?? NO_COLUMNS
  const columns = (children.get(edge.entity.name)?.columns ?? NO_COLUMNS) | takenFromRecord(operation, edge, ofRowData)
  const wants: ListWants = { columns, rowData: ofRowData, rows, total, next }
  const scope = edge.scope(parent, prepared)
  if (!scope) throw new Error(`${edge.id} has no list below a record.`)
  const list = await loadList(operation, edge, scope, prepared, wants)
  await loadColumnsById(list, operation, edge, columns, (target, readById) => loadRecord(context, target, readById))
  return list
}

/** Returns the resolver and the extensions of a field that depends on the viewer. The viewer is null when the gateway does not know it. */
export function viewerField<Value>(read: (record: LmsRecord, viewer: Viewer | null) => Value) {
  const resolve = (record: LmsRecord, _: Args, { operation }: GraphContext, { fieldNodes }: GraphQLResolveInfo): Value | Promise<Value> => {
    const show = (): Value => read(record, operation.knownViewer)
    return operation.learnViewer(fieldNodes)?.then(show) ?? show()
  }
  return { extensions: { lms: { resolveFor: read } satisfies FieldMark }, resolve }
}

/**
 * Reads a record that the plan has not fetched, through the DataLoader of its type. Reads with query parameters of their own, such as a
 * password, and reads of edit-only columns have loaders of their own.
 */
export function loadRecord(context: GraphContext, target: Target, columns: ColumnSet): Promise<unknown> {
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
