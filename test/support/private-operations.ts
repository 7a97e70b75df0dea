import type { Caller } from './private-callers.js'
import { mutationKinds } from './private-mutations.js'
import { queryKinds } from './private-queries.js'
import type { Selections } from './private-selections.js'
import type { Random } from './random.js'

/** What one caller sends. */
export interface Ask {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

/** An operation that many callers send: the same but for the marks in its arguments. */
export type Template = (caller: number) => Ask

export interface Kind {
  /** Whether its answers are meant to hold data; else it fails on purpose, or is left. */
  readonly data: boolean
  /** Whether callers who may do everything must get no error. */
  readonly clean?: boolean
  /** Whether its callers go away, most of them before the answer is there. */
  readonly left?: boolean
  /** Makes another operation of the kind. */
  readonly make: () => Template
}

export type Kinds = Readonly<Record<string, Kind>>

/** Every kind of operation there is, by what it does. */
export const kindsOf = (some: Selections): Kinds => ({ ...queryKinds(some), ...mutationKinds(some) })

/** One operation of one caller. */
export interface Job extends Ask {
  readonly kind: string
  readonly caller: Caller
  readonly byGet: boolean
  /** Milliseconds until the caller goes away. */
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
