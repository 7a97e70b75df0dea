import type { ExecutionResult } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { GraphContext } from '../../graph/context.js'
import { ending } from '../ending.js'

/** Ends the time of an operation when it is done, refuses it whole where the site was to be spared, and says which answers are old. */
export const useEnding = (): Plugin<GraphContext> => ({
  onExecute: ({ args }) => ({
    onExecuteDone({ result, setResult }) {
      const { session } = (args.contextValue as GraphContext).operation
      const ended = ending(session, result as ExecutionResult)
      if (ended !== result) setResult(ended)
    },
  }),
})
