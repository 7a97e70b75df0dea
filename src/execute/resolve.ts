import type { GraphQLResolveInfo } from 'graphql'
import { type Args, type Edge, isPerCaller, type KeyEdge, type ListEdge } from '../model/edge.js'
import type { LmsRecord } from '../model/entity.js'
import type { FieldMark } from '../model/marks.js'
import type { FollowedEdge, RecordState } from '../model/records.js'
import { badColumn } from '../model/targets.js'
import type { KeyStep, Step } from '../prefetch/steps.js'
import type { Viewer } from '../upstream/site/viewers.js'
import { type GraphContext, unplannedIn } from './context.js'

export type Resolve = (parent: LmsRecord, args: Args, context: GraphContext, info: GraphQLResolveInfo) => unknown

/**
 * Returns the resolver of an edge. It returns records that were prefetched at once, and loads all others through the DataLoaders of the operation: an
 * incomplete plan makes a response slower, but not wrong.
 */
export function resolveEdge(edge: Edge): Resolve {
  const resolve: Resolve = edge.kind === 'key' ? resolveKeys(edge) : resolveList(edge)
  if (!edge.perCaller) return resolve
  return (parent, args, context, info) => {
    const learning = isPerCaller(edge, args) ? context.operation.learnViewer(info.fieldNodes, edge) : undefined
    return learning ? learning.then(() => resolve(parent, args, context, info)) : resolve(parent, args, context, info)
  }
}

const resolveKeys =
  (edge: KeyEdge): Resolve =>
  (parent, _, context, info) => {
    const step = (plannedStep(edge, parent, context, info) ?? unplannedIn(context).stepOf(edge, info)) as KeyStep
    const found = step.peek(parent)
    if (found !== undefined) return shown(found)
    const refused = badColumn(edge, parent)
    // A non-null list has the error as its only item, so that the other fields of the parent are kept.
    return refused && edge.many ? [refused] : step.load(parent).then(shown)
  }

const resolveList =
  (edge: ListEdge): Resolve =>
  (parent, _, context, info) => {
    const step = plannedStep(edge, parent, context, info)
    return step ? (step.peek(parent) ?? step.load(parent)) : loadUnplanned(edge, parent, context, info)
  }

/** Rejects with the error of wrong arguments. */
async function loadUnplanned(edge: ListEdge, parent: LmsRecord, context: GraphContext, info: GraphQLResolveInfo): Promise<unknown> {
  return unplannedIn(context).stepOf(edge, info).load(parent)
}

/** The values of records: an error among those of a list is the error of that item only. */
const shown = (found: FollowedEdge): unknown =>
  Array.isArray(found) ? found.map((state: RecordState | null) => state?.value) : found && (found as RecordState).value

/**
 * Returns the step that the plan has followed for all nodes of a field. A response key can be selected more than once, and a node is planned once per type on which it is selected: of several steps it is the one that has
 * followed the edge from this parent.
 */
function plannedStep(edge: Edge, parent: LmsRecord, { prefetched }: GraphContext, { fieldNodes }: GraphQLResolveInfo): Step | undefined {
  if (!prefetched) return undefined
  const { plan, prefetch } = prefetched
  let step: Step | undefined
  for (const node of fieldNodes) {
    let found: Step | undefined
    for (const planned of plan.byNode.get(node) ?? []) {
      const followed = planned.edge === edge ? prefetch.stepOf(planned) : undefined
      if (!followed) continue
      if (followed === step || !found || (found.peek(parent) === undefined && followed.peek(parent) !== undefined)) found = followed
    }
    if (!found || (step && step !== found)) return undefined
    step = found
  }
  return step
}

/** Returns the resolver and the extensions of a field that depends on the viewer. The viewer is null when the gateway does not know it. */
export function viewerField<Value>(read: (record: LmsRecord, viewer: Viewer | null) => Value) {
  const resolve = (record: LmsRecord, _: Args, { operation }: GraphContext, { fieldNodes }: GraphQLResolveInfo): Value | Promise<Value> => {
    const show = (): Value => read(record, operation.knownViewer)
    return operation.learnViewer(fieldNodes)?.then(show) ?? show()
  }
  return { extensions: { lms: { resolveFor: read } satisfies FieldMark }, resolve }
}
