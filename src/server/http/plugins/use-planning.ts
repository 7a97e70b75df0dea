import type { ServerResponse } from 'node:http'
import type { ExecutionArgs } from 'graphql'
import type { GraphQLParams, Plugin, YogaInitialContext } from 'graphql-yoga'
import type { GraphContext } from '../../../engine/context.js'
import { executePlanned } from '../../../engine/execute.js'
import type { PreparedOperations } from '../../../engine/prepare/index.js'
import { executeInParts } from '../../../engine/respond/index.js'
import type { Guard } from '../../limits/guard.js'
import { answerType, STREAMS } from '../media-types.js'

/** Whether the client takes its answer in parts; who does not gets it whole. */
function takesParts(request: Request): boolean {
  const type = answerType(request.headers.get('accept'))
  return type !== undefined && STREAMS.includes(type)
}

/** Resolves when the socket has taken what was written to a response; never, where it is gone. */
function flushed(response: ServerResponse | undefined): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (response?.destroyed) return
      if (response?.writableNeedDrain) response.once('drain', () => setImmediate(look))
      else resolve()
    }
    // What has been asked for is written within this turn of the event loop.
    setImmediate(look)
  })
}

/** Runs operations by their plans, and notes that they came so far. */
export const usePlanning = (prepared: PreparedOperations, { persisted, hideSuggestions }: Guard): Plugin<GraphContext> => ({
  onExecute({ args, setExecuteFn }) {
    if ((args.contextValue as GraphContext).explain !== 'plan') prepared.passed(args.document, args.operationName)
    persisted.keep((args.contextValue as { params: GraphQLParams }).params)
    const { request, res } = args.contextValue as YogaInitialContext & { readonly res?: ServerResponse }
    const execute = takesParts(request) ? (given: ExecutionArgs) => executeInParts(given, () => flushed(res)) : executePlanned
    setExecuteFn((given) => execute({ ...given, hideSuggestions }))
  },
})
