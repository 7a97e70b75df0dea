import { LmsError } from '../../rest/errors.js'
import type { KeyEdge, ListEdge, Rec } from '../edges.js'
import type { Fill } from '../fill.js'
import type { KeyStep, ListStep, Step } from '../levels.js'
import { Connection } from '../listing.js'
import type { PlannedEdge } from '../selecting.js'
import type { Found } from '../targets.js'
import { UNUSUAL } from './leaves.js'

/** Where a fill has come from a record along an edge. Throws `UNUSUAL` where something failed, or was never fetched. */
export type Follow<T> = (fill: Fill, parent: Rec) => T

/** `planned` is one per field node: a field whose response key is selected more than once must have fetched all at once. */
export const keyFollower =
  ({ needs }: KeyEdge, planned: readonly PlannedEdge[]): Follow<Found> =>
  (fill, parent) => {
    refuseBadColumns(needs, parent)
    const found = stepOf<KeyStep>(fill, planned).foundFrom(parent)
    if (found !== undefined) return found
    throw UNUSUAL
  }

export const listFollower =
  ({ needs }: ListEdge, planned: readonly PlannedEdge[]): Follow<Connection> =>
  (fill, parent) => {
    refuseBadColumns(needs, parent)
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
