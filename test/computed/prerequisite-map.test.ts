import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import { globalId } from '../support/global-id.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
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

  it('has the global ids of its courses and of their parents, also of courses that the caller may not read', async () => {
    for (const as of ['admin', 'newcomer'] as const) {
      const { map: found } = await map(10_071, '(maxDepth: 3)', 'courseId courseGlobalId parents parentGlobalIds course { id }', as)
      expect(found.nodes.some(({ parents }: any) => parents.length > 0)).toBe(true)
      for (const { courseId, courseGlobalId, parents, parentGlobalIds, course } of found.nodes) {
        expect([courseGlobalId, parentGlobalIds]).toEqual([
          globalId('Course', courseId),
          parents.map((id: number) => globalId('Course', id)),
        ])
        if (course !== null) expect(course.id).toBe(courseGlobalId)
      }
    }
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

describe('the maps of a site whose courses require many others', () => {
  const COURSES = 120
  const requiredBy = (id: number): number[] => Array.from({ length: 10 }, (_, i) => ((id * 31 + i * i * 7 + i) % COURSES) + 1)
  const rows = Array.from({ length: COURSES }, (_, index) => index + 1).map((id) => ({
    id,
    title: { rendered: `Course ${id}` },
    course_prerequisite_enabled: true,
    course_prerequisite: requiredBy(id),
  }))
  let site: FakeSite
  let gateway: Served
  beforeAll(async () => {
    site = await FakeSite.start(({ url }, response) => {
      const { searchParams } = new URL(url as string, 'http://site.test')
      const ids = searchParams.get('include')?.split(',')
      const [offset, size] = ['offset', 'per_page'].map((name) => Number(searchParams.get(name) ?? 0)) as [number, number]
      const found = ids ? rows.filter(({ id }) => ids.includes(String(id))) : rows.slice(offset, offset + size)
      json(response, found, { headers: { 'x-wp-total': String(ids ? found.length : COURSES) } })
    })
    gateway = await serve({ site: { url: site.url }, limits: { maxCalls: 10_000 } })
  })
  afterAll(async () => {
    await gateway.close()
    await site.close()
  })

  /** Runs an operation, and asks for the health of the process until it has ended. Returns the longest wait for that. */
  async function run(query: string): Promise<{ data: any; errors: any[]; longest: number }> {
    let isRunning = true
    const asking = (async () => {
      let longest = 0
      while (isRunning) {
        const before = performance.now()
        expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200)
        longest = Math.max(longest, performance.now() - before)
      }
      return longest
    })()
    const { data, errors = [] } = (await (await gateway.post({ query })).json()) as any
    isRunning = false
    return { data, errors, longest: await asking }
  }

  const maps = (fields: string): string => `{ courses(first: ${COURSES}) { nodes { databaseId ${fields} } } }`

  it('are complete, read each course once, and do not keep the process from answering others', async () => {
    const { data, errors, longest } = await run(maps('prerequisiteMap(maxDepth: 10) { isComplete nodes { courseId parents isInCycle } }'))
    expect(errors).toEqual([])
    for (const { databaseId, prerequisiteMap } of data.courses.nodes) {
      expect(prerequisiteMap.isComplete).toBe(true)
      const reached = new Set([databaseId])
      for (const id of reached) for (const next of requiredBy(id)) reached.add(next)
      expect(new Set(prerequisiteMap.nodes.map(({ courseId }: any) => courseId))).toEqual(reached)
      expect(prerequisiteMap.nodes).toHaveLength(reached.size)
      for (const { courseId, parents } of prerequisiteMap.nodes)
        expect(new Set(parents)).toEqual(new Set([...reached].filter((id) => requiredBy(id).includes(courseId))))
    }
    const courses = site.paths.filter((path) => path.includes('/sfwd-courses'))
    expect(courses.filter((path) => path.includes('include'))).toEqual([])
    expect(courses).toHaveLength(2)
    // 0.1 s on an idle machine. With a walk from each course of each map it was 2.6 s.
    console.log(`120 maps, health waited ${Math.round(longest)} ms`)
    expect(longest).toBeLessThan(2_000)
  })

  it('are found once for all fields with equal arguments', async () => {
    const aliases = Array.from({ length: 100 }, (_, i) => `m${i}: prerequisiteMap(maxDepth: 10) { isComplete }`)
    const { data, errors, longest } = await run(maps(aliases.join(' ')))
    expect(errors).toEqual([])
    expect(data.courses.nodes.every((node: any) => aliases.every((_, i) => node[`m${i}`].isComplete === true))).toBe(true)
    console.log(`12,000 maps, 120 of them different: health waited ${Math.round(longest)} ms`)
    expect(longest).toBeLessThan(5_000)
  })

  it('of one operation have at most 200,000 courses and prerequisites; the others are an error', async () => {
    const aliases = Array.from({ length: 10 }, (_, i) => `m${i + 1}: prerequisiteMap(maxDepth: ${i + 1}) { isComplete nodes { courseId } }`)
    const { data, errors } = await run(maps(aliases.join(' ')))
    const answered = data.courses.nodes.flatMap((node: any) => aliases.map((_, i) => node[`m${i + 1}`])).filter(Boolean)
    const parts = answered.reduce((sum: number, { nodes }: any) => sum + nodes.length * 11, 0)
    expect(parts).toBeGreaterThan(190_000)
    expect(parts).toBeLessThan(202_000)
    expect(errors[0]).toMatchObject({
      path: ['courses', 'nodes', expect.any(Number), expect.stringMatching(/^m\d+$/)],
      message:
        'The maps of prerequisites in this operation have more than 200000 courses and prerequisites. Request fewer maps, or a smaller `maxDepth`.',
      extensions: { code: 'BAD_USER_INPUT' },
    })
  })
})
