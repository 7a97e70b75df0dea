import { LmsError } from '../upstream/errors.js'
import type { Key } from '../upstream/routes.js'
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

type Targets = ReturnType<KeyEdge['targets']>

/** Returns where an edge leads from a parent. Throws the `LmsError` of a column from which it starts, or of the edge itself. */
export function targetsFrom(edge: KeyEdge, parent: LmsRecord, prepared: unknown): Targets {
  const bad = badColumn(edge, parent)
  if (bad) throw bad
  return edge.targets(parent, prepared)
}

/** Returns what `follow` finds from a parent, or nothing when that is an error of the edge, which the resolver reports. */
function found<T>(edge: Edge, parent: LmsRecord, follow: () => T): T | undefined {
  if (badColumn(edge, parent)) return undefined
  try {
    return follow()
  } catch (error) {
    if (error instanceof LmsError) return undefined
    throw error
  }
}

/** Returns where an edge leads from a parent, or nothing when that is an error. */
export const targetsOf = (edge: KeyEdge, parent: LmsRecord, prepared: unknown): Targets | undefined =>
  found(edge, parent, () => edge.targets(parent, prepared))

/** The same for an edge with its keys in a column: the key, or the list of keys. */
export function keysIn({ many }: KeyEdge, column: string, parent: LmsRecord): Key | null | readonly Key[] | undefined {
  const keys = parent[column] as Key | readonly Key[] | LmsError | null | undefined
  if (keys instanceof LmsError) return undefined
  return keys ?? (many ? NO_KEYS : null)
}

const NO_KEYS: readonly Key[] = []

/** The most records that an edge leads to from one parent, where a relation without pages leads to `unpaged`. */
export const mostFrom = ({ many }: KeyEdge, unpaged: number): number => (many ? unpaged : 1)

/** Where an edge leads from the root. */
export function rootTargetsOf(edge: KeyEdge, prepared: unknown): readonly Target[] {
  const targets = targetsOf(edge, ROOT, prepared) as Target | null | readonly (Target | null)[] | undefined
  if (Array.isArray(targets)) return targets.filter((target) => target !== null)
  return targets ? [targets as Target] : []
}

/** Returns the path parameters and filters of a list below a parent, or nothing when that is an error. */
export const scopeOf = (edge: ListEdge, parent: LmsRecord, args: ListArgs): ReturnType<ListEdge['scope']> | undefined =>
  found(edge, parent, () => edge.scope(parent, args))
