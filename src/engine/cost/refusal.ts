import { GraphQLError } from 'graphql'
import type { ListArgs } from '../edges.js'
import type { Plan } from '../prepare/plan.js'
import type { PlannedEdge } from '../prepare/selections.js'
import { KeyRow } from './key-row.js'
import type { CostModel } from './model.js'
import { pathsOf } from './paths.js'
import type { Price, Priced, Pricer } from './price.js'
import type { Row } from './row.js'
import { widthOf } from './windows.js'

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
export const isDear = ({ expected }: Price, maxCalls: number): boolean => expected > maxCalls

/** Says that an operation is expected to need too many calls, which field costs most, and what would make it cheaper. */
export function budgetError(refused: Refused): GraphQLError {
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
export const rounded = (calls: number): number => Math.round(calls * 10) / 10

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
