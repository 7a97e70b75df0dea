import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { globalId } from '../support/global-id.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { World } from '../support/world.js'

// One bad argument, or one record that cannot be read, leaves the rest of the response intact.

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.close())

const BESIDE = 'beside: course(id: 10001) { databaseId }'

describe('a bad argument', () => {
  it.each([
    ['user(id: "x") { id }'],
    ['course(id: "x") { id }'],
    ['course { id }'],
    ['group(id: "0") { id }'],
    ['lesson(id: 100001, course: "x") { id }'],
    ['quiz(id: -1) { id }'],
    ['question(id: "") { id }'],
    ['node(id: "12") { id }'],
    ['priceType(slug: "../x") { name }'],
    ['courses(first: -1) { totalCount }'],
    ['groups(where: { id: { in: ["x"] } }) { totalCount }'],
    ['lessons(after: "x") { totalCount }'],
    ['quizzes(orderBy: { field: RELEVANCE }) { totalCount }'],
    [`nodes(ids: [${Array.from({ length: 501 }, () => '"x"')}]) { id }`],
  ])('of %s leaves the rest of the response', async (field) => {
    const { status, data, errors, calls } = await world.query(`{ bad: ${field} ${BESIDE} }`)
    expect([status, data]).toEqual([200, { bad: null, beside: { databaseId: 10001 } }])
    expect(errors).toMatchObject([{ path: ['bad'], extensions: { code: 'BAD_USER_INPUT' } }])
    expect(calls).toHaveLength(1)
  })

  it('of a relation leaves the rest of the record', async () => {
    const bad = 'progress(user: "x") { status } lessons(first: -1) { totalCount } title'
    const { data, errors } = await world.query(`{ course(id: 10001) { ${bad} } user(id: 3) { progressIn(course: "x") { id } databaseId } }`)
    expect(data).toEqual({
      course: { progress: null, lessons: null, title: expect.any(String) },
      user: { progressIn: null, databaseId: 3 },
    })
    expect(errors.map(({ path }) => path?.join('.')).sort()).toEqual(['course.lessons', 'course.progress', 'user.progressIn'])
  })
})

describe('`nodes`', () => {
  it('has null with an error for each invalid id, and null without an error for missing records', async () => {
    const ids = [
      'zz',
      globalId('Course', 10001),
      '7',
      globalId('Course', 7_000_123),
      globalId('NoType', 1),
      globalId('Course', 'abc'),
      'zz',
    ]
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on Course { databaseId } } ${BESIDE} }`
    const { data, errors, calls } = await world.query(query, { variables: { ids } })
    expect(data).toEqual({
      nodes: [null, { __typename: 'Course', databaseId: 10001 }, null, null, null, null, null],
      beside: { databaseId: 10001 },
    })
    expect(errors.map(({ path, extensions, message }) => [path?.join('.'), extensions.code, message.slice(0, 8)])).toEqual(
      [0, 2, 4, 5, 6].map((index) => [`nodes.${index}`, 'BAD_USER_INPUT', `\`ids[${index}]\``]),
    )
    // The missing one is looked for in a batch, and then alone.
    expect(calls).toHaveLength(2)
  })

  it('with invalid ids only makes no call', async () => {
    const { data, errors, calls } = await world.query('{ nodes(ids: ["a", "b"]) { id } }')
    expect([data, errors.length, calls]).toEqual([{ nodes: [null, null] }, 2, []])
  })
})

describe('the viewer', () => {
  it('is unknown to a gateway that does not identify callers: `progress` is null without a call', async () => {
    const { data, errors, calls } = await world.query('{ course(id: 10001) { databaseId progress { status } } }', { as: 'learner' })
    expect([data, errors, calls.length]).toEqual([{ course: { databaseId: 10001, progress: null } }, [], 1])
  })
})

describe('prerequisites that cannot be read', () => {
  let site: FakeSite
  let gateway: Served
  beforeAll(async () => {
    site = await FakeSite.start(async ({ url = '' }, response) => {
      if (/\/sfwd-courses\/5\?/.test(url)) {
        // The list is there by then, so the course itself is known.
        await wait(100)
        json(response, { code: 'odd', message: 'Odd.', data: { status: 500 } }, { status: 500 })
      } else json(response, [{ id: 5, title: { rendered: 'Five' } }], { headers: { 'x-wp-total': '1', 'x-wp-totalpages': '1' } })
    })
    gateway = await serve({ site: { url: site.url }, protection: { retries: 0 } })
  })
  afterAll(async () => {
    await gateway.close()
    await site.close()
  })

  it('are one null item with an error, and the course is shown', async () => {
    const query = '{ list: courses(first: 1) { nodes { title } } course(id: 5) { databaseId prerequisites { title } } }'
    const { data, errors } = (await (await gateway.post({ query })).json()) as { data: object; errors: any[] }
    expect(data).toEqual({ list: { nodes: [{ title: 'Five' }] }, course: { databaseId: 5, prerequisites: [null] } })
    expect(errors).toMatchObject([{ path: ['course', 'prerequisites', 0], extensions: { code: 'UPSTREAM_UNAVAILABLE' } }])
  })
})
