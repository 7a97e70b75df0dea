import { performance } from 'node:perf_hooks'
import type { FieldNode } from 'graphql'
import type { Plan } from '../prepare/plan.js'
import type { KeyRow } from './key-row.js'
import { pathsOf } from './paths.js'
import type { Price } from './price.js'
import type { RecordedCall, Recorder, Served } from './recorder.js'
import { rounded } from './refusal.js'
import type { Row } from './row.js'

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
export const explainPlan = (plan: Plan, price: Price, maxCalls: number, refusal: string | undefined): ExplainedPlan => ({
  predicted: predictedOf(price),
  maxCalls,
  ...(refusal !== undefined && { refusal }),
  steps: inOrder(price.rows).map((row) => stepOf(row, pathsOf(plan))),
})

const predictedOf = ({ min, expected, max, waves }: Price): ExplainedPlan['predicted'] => ({ min, expected: rounded(expected), max, waves })

/** Explains an operation that has run. */
export function explainRun(
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
