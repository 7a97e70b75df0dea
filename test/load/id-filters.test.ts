import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { READER } from '../support/profile.js'
import { World } from '../support/world.js'

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.close())

describe('0 in place of an id', () => {
  const ids = async (where: string): Promise<number[]> => {
    const { data, errors } = await world.query(
      `{ groups(first: 100, where: { ${where} }, orderBy: { field: ID }) { nodes { databaseId parentId } } }`,
      {
        as: 'admin',
      },
    )
    expect(errors).toEqual([])
    return data.groups.nodes.map(({ databaseId }: any) => databaseId)
  }

  it('means groups without a parent, next to other ids and in `notIn`', async () => {
    const { data } = await world.query('{ groups(first: 100, orderBy: { field: ID }) { nodes { databaseId parentId } } }', { as: 'admin' })
    const all: { databaseId: number; parentId: number | null }[] = data.groups.nodes
    const parent = all.find(({ parentId }) => parentId !== null)?.parentId as number
    const below = (passes: (parentId: number | null) => boolean): number[] =>
      all.filter(({ parentId }) => passes(parentId)).map(({ databaseId }) => databaseId)
    expect(parent).toBeGreaterThan(0)
    expect(await ids('parent: { in: [0] }')).toEqual(below((id) => id === null))
    expect(await ids('parent: { in: ["0"] }')).toEqual(below((id) => id === null))
    expect(await ids(`parent: { in: [0, ${parent}] }`)).toEqual(below((id) => id === null || id === parent))
    expect(await ids('parent: { notIn: [0] }')).toEqual(below((id) => id !== null))
  })

  it('is sent unchanged', async () => {
    const { calls } = await world.query('{ groups(first: 1, where: { parent: { in: [0] } }) { nodes { databaseId } } }', { as: 'admin' })
    expect(calls).toEqual(['/lms/v1/groups?per_page=1&context=view&_filter=id&parent=0'])
  })

  it.each([
    ['{ courses(where: { id: { in: [0] } }) { totalCount } }', 'where.id.in[0]'],
    ['{ groups(where: { author: { in: [0] } }) { totalCount } }', 'where.author.in[0]'],
    ['{ groups(where: { parent: { in: [-1] } }) { totalCount } }', 'where.parent.in[0]'],
    ['{ lessons(where: { course: 0 }) { totalCount } }', 'where.course'],
    ['{ user(id: 3) { courseProgress(where: { course: { in: [0] } }) { totalCount } } }', 'where.course.in[0]'],
  ])('is refused where every record has an id: %s', async (query, place) => {
    const { errors, calls } = await world.query(query, { as: 'admin' })
    expect([errors.map(({ extensions }) => extensions.code), calls]).toEqual([['BAD_USER_INPUT'], []])
    expect(errors[0]?.message).toContain(place)
  })

  it.each([
    ['updateGroup', 'group', 1_003, 'parentId', '0'],
    ['updateGroup', 'group', 1_003, 'parentId', '"0"'],
    ['updateCourse', 'course', 10_012, 'featuredMediaId', '0'],
    ['updateQuiz', 'quiz', 300_003, 'certificateId', '0'],
  ])('clears a reference like null: %s of a %s %i, `%s: %s`', async (mutation, field, id, column, value) => {
    const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Success`
    const { data, errors } = await world.query(
      `mutation { ${mutation}(input: { id: ${id}, ${column}: ${value} }) { __typename ... on ${type} { ${field} { ${column} } } } }`,
      { as: 'admin' },
    )
    expect(errors).toEqual([])
    expect(data[mutation]).toEqual({ __typename: type, [field]: { [column]: null } })
  })

  it('is refused as an author', async () => {
    const { data, calls } = await world.query(
      'mutation { updateCourse(input: { id: 10012, authorId: 0 }) { ... on LmsError { message code } } }',
      { as: 'admin' },
    )
    expect([data.updateCourse.code, calls]).toEqual(['BAD_USER_INPUT', []])
  })
})

describe('`in` with `notIn`', () => {
  it.each([
    ['courses', 'id', '10001, 10002, 10003', '10002', /&include=10001,10003(&|$)/],
    ['courses', 'author', '2, 3, 4', '3', /&author=2,4(&|$)/],
    ['groups', 'parent', '0, 1001, 1002', '1002', /&parent=0,1001(&|$)/],
  ])('of %s by `%s` is subtracted before the site is asked', async (list, filter, wanted, unwanted, sent) => {
    const query = `{ ${list}(first: 50, where: { ${filter}: { in: [${wanted}], notIn: [${unwanted}] } }) { nodes { databaseId } } }`
    const { errors, calls } = await world.query(query, { as: 'admin' })
    expect([errors, calls.length]).toEqual([[], 1])
    expect(calls[0]).toMatch(sent)
    expect(calls[0]).not.toContain('exclude')
  })

  it('of progress is subtracted as well', async () => {
    const { errors, calls } = await world.query(
      '{ user(id: 3) { courseProgress(where: { course: { in: [10001, 10002], notIn: [10001] } }) { nodes { courseId } } } }',
      { as: 'learner' },
    )
    expect([errors, calls.length]).toEqual([[], 1])
    expect(calls[0]).toMatch(/&include=10002(&|$)/)
  })

  it('that leaves no id is an empty connection without a call', async () => {
    const { data, errors, calls } = await world.query(
      `{ courses(where: { id: { in: [${SAMPLES.cycle}], notIn: [${SAMPLES.cycle}] } }) { totalCount nodes { title } pageInfo { hasNextPage } } }`,
      READER,
    )
    expect([errors, calls]).toEqual([[], []])
    expect(data.courses).toEqual({ totalCount: 0, nodes: [], pageInfo: { hasNextPage: false } })
  })

  it('of terms is sent unchanged: a record can have several terms', async () => {
    const { calls } = await world.query(
      '{ courses(where: { courseTags: { in: [700001, 700002], notIn: [700002] } }) { totalCount } }',
      READER,
    )
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatch(/lms_course_tag=700001,700002&lms_course_tag_exclude=700002/)
  })
})
