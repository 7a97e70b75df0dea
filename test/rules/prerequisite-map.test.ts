import { describe, expect, it } from 'vitest'
import { type MapNode, type PrerequisiteMap, prerequisiteMap } from '../../src/rules/prerequisite-map.js'
import { Random } from '../support/random.js'

/** The prerequisites of courses by their ids; the others are not known. */
type Known = Readonly<Record<number, readonly number[]>>

/** `id depth <- parents`, and `cycle` for a course that requires itself. */
const line = ({ courseId, depth, parentIds, isInCycle }: MapNode): string =>
  `${courseId} ${depth}${parentIds.length > 0 ? ` <- ${parentIds.join(' ')}` : ''}${isInCycle ? ' cycle' : ''}`

describe('the map of prerequisites', () => {
  it.each<[title: string, known: Known, maxDepth: number, nodes: readonly string[], isComplete: boolean]>([
    ['a course without prerequisites', { 1: [] }, 5, ['1 0'], true],
    ['an unknown course', {}, 5, ['1 0'], false],
    ['one prerequisite', { 1: [2], 2: [] }, 5, ['1 0', '2 1 <- 1'], true],
    ['a chain', { 1: [2], 2: [3], 3: [] }, 5, ['1 0', '2 1 <- 1', '3 2 <- 2'], true],
    ['an unknown leaf', { 1: [2, 3], 3: [] }, 5, ['1 0', '2 1 <- 1', '3 1 <- 1'], false],
    ['the order of ids', { 1: [9, 2, 5], 9: [], 2: [], 5: [] }, 5, ['1 0', '9 1 <- 1', '2 1 <- 1', '5 1 <- 1'], true],
    ['breadth before depth', { 1: [2, 3], 2: [4], 3: [], 4: [] }, 5, ['1 0', '2 1 <- 1', '3 1 <- 1', '4 2 <- 2'], true],
    ['a course that two require', { 1: [2, 3], 2: [4], 3: [4], 4: [] }, 5, ['1 0', '2 1 <- 1', '3 1 <- 1', '4 2 <- 2 3'], true],
    ['the least depth', { 1: [2, 3], 2: [3], 3: [] }, 5, ['1 0', '2 1 <- 1', '3 1 <- 1 2'], true],
    ['parents in the order of nodes', { 1: [3, 2], 2: [4], 3: [4], 4: [] }, 5, ['1 0', '3 1 <- 1', '2 1 <- 1', '4 2 <- 3 2'], true],
    ['an id that is listed twice', { 1: [2, 2], 2: [] }, 5, ['1 0', '2 1 <- 1'], true],
    ['a course that requires itself', { 1: [1] }, 5, ['1 0 <- 1 cycle'], true],
    ['a cycle of two', { 1: [2], 2: [1] }, 5, ['1 0 <- 2 cycle', '2 1 <- 1 cycle'], true],
    ['a cycle of three', { 1: [2], 2: [3], 3: [1] }, 5, ['1 0 <- 3 cycle', '2 1 <- 1 cycle', '3 2 <- 2 cycle'], true],
    ['a cycle without the root', { 1: [2], 2: [3], 3: [2] }, 5, ['1 0', '2 1 <- 1 3 cycle', '3 2 <- 2 cycle'], true],
    ['a course below a cycle', { 1: [2], 2: [1, 3], 3: [] }, 5, ['1 0 <- 2 cycle', '2 1 <- 1 cycle', '3 2 <- 2'], true],
    ['a course between two cycles', { 1: [1, 2], 2: [3], 3: [3] }, 5, ['1 0 <- 1 cycle', '2 1 <- 1', '3 2 <- 2 3 cycle'], true],
    ['two cycles through one course', { 1: [2, 3], 2: [1], 3: [1] }, 5, ['1 0 <- 2 3 cycle', '2 1 <- 1 cycle', '3 1 <- 1 cycle'], true],
    ['courses that are too deep', { 1: [2], 2: [3], 3: [] }, 1, ['1 0', '2 1 <- 1'], false],
    ['courses that are just not too deep', { 1: [2], 2: [3], 3: [] }, 2, ['1 0', '2 1 <- 1', '3 2 <- 2'], true],
    ['the root alone', { 1: [2], 2: [] }, 0, ['1 0'], false],
    ['the root alone, which requires nothing', { 1: [] }, 0, ['1 0'], true],
    ['the root alone, which requires itself', { 1: [1] }, 0, ['1 0 <- 1 cycle'], true],
    ['a cycle at the greatest depth', { 1: [2], 2: [1] }, 1, ['1 0 <- 2 cycle', '2 1 <- 1 cycle'], true],
    ['a cycle over a course that is too deep', { 1: [2], 2: [3], 3: [1] }, 1, ['1 0', '2 1 <- 1'], false],
    ['an unknown course at the greatest depth', { 1: [2] }, 1, ['1 0', '2 1 <- 1'], false],
  ])('of %s', (_, known, maxDepth, nodes, isComplete) => {
    const map = prerequisiteMap(1, (id) => known[id], maxDepth)
    expect({ nodes: map.nodes.map(line), isComplete: map.isComplete }).toEqual({ nodes, isComplete })
  })

  it('asks for no course that is too deep, and for each course once', () => {
    const asked: number[] = []
    const prerequisitesOf = (id: number): readonly number[] => {
      asked.push(id)
      return [id + 1, id + 2]
    }
    prerequisiteMap(1, prerequisitesOf, 2)
    expect(asked).toEqual([1, 2, 3, 4, 5])
  })

  it('is that of the definitions, for random courses', () => {
    const random = new Random(38)
    let cycles = 0
    for (let round = 0; round < 3_000; round++) {
      const courses = random.int(1, 9)
      const known: Record<number, readonly number[]> = {}
      for (let id = 1; id <= courses; id++)
        if (random.chance(0.9)) known[id] = Array.from({ length: random.int(0, 3) }, () => random.int(1, courses))
      const maxDepth = random.int(0, 5)
      const map = prerequisiteMap(1, (id) => known[id], maxDepth)
      expect([known, maxDepth, map]).toEqual([known, maxDepth, byDefinition(known, maxDepth)])
      cycles += map.nodes.filter(({ isInCycle }) => isInCycle).length
    }
    expect(cycles).toBeGreaterThan(1_000)
  })

  it('takes no longer for a course than there are courses and prerequisites', () => {
    const dense = Array.from({ length: 2_000 }, (_, id) => Array.from({ length: 100 }, (_, i) => (id * 7 + i * 13 + 1) % 2_000))
    const before = performance.now()
    const { nodes } = prerequisiteMap(0, (id) => dense[id], 10)
    expect(nodes.filter(({ isInCycle }) => isInCycle)).toHaveLength(2_000)
    // It takes 50 ms. A walk from each course would take half a minute.
    expect(performance.now() - before).toBeLessThan(5_000)
  })

  it('is found for a chain that is longer than the stack', () => {
    const { nodes, isComplete } = prerequisiteMap(0, (id) => [(id + 1) % 100_000], 1_000_000)
    expect([nodes.length, isComplete, nodes.every(({ isInCycle }) => isInCycle)]).toEqual([100_000, true, true])
  })
})

/** The map of course 1, found as simply as possible. */
function byDefinition(known: Known, maxDepth: number): PrerequisiteMap {
  let level = [1]
  const depths = new Map([[1, 0]])
  let isComplete = true
  for (let depth = 0; level.length > 0; depth++) {
    const below = level.flatMap((id) => known[id] ?? []).filter((id) => !depths.has(id))
    if (level.some((id) => known[id] === undefined) || (depth === maxDepth && below.length > 0)) isComplete = false
    level = depth === maxDepth ? [] : [...new Set(below)]
    for (const id of level) depths.set(id, depth + 1)
  }
  const ids = [...depths.keys()]
  const requiredBy = (id: number): readonly number[] => (known[id] ?? []).filter((other) => depths.has(other))
  const isInCycle = (id: number): boolean => {
    const reached = new Set(requiredBy(id))
    for (const each of reached) for (const next of requiredBy(each)) reached.add(next)
    return reached.has(id)
  }
  const nodes = [...depths].map(([courseId, depth]) => ({
    courseId,
    depth,
    parentIds: ids.filter((id) => requiredBy(id).includes(courseId)),
    isInCycle: isInCycle(courseId),
  }))
  return { nodes, isComplete }
}
