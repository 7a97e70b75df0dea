import { describe, expect, it } from 'vitest'
import { type MapNode, prerequisiteMap } from '../../src/rules/prerequisite-map.js'

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
})
