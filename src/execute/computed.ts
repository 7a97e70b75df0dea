import type { GraphQLResolveInfo } from 'graphql'
import { type Args, type ArgumentContext, isPerCaller } from '../model/edge.js'
import type { LmsRecord } from '../model/entity.js'
import type { FieldMark } from '../model/marks.js'
import type { Needs, Related } from '../model/needs.js'
import type { PlannedEdge } from '../plan/plan.js'
import type { Step } from '../prefetch/steps.js'
import type { Steps } from '../prefetch/unplanned.js'
import { LmsError } from '../upstream/errors.js'
import { type GraphContext, unplannedIn } from './context.js'
import { NeededRecords, plannedIn, whenAll } from './needed.js'
import type { Resolve } from './resolve.js'

/** Computes the value of a field. `related` has the records that it needs, `caller` the caller and the site. */
type Compute = (record: LmsRecord, related: Related, args: Args, caller: ArgumentContext) => unknown

/** What a field is once its id, `Type.field`, is known: its marks and its resolver. */
export interface LmsField {
  readonly marks: FieldMark
  readonly resolve: Resolve
}

/** Returns the resolver and the marks of a computed field. `isFixed`: it has no arguments, and is the same for all callers. */
export function computedField(needs: Needs, compute: Compute, isFixed = true): LmsField {
  const failed = (record: LmsRecord): unknown => needs.columns.map((name) => record[name]).find((value) => value instanceof LmsError)
  const valueFrom: Compute = (record, related, args, caller) => {
    const error = failed(record)
    if (error) return error
    try {
      return compute(record, related, args, caller)
    } catch (error) {
      return error
    }
  }
  if (needs.relations.length === 0) {
    const ofRecord = (record: LmsRecord): unknown => valueFrom(record, NOTHING, NOTHING, NOBODY)
    if (isFixed) return { marks: { needs, resolve: ofRecord }, resolve: ofRecord }
    const resolve: Resolve = (record, args, { operation }) => valueFrom(record, NOTHING, args, operation)
    return { marks: { needs, compute: valueFrom }, resolve }
  }
  const resolve: Resolve = (record, args, context, info) => {
    const { operation } = context
    if (needs.restricted && !operation.isRestricted) return record[info.fieldName]
    const error = failed(record)
    if (error) return error
    const show = ({ planned, stepOf }: Steps): unknown =>
      whenAll(new NeededRecords(info.fieldNodes, stepOf).of(record, planned), (related) => valueFrom(record, related, args, operation))
    const steps = stepsFor(needs, context, info)
    const perCaller = steps.planned.find(({ edge }) => isPerCaller(edge, args))
    const learning = perCaller && operation.learnViewer(info.fieldNodes, perCaller.edge)
    // Arguments may depend on the viewer.
    return learning ? learning.then(() => show(stepsFor(needs, context, info))) : show(steps)
  }
  return { marks: { needs, compute: valueFrom }, resolve }
}

const NOTHING = Object.freeze({})

/** Fixed computed fields without relations know no caller. */
const NOBODY = NOTHING as ArgumentContext

/** The steps to the records that a field needs: those of the plan, else steps for this field alone. */
function stepsFor(needs: Needs, context: GraphContext, info: GraphQLResolveInfo): Steps {
  const { prefetched } = context
  const planned = prefetched && plannedIn(prefetched.plan, needs, info.fieldNodes)
  if (!planned?.some((each) => prefetched?.prefetch.stepOf(each))) return unplannedIn(context).neededBy(info)
  const stepOf = (each: PlannedEdge): Step | undefined => {
    const step = prefetched?.prefetch.stepOf(each)
    // Edges with wrong arguments are not laid out.
    if (!step) prefetched?.given.valueFor(each)
    return step
  }
  return { planned, stepOf }
}
