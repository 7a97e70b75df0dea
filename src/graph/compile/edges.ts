import { LmsError } from '../../rest/errors.js'
import type { KeyEdge, ListEdge, Rec, Target } from '../edges.js'
import type { Fill } from '../fill.js'
import type { KeyStep, ListStep, Step } from '../levels.js'
import { Connection } from '../listing.js'
import type { PlannedEdge } from '../plan.js'
import { UNUSUAL } from './leaves.js'

/** Shows what a fill has fetched for an edge. Throws `UNUSUAL` where something is missing, failed, or never asked for. */
export type Follow = (fill: Fill, parent: Rec) => unknown

/** `planned` is one per field node: a field whose response key is selected more than once must have fetched all at once. */
export const keyFollower =
  (edge: KeyEdge, planned: readonly PlannedEdge[]): Follow =>
  (fill, parent) => {
    refuseBadColumns(edge.needs, parent)
    const step = stepOf<KeyStep>(fill, planned)
    const targets = targetsOf(edge, parent, step)
    return Array.isArray(targets) ? targets.map((target: Target | null) => shown(step, target)) : shown(step, targets as Target | null)
  }

export const listFollower =
  (edge: ListEdge, planned: readonly PlannedEdge[]): Follow =>
  (fill, parent) => {
    refuseBadColumns(edge.needs, parent)
    const list = stepOf<ListStep>(fill, planned).group.listOf(parent)
    if (list instanceof Connection) return list
    throw UNUSUAL
  }

function refuseBadColumns(needs: readonly string[], parent: Rec): void {
  for (const name of needs) if (parent[name] instanceof LmsError) throw UNUSUAL
}

function stepOf<S extends Step>(fill: Fill, planned: readonly PlannedEdge[]): S {
  const step = fill.stepOf(planned[0] as PlannedEdge)
  for (let i = 1; i < planned.length; i++) if (fill.stepOf(planned[i] as PlannedEdge) !== step) throw UNUSUAL
  if (step) return step as S
  throw UNUSUAL
}

function targetsOf(edge: KeyEdge, parent: Rec, { prepared }: KeyStep): ReturnType<KeyEdge['targets']> {
  try {
    return edge.targets(parent, prepared)
  } catch (error) {
    throw error instanceof LmsError ? UNUSUAL : error
  }
}

function shown(step: KeyStep, target: Target | null): unknown {
  if (target === null) return null
  const entry = step.entryOf(target)
  if (entry.settles(step.columnsOf(target.entity))) return entry.value
  throw UNUSUAL
}
