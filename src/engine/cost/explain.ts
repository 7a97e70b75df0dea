import { performance } from 'node:perf_hooks'
import type { FieldNode } from 'graphql'
import { type Paths, type Plan, pathsOf } from '../plan.js'
import type { Estimate } from './estimate.js'
import type { RecordedCall, Recorder, Served } from './meter.js'
import type { StepCalls } from './steps.js'

/** Rounds a number for display. */
export const rounded = (value: number): number => Math.round(value * 10) / 10

/** Explains an operation that does not run: its estimate, the budget, the reason for a refusal, and its steps. */
export const explainPlan = (plan: Plan, estimate: Estimate, maxCalls: number, refusal: string | undefined) => ({
  predicted: predictedOf(estimate),
  maxCalls,
  ...(refusal !== undefined && { refusal }),
  steps: inOrder(estimate.steps).map((step) => explained(step, pathsOf(plan))),
})

/** Explains an operation that has run: its calls and its estimate, which is null if the operation was too large to be planned. */
export function explainRun(
  planned: { readonly plan: Plan; readonly estimate: Estimate } | undefined,
  maxCalls: number,
  { startedAt, calls }: Recorder,
) {
  const first = calls.filter(({ attempt }) => attempt === 1)
  const steps = inOrder(planned?.estimate.steps ?? [])
  const stepOfCall = first.map(({ served }) => steps.find((step) => isFor(step, served)))
  const paths: Paths = planned ? pathsOf(planned.plan) : new Map()
  return {
    predicted: planned ? predictedOf(planned.estimate) : null,
    actual: {
      calls: first.length,
      shared: first.filter(({ shared }) => shared).length,
      retries: calls.length - first.length,
      duration: rounded(performance.now() - startedAt),
    },
    maxCalls,
    steps: steps.map((step) => ({ ...explained(step, paths), actual: stepOfCall.filter((each) => each === step).length })),
    calls: calls.map((call) => explainedCall(call, paths, startedAt)),
  }
}

/** One call. Times are in milliseconds since the start of the operation, and null if the call was not sent. */
const explainedCall = ({ served, method, route, params, ids, shared, attempt, wire }: RecordedCall, paths: Paths, startedAt: number) => ({
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

const predictedOf = ({ min, expected, max, waves }: Estimate) => ({ min, expected: rounded(expected), max, waves })

const inOrder = (steps: readonly StepCalls[]): StepCalls[] => steps.filter(({ max }) => max > 0).sort((a, b) => a.wave - b.wave)

const isFor = (step: StepCalls, { fields, entity }: Served): boolean =>
  step.entity === entity && step.planned.some(({ node }) => fields.includes(node))

const explained = ({ wave, method, route, batch, min, likely, max, planned }: StepCalls, paths: Paths) => ({
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

const namesOf = (fields: readonly FieldNode[], paths: Paths): string[] => [...new Set(fields.flatMap((field) => paths.get(field) ?? []))]
