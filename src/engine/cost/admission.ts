import { type ExecutionResult, GraphQLError } from 'graphql'
import type { GraphContext } from '../context.js'
import type { Plan } from '../prepare/plan.js'
import type { PreparedOperation } from '../prepare/prepared-operations.js'
import { explainPlan, explainRun } from './explain.js'
import { budgetError, isDear } from './refusal.js'

type Variables = Readonly<Record<string, unknown>>

/**
 * Prices an operation before it runs. Answers what it ends with already: its plan where only that is asked for, or why it is refused:
 * because it needs too many calls for certain, or is expected to. Whatever else may need too many runs until it has made them.
 * `prepared` is missing for an operation too large to be planned, which is not priced.
 */
export function admit(context: GraphContext, prepared: PreparedOperation | undefined, variables: Variables): ExecutionResult | undefined {
  const { operation, explain } = context
  const { pricer, maxCalls } = operation
  const plan = prepared?.plan
  if (prepared) prepared.cost ??= pricer.modelOf(prepared.plan)
  const model = prepared?.cost
  const mayBeDear = model !== undefined && pricer.permitted(model, variables, operation) > maxCalls
  if (!mayBeDear && !explain) return undefined
  const price = model && pricer.price(model, variables, operation)
  const refusal =
    model && price && mayBeDear && isDear(price, maxCalls)
      ? budgetError({ model, price, operation, variables, pricer, maxCalls })
      : undefined
  if (explain === 'plan') {
    if (!plan || !price) return { errors: [new GraphQLError('The operation is too large to be planned.', BAD_REQUEST)] }
    return { data: null, extensions: { explain: explainPlan(plan, price, maxCalls, refusal?.message) } }
  }
  if (refusal) return { errors: [refusal] }
  if (explain === 'run') operation.record()
  context.price = price
  return undefined
}

/** Puts what the operation has cost beside its result, where that was asked for. */
export function withExplanation(
  { operation: { recorder, maxCalls }, price }: GraphContext,
  plan: Plan | undefined,
  result: ExecutionResult,
): ExecutionResult {
  if (!recorder) return result
  const explain = explainRun(plan && price && { plan, price }, maxCalls, recorder)
  return { ...result, extensions: { ...result.extensions, explain } }
}

const BAD_REQUEST = { extensions: { code: 'BAD_REQUEST' } }
