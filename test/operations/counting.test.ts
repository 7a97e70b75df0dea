import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { otherwise, READER } from '../support/profile.js'
import { World } from '../support/world.js'

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.close())

const pathOf = (call: string): string => call.split('?')[0] as string
const times = (calls: readonly string[], path: RegExp): number => calls.filter((call) => path.test(pathOf(call))).length

describe('calls of groups -> courses -> prerequisites and price type', () => {
  const QUERY = `query ($groups: Int!) {
    groups(first: $groups, orderBy: { field: ID }) {
      nodes { title courses(first: 50) { nodes { databaseId title prerequisiteIds prerequisites { title } priceType { name } } } }
    }
  }`

  /**
   * One for the groups, one for each group's courses (a page of 50 fits in one), one for the price types, one for each 100 courses
   * that are a prerequisite and in no list (and that are in a list which lacks what they need), and one for each that a batch left out.
   */
  function expected(groups: any[]): { calls: number; batches: number; leftOut: number } {
    const courses = groups.flatMap((group) => group.courses.nodes)
    const listed = new Set(courses.map(({ databaseId }) => databaseId))
    const needed = new Set(courses.flatMap(({ prerequisiteIds }) => prerequisiteIds).filter((id) => !listed.has(id)))
    const leftOut = needed.has(SAMPLES.missingCourse) && needed.size > 1 ? 1 : 0
    const incomplete = otherwise("whether a group's courses are complete", true) ? 0 : listed.size
    const batches = Math.ceil(needed.size / 100) + Math.ceil(incomplete / 100)
    return { calls: 1 + groups.length + 1 + batches + leftOut, batches, leftOut }
  }

  for (const groups of [5, 10]) {
    it(`of ${groups} groups`, async () => {
      const { data, errors, calls } = await world.query(QUERY, { ...READER, variables: { groups } })
      expect(errors).toEqual([])
      expect(data.groups.nodes).toHaveLength(groups)
      const formula = expected(data.groups.nodes)
      expect(calls).toHaveLength(formula.calls)
      expect(times(calls, /v2\/groups\/\d+\/courses$/)).toBe(groups)
      expect(times(calls, /price-types$/)).toBe(1)
      expect(times(calls, /sfwd-courses$/)).toBe(formula.batches)
      expect(times(calls, /sfwd-courses\/\d+$/)).toBe(formula.leftOut)
      console.log(`${groups} groups: 1 + ${groups} + 1 + ${formula.batches} + ${formula.leftOut} left out = ${calls.length} REST calls`)
    })
  }

  it('of a page of 5 and of 50 courses: at most one batch, and none if all prerequisites are on the page', async () => {
    const ask = (first: number) =>
      world.query(
        `{ courses(first: ${first}, orderBy: { field: ID }) { nodes { databaseId prerequisiteIds priceType { name } prerequisites { title } } } }`,
        READER,
      )
    const [five, fifty] = [await ask(5), await ask(50)]
    for (const { calls, data } of [five, fifty]) {
      const shown = data.courses.nodes.map(({ databaseId }: any) => databaseId)
      const others = data.courses.nodes.flatMap(({ prerequisiteIds }: any) => prerequisiteIds).filter((id: number) => !shown.includes(id))
      expect(times(calls, /price-types$/)).toBe(1)
      expect(times(calls, /sfwd-courses$/)).toBe(others.length > 1 ? 2 : 1)
    }
  })

  it('of 1,000 records: parallel pages of 100', async () => {
    const { data, calls } = await world.query('{ lessons(first: 1000) { totalCount nodes { databaseId } } }', { as: 'admin' })
    const { totalCount, nodes } = data.lessons
    expect(new Set(nodes.map((lesson: any) => lesson.databaseId)).size).toBe(Math.min(1000, totalCount))
    expect(calls).toHaveLength(Math.ceil(Math.min(1000, totalCount) / 100))
  })
})

describe('the choice of calls', () => {
  it('progress in one course is a single read, in several courses the list with `include`', async () => {
    const one = await world.query('{ user(id: 3) { progressIn(course: 10002) { status } } }', { as: 'learner' })
    expect(one.calls).toEqual(['/lms/v2/users/3/course-progress/10002?context=view&_filter=course,progress_status'])
    const two = await world.query(
      '{ user(id: 3) { a: progressIn(course: 10002) { status } b: progressIn(course: 10009) { stepsTotal } } }',
      { as: 'learner' },
    )
    expect(two.calls).toEqual([
      '/lms/v2/users/3/course-progress?per_page=100&context=view&_filter=course,progress_status,steps_total&include=10002,10009',
    ])
    expect(two.data.user.a.status).toBe(one.data.user.progressIn.status)
  })

  it('one price type is a single read, for several the table is read once', async () => {
    expect((await world.query('{ priceType(slug: "open") { name } }')).calls).toEqual([
      '/lms/v2/price-types/open?context=view&_filter=name,slug',
    ])
    const both = await world.query('{ priceType(slug: "open") { name } priceTypes { description } none: priceType(slug: "none") { name } }')
    expect(both.calls).toEqual(
      otherwise('the call for all price types', ['/lms/v2/price-types?context=view&_filter=description,name,slug']),
    )
    expect(both.data).toMatchObject({ priceType: { name: 'Open' }, none: null })
  })

  it('aliases with equal arguments share one call with the columns of both, others take two', async () => {
    const equal = await world.query(
      '{ a: courses(first: 2) { nodes { title lessons(first: 1) { nodes { title } } } } b: courses(first: 2) { nodes { slug lessons(first: 1) { nodes { slug } } } } }',
      READER,
    )
    expect(equal.errors).toEqual([])
    expect(equal.calls).toHaveLength(3)
    expect(equal.calls[0]).toBe('/lms/v1/sfwd-courses?per_page=2&context=view&_filter=id,slug,title.rendered')
    const different = await world.query('{ a: courses(first: 2) { nodes { title } } b: courses(first: 3) { nodes { title } } }', READER)
    expect(different.calls).toHaveLength(2)
  })

  it('a user, their progress, its courses and their lessons take two waves', async () => {
    const { calls } = await world.query(
      '{ user(id: 3) { courseProgress(first: 3) { nodes { course { title lessons(first: 1) { nodes { title } } } } } } }',
      { as: 'learner' },
    )
    const [first, ...rest] = [...world.calls].sort((a, b) => a.startedAt - b.startedAt)
    expect(first?.route).toBe('v2/users/:user/course-progress')
    const end = (first?.startedAt ?? 0) + (first?.duration ?? 0)
    const slowest = Math.min(...rest.map(({ startedAt, duration }) => startedAt + duration))
    expect(calls.length).toBeGreaterThanOrEqual(5)
    expect(rest.filter(({ route }) => route === 'v2/sfwd-lessons').some(({ startedAt }) => startedAt >= end && startedAt < slowest)).toBe(
      true,
    )
  })

  it('no call is made for an empty `in`, for ids only, or for a total of an empty filter', async () => {
    const { data, calls } = await world.query(
      '{ courses(where: { id: { in: [] } }) { totalCount nodes { title } } user(id: 3) { id databaseId } }',
    )
    expect(calls).toEqual([])
    expect(data.courses).toEqual({ totalCount: 0, nodes: [] })
  })

  it('a total alone reads one row without columns', async () => {
    expect((await world.query('{ courses { totalCount } }')).calls).toEqual(['/lms/v1/sfwd-courses?per_page=1&context=view&_filter=id'])
  })
})
