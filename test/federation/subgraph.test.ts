import { readFileSync } from 'node:fs'
import { isObjectType, parse, print } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subgraphOf } from '../../src/federation/subgraph.js'
import { graphSchema } from '../../src/index.js'
import { globalId } from '../support/global-id.js'
import { World } from '../support/world.js'

const graph = graphSchema()
const { schema, sdl } = subgraphOf(graph)
const definition = (text: string, type: string): string => new RegExp(`^type ${type} .*$`, 'm').exec(text)?.[0] ?? ''
const fieldsOf = (type: string, of = schema): string[] => {
  const found = of.getType(type)
  return isObjectType(found) ? Object.keys(found.getFields()) : []
}

describe('the SDL of the subgraph', () => {
  it('is committed in its current state', () => {
    const committed = readFileSync(new URL('../../schema/subgraph.graphql', import.meta.url), 'utf8')
    expect(committed === `${sdl}\n`, 'Run `npm run schema`.').toBe(true)
    expect(print(parse(sdl))).toBe(sdl)
  })

  it.each([
    ...['Course', 'Group', 'Lesson', 'Quiz'].map((name) => [
      `type ${name} implements LmsContent & Node @key(fields: "id") @key(fields: "databaseId") {`,
    ]),
    ['type Question implements Node @key(fields: "id") @key(fields: "databaseId") {'],
    ['type PriceType implements Node @key(fields: "id") @key(fields: "slug") {'],
    ['type User @key(fields: "id") {'],
    ['type PageInfo @shareable {'],
    ['type NotFoundError implements LmsError @shareable {'],
    ['schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"]) {'],
  ])('has: %s', (line) => {
    expect(sdl.split('\n')).toContain(line)
  })

  it('has keys for entities only, and omits `_service` and `_entities`', () => {
    expect(sdl.match(/^type \w+ .*@key/gm)).toHaveLength(7)
    expect(sdl).not.toMatch(/_entities|_service|_Any|_Entity/)
  })

  it('omits only root fields that return any node or a user', () => {
    const left = fieldsOf('Query', graph).filter((name) => !fieldsOf('Query').includes(name))
    expect(left.sort()).toEqual(['node', 'nodes', 'user', 'viewer'])
    expect(fieldsOf('Query').filter((name) => name.startsWith('_'))).toEqual(['_service', '_entities'])
    expect(fieldsOf('Mutation')).toEqual(fieldsOf('Mutation', graph))
  })

  it('adds fields to users under the key of their owner', () => {
    expect(fieldsOf('User')).toEqual(['id', 'courseProgress', 'nextLessons', 'progressIn'])
    const otherwise = subgraphOf(graph, { userKey: 'lmsId:Int' })
    expect(fieldsOf('User', otherwise.schema)).toEqual(['lmsId', 'courseProgress', 'nextLessons', 'progressIn'])
    expect(definition(otherwise.sdl, 'User')).toBe('type User @key(fields: "lmsId") {')
    expect(otherwise.sdl).toMatch(/^ {2}lmsId: Int!$/m)
    expect(() => subgraphOf(graph, { userKey: 'no key' })).toThrow('`userKey` must be the name of a field')
    expect(() => subgraphOf(graph, { userKey: 'progressIn' })).toThrow('`userKey` must not be `progressIn`: a relation has this name.')
  })

  it('does not change the graph', () => {
    expect(fieldsOf('User', graph).sort()).toEqual(['courseProgress', 'databaseId', 'id', 'name', 'nextLessons', 'progressIn'])
    expect(Object.values(graph.getTypeMap()).filter(({ extensions }) => 'directives' in extensions)).toEqual([])
  })
})

const ENTITIES = `query ($of: [_Any!]!) { _entities(representations: $of) {
  __typename
  ... on Course { databaseId title }
  ... on Group { databaseId title }
  ... on Lesson { databaseId title }
  ... on Quiz { databaseId title }
  ... on Question { databaseId title }
  ... on PriceType { slug name }
  ... on User { id progressIn(course: 10001) { status } }
} }`

describe('records by references', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start({ subgraph: {}, maxListItems: 2_000 })
  })
  afterAll(() => world.close())

  const entities = (of: readonly unknown[], query = ENTITIES) => world.query(query, { as: 'admin', variables: { of } })
  const course = (databaseId: unknown) => ({ __typename: 'Course', databaseId })

  /** Ids of the first records of a list. */
  async function ids(list: string, first: number): Promise<number[]> {
    const { data } = await world.query(`{ ${list}(first: ${first}) { nodes { databaseId } } }`, { as: 'admin' })
    return data[list].nodes.map(({ databaseId }: { databaseId: number }) => databaseId)
  }

  it('returns its SDL to routers', async () => {
    const { data, calls } = await world.query('{ _service { sdl } }')
    expect(data._service.sdl === sdl).toBe(true)
    expect(calls).toEqual([])
  })

  it('are found for each type by each key, in the order of the references', async () => {
    const lists = { Course: 'courses', Group: 'groups', Lesson: 'lessons', Quiz: 'quizzes' }
    const found = await Promise.all(Object.values(lists).map((list) => ids(list, 1)))
    const numbered = Object.keys(lists).map((type, index) => [type, found[index]?.[0] as number] as const)
    const { data: asked } = await world.query('{ question(id: 500001) { databaseId } priceTypes { slug } }', { as: 'admin' })
    const question = asked.question?.databaseId ?? 0
    const of = [...numbered, ['Question', question] as const].flatMap(([__typename, databaseId]) => [
      { __typename, databaseId },
      { __typename, id: globalId(__typename, databaseId) },
      { __typename, id: globalId(__typename, databaseId), databaseId },
    ])
    const { slug } = asked.priceTypes[0]
    const { data, errors } = await entities([
      ...of,
      { __typename: 'PriceType', slug },
      { __typename: 'PriceType', id: globalId('PriceType', slug) },
    ])
    expect(errors).toEqual([])
    const expected = of.map(({ __typename, databaseId, id }) => [
      __typename,
      databaseId ??
        Number(
          Buffer.from(id as string, 'base64')
            .toString()
            .split(':')[1],
        ),
    ])
    expect(data._entities.map((each: any) => [each.__typename, each.databaseId ?? each.slug])).toEqual([
      ...expected,
      ['PriceType', slug],
      ['PriceType', slug],
    ])
    for (const { title, name } of data._entities) expect(title ?? name).toEqual(expect.any(String))
  })

  it('are read in one call for a hundred references, with the selected fields only', async () => {
    const hundred = await ids('courses', 100)
    const { data, calls } = await entities(
      hundred.map(course),
      'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Course { title } } }',
    )
    expect(data._entities).toHaveLength(100)
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatch(/^\/lms\/v1\/sfwd-courses\?/)
    expect(calls[0]).toMatch(/include=\d+(%2C\d+|,\d+){99}/)
    expect(calls[0]).toMatch(/_filter=id(,|%2C)title\.rendered(&|$)|_filter=title\.rendered(,|%2C)id(&|$)/)
  })

  it('have relations that are read level by level', async () => {
    const hundred = await ids('lessons', 100)
    const { data, errors, calls } = await entities(
      hundred.map((databaseId) => ({ __typename: 'Lesson', databaseId })),
      'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Lesson { course { title priceType { name } } } } }',
    )
    expect(errors).toEqual([])
    const list = await world.query('{ lessons(first: 100) { nodes { course { title priceType { name } } } } }', { as: 'admin' })
    expect(data._entities).toEqual(list.data.lessons.nodes)
    expect(calls).toHaveLength(list.calls.length)
    expect(calls.filter((path) => /lessons|price-types/.test(path))).toHaveLength(2)
  })

  it('are read in ten batches for a thousand', async () => {
    const thousand = await ids('lessons', 1_000)
    expect(thousand).toHaveLength(1_000)
    const of = thousand.map((databaseId) => ({ __typename: 'Lesson', databaseId }))
    const { data, errors, calls } = await entities(of)
    expect(errors).toEqual([])
    expect(data._entities.map(({ databaseId }: { databaseId: number }) => databaseId)).toEqual(thousand)
    expect(calls).toHaveLength(10)
  })

  it('need no call for a user, and only the selected calls for their progress', async () => {
    const users = [5, '6'].map((id) => ({ __typename: 'User', id }))
    const bare = await entities(users, 'query ($of: [_Any!]!) { _entities(representations: $of) { ... on User { id } } }')
    expect([bare.data._entities, bare.calls]).toEqual([[{ id: '5' }, { id: '6' }], []])
    const { errors, calls } = await entities(users)
    expect(errors).toEqual([])
    expect(calls.map((path) => path.replace(/\?.*/, ''))).toEqual([5, 6].map((id) => `/lms/v2/users/${id}/course-progress/10001`))
  })

  const BAD: readonly (readonly [string, object, string])[] = [
    ['no key', { __typename: 'Course' }, '`representations[1]` must have `id` or `databaseId` of a Course.'],
    ['a key of null', { __typename: 'Course', databaseId: null }, '`representations[1]` must have `id` or `databaseId` of a Course.'],
    ['a text for a number', course('10001'), '`representations[1].databaseId` must be a positive integer of 32 bits, not `"10001"`.'],
    ['a negative number', course(-1), '`representations[1].databaseId` must be a positive integer of 32 bits, not `-1`.'],
    ['a fraction', course(1.5), '`representations[1].databaseId` must be a positive integer of 32 bits, not `1.5`.'],
    ['too large a number', course(2 ** 31), '`representations[1].databaseId` must be a positive integer of 32 bits, not `2147483648`.'],
    ['an object', course({ in: [1] }), '`representations[1].databaseId` must be a positive integer of 32 bits, not `{"in":[1]}`.'],
    ['bare digits', { __typename: 'Course', id: '10001' }, '`representations[1].id` must be the `id` of a Course, not `"10001"`.'],
    [
      'the id of another type',
      { __typename: 'Course', id: globalId('Group', 1001) },
      '`representations[1].id` must be the `id` of a Course, not `"R3JvdXA6MTAwMQ=="`.',
    ],
    [
      'keys of two records',
      { __typename: 'Course', id: globalId('Course', 10002), databaseId: 10001 },
      '`id` and `databaseId` of `representations[1]` do not identify the same record.',
    ],
    [
      'a slug that is none',
      { __typename: 'PriceType', slug: '../x' },
      '`representations[1].slug` must be 1 to 100 letters, digits, `-` or `_`, not `"../x"`.',
    ],
    [
      'a user without id',
      { __typename: 'User', id: 'x/../1' },
      '`representations[1].id` must be the id of a User in the LMS, a positive integer, not `"x/../1"`.',
    ],
  ]

  it.each(BAD)('are null with an error for a reference with %s', async (_, bad, message) => {
    const { status, data, errors, calls } = await entities([course(10001), bad, course(10002)])
    expect([status, errors]).toEqual([
      200,
      [{ message, path: ['_entities', 1], locations: [expect.anything()], extensions: { code: 'BAD_USER_INPUT' } }],
    ])
    expect(data._entities).toEqual([expect.objectContaining({ databaseId: 10001 }), null, expect.objectContaining({ databaseId: 10002 })])
    expect(calls).toHaveLength(1)
  })

  it('are null without an error for a missing record, and with an error for a forbidden one', async () => {
    const missing = await entities([course(10001), course(999_999)])
    expect([missing.errors, missing.data._entities[1]]).toEqual([[], null])
    const refused = await world.query(ENTITIES, { variables: { of: [course(10001), { __typename: 'Question', databaseId: 500001 }] } })
    expect(refused.data._entities).toEqual([expect.objectContaining({ databaseId: 10001 }), null])
    expect(refused.errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([[['_entities', 1], 'UNAUTHENTICATED']])
  })

  it.each([
    [undefined, 'nothing'],
    ['Sandwich', '"Sandwich"'],
    ['CourseProgress', '"CourseProgress"'],
    ['toString', '"toString"'],
    [7, '7'],
  ])('refuse the whole where a type is %s', async (__typename, shown) => {
    const { data, errors, calls } = await entities([course(10001), { __typename, databaseId: 1 }])
    expect([data, calls]).toEqual([null, []])
    expect(errors.map(({ message, extensions }) => [message, extensions.code])).toEqual([
      [
        `\`representations[1].__typename\` must be one of Course, Group, Lesson, PriceType, Question, Quiz, User, not \`${shown}\`.`,
        'BAD_USER_INPUT',
      ],
    ])
  })

  it.each([
    ['a variable', ENTITIES, { of: ['Course'] }],
    ['a literal', '{ _entities(representations: ["Course"]) { __typename } }', {}],
  ])('refuse what is no reference at all, in %s', async (_, query, variables) => {
    const { status, errors } = await world.query(query, { variables })
    expect([status, errors[0]?.extensions.code]).toEqual([400, expect.stringMatching(/BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED/)])
    expect(errors[0]?.message).toContain('A reference must be an object with `__typename` and a key.')
  })

  it('accept literals, and as many references as a list has rows', async () => {
    const { data, errors } = await world.query(
      '{ _entities(representations: [{ __typename: "Course", databaseId: 10001 }]) { ... on Course { databaseId } } }',
    )
    expect([errors, data]).toEqual([[], { _entities: [{ databaseId: 10001 }] }])
    const many = await entities(Array.from({ length: 1_001 }, () => course(10001)))
    expect(many.errors.map(({ message }) => message)).toEqual(['`representations` holds 1001 references; at most 1000 are allowed.'])
    expect(many.calls).toEqual([])
  })

  it('have users with the key of their owner', async () => {
    const { data } = await world.query('{ course(id: 10001) { author { __typename id } } }')
    expect(data.course.author).toEqual({ __typename: 'User', id: expect.stringMatching(/^\d+$/) })
  })
})
