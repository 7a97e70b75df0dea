import { type ExecutionArgs, execute, type GraphQLSchema, getVariableValues, type OperationDefinitionNode } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { GraphContext } from '../../graph/context.js'
import { operationOf } from '../../graph/documents.js'
import { ROOT } from '../../graph/edges.js'
import { Fill } from '../../graph/fill.js'

/** Fetches what a query wants, wave by wave, before its fields are resolved: they then resolve at once, without a promise each. Mutations do so for what they answer. */
export const usePlanning = (): Plugin<GraphContext> => ({
  onExecute({ setExecuteFn }) {
    setExecuteFn(executeAhead)
  },
})

async function executeAhead(args: ExecutionArgs) {
  const context = args.contextValue as GraphContext
  const operation = operationOf(args.document, args.operationName)
  const variables = operation && coerced(args.schema, operation, args.variableValues)
  const plan = variables && context.planner.plan(args.document, args.operationName, variables)
  if (!plan) return execute(args)
  const fill = new Fill(context.operation, variables)
  context.ahead = { plan, variables, fill }
  await fill.run([plan.root], [ROOT])
  return execute({ ...args, document: plan.document })
}

/** Nothing when they are wrong, which the executor will say. */
function coerced(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  values: ExecutionArgs['variableValues'],
): Record<string, unknown> | undefined {
  return getVariableValues(schema, operation.variableDefinitions ?? [], values ?? {}).coerced
}
