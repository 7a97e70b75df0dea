import type { ResponseError } from '../tab-state.js'
import { count, milliseconds, size } from '../words.js'
import type { Call } from './explanation.js'

/** What happened to a call during a part of its time. */
export type Phase = 'queued' | 'waiting' | 'receiving'

/** All phases in their order, with their names. */
export const PHASES: readonly (readonly [phase: Phase, name: string])[] = [
  ['queued', 'in the queue'],
  ['waiting', 'waiting for the site'],
  ['receiving', 'receiving'],
]

/** A part of a bar. Both numbers are shares of the time axis, from 0 to 1. */
export interface Segment {
  readonly phase: Phase
  readonly start: number
  readonly size: number
}

/** A call in the waterfall. */
export interface Row {
  readonly call: Call
  /** All about the call in one line, for a tooltip. */
  readonly text: string
  /** The parts of its bar, in order; none when the call was not sent. */
  readonly segments: readonly Segment[]
}

/** Calls of one wave. */
export interface Wave {
  /** Null for calls that were not planned. */
  readonly wave: number | null
  readonly rows: readonly Row[]
}

/** The calls of an operation on one time axis. */
export interface Waterfall {
  readonly waves: readonly Wave[]
  /** All rows, in the order of the waves. */
  readonly rows: readonly Row[]
  /** Milliseconds at the ticks of the axis, from 0. */
  readonly ticks: readonly number[]
  /** Milliseconds at the end of the axis. */
  readonly end: number
}

/** Arranges calls by wave, then by the time at which they were sent. Calls that were not sent are the last of their wave. */
export function waterfallOf(calls: readonly Call[]): Waterfall {
  const end = Math.max(0, ...calls.map(endOf))
  const byWave = new Map<number | null, Call[]>()
  for (const call of calls) {
    const wave = call.wave ?? null
    const members = byWave.get(wave)
    if (members) members.push(call)
    else byWave.set(wave, [call])
  }
  const waves = [...byWave]
    .sort(([a], [b]) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY))
    .map(([wave, members]) => ({
      wave,
      rows: members.sort((a, b) => sentAt(a) - sentAt(b)).map((call) => ({ call, text: textOf(call), segments: segmentsOf(call, end) })),
    }))
  return { waves, rows: waves.flatMap(({ rows }) => rows), ticks: ticksOf(end), end }
}

/** Whether a call has times at the site. */
export const wasSent = ({ waiting }: Call): boolean => waiting !== null

/** When a call was sent; infinite when it was not. */
const sentAt = (call: Call): number => (wasSent(call) ? call.start + (call.queued ?? 0) : Number.POSITIVE_INFINITY)

const endOf = ({ start, duration }: Call): number => start + (duration ?? 0)

function segmentsOf(call: Call, end: number): Segment[] {
  if (!wasSent(call) || end === 0) return []
  let at = call.start
  return PHASES.flatMap(([phase]) => {
    const size = call[phase] ?? 0
    if (size <= 0) return []
    const segment = { phase, start: at / end, size: size / end }
    at += size
    return [segment]
  })
}

/** Round times from 0 to the end, at most 5. */
function ticksOf(end: number): number[] {
  if (end <= 0) return [0]
  const least = end / 4
  const power = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= least) as number
  // Multiplied, not added: sums of fractions are not round.
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, index) => Number((index * step).toPrecision(6)))
}

function textOf(call: Call): string {
  const { method, route, wave, duration, status, bytes, ids } = call
  const parts = [
    `${method} ${route}`,
    ...parametersOf(call),
    ids && count(ids.length, 'id'),
    wave === null ? 'not planned' : `step ${wave}`,
    wasSent(call) ? duration !== null && milliseconds(duration) : reasonNotSent(call),
    status === null ? isFailed(call) && 'failed without a response' : `${isFailed(call) ? 'failed with ' : ''}status ${status}`,
    bytes !== null && size(bytes),
    ...remarksOf(call),
  ]
  return parts.filter(Boolean).join(', ')
}

/** The parameters of the route, such as `id 7`. */
export const parametersOf = ({ params }: Call): string[] => Object.entries(params).map(([name, value]) => `${name} ${value}`)

/** What is special about a call. */
export const remarksOf = ({ attempt = 1, shared, isHarmless }: Call): string[] => [
  ...(isHarmless ? ['no error'] : []),
  ...(attempt > 1 ? [`retry ${attempt - 1}`] : []),
  ...(shared ? ['shared'] : []),
]

/** Whether the call has failed: with an error of the site, or without a response. */
export const isFailed = ({ status, duration, isHarmless }: Call): boolean =>
  status === null ? duration !== null : status >= 400 && !isHarmless

/**
 * The calls, with those marked that the site refused without harm: no error of the response is at a field that they serve. So a route answers 404
 * for a course in which a user is not enrolled, and the field is null.
 */
export function withHarmless(calls: readonly Call[], errors: readonly ResponseError[]): readonly Call[] {
  const failed = errors.map(({ path = [] }) => `${path.filter((key) => typeof key === 'string').join('.')}.`)
  return calls.map((call) => {
    const { method, status, paths } = call
    const isHarmless =
      method === 'GET' && HARMLESS.includes(status) && !paths.some((path) => failed.some((each) => each.startsWith(`${path}.`)))
    return isHarmless ? { ...call, isHarmless } : call
  })
}

/** Statuses that can be answers: nothing there, not for this caller, or no such parameter. */
const HARMLESS: readonly (number | null)[] = [400, 401, 403, 404, 410]

/** Why a call has no bar. */
export const reasonNotSent = (call: Call): string =>
  call.cached !== undefined
    ? `from the cache, ${call.cached} s old`
    : call.shared
      ? 'not sent: shared with another operation'
      : isFailed(call)
        ? 'not sent: failed before'
        : 'not sent'
