import { type ExecutionResult, GraphQLError } from 'graphql'
import { isWritten } from '../../engine/execute.js'
import { answerTooLarge, isLarger } from '../../engine/respond/index.js'
import type { Limits } from '../limits/limits.js'

const MAX_MESSAGE = 500
const MAX_PLACES = 20

/** An error no larger than an error need be: some quote what they were given. */
export function boundedError(error: GraphQLError): GraphQLError {
  const { message, nodes, source, positions, path, extensions } = error
  if (message.length <= MAX_MESSAGE && (nodes?.length ?? 0) <= MAX_PLACES) return error
  const shown = message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE)}…`
  const places = nodes ? { nodes: nodes.slice(0, MAX_PLACES) } : { source: source ?? null, positions: positions ?? null }
  return new GraphQLError(shown, { ...places, path: path ?? null, extensions })
}

/** A result within the limits on answers. */
export function boundedResult(result: ExecutionResult, { maxErrors, maxAnswerSize }: Limits): ExecutionResult {
  // Data that are written have been measured as they were.
  if (result.data && !isWritten(result) && isLarger(result.data, maxAnswerSize)) return { errors: [answerTooLarge(maxAnswerSize)] }
  const { errors } = result
  if (!errors) return result
  const more = errors.length - maxErrors
  const bounded = { ...result, errors: errors.slice(0, maxErrors).map(boundedError) }
  return more > 0 ? { ...bounded, extensions: { ...result.extensions, errorsLeftOut: more } } : bounded
}

/** A result, or what comes after one. */
export interface PartOfResult extends ExecutionResult {
  readonly incremental?: readonly ExecutionResult[]
}

/** The parts of an answer, each within the limits; one that is too large is the last. */
export async function* boundedParts(parts: AsyncIterable<PartOfResult>, limits: Limits): AsyncIterableIterator<object> {
  for await (const part of parts) {
    if (isLarger([part.data ?? null, part.incremental ?? null], limits.maxAnswerSize)) {
      yield { errors: [answerTooLarge(limits.maxAnswerSize)], hasNext: false }
      return
    }
    const { incremental } = part
    yield boundedResult(incremental ? { ...part, incremental: incremental.map((each) => boundedResult(each, limits)) } : part, limits)
  }
}
