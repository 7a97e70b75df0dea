import type { Plugin } from 'graphql-yoga'
import type { GraphContext } from '../../graph/context.js'
import { executeAhead } from '../../graph/execute.js'
import type { Documents } from '../documents.js'

/** Runs operations by their plans, and notes that they came so far. */
export const usePlanning = (documents: Documents): Plugin<GraphContext> => ({
  onExecute({ args, setExecuteFn }) {
    documents.ran(args.document, args.operationName)
    setExecuteFn(executeAhead)
  },
})
