import type { Caller } from './private-callers.js'
import { mutationKinds } from './private-mutations.js'
import { queryKinds } from './private-queries.js'
import type { Selections } from './private-selections.js'
import type { Random } from './random.js'

/** The request of one caller. */
export interface Ask {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

/** An operation that many callers send; only the marks in its arguments differ. */
export type Template = (caller: number) => Ask

export interface Kind {
  /** Whether its responses are expected to have data; otherwise it fails on purpose, or its callers disconnect. */
  readonly data: boolean
  /** Whether editors must get no error. */
  readonly clean?: boolean
  /** Whether its callers disconnect, most of them before the response. */
  readonly left?: boolean
  /** Makes another operation of the kind. */
  readonly make: () => Template
}

export type Kinds = Readonly<Record<string, Kind>>

/** All kinds of operations, by purpose. */
export const kindsOf = (some: Selections): Kinds => ({ ...queryKinds(some), ...mutationKinds(some) })

/** One operation of one caller. */
export interface Job extends Ask {
  readonly kind: string
  readonly caller: Caller
  readonly byGet: boolean
  /** Milliseconds until the caller disconnects. */
  readonly patience?: number
}

const KINDS_AT_A_TIME = 4

/**
 * Some kinds at a time, mixed, the kinds in turn. One operation of each is sent by about a third of the callers, by some of them twice
 * at once: so the same paths are in flight for many of them.
 */
export function schedule(kinds: Kinds, callers: readonly Caller[], random: Random, count: number): Job[] {
  const jobs: Job[] = []
  let waiting: string[] = []
  while (jobs.length < count) {
    const wave: Job[][] = []
    for (let left = KINDS_AT_A_TIME; left > 0; left--) {
      if (waiting.length === 0) waiting = random.shuffle(Object.keys(kinds))
      const kind = waiting.pop() as string
      const template = (kinds[kind] as Kind).make()
      for (const caller of callers.filter(() => random.chance(0.35))) {
        const ask = template(caller.number)
        const byGet = !ask.query.startsWith('mutation') && random.chance(0.1)
        const job = { ...ask, kind, caller, byGet, ...(kinds[kind]?.left ? { patience: random.int(0, 2_000) } : {}) }
        wave.push(random.chance(0.4) ? [job, job] : [job])
      }
    }
    jobs.push(...random.shuffle(wave).flat())
  }
  return jobs.slice(0, count)
}
