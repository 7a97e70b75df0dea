import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import {
  CatalogueDocument,
  ChangeAndAddDocument,
  CoursePageDocument,
  CreateCourseDocument,
  GroupOverviewDocument,
  GroupsAndCoursesDocument,
  LearnerDashboardDocument,
  NodesDocument,
  ProgressTableDocument,
  QuizReviewDocument,
  SearchDocument,
} from '../support/documents/graphql.js'
import { globalId } from '../support/global-id.js'
import { otherwise, READER, WITH_WORDPRESS } from '../support/profile.js'
import { type Login, World } from '../support/world.js'

/** Calls by their route, with how often each was made. */
function routes(calls: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const call of calls) {
    const route = (call.split('?')[0] as string).replace(/^\/lms/, '').replace(/\/\d+/g, '/#')
    counts[route] = (counts[route] ?? 0) + 1
  }
  return counts
}

describe('the example operations, with their REST calls', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start({}, {}, WITH_WORDPRESS)
  })
  afterAll(() => world.close())

  it('groups and their courses', async () => {
    const { data, errors, calls } = await world.query(GroupsAndCoursesDocument, READER)
    expect(errors).toEqual([])
    expect(data.groups?.totalCount).toBe(15)
    expect(data.groups?.nodes).toHaveLength(3)
    const courses = data.groups?.nodes.flatMap((group) => group?.courses?.nodes ?? []) ?? []
    expect(courses).toHaveLength(12)
    expect(courses.every((course) => course?.priceType?.name)).toBe(true)
    const distinct = routes(calls)['/v2/sfwd-lessons'] as number
    expect(distinct).toBeLessThanOrEqual(12)
    expect(routes(calls)).toEqual(
      otherwise('calls for groups and their courses', {
        '/v1/groups': 1,
        '/v2/groups/#/courses': 3,
        '/v1/sfwd-courses': 1,
        '/v2/price-types': 1,
        '/v2/sfwd-lessons': distinct,
      }),
    )
  })

  it("a learner's dashboard", async () => {
    const ask = () => world.query(LearnerDashboardDocument, { as: 'learner' })
    const first = await ask()
    const isRefused = otherwise('whether learners read courses', false)
    expect(new Set(first.errors.map(({ extensions }) => extensions.code))).toEqual(new Set(isRefused ? ['FORBIDDEN'] : []))
    expect(first.data.viewer?.name).toBe('Lena Learner')
    const progress = first.data.viewer?.courseProgress
    expect(progress?.totalCount).toBe(otherwise('courses in the progress of the learner', 12))
    expect(progress?.nodes.every((row) => (isRefused ? row?.course === null : row?.course?.title && row.course.lessons))).toBe(true)
    // A learner may not ask for `status=any`: met once, then known. Who the viewer is stays known for a while.
    const calls = { '/v2/users/#/course-progress': 1, '/v1/sfwd-courses': 1, '/v2/sfwd-lessons': 12 }
    expect(routes(first.calls)).toEqual(
      otherwise('calls for the dashboard, first', { ...calls, '/wp/v2/users/me': 1, '/v1/sfwd-courses': 2 }),
    )
    expect(routes((await ask()).calls)).toEqual(otherwise('calls for the dashboard, then', calls))
  })

  it('the catalogue, page by page', async () => {
    const first = await world.query(CatalogueDocument, { ...READER, variables: {} })
    expect(first.errors).toEqual([])
    const calls = { '/v1/sfwd-courses': 1, '/v2/price-types': 1, '/wp/v2/media': 1, '/wp/v2/users': 1 }
    // The names of the categories of these courses, and those to choose from.
    expect(routes(first.calls)).toEqual({ ...calls, '/wp/v2/lms_course_category': 2, '/wp/v2/lms_course_tag': 1 })
    const { courses, categories, tags } = first.data
    for (const shown of ['featuredImage', 'author', 'courseCategories'] as const)
      expect([shown, courses?.nodes.some((course) => course?.[shown])]).toEqual([shown, true])
    expect(courses?.nodes.every((course) => course?.courseCategories.every((term) => term?.name))).toBe(true)
    expect([categories, tags].every((menu) => menu?.nodes.every((term) => term?.name && Number(term.count) > 0))).toBe(true)
    const after = first.data.courses?.pageInfo.endCursor ?? null
    const second = await world.query(CatalogueDocument, { ...READER, variables: { after } })
    const titles = (answer: typeof first) => answer.data.courses?.nodes.map((course) => course?.id) ?? []
    expect(new Set([...titles(first), ...titles(second)]).size).toBe(24)
  })

  it('the catalogue, by category, by tag, by a search, and in an order', async () => {
    const ask = async (variables: object) => {
      const { data, errors } = await world.query(CatalogueDocument, { ...READER, variables: { ...variables } })
      expect(errors).toEqual([])
      return data
    }
    const { courses: all, categories, tags } = await ask({})
    expect(all?.totalCount).toBe((await ask({ search: '' })).courses?.totalCount)
    for (const [filter, menu] of [
      ['categories', categories],
      ['tags', tags],
    ] as const) {
      const [chosen] = menu?.nodes ?? []
      const { courses: found } = await ask({ [filter]: [chosen?.id] })
      expect(found?.totalCount).toBe(chosen?.count)
      expect(found?.totalCount).toBeLessThan(all?.totalCount as number)
      if (filter === 'categories')
        expect(found?.nodes.every((course) => course?.courseCategories?.some((term) => term?.id === chosen?.id))).toBe(true)
    }
    const { courses: ordered } = await ask({ search: 'first', orderBy: { field: 'ID', direction: 'DESC' } })
    const numbers = ordered?.nodes.map((course) => Number(atob(course?.id ?? '').replace('Course:', ''))) ?? []
    expect(numbers.length).toBeGreaterThan(1)
    expect(numbers).toEqual([...numbers].sort((one, other) => other - one))
    expect(ordered?.totalCount).toBeLessThan(all?.totalCount as number)
  })

  it('a course page', async () => {
    const { data, errors, calls } = await world.query(CoursePageDocument, { ...READER, variables: { id: '10001' } })
    expect(errors).toEqual([])
    const lessons = data.course?.lessons?.nodes ?? []
    expect(lessons.length).toBeGreaterThan(3)
    expect(routes(calls)).toEqual({
      '/v1/sfwd-courses/#': 1,
      '/wp/v2/users': 1,
      '/v2/sfwd-lessons': 1,
      '/v1/sfwd-quiz': 1 + lessons.length,
    })
  })

  it("a group leader's overview", async () => {
    const variables = { group: String(SAMPLES.ledGroups[0]), learner: '3' }
    const as = otherwise<Login>("who asks for the leader's overview", 'leader')
    const { data, errors, calls } = await world.query(GroupOverviewDocument, { as, variables })
    expect(errors).toEqual([])
    const rows = data.group?.courses?.edges ?? []
    expect(rows).toHaveLength(10)
    expect(rows.some(({ node }) => node?.progress)).toBe(true)
    const expected = { '/v1/groups/#': 2, '/v2/groups/#/courses': 1, '/v2/users/#/course-progress': 1 }
    expect(routes(calls)).toEqual(otherwise("calls for the leader's overview", expected))
  })

  it('progress of two learners side by side', async () => {
    const { data, errors, calls } = await world.query(ProgressTableDocument, { as: 'admin', variables: { first: '3', second: '4' } })
    expect(errors).toEqual([])
    expect(data.courses?.nodes.some((course) => course?.first)).toBe(true)
    expect(data.courses?.nodes.every((course) => course?.second === null)).toBe(true)
    expect(routes(calls)).toEqual({ '/v1/sfwd-courses': 1, '/v2/users/#/course-progress': 2 })
  })

  it("a review of a quiz's questions", async () => {
    const { data, errors, calls } = await world.query(QuizReviewDocument, {
      as: 'admin',
      variables: { one: '500001', two: '500002', three: '500003' },
    })
    expect(errors).toEqual([])
    expect(data.one?.answers?.some(({ correct }) => correct)).toBe(true)
    const quiz = { id: globalId('Quiz', 300_001), title: expect.stringMatching(/^Quiz: /), passingPercentage: 80 }
    expect(data.one?.quiz).toEqual(otherwise('the quiz of a question', quiz))
    expect(routes(calls)).toEqual(otherwise('calls for questions', { '/v1/sfwd-questions/#': 3, '/v1/sfwd-quiz/#': 1 }))
  })

  it('a search over the whole school', async () => {
    const { data, errors, calls } = await world.query(SearchDocument, { ...READER, variables: { text: 'first' } })
    expect(errors).toEqual([])
    expect(data.courses?.nodes.every((hit) => /first/i.test(hit?.title ?? ''))).toBe(true)
    expect(routes(calls)).toEqual({ '/v1/sfwd-courses': 1, '/v1/groups': 1 })
  })

  it('records by their global ids', async () => {
    const ids = ['Course:10001', 'Group:1001', 'PriceType:open'].map((id) => Buffer.from(id).toString('base64'))
    const { data, errors, calls } = await world.query(NodesDocument, { ...READER, variables: { ids } })
    expect(errors).toEqual([])
    expect(data.nodes?.map((node) => node?.__typename)).toEqual(['Course', 'Group', 'PriceType'])
    expect(routes(calls)).toEqual({ '/v1/sfwd-courses/#': 1, '/v1/groups/#': 1, '/v2/price-types/open': 1 })
  })

  it('a new course, and an invalid one', async () => {
    const input = { title: 'Graphs for Gateways', status: 'PUBLISH', priceTypeSlug: 'free', prerequisiteIds: ['10001'] } as const
    const { data, errors, calls } = await world.query(CreateCourseDocument, { as: 'admin', variables: { input: input as never } })
    expect(errors).toEqual([])
    expect(data.createCourse).toMatchObject({
      course: { slug: 'graphs-for-gateways', priceType: { name: 'Free' }, prerequisites: [{ title: expect.any(String) }] },
    })
    expect(routes(calls)).toEqual({ '/v1/sfwd-courses': 1, '/v2/price-types/free': 1, '/v1/sfwd-courses/#': 1 })
    const bad = await world.query(CreateCourseDocument, { as: 'admin', variables: { input: { points: -1, authorId: 'nobody' } } })
    expect(bad.data.createCourse).toMatchObject({
      __typename: 'InvalidInputError',
      fields: [
        { field: 'authorId', path: ['authorId'], code: 'INVALID_FORMAT', limit: null },
        { field: 'points', path: ['points'], code: 'TOO_SMALL', limit: 0 },
      ],
    })
    expect(bad.calls).toEqual([])
  })

  it('a changed course added to a group', async () => {
    const { data, errors, calls } = await world.query(ChangeAndAddDocument, {
      as: 'admin',
      variables: { course: '10001', group: String(SAMPLES.emptyGroup) },
    })
    expect(errors).toEqual([])
    expect(data.updateCourse).toMatchObject({ course: { points: 2.5 } })
    expect(data.addCoursesToGroup).toMatchObject({ additions: [{ courseId: 10001, added: true }], group: { courses: { totalCount: 1 } } })
    // The list of a group's courses has 0 for courses without points, so they are read by id.
    expect(routes(calls)).toEqual({
      '/v1/sfwd-courses/#': 2,
      '/v2/groups/#/courses': 2,
      '/v1/groups/#': 1,
    })
  })
})
