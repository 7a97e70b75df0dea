import {
  type ExecutionArgs,
  execute,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { GraphContext } from '../../graph/context.js'
import { operationOf } from '../../graph/documents.js'
import { ROOT } from '../../graph/edges.js'
import { Fill } from '../../graph/fill.js'

/** Fetches what a query wants, wave by wave, before its fields are resolved: they then resolve at once, without a promise each. */
export const usePlanning = (): Plugin<GraphContext> => ({
  onExecute({ setExecuteFn }) {
    setExecuteFn(executeAhead)
  },
})

async function executeAhead(args: ExecutionArgs) {
  const context = args.contextValue as GraphContext
  const operation = operationOf(args.document, args.operationName)
  const variables = operation?.operation === OperationTypeNode.QUERY ? coerced(args.schema, operation, args.variableValues) : undefined
  const plan = variables && context.planner.plan(args.document, args.operationName, variables)
  if (!plan) return execute(args)
  const fill = new Fill(context.operation, variables)
  context.ahead = { plan, fill }
  await fill.run(plan.root, [ROOT])
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
