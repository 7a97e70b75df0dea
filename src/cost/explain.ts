import { performance } from 'node:perf_hooks'
import type { FieldNode } from 'graphql'
import { type Paths, type Plan, pathsOf } from '../plan/plan.js'
import type { CallRecorder, RecordedCall } from './budget.js'
import type { Estimate } from './estimate.js'
import type { StepCalls } from './steps.js'

/** Rounds a number for display. */
export const rounded = (value: number): number => Math.round(value * 10) / 10

/** Explains an operation that does not run: its estimate, the budget, the reason for a refusal, and its steps. */
export function explainPlan(plan: Plan, estimate: Estimate, maxCalls: number, refusal: string | undefined) {
  const paths = pathsOf(plan)
  return {
    predicted: predictedOf(estimate),
    maxCalls,
    ...(refusal !== undefined && { refusal }),
    steps: inOrder(estimate.steps).map((step) => explainedStep(step, paths)),
  }
}

/** Hides the answer of a call: its status, size and times tell of records and texts that the gateway withholds. */
const HIDDEN = { wire: undefined, failedAt: undefined }

/**
 * Explains an operation that has run: its calls and its estimate, which is null if the operation could not be planned. Only with
 * `others` it includes data about other callers: which reads were shared with them, and how long calls were queued behind theirs. Only with
 * `answers` it includes what the site answered, which may be more than the caller gets.
 */
export function explainRun(
  estimate: Estimate | undefined,
  maxCalls: number,
  { startedAt, calls: attempts, paths, unbatched }: CallRecorder,
  { others, answers }: { readonly others: boolean; readonly answers: boolean },
) {
  const calls = attempts
    .toSorted((a, b) => a.neededAt - b.neededAt)
    .map((call) => ({ ...call, ...(!answers && HIDDEN), fields: namesOf(call.served.fields, paths) }))
  const needed = calls.filter(({ attempt }) => attempt === 1)
  const first = needed.filter(({ cachedAge, wire }) => cachedAge === undefined || wire !== undefined)
  const steps = inOrder(estimate?.steps ?? []).map((step) => ({ step, explained: explainedStep(step, paths) }))
  const stepOfCall = first.map(({ served, fields }) =>
    steps.find(({ step, explained }) => step.entity === served.entity && explained.paths.some((path) => fields.includes(path))),
  )
  return {
    predicted: estimate ? predictedOf(estimate) : null,
    actual: {
      // Without retries.
      calls: first.length,
      waves: new Set(first.flatMap(({ served }) => served.wave ?? [])).size,
      unbatched: Math.max(first.length, unbatched + sum(first, unbatchedUnplanned)),
      cached: needed.length - first.length,
      retries: calls.length - needed.length,
      bytes: answers ? sum(calls, ({ wire }) => wire?.bytes ?? 0) : null,
      duration: rounded(performance.now() - startedAt),
      ...(others && { shared: first.filter(({ shared }) => shared).length }),
    },
    maxCalls,
    steps: steps.map((each) => ({ ...each.explained, actual: stepOfCall.filter((step) => step === each).length })),
    calls: calls.map((call) => explainedCall(call, call.fields, startedAt, others)),
  }
}

/**
 * One call. Times are in milliseconds, and null if the call was not sent: until it was sent (`queued`), until the first byte of the answer, and until
 * the last one. `cached` is the age in seconds of the kept answer that was used instead, and `paths` are those of the fields that the call serves.
 */
function explainedCall(call: RecordedCall, paths: readonly string[], startedAt: number, others: boolean) {
  const { served, method, route, params, ids, shared, attempt, neededAt, wire, cachedAge } = call
  const { queued, waiting, receiving, duration } = timesOf(call)
  return {
    method,
    route,
    params,
    ...(ids && { ids }),
    wave: served.wave ?? null,
    ...(attempt > 1 && { attempt }),
    start: rounded(neededAt - startedAt),
    ...(others && { queued: shown(queued) }),
    waiting: shown(others || queued === null || waiting === null ? waiting : queued + waiting),
    receiving: shown(receiving),
    duration: shown(duration),
    status: wire?.status ?? null,
    bytes: wire?.bytes ?? null,
    ...(cachedAge !== undefined && { cached: rounded(cachedAge) }),
    ...(others && { shared }),
    paths,
  }
}

/**
 * The parts of the time of a call. A shared call waits for the answer of a read that was sent before it was needed. An answer whose headers
 * were not received, or not after the call was needed, counts as waiting.
 */
function timesOf({ neededAt, wire, answeredAt = 0, failedAt }: RecordedCall) {
  if (!wire) return { queued: null, waiting: null, receiving: null, duration: failedAt === undefined ? null : failedAt - neededAt }
  const sentAt = Math.max(neededAt, wire.startedAt)
  const endedAt = Math.max(sentAt, wire.startedAt + wire.duration)
  const headersAt = answeredAt > sentAt ? Math.min(answeredAt, endedAt) : endedAt
  return { queued: sentAt - neededAt, waiting: headersAt - sentAt, receiving: endedAt - headersAt, duration: endedAt - neededAt }
}

const shown = (time: number | null): number | null => (time === null ? null : rounded(time))

const sum = <T>(values: readonly T[], of: (value: T) => number): number => values.reduce((total, value) => total + of(value), 0)

/** The calls of a write, or of a read that is not planned, without batches. */
const unbatchedUnplanned = ({ method, served, ids }: RecordedCall): number =>
  method !== 'GET' ? 1 : served.wave === undefined ? (ids?.length ?? 1) : 0

const predictedOf = ({ min, expected, max, waves }: Estimate) => ({ min, expected: rounded(expected), max, waves })

const inOrder = (steps: readonly StepCalls[]): StepCalls[] => steps.filter(({ max }) => max > 0).sort((a, b) => a.wave - b.wave)

const explainedStep = ({ wave, method, route, batch, min, likely, max, fields }: StepCalls, paths: Paths) => ({
  wave,
  method,
  route,
  batch,
  min,
  expected: rounded(likely),
  max,
  paths: namesOf(fields, paths),
})

const namesOf = (fields: readonly FieldNode[], paths: Paths): string[] => [...new Set(fields.flatMap((field) => paths.get(field) ?? []))]
