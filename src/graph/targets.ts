import { LmsError } from '../rest/errors.js'
import type { KeyEdge, Rec } from './edges.js'
import type { Entry } from './store.js'

/** Where an edge leads from one parent. */
export type Found = Entry | null | readonly (Entry | null)[]

/** Where an edge leads from a parent; nothing when that can't be told: the resolver says why. */
export function targetsOf(edge: KeyEdge, parent: Rec, prepared: unknown): ReturnType<KeyEdge['targets']> | undefined {
  try {
    return edge.targets(parent, prepared)
  } catch (error) {
    if (error instanceof LmsError) return undefined
    throw error
  }
}
