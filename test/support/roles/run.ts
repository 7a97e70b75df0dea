import type { Answer, World } from '../world.js'
import { type Case, cellOf, type Matrix, outcomeOf, ROLE_NAMES, ROLES, type RoleName } from './matrix.js'
import { stateOf, type WriteCase } from './writes.js'

/** One operation of a role. */
export const ask = (world: World, role: RoleName, query: string): Promise<Answer> => {
  const as = ROLES[role]
  return world.query(query, as ? { as } : {})
}

function cellsOf(asked: Case, answers: readonly Answer[]): string[] {
  const outcomes = answers.map((answer) => outcomeOf(answer, asked))
  return outcomes.map((outcome) => cellOf(outcome, outcomes[ROLE_NAMES.indexOf('admin')]!))
}

/** Runs all roles at once, to detect responses of other roles. */
export async function readAll(world: World, cases: readonly Case[]): Promise<Matrix> {
  const matrix: [Case, string[]][] = []
  for (const asked of cases) {
    const answers = await Promise.all(ROLE_NAMES.map((role) => ask(world, role, asked.query)))
    matrix.push([asked, cellsOf(asked, answers)])
  }
  return matrix
}

/** Outcomes of mutations: the matrix, and unexpected or missing writes. */
export interface Writes {
  readonly matrix: Matrix
  readonly faults: readonly string[]
}

/** Runs one role after the other, the administrator last: the others must not change the site. */
export async function writeAll(world: World, cases: readonly WriteCase[]): Promise<Writes> {
  const matrix: [Case, string[]][] = []
  const faults: string[] = []
  for (const asked of cases) {
    const answers: Answer[] = []
    let before = await stateOf(world, asked)
    for (const role of ROLE_NAMES) {
      const answer = await ask(world, role, asked.query)
      const after = await stateOf(world, asked)
      const fault = faultOf(asked, answer, after !== before)
      if (fault) faults.push(`${asked.about}, ${asked.name}, as ${role}: ${fault}`)
      answers.push(answer)
      before = after
    }
    matrix.push([asked, cellsOf(asked, answers)])
  }
  return { matrix, faults }
}

function faultOf({ changes, calls: expected }: WriteCase, { data, calls }: Answer, changed: boolean): string | undefined {
  const [result] = Object.values((data ?? {}) as Record<string, { __typename?: string } | null>)
  if (result?.__typename?.endsWith('Success')) return changed || !changes ? undefined : 'accepted, but not written'
  if (changed) return 'refused, but written'
  return calls.length === expected ? undefined : `refused with ${calls.length} REST calls`
}

/** The cells a test objects to, each with its case and role. */
export const cellsWhere = (
  matrix: Matrix,
  objects: (cell: string, role: RoleName, asked: Case, cells: readonly string[]) => boolean,
): string[] =>
  matrix.flatMap(([asked, cells]) =>
    ROLE_NAMES.flatMap((role, place) => {
      const cell = cells[place] ?? ''
      return objects(cell, role, asked, cells) ? [`${asked.about}, ${asked.name}, as ${role}: ${cell}`] : []
    }),
  )
