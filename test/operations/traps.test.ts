import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { type Answer, type Asking, World } from '../support/world.js'

// The traps of real sites, numbered as they were found: each breaks a gateway that loads records naively.

let world: World
/** The same site with its names, but otherwise described as the specification has it. */
let untold: World
/** The response of the LMS as specified. */
let plain: World

const NAMES: SiteNames = {
  namespaces: PRESETS.learndash.namespaces,
  termPrefix: 'ld_',
  fieldFilter: '_fields',
  unfilteredRoutes: ['v2/price-types'],
}

beforeAll(async () => {
  world = await World.start({}, { profile: 'learndash' }, PRESETS.learndash)
  untold = await World.start({}, { profile: 'learndash' }, NAMES)
  plain = await World.start()
})
afterAll(() => Promise.all([world, untold, plain].map((each) => each.close())))

const admin = (where: World, query: string, asking: Asking = {}): Promise<Answer> => where.query(query, { as: 'admin', ...asking })
const clean = async (where: World, query: string, asking: Asking = {}): Promise<Answer> => {
  const answer = await admin(where, query, asking)
  expect(answer.errors).toEqual([])
  return answer
}
const id = (type: string, key: number): string => Buffer.from(`${type}:${key}`).toString('base64')
const [quiz, other] = [300_001, 300_002]

describe('trap 1: `include` without a course returns other quizzes, or all', () => {
  const query = `{ nodes(ids: ["${id('Quiz', other)}", "${id('Quiz', quiz)}"]) { ... on Quiz { databaseId title } } }`

  it('each quiz is read by its own id', async () => {
    const { data, calls } = await clean(world, query)
    expect(data).toEqual((await clean(plain, query)).data)
    expect(calls.map((call) => call.split('?')[0])).toEqual([`/ldlms/v1/sfwd-quiz/${quiz}`, `/ldlms/v1/sfwd-quiz/${other}`])
  })

  it('a gateway without the setting notices the wrong ids, and remembers', async () => {
    const first = await clean(untold, query)
    expect(first.data).toEqual((await clean(plain, query)).data)
    expect(first.calls.some((call) => call.includes('include='))).toBe(true)
    const again = await clean(untold, query)
    expect(again.data).toEqual(first.data)
    expect(again.calls.some((call) => call.includes('include='))).toBe(false)
    expect(again.calls).toHaveLength(2)
  })
})

describe('trap 2: a course with `include` of other ids returns all quizzes', () => {
  const query = `{ course(id: 10001) { quizzes(first: 5, where: { id: { in: ["300099"] } }) { totalCount nodes { databaseId } } } }`
  it.each(['told', 'untold'])('the whole list is read and filtered by the gateway (%s)', async (which) => {
    const { data } = await clean(which === 'told' ? world : untold, query)
    expect(data.course.quizzes).toEqual({ totalCount: 0, nodes: [] })
  })

  it('quizzes by ids without a course are refused with an explanation', async () => {
    const { errors, calls } = await admin(world, '{ quizzes(where: { id: { in: ["300001"] } }) { totalCount } }')
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' }, message: expect.stringContaining('where.course') }])
    expect(calls).toEqual([])
  })
})

describe("trap 3: `include` and `exclude` are ignored on a group's courses", () => {
  const courses = (where: string) =>
    `{ group(id: ${SAMPLES.largeGroup}) { courses(first: 3, where: { id: { ${where} } }) { totalCount nodes { databaseId title } pageInfo { hasNextPage } } } }`
  const [wanted, unwanted] = [courses('in: [10003, 10005, 99999]'), courses('notIn: [10001, 10002]')]

  it.each(['told', 'untold'])('the whole list is read and filtered by the gateway (%s)', async (which) => {
    const where = which === 'told' ? world : untold
    for (const query of [wanted, unwanted]) expect((await clean(where, query)).data).toEqual((await clean(plain, query)).data)
    const again = await clean(where, wanted)
    expect(again.calls.filter((call) => call.includes('include='))).toEqual([])
  })
})

describe('trap 4: `per_page` is ignored on the lessons of a course', () => {
  const query = `{ course(id: ${SAMPLES.longCourse}) { lessons(first: 200) { totalCount nodes { databaseId } } } }`
  it('the page size is sent as `posts_per_page` too', async () => {
    const { data, calls } = await clean(world, query)
    expect(data).toEqual((await clean(plain, query)).data)
    expect(data.course.lessons.nodes.length).toBeGreaterThan(100)
    const lists = calls.filter((call) => call.includes('/sfwd-lessons'))
    expect(lists.every((call) => call.includes('posts_per_page=100') || /posts_per_page=\d+/.test(call))).toBe(true)
    expect(lists).toHaveLength(2)
  })

  it('a gateway without the setting reads further pages, and omits no lesson', async () => {
    expect((await clean(untold, query)).data).toEqual((await clean(plain, query)).data)
  })
})

it('trap 5: an unknown course returns all lessons to administrators, so the course is read first', async () => {
  const query = `{ lessons(first: 3, where: { course: ${SAMPLES.missingCourse} }) { totalCount nodes { title } } }`
  const { data, errors, calls } = await admin(world, query)
  expect(data).toEqual({ lessons: null })
  expect(errors).toMatchObject([{ path: ['lessons'], extensions: { code: 'NOT_FOUND' } }])
  expect(calls.map((call) => call.split('?')[0])).toEqual([`/ldlms/v1/sfwd-courses/${SAMPLES.missingCourse}`])
  const known = await clean(world, '{ lessons(first: 3, where: { course: 10001 }) { totalCount } }')
  expect(known.data.lessons.totalCount).toBeLessThan(20)
})

it('trap 6: a leader who requests other groups gets their own, which are not shown instead', async () => {
  const query = '{ groups(where: { id: { in: ["1001"] } }) { totalCount nodes { databaseId } } }'
  expect((await world.query(query, { as: 'leader' })).data).toEqual({ groups: { totalCount: 0, nodes: [] } })
  const both = `{ groups(where: { id: { in: ["1001", "${SAMPLES.ledGroups[0]}"] } }) { nodes { databaseId } } }`
  expect((await world.query(both, { as: 'leader' })).data).toEqual({ groups: { nodes: [{ databaseId: SAMPLES.ledGroups[0] }] } })
})

it('trap 7: batches send page size and status, so that no eleventh record and no draft is omitted', async () => {
  const ids = [...Array.from({ length: 12 }, (_, i) => 10_001 + i), SAMPLES.draftCourse, SAMPLES.privateCourse]
  const query = `{ nodes(ids: [${ids.map((key) => `"${id('Course', key)}"`)}]) { ... on Course { databaseId title status } } }`
  const { data, calls } = await clean(world, query)
  expect(data.nodes.map((node: any) => node.databaseId)).toEqual(ids)
  expect(calls).toHaveLength(1)
  expect(calls[0]).toMatch(/per_page=100.*include=.*status=any/)
})

it('trap 8: an empty `include` returns the whole collection, so it is never sent', async () => {
  const { data, calls } = await clean(world, '{ courses(where: { id: { in: [] } }) { totalCount nodes { title } } }')
  expect([data.courses, calls]).toEqual([{ totalCount: 0, nodes: [] }, []])
})

it('trap 9: price types are an object by slug, one of them lacks a name, and a field filter breaks them', async () => {
  const query = '{ priceTypes { slug name description } courses(first: 8) { nodes { priceType { name } } } }'
  const [{ data, calls }, expected] = [await clean(world, query), await clean(plain, query)]
  expect(data.priceTypes.map(({ slug }: any) => slug).sort()).toEqual(expected.data.priceTypes.map(({ slug }: any) => slug).sort())
  expect(data.priceTypes.find(({ slug }: any) => slug === 'closed').name).toBe('closed')
  expect(calls.filter((call) => call.includes('price-types'))).toEqual(['/ldlms/v2/price-types?context=view'])
})

describe.each(['learndash', 'learndash-5'] as const)('trap 10 and 11, on %s', (profile) => {
  let site: World
  beforeAll(async () => {
    site = await World.start({}, { profile }, PRESETS.learndash)
  })
  afterAll(() => site.close())

  it('trap 10: progress in one course is an array of one, an empty array, an object or 404', async () => {
    const taken = (await clean(plain, '{ user(id: 3) { courseProgress(first: 1) { nodes { id courseId status stepsTotal } } } }')).data
    const { id: key, courseId, ...progress } = taken.user.courseProgress.nodes[0]
    const { data } = await clean(
      site,
      `{ user(id: 3) { a: progressIn(course: ${courseId}) { status stepsTotal } none: progressIn(course: 99999) { status } } }`,
    )
    expect(data.user).toEqual({ a: progress, none: null })
    const one = await clean(site, `{ node(id: "${key}") { ... on CourseProgress { status stepsTotal } } }`)
    expect(one.data.node).toEqual(progress)
    expect(one.calls).toEqual([expect.stringContaining(`/course-progress/${courseId}?`)])
    const none = await clean(site, '{ node(id: "Q291cnNlUHJvZ3Jlc3M6Mzo5OTk5OQ==") { id } }')
    expect(none.data.node).toBeNull()
  })

  it('trap 11: its status is spelled with hyphens or underscores', async () => {
    const query = '{ user(id: 3) { courseProgress(first: 100) { nodes { status courseId } } } }'
    const statuses = (answer: Answer) => new Map(answer.data.user.courseProgress.nodes.map((row: any) => [row.courseId, row.status]))
    const [found, expected] = [statuses(await clean(site, query)), statuses(await clean(plain, query))]
    for (const [course, status] of expected) expect([course, found.get(course)]).toEqual([course, status])
    expect(new Set(expected.values()).size).toBeGreaterThan(1)
    expect([...found.values()]).not.toContain('UNKNOWN')
  })
})

it("trap 12: a group's courses have base columns only, so the others are read by id in one batch", async () => {
  const query = `{ group(id: ${SAMPLES.largeGroup}) { courses(first: 20) { nodes { databaseId title priceTypeSlug prerequisiteIds materials pointsEnabled } } } }`
  const { data, calls } = await clean(world, query)
  const looked = await clean(
    world,
    `{ nodes(ids: [${data.group.courses.nodes.map((node: any) => `"${id('Course', node.databaseId)}"`)}]) { ... on Course { databaseId title priceTypeSlug prerequisiteIds materials pointsEnabled } } }`,
  )
  expect(data.group.courses.nodes).toEqual(looked.data.nodes)
  expect(data.group.courses.nodes.some((node: any) => node.priceTypeSlug !== null)).toBe(true)
  expect(calls.filter((call) => call.includes('include='))).toHaveLength(1)

  const shown = 'priceTypeSlug prerequisiteIds materials pointsEnabled priceType { slug } prerequisites { title }'
  const sides = await clean(
    world,
    `{ group(id: ${SAMPLES.largeGroup}) { courses(first: 20) { edges { node { ${shown} } groupCourse { ${shown} } } } } }`,
  )
  const { edges } = sides.data.group.courses
  expect(edges.map(({ groupCourse }: any) => groupCourse)).toEqual(edges.map(({ node }: any) => node))
  expect(edges.some(({ groupCourse }: any) => groupCourse.priceType !== null && groupCourse.prerequisites.length > 0)).toBe(true)
  const alone = await clean(
    world,
    `{ group(id: ${SAMPLES.largeGroup}) { courses(first: 20) { edges { groupCourse { priceTypeSlug } } } } }`,
  )
  expect(alone.data.group.courses.edges.map(({ groupCourse }: any) => groupCourse.priceTypeSlug)).toEqual(
    data.group.courses.nodes.map((node: any) => node.priceTypeSlug),
  )
  expect(alone.calls).toHaveLength(3)
})

it('trap 13: links point to other routes, so they are never followed', async () => {
  const { data, calls } = await clean(world, '{ courses(first: 3) { nodes { links { rel href } lessons(first: 1) { nodes { title } } } } }')
  expect(JSON.stringify(data)).toContain('/wp/v2/')
  expect(calls.filter((call) => call.includes('/wp/v2/'))).toEqual([])
})

it("trap 14: a question has the quiz engine's id of its quiz, so no quiz is shown instead of a wrong one", async () => {
  const { data, calls } = await clean(world, '{ question(id: 500001) { title quizId quiz { title } } }')
  expect(data.question).toMatchObject({ quizId: null, quiz: null })
  expect(calls).toHaveLength(1)
})

it('trap 15: a lesson has no course where steps are shared, so its quizzes need the argument', async () => {
  const query =
    '{ course(id: 10001) { lessons(first: 2) { nodes { databaseId course { title } quizzes { totalCount } in: quizzes(course: 10001) { totalCount } } } } }'
  const { data, errors } = await admin(world, query)
  for (const lesson of data.course.lessons.nodes)
    expect(lesson).toMatchObject({ course: null, quizzes: null, in: { totalCount: expect.any(Number) } })
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT', 'BAD_USER_INPUT'])
})

it('trap 16: `buynow` of version 1 is decoded as `paynow`, and encoded as `buynow`', async () => {
  const created = await clean(
    world,
    'mutation { createCourse(input: { priceTypeSlug: "paynow" }) { ... on CreateCourseSuccess { course { databaseId priceTypeSlug priceType { slug } } } } }',
  )
  const { course } = created.data.createCourse
  expect(course).toMatchObject({ priceTypeSlug: 'paynow', priceType: { slug: 'paynow' } })
  const response = await fetch(`${world.lms.url}/ldlms/v1/sfwd-courses/${course.databaseId}`, {
    headers: { authorization: `Basic ${Buffer.from('admin:admin-demo').toString('base64')}` },
  })
  expect(await response.json()).toMatchObject({ course_price_type: 'buynow' })
})

it('trap 17: a site treats a wrong password as anonymous, so a gateway with a service account reports that it is not ready', async () => {
  const ready = async (password: string): Promise<number> => {
    const site = await World.start(
      { site: { user: 'admin', password }, access: { open: true } },
      { profile: 'learndash' },
      PRESETS.learndash,
    )
    const { status } = await fetch(`${site.gateway.url}/health/site`)
    await site.close()
    return status
  }
  expect([await ready('admin-demo'), await ready('wrong')]).toEqual([200, 503])
})

describe('a filter that a site drops when it names an unknown record', () => {
  it('is confirmed in one call with the other filters of the wave', async () => {
    const { calls } = await clean(
      world,
      '{ a: lessons(first: 2, where: { course: 10016 }) { nodes { title } } b: lessons(first: 3, where: { course: 10038 }) { nodes { title } } }',
    )
    const confirmed = calls.filter((call) => call.includes('/sfwd-courses'))
    expect(confirmed).toEqual([expect.stringMatching(/\/sfwd-courses\?.*include=10016,10038/)])
    expect(calls).toHaveLength(3)
  })
})
