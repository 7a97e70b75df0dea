import type { GraphQLResolveInfo } from 'graphql'
import { type Args, type ArgumentContext, isPerCaller } from '../model/edge.js'
import type { LmsRecord } from '../model/entity.js'
import type { FieldMark } from '../model/marks.js'
import type { Needs, Related } from '../model/needs.js'
import { variablesIn } from '../plan/graphql-js.js'
import type { PlannedEdge } from '../plan/plan.js'
import { LmsError } from '../upstream/errors.js'
import type { GraphContext } from './context.js'
import { NeededReader, type NeededSource, plannedIn, whenAll } from './needed.js'
import { loadRecord, type Resolve } from './resolve.js'

/** Computes the value of a field. `related` has the records that it needs, `caller` the caller and the site. */
type Compute = (record: LmsRecord, related: Related, args: Args, caller: ArgumentContext) => unknown

/** A field that is read from its record. */
interface ReadField {
  readonly extensions: { readonly lms: FieldMark }
  readonly resolve: Resolve
}

/** Returns the resolver and the extensions of a computed field. */
export function computedField(needs: Needs, compute: Compute, hasArguments = false): ReadField {
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
  if (needs.relations.length === 0 && !hasArguments) {
    const resolve = (record: LmsRecord): unknown => valueFrom(record, NOTHING, NOTHING, NOBODY)
    return { extensions: { lms: { needs, resolve } }, resolve }
  }
  const resolve: Resolve = (record, args, context, info) => {
    const error = failed(record)
    if (error) return error
    const { operation, fetched } = context
    const planned = plannedFor(needs, context, info)
    const isForCaller = planned.some(({ edge }) => isPerCaller(edge, args))
    const finish = (related: Related): unknown => valueFrom(record, related, args, operation)
    const source: NeededSource = {
      operation,
      fetcher: fetched?.fetcher,
      given: operation.argumentsUnder(variablesIn(info)),
      nodes: info.fieldNodes,
      load: (target, columns) => loadRecord(context, target, columns),
    }
    const read = (): unknown => whenAll(new NeededReader(source).related(record, planned), finish)
    return (isForCaller && operation.learnViewer(info.fieldNodes)?.then(read)) || read()
  }
  return { extensions: { lms: { needs, compute: valueFrom } }, resolve }
}

const NOTHING = Object.freeze({})

/** Computed fields without arguments and relations know no caller. */
const NOBODY = NOTHING as ArgumentContext

/** The planned edges to the records that a field needs. Without a plan of the operation they are planned here. */
function plannedFor(needs: Needs, { fetched, prepared }: GraphContext, info: GraphQLResolveInfo): readonly PlannedEdge[] {
  return (fetched && plannedIn(fetched.plan, needs, info.fieldNodes)) ?? prepared.planner.lookNeeded(info)
}
