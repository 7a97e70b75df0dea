export interface MapNode {
  readonly courseId: number
  /** The least number of steps from the root, which has 0. */
  readonly depth: number
  /** The courses of the map that require this one, in the order of the nodes. */
  readonly parentIds: readonly number[]
  /** Whether the course requires itself, directly or through other courses. */
  readonly isInCycle: boolean
}

export interface PrerequisiteMap {
  /** Each course once, breadth first; the root is the first. */
  readonly nodes: readonly MapNode[]
  /** Whether all prerequisites of all courses are known and in the map. */
  readonly isComplete: boolean
}

/** The prerequisites of a course, and theirs, as deep as `maxDepth`. `prerequisitesOf` gives undefined for a course that is not known. */
export function prerequisiteMap(
  root: number,
  prerequisitesOf: (id: number) => readonly number[] | undefined,
  maxDepth: number,
): PrerequisiteMap {
  const depths = new Map([[root, 0]])
  const required = new Map<number, readonly number[]>()
  let isComplete = true
  // Courses that are added during the loop are visited by it.
  for (const [id, depth] of depths) {
    const ids = prerequisitesOf(id)
    const added = (ids ?? []).filter((prerequisite) => !depths.has(prerequisite))
    if (ids === undefined || (depth >= maxDepth && added.length > 0)) isComplete = false
    if (depth < maxDepth) for (const prerequisite of added) depths.set(prerequisite, depth + 1)
    required.set(id, ids ?? [])
  }
  const parents = parentsIn(required)
  const nodes = [...depths].map(([courseId, depth]) => ({
    courseId,
    depth,
    parentIds: parents.get(courseId) ?? [],
    isInCycle: requiresItself(courseId, required),
  }))
  return { nodes, isComplete }
}

function parentsIn(required: ReadonlyMap<number, readonly number[]>): ReadonlyMap<number, readonly number[]> {
  const parents = new Map<number, number[]>()
  for (const [parent, ids] of required) for (const id of new Set(ids)) parents.set(id, [...(parents.get(id) ?? []), parent])
  return parents
}

function requiresItself(course: number, required: ReadonlyMap<number, readonly number[]>): boolean {
  const reached = new Set(required.get(course))
  // Courses that are added during the loop are visited by it.
  for (const id of reached) for (const next of required.get(id) ?? []) reached.add(next)
  return reached.has(course)
}
