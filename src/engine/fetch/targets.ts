import { LmsError } from '../../upstream/errors.js'
import type { Edge, KeyEdge, ListArgs, ListEdge, LmsRecord } from '../edges.js'
import type { RecordState } from './records.js'

/** Where an edge leads from one parent. */
export type FollowedEdge = RecordState | null | readonly (RecordState | null)[]

/** Why a column an edge starts from could not be read, which says the same of the edge. */
export function badColumn({ needs }: Edge, parent: LmsRecord): LmsError | undefined {
  for (const name of needs) {
    const value = parent[name]
    if (value instanceof LmsError) return value
  }
  return undefined
}

/** Where an edge leads from a parent; nothing when that can't be told: the resolver says why. */
export const targetsOf = (edge: KeyEdge, parent: LmsRecord, prepared: unknown): ReturnType<KeyEdge['targets']> | undefined =>
  followed(edge, parent, () => edge.targets(parent, prepared))

/** What an edge asks for from a parent; nothing where the parent has no such list: the resolver says why. */
export const scopeOf = (edge: ListEdge, parent: LmsRecord, args: ListArgs): ReturnType<ListEdge['scope']> | undefined =>
  followed(edge, parent, () => edge.scope(parent, args))

function followed<T>(edge: Edge, parent: LmsRecord, follow: () => T): T | undefined {
  if (badColumn(edge, parent)) return undefined
  try {
    return follow()
  } catch (error) {
    if (error instanceof LmsError) return undefined
    throw error
  }
}
