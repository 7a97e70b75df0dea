import type { GraphQLParams, Plugin } from 'graphql-yoga'
import type { GraphContext } from '../../graph/context.js'
import { executeAhead } from '../../graph/execute.js'
import type { Documents } from '../documents.js'
import type { Guard } from '../guard.js'

/** Runs operations by their plans, and notes that they came so far. */
export const usePlanning = (documents: Documents, { persisted, hideSuggestions }: Guard): Plugin<GraphContext> => ({
  onExecute({ args, setExecuteFn }) {
    documents.ran(args.document, args.operationName)
    persisted.keep((args.contextValue as { params: GraphQLParams }).params)
    setExecuteFn((given) => executeAhead({ ...given, hideSuggestions }))
  },
})
