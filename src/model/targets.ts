import { LmsError } from '../upstream/errors.js'
import type { Edge, KeyEdge, ListArgs, ListEdge, Target } from './edge.js'
import { type LmsRecord, ROOT } from './entity.js'

/** Returns the error of a column from which an edge starts: it is the error of the edge as well. */
export function badColumn({ needs }: Edge, parent: LmsRecord): LmsError | undefined {
  for (const name of needs) {
    const value = parent[name]
    if (value instanceof LmsError) return value
  }
  return undefined
}

/** Returns where an edge leads from a parent, or nothing when that is an error, which the resolver reports. */
export function targetsOf(edge: KeyEdge, parent: LmsRecord, prepared: unknown): ReturnType<KeyEdge['targets']> | undefined {
  if (badColumn(edge, parent)) return undefined
  try {
    return edge.targets(parent, prepared)
  } catch (error) {
    return ignored(error)
  }
}

/** Where an edge leads from the root. */
export function rootTargetsOf(edge: KeyEdge, prepared: unknown): readonly Target[] {
  const targets = targetsOf(edge, ROOT, prepared) ?? []
  return [targets].flat().filter((target) => target !== null)
}

/** Returns the path parameters and filters of a list below a parent, or nothing when that is an error, which the resolver reports. */
export function scopeOf(edge: ListEdge, parent: LmsRecord, args: ListArgs): ReturnType<ListEdge['scope']> | undefined {
  if (badColumn(edge, parent)) return undefined
  try {
    return edge.scope(parent, args)
  } catch (error) {
    return ignored(error)
  }
}

/** Throws exceptions of the gateway itself. */
function ignored(error: unknown): undefined {
  if (!(error instanceof LmsError)) throw error
}
