import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql'
import type { GraphContext } from './context.js'
import { admit, withExplanation } from './cost/index.js'
import { operationOf } from './document.js'
import { ROOT } from './edges.js'
import { reportFallback } from './fallback.js'
import { Fetcher } from './fetch/index.js'
import type { PreparedOperation } from './prepare/index.js'
import type { ResponseWriter } from './respond/index.js'

/**
 * Runs an operation: prepares it, estimates its cost, fetches its records wave by wave, and writes the response from them. An operation
 * that is refused or only explained ends after the estimate. Where the fast path cannot write the response, graphql-js does, from the same
 * records. Mutations fetch ahead what they answer.
 */
export async function executeAhead(args: ExecutionArgs): Promise<ExecutionResult> {
  const context = args.contextValue as GraphContext
  const operation = operationOf(args.document, args.operationName)
  const variables = operation && coerced(args.schema, operation, args.variableValues)
  const name = operation?.name?.value
  let prepared: PreparedOperation | undefined
  try {
    prepared = variables && context.prepared.prepare(args.document, args.operationName, variables, context.explain !== 'plan')
  } catch (cause) {
    reportFallback(context, 'prepare', name, cause)
  }
  try {
    const ended = variables && admit(context, prepared, variables)
    if (ended) return ended
  } catch (cause) {
    reportFallback(context, 'estimate', name, cause)
  }
  if (!variables || !prepared) return withExplanation(context, undefined, await execute(args))
  const { plan } = prepared
  const fill = new Fetcher(context.operation, variables)
  context.ahead = { plan, variables, fill }
  let text: string | undefined
  try {
    await fill.run([plan.root], [ROOT])
    text = args.fieldResolver ? undefined : write(context, prepared, fill)
  } catch (cause) {
    reportFallback(context, 'fetch', name, cause)
  }
  const result = text === undefined ? await executeRead({ ...args, document: plan.document }, context) : written(text)
  return withExplanation(context, plan, result)
}

/** The response of an operation, where its response writer can write it. */
function write(context: GraphContext, prepared: PreparedOperation, fill: Fetcher): string | undefined {
  try {
    return writerOf(context, prepared)?.(fill)
  } catch (cause) {
    reportFallback(context, 'write', prepared.plan.operation.name?.value, cause)
    return undefined
  }
}

/** The response writer of an operation, made once. */
function writerOf({ compiler }: GraphContext, prepared: PreparedOperation): ResponseWriter | null | undefined {
  if (prepared.writer === undefined && compiler) prepared.writer = compiler.of(prepared.plan) ?? null
  return prepared.writer
}

/** Where calls were refused each of their fields is an error; nobody wants to know where in graphql-js that was made, which costs the most. */
function executeRead(args: ExecutionArgs, { operation }: GraphContext): ReturnType<typeof execute> {
  if (!operation.session.tally?.refusals) return execute(args)
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return execute(args)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Nothing when they are wrong, which the executor will say. */
export function coerced(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  values: ExecutionArgs['variableValues'],
): Record<string, unknown> | undefined {
  return getVariableValues(schema, operation.variableDefinitions ?? [], values ?? {}, { maxErrors: 1 }).coerced
}

/** A result whose data is JSON already; what turns results into text asks it by `stringify`. */
const written = (text: string): ExecutionResult =>
  ({ data: new WrittenData(text), stringify: stringifyWritten }) as unknown as ExecutionResult

/** Whether the data of a result are JSON already. */
export const isWritten = ({ data }: ExecutionResult): boolean => (data as unknown) instanceof WrittenData

class WrittenData {
  constructor(readonly text: string) {}

  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

const stringifyWritten = ({ data, extensions }: { data: WrittenData; extensions?: unknown }): string =>
  `{"data":${data.text}${extensions === undefined ? '' : `,"extensions":${JSON.stringify(extensions)}`}}`
