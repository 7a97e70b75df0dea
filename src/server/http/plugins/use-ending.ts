import type { ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import type { GraphContext } from '../../../engine/context.js'
import { ending } from '../../ending.js'

/** Ends the time of an operation when it is done, refuses it whole where the site was to be spared, and says which answers are old. */
export const useEnding = (): Plugin<GraphContext> => ({
  onExecute: ({ args }) => ({
    onExecuteDone({ result, setResult }) {
      const { session } = (args.contextValue as GraphContext).operation
      if (isAsyncIterable(result)) {
        setResult(throughout(result, () => session.deadline?.close()))
        return
      }
      const ended = ending(session, result as ExecutionResult)
      if (ended !== result) setResult(ended)
    },
  }),
})

/** The same results, and a last word when they have ended or nobody wants more of them. */
async function* throughout<T>(results: AsyncIterable<T>, end: () => void): AsyncIterableIterator<T> {
  try {
    yield* results
  } finally {
    end()
  }
}
