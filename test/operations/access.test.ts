import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { otherwise, READER } from '../support/profile.js'
import { type Login, World } from '../support/world.js'

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.close())

const codes = (answer: { errors: readonly { extensions: Record<string, any> }[] }): string[] =>
  answer.errors.map(({ extensions }) => extensions.code)

describe('edit-only columns', () => {
  it('of a list are read with it, in the context `edit`', async () => {
    const { data, errors, calls } = await world.query('{ courses(first: 3) { nodes { title titleRaw password } } }', { as: 'admin' })
    expect(errors).toEqual([])
    expect(data.courses.nodes.every((course: any) => typeof course.titleRaw === 'string' && typeof course.password === 'string')).toBe(true)
    expect(calls).toEqual(['/lms/v1/sfwd-courses?per_page=3&context=edit&_filter=id,password,title.raw,title.rendered'])
  })

  it('of a list are read in one more batch beside columns that a password guards', async () => {
    const { errors, calls } = await world.query('{ courses(first: 3) { nodes { content titleRaw } } }', { as: 'admin' })
    expect(errors).toEqual([])
    expect(calls).toEqual([
      expect.stringMatching(/^\/lms\/v1\/sfwd-courses\?per_page=100&context=edit&_filter=id,title\.raw&include=\d+,\d+,\d+&status=any$/),
      '/lms/v1/sfwd-courses?per_page=3&context=view&_filter=content.rendered,id',
    ])
  })

  it('of a single record are read in the same call as its other columns', async () => {
    const { data, calls } = await world.query('{ course(id: 10001) { title contentRaw permalinkTemplate generatedSlug } }', { as: 'admin' })
    expect(Object.values(data.course).every((value) => typeof value === 'string')).toBe(true)
    expect(calls).toEqual([
      '/lms/v1/sfwd-courses/10001?context=edit&_filter=content.raw,generated_slug,id,permalink_template,title.rendered',
    ])
  })

  it.each([
    [undefined, 'UNAUTHENTICATED'],
    ['learner', 'FORBIDDEN'],
  ] as [Login | undefined, string][])('are null with an error at their own path for %s', async (as, code) => {
    const asking = as ? { as } : {}
    const [whole, title] = [otherwise('whether others read courses', true), expect.any(String)]
    const one = await world.query('{ course(id: 10001) { title titleRaw } }', asking)
    expect(one.data.course).toEqual(whole ? { title, titleRaw: null } : null)
    expect(one.errors).toMatchObject([{ path: whole ? ['course', 'titleRaw'] : ['course'], extensions: { code } }])
    const list = await world.query('{ courses(first: 2) { nodes { title titleRaw } } }', asking)
    expect(list.data.courses).toEqual(whole ? { nodes: [1, 2].map(() => ({ title, titleRaw: null })) } : null)
    const paths = whole ? [0, 1].map((index) => ['courses', 'nodes', index, 'titleRaw']) : [['courses']]
    expect(list.errors.map(({ path }) => path)).toEqual(paths)
  })

  it('of a lesson are null for learners, with an error at their own path', async () => {
    const { data, errors } = await world.query('{ lesson(id: 100001) { title titleRaw } }', { as: 'learner' })
    expect(data.lesson).toEqual({ title: expect.any(String), titleRaw: null })
    expect(errors).toMatchObject([{ path: ['lesson', 'titleRaw'], extensions: { code: 'FORBIDDEN' } }])
    const list = await world.query('{ lessons(first: 2, where: { course: 10001 }) { nodes { title titleRaw } } }', { as: 'learner' })
    expect(list.data.lessons.nodes).toEqual([1, 2].map(() => ({ title: expect.any(String), titleRaw: null })))
    expect(list.errors.map(({ path }) => path)).toEqual([0, 1].map((index) => ['lessons', 'nodes', index, 'titleRaw']))
  })

  it("of a group's course are read from the course", async () => {
    const { data, errors } = await world.query(
      '{ group(id: 1009) { courses(first: 3) { edges { groupCourse { databaseId titleRaw password permalinkTemplate } node { databaseId titleRaw } } } } }',
      { as: 'admin' },
    )
    expect(errors).toEqual([])
    for (const { groupCourse, node } of data.group.courses.edges) {
      expect(groupCourse).toEqual({ ...node, password: expect.any(String), permalinkTemplate: expect.any(String) })
    }
  })
})

describe('unpublished records', () => {
  const QUERY = `{ course(id: ${SAMPLES.draftCourse}) { title status } }`

  it.each([
    ['admin', []],
    ['learner', ['FORBIDDEN']],
    [undefined, ['UNAUTHENTICATED']],
  ] as [Login | undefined, string[]][])('by id, for %s', async (as, expected) => {
    const answer = await world.query(QUERY, as ? { as } : {})
    expect(codes(answer)).toEqual(expected)
    expect(answer.data.course?.status ?? null).toBe(as === 'admin' ? 'DRAFT' : null)
  })

  it('are included in batches of an administrator', async () => {
    const ids = [10001, SAMPLES.draftCourse, SAMPLES.privateCourse].map((id) => Buffer.from(`Course:${id}`).toString('base64'))
    const { data, errors, calls } = await world.query('query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Course { status } } }', {
      as: 'admin',
      variables: { ids },
    })
    expect(errors).toEqual([])
    expect(data.nodes.map((course: any) => course.status)).toEqual(['PUBLISH', 'DRAFT', 'PRIVATE'])
    expect(calls).toHaveLength(1)
  })
})

describe('records with a password', () => {
  const ask = (password: string | null, id = SAMPLES.protectedCourse) =>
    world.query('query ($id: ID!, $password: String) { course(id: $id, password: $password) { title content contentProtected } }', {
      ...READER,
      variables: { id: String(id), password },
    })

  it('show their content with the right password only', async () => {
    const [without, right, wrong] = [await ask(null), await ask(SAMPLES.password), await ask('guess')]
    expect(without.data.course).toMatchObject({ content: '', contentProtected: true })
    expect(right.data.course.content).not.toBe('')
    expect(wrong).toMatchObject({ data: { course: null }, errors: [{ extensions: { code: 'FORBIDDEN' } }] })
    expect(without.calls.join()).not.toContain('password')
  })

  it('are not shared between reads with and without the password', async () => {
    const { data } = await world.query(
      `{ open: course(id: ${SAMPLES.protectedCourse}, password: "${SAMPLES.password}") { content } closed: course(id: ${SAMPLES.protectedCourse}) { content } }`,
      READER,
    )
    expect(data.open.content).not.toBe('')
    expect(data.closed.content).toBe('')
  })
})

describe('callers', () => {
  it('see only what their credentials allow', async () => {
    const query = '{ user(id: 3) { courseProgress(first: 1) { totalCount } } }'
    const courses = otherwise('courses in the progress of the learner', 12)
    expect((await world.query(query, { as: 'learner' })).data.user.courseProgress.totalCount).toBe(courses)
    expect((await world.query(query, { as: 'admin' })).data.user.courseProgress.totalCount).toBe(courses)
    expect(codes(await world.query(query, { as: 'newcomer' }))).toEqual(['FORBIDDEN'])
    expect(codes(await world.query(query))).toEqual(['UNAUTHENTICATED'])
  })

  it('other than administrators must restrict lessons and quizzes to a course', async () => {
    const answer = await world.query('{ lessons(first: 1) { nodes { title } } }')
    expect(codes(answer)).toEqual(['BAD_USER_INPUT'])
    expect(answer.errors[0]?.message).toContain('where.course')
    const as = otherwise<Login | null>('who reads the lessons of a course', null)
    const narrowed = await world.query('{ lessons(first: 1, where: { course: 10001 }) { nodes { title } } }', as ? { as } : {})
    expect(narrowed.errors).toEqual([])
  })

  it('read the first refused lesson by its id, and the others by the list of its course', async () => {
    const ids = [100001, 100002, 100003].map((id) => Buffer.from(`Lesson:${id}`).toString('base64'))
    const ask = () =>
      world.query('query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Lesson { title courseId } } }', { as: 'learner', variables: { ids } })
    const first = await ask()
    expect(first.errors).toEqual([])
    expect(first.data.nodes.every((lesson: any) => lesson.title)).toBe(true)
    // Where lessons are shared between courses, a lesson has no course.
    expect((await ask()).calls).toHaveLength(first.data.nodes[0].courseId === null ? 3 : 2)
  })
})
