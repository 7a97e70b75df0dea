import { type ExecutionResult, GraphQLError } from 'graphql'
import { widthOf } from '../model/edge.js'
import type { Arguments } from '../plan/arguments.js'
import { wrongPart } from '../plan/document.js'
import type { Layout } from '../plan/layout.js'
import { type Plan, pathsOf } from '../plan/plan.js'
import { type Role, ruleOf } from '../upstream/roles.js'
import type { CallRecorder } from './budget.js'
import type { Estimate, Estimator } from './estimate.js'
import { explainPlan, explainRun, rounded } from './explain.js'
import type { EstimateContext, StepCalls } from './steps.js'

/** An operation that is planned and laid out. */
export interface LaidOut {
  readonly plan: Plan
  readonly layout: Layout
  readonly given: Arguments
  readonly variables: Readonly<Record<string, unknown>>
}

/** The parts of the context that admission uses. */
interface AdmissionContext {
  readonly operation: EstimateContext & {
    readonly estimator: Estimator
    readonly maxCalls: number
    readonly recorder: CallRecorder | undefined
    /** Records the calls of the operation from now on, for the fields of a plan. */
    record(plan: Plan | undefined): void
  }
  readonly explain?: 'plan' | 'run' | undefined
  /** Whether the explanation includes data about other callers. */
  readonly explainOthers?: boolean | undefined
  /** The estimate of an operation whose run is explained. */
  estimate?: Estimate | undefined
}

/**
 * Estimates an operation before it runs. Returns a result if the operation does not run: its plan if only that is requested, or an error if
 * it is expected to need more calls than the budget, or when arguments of `@defer` or `@stream` are wrong. All other operations run, and end at
 * the budget. `laid` is undefined for an operation that could not be planned. Such an operation is not estimated.
 */
export function checkBudget(context: AdmissionContext, laid: LaidOut | undefined): ExecutionResult | undefined {
  const { operation, explain } = context
  const { estimator, maxCalls } = operation
  const wrong = laid && wrongPart(laid.plan.parts, laid.variables)
  if (wrong) return { errors: [wrong] }
  if (!explain && (!laid || isBelowBudget(context, laid))) return undefined
  const estimate = laid && estimator.estimate(operation, laid.plan, laid.layout, laid.given)
  const refusal = laid && estimate && estimate.expected > maxCalls ? refusalOf(context, laid, estimate) : undefined
  if (explain === 'plan') {
    if (!laid || !estimate) return { errors: [new GraphQLError('The operation cannot be planned.', BAD_REQUEST)] }
    return {
      data: null,
      extensions: { explain: { ...roleIn(operation), ...explainPlan(laid.plan, estimate, maxCalls, refusal?.message) } },
    }
  }
  if (refusal) return { errors: [refusal] }
  if (explain === 'run') operation.record(laid?.plan)
  context.estimate = estimate
  return undefined
}

/** Whether a query is below the budget by the bound of its estimate, which takes less time. */
const isBelowBudget = ({ operation }: AdmissionContext, { plan, layout, given }: LaidOut): boolean =>
  plan.payloads.size === 0 && operation.estimator.bound(operation, plan, layout, given) <= operation.maxCalls

/** The role of the caller, which decides what is read. */
const roleIn = ({ call: { caller } }: EstimateContext): { readonly role?: Role } => (caller.role ? { role: caller.role } : {})

/** Adds the explanation of the run to the result, if it was requested. */
export function withExplanation<Result extends Pick<ExecutionResult, 'extensions'>>(
  { operation, estimate, explainOthers = false }: AdmissionContext,
  result: Result,
): Result {
  const { recorder, maxCalls } = operation
  if (!recorder) return result
  const shown = { others: explainOthers, answers: ruleOf(operation.call.caller).records === 'all' }
  const explain = { ...roleIn(operation), ...explainRun(estimate, maxCalls, recorder, shown) }
  return { ...result, extensions: { ...result.extensions, explain } }
}

const BAD_REQUEST = { extensions: { code: 'BAD_REQUEST' } }

/** Returns the error of an operation that is expected to need too many calls. It names the field that costs most, and how to make the operation cheaper. */
function refusalOf(
  { operation }: AdmissionContext,
  { plan, layout, given }: LaidOut,
  { min, max, expected, waves, steps }: Estimate,
): GraphQLError {
  const { estimator, maxCalls } = operation
  const paths = pathsOf(plan)
  const pathOf = ({ fields }: StepCalls): string => paths.get(fields[0]) ?? ''
  const largest = steps.reduce((most, step) => (step.likely > most.likely ? step : most))
  const field = pathOf(largest)
  const advice: { readonly text: string; readonly share: number; readonly rows: number }[] = []
  for (const step of steps) {
    if (!step.list || !`${field}.`.startsWith(`${pathOf(step)}.`)) continue
    const { planned: list, args } = step.list
    const width = widthOf(args)
    let [fits, over] = [0, width]
    while (over - fits > 1) {
      const rows = Math.floor((fits + over) / 2)
      if (estimator.estimate(operation, plan, layout, given, { list, rows }).expected > maxCalls) over = rows
      else fits = rows
    }
    const text = `use \`${args.last === null ? 'first' : 'last'}: ${fits}\` in \`${pathOf(step)}\`.`
    if (fits > 0) advice.push({ text, share: fits / width, rows: fits })
  }
  // The best advice leaves the largest share of a list, and then the most rows.
  const [best] = advice.sort((a, b) => b.share - a.share || b.rows - a.rows)
  const message =
    `The operation is expected to need ${Math.ceil(expected)} REST calls (${min} to ${max}), and the budget is ${maxCalls}. ` +
    `\`${field}\` costs most, about ${Math.ceil(largest.likely)}: ${best?.text ?? 'request less in one operation.'}`
  const cost = { min, expected: rounded(expected), max, waves }
  return new GraphQLError(message, { extensions: { code: 'CALL_BUDGET_EXCEEDED', cost, maxCalls, field } })
}
