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

/**
 * The prerequisites of a course, and theirs, as deep as `maxDepth`. `prerequisitesOf` gives undefined for a course that is not known. The time
 * grows with the number of courses and prerequisites.
 */
export function prerequisiteMap(
  root: number,
  prerequisitesOf: (id: number) => readonly number[] | undefined,
  maxDepth: number,
): PrerequisiteMap {
  const nodes: { readonly courseId: number; readonly depth: number; readonly parentIds: number[]; isInCycle: boolean }[] = []
  const places = new Map<number, number>()
  const add = (courseId: number, depth: number): void => {
    places.set(courseId, nodes.length)
    nodes.push({ courseId, depth, parentIds: [], isInCycle: false })
  }
  add(root, 0)
  const required: (readonly number[])[] = []
  let isComplete = true
  // Courses that are added during the loop are visited by it.
  for (const { courseId, depth } of nodes) {
    const ids = prerequisitesOf(courseId)
    required.push(ids ?? [])
    const added = (ids ?? []).filter((id) => !places.has(id))
    if (ids === undefined || (depth >= maxDepth && added.length > 0)) isComplete = false
    if (depth < maxDepth) for (const id of added) if (!places.has(id)) add(id, depth + 1)
  }
  const links = required.map((ids) => ids.map((id) => places.get(id)).filter((place) => place !== undefined))
  for (const [place, { courseId }] of nodes.entries()) {
    for (const link of links[place] as readonly number[]) {
      const { parentIds } = nodes[link] as (typeof nodes)[number]
      if (parentIds.at(-1) !== courseId) parentIds.push(courseId)
    }
  }
  for (const place of inCycles(links)) (nodes[place] as (typeof nodes)[number]).isInCycle = true
  return { nodes, isComplete }
}

/**
 * Returns the places that are in a cycle of links: strongly connected components of several places, and places that link to themselves. All
 * places must be reachable from the first one. This is Tarjan's algorithm with a stack of its own in place of recursion.
 */
function inCycles(links: readonly (readonly number[])[]): number[] {
  const found: number[] = []
  /** When each place was reached; -1 before, and infinite when its component is complete. */
  const reached = links.map(() => -1)
  let count = 0
  const open: number[] = []
  const way: { readonly place: number; readonly order: number; next: number; lowest: number }[] = []
  const enter = (place: number): void => {
    const order = count++
    reached[place] = order
    open.push(place)
    way.push({ place, order, next: 0, lowest: order })
  }
  enter(0)
  for (let step = way.at(-1); step; step = way.at(-1)) {
    const from = links[step.place] as readonly number[]
    const link = from[step.next++]
    if (link !== undefined) {
      const order = reached[link] as number
      if (order < 0) enter(link)
      else if (order < step.lowest) step.lowest = order
      continue
    }
    way.pop()
    const above = way.at(-1)
    if (above && step.lowest < above.lowest) above.lowest = step.lowest
    if (step.lowest < step.order) continue
    const component = open.splice(open.lastIndexOf(step.place))
    for (const place of component) reached[place] = Number.POSITIVE_INFINITY
    if (component.length > 1 || from.includes(step.place)) found.push(...component)
  }
  return found
}
