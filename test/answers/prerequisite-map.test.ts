import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRESETS } from '../../src/index.js'
import { SAMPLES } from '../../src/lms/index.js'
import { World } from '../support/world.js'

let world: World
beforeAll(async () => {
  world = await World.start({}, { profile: 'lms' }, PRESETS.lms)
})
afterAll(() => world.close())

const map = async (
  id: number,
  args: string,
  fields = 'courseId depth parents completed isInCycle course { databaseId title }',
  as: 'admin' | 'newcomer' = 'admin',
) => {
  const { data, errors, calls } = await world.query(`{ course(id: ${id}) { prerequisiteMap${args} { isComplete nodes { ${fields} } } } }`, {
    as,
  })
  return { map: data.course?.prerequisiteMap, errors, calls: calls.map(decodeURIComponent) }
}

describe('the map of prerequisites', () => {
  it('has every course once, with its depth and its parents, and reads a level in one call', async () => {
    const required = new Map<number, readonly number[]>()
    for (const offset of [0, 100]) {
      const query = `{ courses(first: 100, offset: ${offset}) { nodes { databaseId prerequisiteEnabled prerequisiteIds } } }`
      const { data } = await world.query(query, { as: 'admin' })
      for (const { databaseId, prerequisiteEnabled, prerequisiteIds } of data.courses.nodes)
        required.set(databaseId, prerequisiteEnabled ? prerequisiteIds : [])
    }
    const sizes: number[] = []
    for (const root of [...required.keys()].filter((id) => (required.get(id) ?? []).length > 0).slice(0, 12)) {
      const { map: found, errors, calls } = await map(root, '(user: 3, maxDepth: 10)')
      expect(errors.filter(({ path }) => path?.at(-1) !== 'course')).toEqual([])
      const depths = new Map([[root, 0]])
      for (const [id, depth] of depths) for (const next of required.get(id) ?? []) if (!depths.has(next)) depths.set(next, depth + 1)
      expect(found.isComplete).toBe(true)
      expect(new Map(found.nodes.map(({ courseId, depth }: any) => [courseId, depth]))).toEqual(depths)
      for (const { courseId, parents, course } of found.nodes) {
        expect(parents).toEqual([...depths.keys()].filter((id) => required.get(id)?.includes(courseId)))
        expect(course?.databaseId ?? courseId).toBe(courseId)
      }
      const levels = Math.max(...depths.values()) + 1
      sizes.push(depths.size)
      expect(calls.filter((path) => path.includes('/course-progress')).length).toBeLessThanOrEqual(levels)
      expect(calls.filter((path) => path.includes('/sfwd-courses')).length).toBeLessThanOrEqual(levels + 1)
    }
    console.log('maps of prerequisites, number of courses:', sizes.join(' '))
    expect(Math.max(...sizes)).toBeGreaterThan(5)
  })

  it('marks courses that require themselves', async () => {
    const [first, second] = SAMPLES.cycle
    const { map: found } = await map(first, '(maxDepth: 10)', 'courseId isInCycle depth')
    const marked = found.nodes.filter(({ isInCycle }: any) => isInCycle).map(({ courseId }: any) => courseId)
    expect(marked).toEqual(expect.arrayContaining([first, second]))
    expect(found.nodes[0]).toEqual({ courseId: first, depth: 0, isInCycle: true })
  })

  it('ends at the largest depth, and says so', async () => {
    const { map: found, calls } = await map(10_071, '(maxDepth: 1)', 'courseId depth')
    expect(found.isComplete).toBe(false)
    expect(Math.max(...found.nodes.map(({ depth }: any) => depth))).toBe(1)
    expect(calls).toHaveLength(2)
  })

  it('tells what a user has completed, and reads progress only then', async () => {
    const { map: of, calls } = await map(10_071, '(user: 3, maxDepth: 3)', 'courseId completed')
    const { data } = await world.query('{ user(id: 3) { courseProgress(first: 100) { nodes { courseId status } } } }', { as: 'admin' })
    const completed = new Set(
      data.user.courseProgress.nodes.filter(({ status }: any) => status === 'COMPLETED').map(({ courseId }: any) => courseId),
    )
    expect(of.nodes.filter(({ courseId }: any) => completed.has(courseId)).length).toBeGreaterThan(0)
    for (const { courseId, completed: is } of of.nodes) expect(is).toBe(completed.has(courseId))
    expect(calls.some((path) => path.includes('course-progress'))).toBe(true)
    const without = await map(10_071, '(user: 3, maxDepth: 3)', 'courseId')
    expect(without.calls.some((path) => path.includes('course-progress'))).toBe(false)
    // Nobody is known, or the progress is not readable: it is not false.
    const nobody = await map(10_071, '(maxDepth: 1)', 'completed')
    const other = await map(10_071, '(user: 3, maxDepth: 1)', 'completed', 'newcomer')
    for (const { map: found } of [nobody, other]) expect(new Set(found.nodes.map(({ completed: is }: any) => is))).toEqual(new Set([null]))
  })

  it('shows the columns that are selected of its courses, and follows their relations', async () => {
    const {
      map: found,
      errors,
      calls,
    } = await map(10_071, '(maxDepth: 2)', 'course { slug prerequisites { databaseId } access(user: 3) { state } }')
    expect(errors).toEqual([])
    for (const { course } of found.nodes) {
      const own = (
        await world.query(`{ course(slug: "${course.slug}") { slug prerequisites { databaseId } access(user: 3) { state } } }`, {
          as: 'admin',
        })
      ).data
      expect(course).toEqual(own.course)
    }
    for (const path of calls) expect(path).not.toMatch(/_filter=.*content\.rendered/)
  })

  it('refuses a depth that is too large', async () => {
    for (const depth of [0, 11]) {
      const { map: found, errors } = await map(10_071, `(maxDepth: ${depth})`)
      expect([found, errors.map(({ message }) => message)]).toEqual([null, [`\`maxDepth\` is ${depth}; it must be from 1 to 10.`]])
    }
  })
})
