import { performance } from 'node:perf_hooks'
import { type ExecutionResult, type FieldNode, GraphQLError } from 'graphql'
import type { GraphContext } from '../context.js'
import type { ListArgs } from '../edges.js'
import type { Plan, PlannedEdge } from '../plan.js'
import type { PreparedOperation } from '../prepare/index.js'
import { KeyRow } from './key-estimate.js'
import { widthOf } from './list-estimate.js'
import type { RecordedCall, Recorder, Served } from './meter.js'
import { type CostModel, pathsOf } from './model.js'
import type { Price, Priced, Pricer } from './price.js'
import type { Row } from './row.js'

/** An operation that is refused: what it would cost, and all it takes to price it with shorter lists. */
interface Refused {
  readonly model: CostModel
  readonly price: Price
  readonly operation: Priced
  readonly variables: Readonly<Record<string, unknown>>
  readonly pricer: Pricer
  readonly maxCalls: number
}

/** Whether an operation is refused. `expected` is never below `min`. */
const isDear = ({ expected }: Price, maxCalls: number): boolean => expected > maxCalls

/** Says that an operation is expected to need too many calls, which field costs most, and what would make it cheaper. */
function budgetError(refused: Refused): GraphQLError {
  const { model, price, maxCalls } = refused
  const { min, max, expected, waves, rows } = price
  const dearest = rows.reduce((most, row) => (row.likely > most.likely ? row : most))
  const field = pathOf(model.plan, dearest)
  const message =
    `The operation is expected to need ${Math.ceil(expected)} REST calls (${min} to ${max}), and one may make ${maxCalls}. ` +
    `\`${field}\` costs most, about ${Math.ceil(dearest.likely)}: ${adviceOn(refused, field)}`
  const cost = { min, expected: rounded(expected), max, waves }
  return new GraphQLError(message, { extensions: { code: 'CALL_BUDGET_EXCEEDED', cost, maxCalls, field } })
}

/** Calls to be expected, as they are shown. */
const rounded = (calls: number): number => Math.round(calls * 10) / 10

const pathOf = (plan: Plan, { planned }: Row): string => pathsOf(plan).get((planned[0] as PlannedEdge).node) as string

/** A list a field hangs on, or is itself, which could be shorter. */
interface Shortening {
  readonly path: string
  readonly argument: 'first' | 'last'
  readonly rows: number
  /** How much of the list that leaves. */
  readonly share: number
}

/** The shortening that leaves most, of a share and then of rows. */
function adviceOn(refused: Refused, field: string): string {
  const lists = refused.price.rows.flatMap((row) => shortening(refused, row, field) ?? [])
  const best = lists.sort((a, b) => b.share - a.share || b.rows - a.rows)[0]
  return best ? `ask for \`${best.argument}: ${best.rows}\` in \`${best.path}\`.` : 'ask for less in one operation.'
}

function shortening(refused: Refused, row: Row, field: string): Shortening | undefined {
  const { model, operation, variables } = refused
  const planned = row.planned as readonly PlannedEdge[]
  const path = pathOf(model.plan, row)
  const prepared = !(row instanceof KeyRow) && planned[0]?.edge?.kind === 'list' ? operation.argumentsUnder(variables).of(planned[0]) : null
  if (!prepared || !`${field}.`.startsWith(`${path}.`)) return undefined
  const { window } = prepared.value as ListArgs
  const rows = mostRows(refused, planned, widthOf(window))
  return rows === 0 ? undefined : { path, argument: window.last === null ? 'first' : 'last', rows, share: rows / widthOf(window) }
}

/** How many rows a list may be asked for so that the operation fits. */
function mostRows({ pricer, model, variables, operation, maxCalls }: Refused, planned: readonly PlannedEdge[], width: number): number {
  let [fits, over] = [0, width]
  while (over - fits > 1) {
    const rows = Math.floor((fits + over) / 2)
    const widths = new Map(planned.map((each) => [each, rows]))
    if (isDear(pricer.price(model, variables, operation, widths), maxCalls)) over = rows
    else fits = rows
  }
  return fits
}

/** Calls of one step, as they are foreseen. */
interface ExplainedStep {
  readonly wave: number
  readonly method: string
  /** Template of the route. Where batches leave ids out, or are refused, single records are read besides. */
  readonly route: string
  /** Ids in one call, or rows on one page. */
  readonly batch: number
  readonly min: number
  readonly expected: number
  readonly max: number
  /** The fields it is for. */
  readonly paths: readonly string[]
}

/** What an operation costs, as it is known before it runs. */
export interface ExplainedPlan {
  readonly predicted: { readonly min: number; readonly expected: number; readonly max: number; readonly waves: number }
  /** Calls one operation may make. */
  readonly maxCalls: number
  /** Why it would be refused, and what would make it cheaper. */
  readonly refusal?: string
  readonly steps: readonly ExplainedStep[]
}

/** One call as it was. Times are milliseconds, the start since that of the operation; null where it was not sent. */
interface ExplainedCall {
  readonly method: string
  readonly route: string
  readonly params: RecordedCall['params']
  /** Ids of a batch. */
  readonly ids?: readonly unknown[]
  /** Whether it was on its way already, mostly for another operation. */
  readonly shared: boolean
  /** Of a call that was sent again: how often it has been, with this time. */
  readonly attempt?: number
  readonly start: number | null
  readonly duration: number | null
  readonly status: number | null
  readonly bytes: number | null
  /** The fields it was for; none where it was not foreseen. */
  readonly paths: readonly string[]
}

/** What an operation has cost, beside what was foreseen of it. */
export interface ExplainedRun extends Pick<ExplainedPlan, 'maxCalls'> {
  /** Nothing of an operation too large to be planned. */
  readonly predicted: ExplainedPlan['predicted'] | null
  /** Calls, of them those it shared with others, and how often some were sent again besides. */
  readonly actual: { readonly calls: number; readonly shared: number; readonly retries: number; readonly duration: number }
  readonly steps: readonly (ExplainedStep & { readonly actual: number })[]
  readonly calls: readonly ExplainedCall[]
}

/** Explains an operation that does not run. */
const explainPlan = (plan: Plan, price: Price, maxCalls: number, refusal: string | undefined): ExplainedPlan => ({
  predicted: predictedOf(price),
  maxCalls,
  ...(refusal !== undefined && { refusal }),
  steps: inOrder(price.rows).map((row) => stepOf(row, pathsOf(plan))),
})

const predictedOf = ({ min, expected, max, waves }: Price): ExplainedPlan['predicted'] => ({ min, expected: rounded(expected), max, waves })

/** Explains an operation that has run. */
function explainRun(
  foreseen: { readonly plan: Plan; readonly price: Price } | undefined,
  maxCalls: number,
  { startedAt, calls }: Recorder,
): ExplainedRun {
  const rows = inOrder(foreseen?.price.rows ?? [])
  const counts = new Map<Row | undefined, number>()
  const first = calls.filter(({ attempt }) => attempt === 1)
  for (const { served } of first) {
    const row = rows.find((each) => isFor(each, served))
    counts.set(row, (counts.get(row) ?? 0) + 1)
  }
  const paths = foreseen ? pathsOf(foreseen.plan) : new Map<FieldNode, string>()
  return {
    predicted: foreseen ? predictedOf(foreseen.price) : null,
    actual: {
      calls: first.length,
      shared: first.filter(({ shared }) => shared).length,
      retries: calls.length - first.length,
      duration: rounded(performance.now() - startedAt),
    },
    maxCalls,
    steps: rows.map((row) => ({ ...stepOf(row, paths), actual: counts.get(row) ?? 0 })),
    calls: calls.map((call) => callOf(call, paths, startedAt)),
  }
}

const inOrder = (rows: readonly Row[]): Row[] => rows.filter(({ max }) => max > 0).sort((a, b) => a.wave - b.wave)

const isFor = (row: Row, { fields, entity }: Served): boolean =>
  (row as Partial<KeyRow>).entity === entity && row.planned.some(({ node }) => fields.includes(node))

type Paths = ReturnType<typeof pathsOf>

const namesOf = (fields: readonly FieldNode[], paths: Paths): string[] => [...new Set(fields.flatMap((field) => paths.get(field) ?? []))]

const stepOf = ({ wave, method, route, batch, min, likely, max, planned }: Row, paths: Paths): ExplainedStep => ({
  wave,
  method,
  route,
  batch,
  min,
  expected: rounded(likely),
  max,
  paths: namesOf(
    planned.map(({ node }) => node),
    paths,
  ),
})

const callOf = (
  { served, method, route, params, ids, shared, attempt, wire }: RecordedCall,
  paths: Paths,
  startedAt: number,
): ExplainedCall => ({
  method,
  route,
  params,
  ...(ids && { ids }),
  shared,
  ...(attempt > 1 && { attempt }),
  start: wire ? rounded(wire.startedAt - startedAt) : null,
  duration: wire ? rounded(wire.duration) : null,
  status: wire?.status ?? null,
  bytes: wire?.bytes ?? null,
  paths: namesOf(served.fields, paths),
})

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
