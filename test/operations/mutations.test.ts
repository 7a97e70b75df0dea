import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { otherwise } from '../support/profile.js'
import { type Answer, type Asking, authorizationOf, World } from '../support/world.js'

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.close())

const ERRORS = `... on LmsError { code message } ... on InvalidInputError { fields { field message } } ... on UpstreamError { upstream { status code } }`

/** The REST calls of the last operation, in order. */
const sent = (): string[] => world.calls.map(({ method, path }) => `${method} ${(path.split('?')[0] as string).replace('/lms/', '')}`)

async function mutate(mutation: string, { as = 'admin', ...asking }: Asking = {}): Promise<Answer> {
  return world.query(`mutation { ${mutation} }`, { as, ...asking })
}

const SAVED = [
  ['group', 'Group', 'groups', 'v1/groups'],
  ['course', 'Course', 'courses', 'v1/sfwd-courses'],
  ['lesson', 'Lesson', 'lessons', 'v2/sfwd-lessons'],
  ['quiz', 'Quiz', 'quizzes', 'v1/sfwd-quiz'],
] as const

describe.each(SAVED)('a %s', (field, type, list, path) => {
  const shown = `${field} { id databaseId title slug status titleRaw contentRaw password }`

  it('can be created with one call, read by another route, changed in one field, and cleared', async () => {
    const created = await mutate(
      `create${type}(input: { title: "One <b>&</b> only", content: "<p>Body</p>", status: PUBLISH, password: "pass" }) {
         __typename ... on Create${type}Success { ${shown} } ${ERRORS} }`,
    )
    expect(created.errors).toEqual([])
    expect(sent()).toEqual([`POST ${path}`])
    const { __typename, [field]: record } = created.data[`create${type}`]
    expect(__typename).toBe(`Create${type}Success`)
    expect(record).toMatchObject({ title: 'One & only', status: 'PUBLISH', slug: 'one-only', password: 'pass', contentRaw: '<p>Body</p>' })

    const fields = 'id databaseId title slug status titleRaw contentRaw password modifiedGmt date authorId menu: template'
    const read = () => world.query(`{ ${list}(where: { slug: ["${record.slug}"] }) { nodes { ${fields} } } }`, { as: 'admin' })
    const before = (await read()).data[list].nodes[0]
    expect(before).toMatchObject(record)

    const changed = await mutate(
      `update${type}(input: { id: "${record.id}", content: "<p>New</p>" }) { ... on Update${type}Success { ${shown} } ${ERRORS} }`,
    )
    expect(changed.errors).toEqual([])
    expect(sent()).toEqual([`POST ${path}/${record.databaseId}`])
    expect(changed.data[`update${type}`][field]).toEqual({ ...record, contentRaw: '<p>New</p>' })
    const { modifiedGmt: _then, ...others } = before
    const { modifiedGmt: _now, ...after } = (await read()).data[list].nodes[0]
    expect(after).toEqual({ ...others, contentRaw: '<p>New</p>' })

    const cleared = await mutate(
      `update${type}(input: { id: ${record.databaseId}, content: null, password: null }) { ... on Update${type}Success { ${shown} } ${ERRORS} }`,
    )
    expect(sent()).toEqual([`POST ${path}/${record.databaseId}`])
    expect(cleared.data[`update${type}`][field]).toEqual({ ...record, contentRaw: '', password: '' })
  })

  it('needs no fields to be created, and only its id to be updated', async () => {
    const made = await mutate(`create${type}(input: {}) { ... on Create${type}Success { ${field} { databaseId title status } } }`)
    expect(made.data[`create${type}`]).toEqual({ [field]: { databaseId: expect.any(Number), title: '', status: 'DRAFT' } })
    const { databaseId } = made.data[`create${type}`][field]
    const same = await mutate(`update${type}(input: { id: ${databaseId} }) { ... on Update${type}Success { ${field} { databaseId } } }`)
    expect(same.data[`update${type}`]).toEqual({ [field]: { databaseId } })
    expect(sent()).toEqual([`POST ${path}/${databaseId}`])
  })

  it('shows content that the response of the write may hide, with one more read', async () => {
    const made = await mutate(
      `create${type}(input: { content: "<p>Secret</p>", password: "pass", status: PUBLISH }) { ... on Create${type}Success { ${field} { databaseId content contentProtected } } }`,
    )
    const { databaseId, ...record } = made.data[`create${type}`][field]
    expect(record).toEqual({ content: '', contentProtected: true })
    expect(sent()).toEqual([`POST ${path}`, `GET ${path}/${databaseId}`])
    await mutate(`create${type}(input: { content: "<p>Open</p>" }) { ... on Create${type}Success { ${field} { content } } }`)
    expect(sent()).toEqual([`POST ${path}`])
  })

  it('has an error type each for forbidden, missing and invalid', async () => {
    const update = (id: number | string, more = '') => `update${type}(input: { id: "${id}" ${more} }) { __typename ${ERRORS} }`
    const create = `create${type}(input: {}) { __typename ${ERRORS} }`
    const id = { group: 1001, course: 10001, lesson: 100001, quiz: 300001 }[field]
    const codes: unknown[] = []
    for (const [mutation, as] of [
      [create, null],
      [create, 'learner'],
      [update(id, 'title: "x"'), null],
      [update(id, 'title: "x"'), 'leader'],
      [update(999_999), 'admin'],
    ] as const) {
      const { data, errors } = await world.query(`mutation { ${mutation} }`, as ? { as } : {})
      expect(errors).toEqual([])
      const { __typename, code } = Object.values<any>(data)[0]
      codes.push(`${__typename} ${code}`)
      expect(world.calls).toHaveLength(1)
    }
    const [U, F] = ['UnauthenticatedError UNAUTHENTICATED', 'ForbiddenError FORBIDDEN']
    expect(codes).toEqual([U, F, U, F, 'NotFoundError NOT_FOUND'])
  })
})

describe('deleteGroup', () => {
  const DELETED = `__typename ... on DeleteGroupSuccess { deletedId trashed group { id status titleRaw courses { totalCount } } } ${ERRORS}`
  const create = async (): Promise<{ id: string; databaseId: number }> =>
    (await mutate('createGroup(input: { title: "To go" }) { ... on CreateGroupSuccess { group { id databaseId } } }')).data.createGroup
      .group

  it('moves to the trash, then conflicts, then deletes permanently', async () => {
    const { id, databaseId } = await create()
    const trashed = await mutate(`deleteGroup(input: { id: "${id}" }) { ${DELETED} }`)
    expect(trashed.errors).toEqual([])
    expect(trashed.data.deleteGroup).toMatchObject({
      __typename: 'DeleteGroupSuccess',
      deletedId: id,
      trashed: true,
      group: { id, status: 'TRASH', titleRaw: 'To go' },
    })
    expect(sent()).toEqual([`DELETE v1/groups/${databaseId}`, `GET v2/groups/${databaseId}/courses`])
    const again = await mutate(`deleteGroup(input: { id: ${databaseId} }) { ${DELETED} }`)
    expect(again.data.deleteGroup).toMatchObject({ __typename: 'ConflictError', code: 'CONFLICT' })
    const gone = await mutate(`deleteGroup(input: { id: ${databaseId}, force: true }) { ${DELETED} }`)
    expect(gone.data.deleteGroup).toEqual({ __typename: 'DeleteGroupSuccess', deletedId: id, trashed: false, group: null })
    expect(world.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([`DELETE /lms/v1/groups/${databaseId}?force=true`])
    expect((await world.query(`{ group(id: ${databaseId}) { id } }`, { as: 'admin' })).data).toEqual({ group: null })
    const nothing = await mutate(`deleteGroup(input: { id: ${databaseId}, force: true }) { ${DELETED} }`)
    expect(nothing.data.deleteGroup).toMatchObject({ __typename: 'NotFoundError', code: 'NOT_FOUND' })
  })

  it('can be restored from the trash', async () => {
    const { databaseId } = await create()
    await mutate(`deleteGroup(input: { id: ${databaseId} }) { __typename }`)
    const { data } = await mutate(
      `updateGroup(input: { id: ${databaseId}, status: PUBLISH }) { ... on UpdateGroupSuccess { group { status slug } } }`,
    )
    expect(data.updateGroup.group).toMatchObject({ status: 'PUBLISH', slug: expect.stringMatching(/^to-go(-\d+)?$/) })
  })
})

describe('addCoursesToGroup', () => {
  const ADDED = `__typename ... on AddCoursesToGroupSuccess {
    additions { courseId added code message course { title } } group { courses(first: 50) { totalCount nodes { databaseId } } } } ${ERRORS}`

  it('shows the result for each course, and the group as it is now', async () => {
    const course = Buffer.from('Course:10002').toString('base64')
    const { data, errors } = await mutate(
      `addCoursesToGroup(input: { id: ${SAMPLES.emptyGroup}, courseIds: [10001, "${course}", 10001, ${SAMPLES.missingCourse}] }) { ${ADDED} }`,
    )
    expect(errors).toEqual([])
    const { additions, group } = data.addCoursesToGroup
    expect(additions.map(({ courseId, added }: any) => [courseId, added])).toEqual([
      [10001, true],
      [10002, true],
      [SAMPLES.missingCourse, false],
    ])
    expect(additions.map((addition: any) => addition.course?.title ?? null)).toEqual([expect.any(String), expect.any(String), null])
    expect(additions.every(({ code, message }: any) => code !== '' && message !== '')).toBe(true)
    expect(group.courses).toEqual({ totalCount: 2, nodes: expect.arrayContaining([{ databaseId: 10001 }, { databaseId: 10002 }]) })
    expect(sent()[0]).toBe(`POST v2/groups/${SAMPLES.emptyGroup}/courses`)
    expect(sent().slice(1).sort()).toEqual([
      'GET v1/sfwd-courses',
      // The one the batch left out.
      `GET v1/sfwd-courses/${SAMPLES.missingCourse}`,
      `GET v2/groups/${SAMPLES.emptyGroup}/courses`,
    ])
    const again = await mutate(`addCoursesToGroup(input: { id: ${SAMPLES.emptyGroup}, courseIds: [10001] }) { ${ADDED} }`)
    expect(again.data.addCoursesToGroup.additions[0]).toMatchObject({ courseId: 10001, added: false })
  })

  it('refuses an empty list, one that is too long, and wrong ids before any call', async () => {
    const group = Buffer.from('Group:1001').toString('base64')
    const many = Array.from({ length: 501 }, (_, i) => i + 1)
    for (const [input, fields] of [
      ['id: 1001, courseIds: []', ['courseIds']],
      [`id: 1001, courseIds: [${many}]`, ['courseIds']],
      [`id: "x", courseIds: ["${group}"]`, ['id', 'courseIds']],
    ] as const) {
      const { data, calls } = await mutate(`addCoursesToGroup(input: { ${input} }) { ${ADDED} }`)
      expect(data.addCoursesToGroup.__typename).toBe('InvalidInputError')
      expect(data.addCoursesToGroup.fields.map(({ field }: any) => field)).toEqual(fields)
      expect(calls).toEqual([])
    }
  })

  it('reports a missing group', async () => {
    const { data } = await mutate(`addCoursesToGroup(input: { id: 999999, courseIds: [10001] }) { ${ADDED} }`)
    expect(data.addCoursesToGroup).toMatchObject({ __typename: 'NotFoundError' })
  })
})

describe('a payload', () => {
  it('has relations, fetched in waves as in a query', async () => {
    const { data, errors } = await mutate(`createCourse(input: {
        title: "New", status: PUBLISH, priceTypeSlug: "paynow", prerequisiteIds: [10001, 10005], authorId: 1
      }) {
        ... on CreateCourseSuccess { course {
          priceTypeSlug priceType { name } author { databaseId } lessons(first: 1) { totalCount }
          prerequisites { title lessons(first: 1) { nodes { title } } } } } ${ERRORS} }`)
    expect(errors).toEqual([])
    const { course } = data.createCourse
    expect(course).toMatchObject({ priceTypeSlug: 'paynow', priceType: { name: expect.any(String) }, author: { databaseId: 1 } })
    expect(course.lessons).toEqual({ totalCount: 0 })
    expect(course.prerequisites.map(({ lessons }: any) => lessons.nodes.length)).toEqual([1, 1])
    expect(sent()[0]).toBe('POST v1/sfwd-courses')
    expect(sent().slice(1).sort()).toEqual([
      'GET v1/sfwd-courses',
      'GET v2/price-types/paynow',
      'GET v2/sfwd-lessons',
      'GET v2/sfwd-lessons',
      'GET v2/sfwd-lessons',
    ])
  })

  it('supports fragments, aliases, directives and fields selected twice', async () => {
    const { data, errors } = await world.query(
      `mutation ($yes: Boolean!) {
         a: createQuiz(input: { title: "Q" }) { ...saved }
         a: createQuiz(input: { title: "Q" }) { ... on CreateQuizSuccess { quiz { heading: title status @skip(if: $yes) } } }
       }
       fragment saved on CreateQuizResult { ... on CreateQuizSuccess { quiz { title threshold @include(if: $yes) } } }`,
      { as: 'admin', variables: { yes: true } },
    )
    expect(errors).toEqual([])
    expect(data).toEqual({ a: { quiz: { title: 'Q', heading: 'Q', threshold: 0.8 } } })
    expect(sent()).toEqual(['POST v1/sfwd-quiz'])
  })
})

describe('several mutations in one document', () => {
  it('run in order, and each reads what earlier ones wrote', async () => {
    const title = '... on UpdateCourseSuccess { course { title lessons(first: 1) { totalCount } } }'
    const { data, errors } = await mutate(`
      one: updateCourse(input: { id: 10010, title: "First" }) { ${title} }
      two: updateCourse(input: { id: 10010, title: "Second" }) { ${title} }
      lesson: createLesson(input: { title: "Added", status: PUBLISH, courseId: 10010 }) { ... on CreateLessonSuccess { lesson { course { title } } } }
      three: updateCourse(input: { id: 10010, title: "Third" }) { ${title} }
      add: addCoursesToGroup(input: { id: ${SAMPLES.draftGroup}, courseIds: [10010] }) {
        ... on AddCoursesToGroupSuccess { group { courses { nodes { databaseId title } } } } }`)
    expect(errors).toEqual([])
    const { one, two, three, lesson, add } = data
    expect([one, two, three].map(({ course }) => course.title)).toEqual(['First', 'Second', 'Third'])
    expect(lesson.lesson.course).toEqual(otherwise('the course of a new lesson', { title: 'Second' }))
    expect(three.course.lessons.totalCount - two.course.lessons.totalCount).toBe(otherwise('lessons more in the course', 1))
    expect(add.group.courses.nodes).toContainEqual({ databaseId: 10010, title: 'Third' })
    expect(sent()).toEqual(
      otherwise('calls of all of them', [
        'POST v1/sfwd-courses/10010',
        'GET v2/sfwd-lessons',
        'POST v1/sfwd-courses/10010',
        'GET v2/sfwd-lessons',
        'POST v2/sfwd-lessons',
        'GET v1/sfwd-courses/10010',
        'POST v1/sfwd-courses/10010',
        'GET v2/sfwd-lessons',
        `POST v2/groups/${SAMPLES.draftGroup}/courses`,
        `GET v2/groups/${SAMPLES.draftGroup}/courses`,
      ]),
    )
  })

  it('continue after one that fails, with one error', async () => {
    const { data, errors } = await mutate(`
      bad: updateCourse(input: { id: 999999, title: "x" }) { __typename }
      good: createQuiz(input: { title: "Good" }) { __typename }`)
    expect(errors).toEqual([])
    expect(data).toEqual({ bad: { __typename: 'NotFoundError' }, good: { __typename: 'CreateQuizSuccess' } })
  })

  it('run separately, even if they are identical', async () => {
    await mutate('a: createQuiz(input: { title: "Twin" }) { __typename } b: createQuiz(input: { title: "Twin" }) { __typename }')
    expect(sent()).toEqual(['POST v1/sfwd-quiz', 'POST v1/sfwd-quiz'])
    world.calls.length = 0
    const query = 'mutation { createQuiz(input: { title: "Parallel twin" }) { __typename } }'
    const headers = { authorization: authorizationOf('admin') }
    await Promise.all([1, 2, 3].map(() => world.gateway.post({ query }, headers)))
    expect(sent()).toEqual(['POST v1/sfwd-quiz', 'POST v1/sfwd-quiz', 'POST v1/sfwd-quiz'])
  })
})
