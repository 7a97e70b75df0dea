import { LmsError } from '../../upstream/errors.js'
import type { KeyEdge, ListEdge, LmsRecord } from '../edges.js'
import type { Fetcher } from '../fetch/fetcher.js'
import { Connection } from '../fetch/listing.js'
import type { KeyStep, ListStep, Step } from '../fetch/steps.js'
import type { FollowedEdge } from '../fetch/targets.js'
import type { PlannedEdge } from '../prepare/selections.js'
import { BAILOUT } from './leaves.js'

/** Where a fill has come from a record along an edge. Throws `BAILOUT` where something failed, or was never fetched. */
export type Follow<T> = (fill: Fetcher, parent: LmsRecord) => T

/** `planned` is one per field node: a field whose response key is selected more than once must have fetched all at once. */
export const keyFollower =
  ({ needs }: KeyEdge, planned: readonly PlannedEdge[]): Follow<FollowedEdge> =>
  (fill, parent) => {
    refuseBadColumns(needs, parent)
    const found = stepOf<KeyStep>(fill, planned).foundFrom(parent)
    if (found !== undefined) return found
    throw BAILOUT
  }

export const listFollower =
  ({ needs }: ListEdge, planned: readonly PlannedEdge[]): Follow<Connection> =>
  (fill, parent) => {
    refuseBadColumns(needs, parent)
    const list = stepOf<ListStep>(fill, planned).group.listOf(parent)
    if (list instanceof Connection) return list
    throw BAILOUT
  }

function refuseBadColumns(needs: readonly string[], parent: LmsRecord): void {
  for (const name of needs) if (parent[name] instanceof LmsError) throw BAILOUT
}

function stepOf<S extends Step>(fill: Fetcher, planned: readonly PlannedEdge[]): S {
  const step = fill.stepOf(planned[0] as PlannedEdge)
  for (let i = 1; i < planned.length; i++) if (fill.stepOf(planned[i] as PlannedEdge) !== step) throw BAILOUT
  if (step) return step as S
  throw BAILOUT
}
