import { type GraphQLSchema, validate } from 'graphql'
import type { PlanExplanation, Step } from '../calls/explanation.js'
import { type FieldPlace, fieldsOf, operationsOf, parseQuery, type Span } from '../calls/places.js'
import { type ExplainAccess, isForbidden } from '../explain-access.js'
import { type HttpHeaders, post } from '../headers.js'
import { count, digits } from '../words.js'

/** An operation that can be estimated. */
export interface Operation {
  readonly query: string
  readonly operationName: string | undefined
  readonly variables: Readonly<Record<string, unknown>> | undefined
}

/** What is known before a run about the REST calls of an operation. */
export type Estimate =
  | { readonly kind: 'plan'; readonly operation: Operation; readonly plan: PlanExplanation }
  /** The gateway cannot plan the operation, for example because a variable is missing. */
  | { readonly kind: 'problem'; readonly message: string }

/**
 * The operation at an offset of the query: the one around it, else the one with `preferred` as its name, else the first. Undefined if the
 * document is not valid.
 */
export function operationAt(
  query: string,
  schema: GraphQLSchema,
  offset: number,
  preferred: string | undefined,
): string | null | undefined {
  const document = parseQuery(query)
  const operations = operationsOf(document)
  if (!document || operations.length === 0 || validate(schema, document, undefined, { maxErrors: 1 }).length > 0) return undefined
  const around = operations.find(({ loc }) => loc && loc.start <= offset && offset <= loc.end)
  const named = operations.find(({ name }) => name?.value === preferred)
  return (around ?? named ?? operations[0])?.name?.value ?? null
}

/**
 * Asks the gateway for the plan of an operation. The gateway makes no REST call for it. Undefined if the caller may not have operations
 * explained.
 */
export async function requestEstimate(
  operation: Operation,
  { url, headers, access, signal }: { url: string; headers: HttpHeaders; access: ExplainAccess; signal: AbortSignal },
): Promise<Estimate | undefined> {
  const response = await post(url, headers, { ...operation, extensions: { explain: 'plan' } }, signal)
  const result = (await response.json()) as { errors?: { message: string }[]; extensions?: { explain?: PlanExplanation } }
  if (isForbidden(result)) {
    access.refuse(headers)
    return undefined
  }
  const plan = result.extensions?.explain
  if (plan) return { kind: 'plan', operation, plan }
  return { kind: 'problem', message: result.errors?.[0]?.message ?? 'The gateway has no plan for this operation.' }
}

/** How close the expected calls are to the budget. */
export type Level = 'low' | 'near' | 'over'

/** Share of the budget above which the most expensive fields are named. */
const NEAR = 0.8

/** How close a plan is to the budget. */
export function levelOf({ predicted, maxCalls, refusal }: PlanExplanation): Level {
  if (refusal !== undefined) return 'over'
  return predicted.expected > NEAR * maxCalls ? 'near' : 'low'
}

/** The estimate in a few words. */
export const estimateText = ({ predicted: { max, expected }, maxCalls }: PlanExplanation): string =>
  max === 0 ? 'no REST call' : `about ${digits(Math.ceil(expected))} of ${count(maxCalls, 'call')}`

/** What else there is to say about the estimate. */
export const estimateDetails = ({ predicted: { max, waves }, maxCalls }: PlanExplanation): string =>
  max === 0
    ? 'The operation needs no REST call.'
    : `At most ${count(max, 'call')}, one after the other in ${count(waves, 'step')}. An operation may make ${digits(maxCalls)}. The estimate is made from the sizes that the gateway knows, and becomes better with each run.`

/** A field that needs REST calls. */
export interface EstimatedField {
  readonly path: string
  readonly expected: number
  /** Whether it is one of the most expensive ones. */
  readonly isExpensive: boolean
  /** The calls in words, one line for each route. */
  readonly text: string
  readonly name: Span
}

/** Fields that are named at most. */
const MOST_NAMED = 3

/** The fields that lead to REST calls, the most expensive first. */
export function estimatedFields({ operation, plan }: Extract<Estimate, { kind: 'plan' }>): EstimatedField[] {
  const places = new Map<string, FieldPlace>()
  for (const place of fieldsOf(operation.query, operation.operationName)) places.set(place.path, places.get(place.path) ?? place)
  const steps = new Map<string, Step[]>()
  for (const step of plan.steps) for (const path of step.paths) steps.set(path, [...(steps.get(path) ?? []), step])
  const most = Math.max(0, ...plan.steps.map(({ expected }) => expected))
  return [...steps]
    .flatMap(([path, own]) => {
      const place = places.get(path)
      return place ? { path, expected: expectedOf(own), text: own.map(stepText).join('\n'), name: place.name } : []
    })
    .sort((a, b) => b.expected - a.expected)
    .map((field, index) => ({ ...field, isExpensive: index < MOST_NAMED && field.expected > 1 && field.expected >= most / 4 }))
}

const expectedOf = (steps: readonly Step[]): number => Math.round(steps.reduce((total, step) => total + step.expected, 0) * 10) / 10

function stepText({ method, route, wave, expected, max, paths }: Step): string {
  const shared = paths.length > 1 ? `, shared by ${paths.length} fields` : ''
  return `${method} ${route}: about ${count(Math.ceil(expected), 'call')}, at most ${digits(max)}, step ${wave}${shared}`
}
