import { execute } from '@graphql-tools/executor'
import { GraphQLDeferDirective, MapperKind, mapSchema } from '@graphql-tools/utils'
import {
  defaultFieldResolver,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getDirectiveValues,
  type InlineFragmentNode,
  OperationTypeNode,
} from 'graphql'
import { getOrMake } from '../../upstream/maps.js'
import type { GraphContext } from '../context.js'
import { admit } from '../cost/admission.js'
import { ROOT } from '../edges.js'
import { coerced, executeAhead } from '../execute.js'
import { reportFallback } from '../fallback.js'
import { Fetcher } from '../fetch/fetcher.js'
import { inParts, operationOf } from '../prepare/document.js'
import { DeferredFields, Gate } from './deferred-fields.js'

interface PartsContext extends GraphContext {
  readonly waiting: DeferredFields
}

/**
 * Runs a query for a client that takes its answer in parts: what its deferred fragments want is fetched only when the rest has been answered.
 * Mutations, queries that defer nothing, and those that are to be explained, are answered whole. `flushed` resolves when what has been answered is with the socket.
 */
export async function executeInParts(args: ExecutionArgs, flushed: () => Promise<void>): Promise<ExecutionResult | AsyncIterable<unknown>> {
  const { schema, document, operationName } = args
  const context = args.contextValue as GraphContext
  const operation = operationOf(document, operationName)
  if (operation?.operation !== OperationTypeNode.QUERY || args.fieldResolver || context.explain || !inParts(document))
    return executeAhead(args)
  const variables = coerced(schema, operation, args.variableValues)
  const waits = (fragment: InlineFragmentNode): boolean => {
    const defer = getDirectiveValues(GraphQLDeferDirective, fragment, variables)
    return defer !== undefined && defer.if !== false
  }
  const whole = variables && context.prepared.prepare(document, operationName, variables)
  const ended = whole && admit(context, whole, variables)
  if (ended) return ended
  const deferral = { waits, parts: new Map(), partOf: new Map() }
  const plan = variables && context.prepared.planner.make(document, operationName, variables, deferral)
  if (!plan) return executeAhead(args)
  const fill = new Fetcher(context.operation, variables)
  const ahead = { plan, variables, fill }
  const onFault = (cause: unknown): void => reportFallback(context, 'fetch', operation.name?.value, cause)
  await fill.run([plan.root], [ROOT]).catch(onFault)
  const gate = new Gate()
  const contextValue: PartsContext = {
    ...context,
    ahead,
    waiting: new DeferredFields(context.operation, { plan, variables }, deferral, gate, onFault),
  }
  const result = await execute({ ...args, schema: waitingSchema(schema), document: plan.document, contextValue })
  return 'initialResult' in result ? payloads(result, () => flushed().then(() => gate.open())) : result
}

type Incremental = Extract<Awaited<ReturnType<typeof execute>>, { initialResult: unknown }>

/** The first part, and the others. Who asks for the second has taken the first. */
async function* payloads({ initialResult, subsequentResults }: Incremental, open: () => Promise<void>): AsyncIterableIterator<unknown> {
  try {
    yield initialResult
    open()
    yield* subsequentResults
  } finally {
    await subsequentResults.return()
  }
}

const kept = new WeakMap<GraphQLSchema, GraphQLSchema>()

/** The schema with fields that wait where their fragment does. Only operations in parts pay for that. */
const waitingSchema = (schema: GraphQLSchema): GraphQLSchema =>
  getOrMake(kept, schema, () =>
    mapSchema(schema, {
      [MapperKind.OBJECT_FIELD]: (field) => ({ ...field, resolve: waitingResolver(field.resolve ?? defaultFieldResolver) }),
    }),
  )

const waitingResolver =
  (resolve: GraphQLFieldResolver<any, any>): GraphQLFieldResolver<any, PartsContext> =>
  (parent, args, context, info) =>
    context.waiting.through(parent, info, (ahead) => resolve(parent, args, ahead ? { ...context, ahead } : context, info))
