import { type ExecutionArgs, type ExecutionResult, OperationTypeNode } from 'graphql'
import { checkBudget, type LaidOut, withExplanation } from '../cost/admission.js'
import { ROOT } from '../model/entity.js'
import { operationOf } from '../plan/document.js'
import { executeWhole, type Values, variableValues } from '../plan/graphql-js.js'
import type { PreparedOperation } from '../plan/prepared-operations.js'
import { Prefetch, type Prefetched } from '../prefetch/prefetch.js'
import { CancelledError } from '../upstream/errors.js'
import type { GraphContext } from './context.js'
import { reportFallback } from './fallback.js'
import { mostCharacters, TOO_LONG, tooLong } from './length.js'
import { lineOf } from './turns.js'

/**
 * Runs an operation: prepares it, estimates its cost, fetches its records wave by wave, and writes the response from them. An operation
 * that is refused or only explained ends after the estimate. When the response writer cannot write the response, graphql-js does, from the
 * same records. Mutations fetch the selected fields of their payloads in the same way.
 */
export async function executePlanned(args: ExecutionArgs): Promise<ExecutionResult> {
  const context = args.contextValue as GraphContext
  const operation = operationOf(args.document, args.operationName)
  const variables = operation && variableValues(args.schema, operation, args.variableValues ?? {})
  const name = operation?.name?.value
  let prepared: PreparedOperation | undefined
  let laid: LaidOut | undefined
  try {
    const { isRestricted } = context.operation
    prepared = variables && context.prepared.prepare(args.document, args.operationName, variables, context.explain !== 'plan', isRestricted)
  } catch (cause) {
    reportFallback(context, 'prepare', name, cause)
  }
  try {
    laid = variables && prepared && layOutNow(context, prepared, variables)
    const ended = variables && checkBudget(context, laid)
    if (ended) return ended
  } catch (cause) {
    reportFallback(context, 'estimate', name, cause)
  }
  if (!variables || !prepared) return withExplanation(context, await executeWhole(args))
  const { plan } = prepared
  // The sizes are observed when an operation runs for the first time, and then in some runs.
  if (!prepared.hasRun) context.operation.observe()
  prepared.hasRun = true
  let response: string | ExecutionResult | undefined
  try {
    const learning = laid && context.operation.learnViewerFor(plan, laid.given)
    if (learning) await learning
    // Arguments may depend on the viewer.
    const { layout, given } = laid && !learning ? laid : layOutNow(context, prepared, variables)
    const prefetch = new Prefetch(context.operation, layout)
    context.prefetched = { plan, given, prefetch }
    context.onStage?.('fetch')
    await prefetch.run([ROOT])
    // Mutations make their calls while graphql-js runs.
    if (plan.operation.operation === OperationTypeNode.QUERY) context.onStage?.('respond')
    const turn = context.turns?.next(lineOf(context.operation.call.caller))
    if (turn) await turn
    // The client has disconnected.
    if (turn && context.operation.call.budget.deadline?.ended instanceof CancelledError) return { data: null }
    response = args.fieldResolver ? undefined : write(context, prepared, context.prefetched)
  } catch (cause) {
    reportFallback(context, 'fetch', name, cause)
  }
  if (response === undefined) response = await executeWhole({ ...args, document: plan.document })
  return withExplanation(context, typeof response === 'string' ? written(response) : response)
}

/** Lays an operation out, with its arguments as far as they are known. */
export function layOutNow({ operation }: GraphContext, prepared: PreparedOperation, variables: Values): LaidOut {
  const given = operation.argumentsUnder(variables)
  return { plan: prepared.plan, layout: prepared.layOut(given), given, variables }
}

/**
 * Writes the response of an operation and takes its memory: nothing when it has no response writer or the response needs graphql-js, and an error
 * when it is too long.
 */
function write(context: GraphContext, prepared: PreparedOperation, prefetched: Prefetched): string | ExecutionResult | undefined {
  const { writers, maxAnswerSize = Number.POSITIVE_INFINITY, operation } = context
  const { memory } = operation.call.budget
  const most = mostCharacters(memory, maxAnswerSize)
  try {
    const text = writers?.of(prepared)?.(prefetched, most)
    if (text === TOO_LONG) return { errors: [tooLong(memory, maxAnswerSize)] }
    if (text !== undefined) memory?.takeResponse(text.length)
    return text
  } catch (cause) {
    reportFallback(context, 'write', prepared.plan.operation.name?.value, cause)
    return undefined
  }
}

/** Data that is JSON already. */
class WrittenData {
  [field: string]: unknown

  constructor(readonly text: string) {}

  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** A result whose data is JSON already. Both HTTP handlers serialize it by its `stringify`. */
interface WrittenResult extends ExecutionResult {
  readonly data: WrittenData
  readonly stringify: (result: WrittenResult) => string
}

const written = (text: string): WrittenResult => ({ data: new WrittenData(text), stringify: stringifyWritten })

/** Whether the data of a result is JSON already. */
export const isWritten = ({ data }: ExecutionResult): boolean => data instanceof WrittenData

function stringifyWritten({ data, extensions }: WrittenResult): string {
  if (extensions === undefined) return `{"data":${data.text}}`
  // How the result is sent is not part of it.
  const { http: _, ...shown } = extensions
  return `{"data":${data.text}${Object.keys(shown).length === 0 ? '' : `,"extensions":${JSON.stringify(shown)}`}}`
}
