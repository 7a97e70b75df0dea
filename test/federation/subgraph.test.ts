import { readFileSync } from 'node:fs'
import { isObjectType, parse, print } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subgraphOf } from '../../src/federation/subgraph.js'
import { graphSchema } from '../../src/index.js'
import { globalId } from '../support/global-id.js'
import { SITE_NAMES } from '../support/profile.js'
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
    ['type CourseProgress implements Node @key(fields: "id") @key(fields: "userId courseId") {'],
    ['type FeaturedImage implements Node @key(fields: "id") @key(fields: "databaseId") {'],
    ['type LmsTerm implements Node @key(fields: "id") @key(fields: "id __typename") {'],
    ['type User @key(fields: "id") @key(fields: "id __typename") {'],
    ['type PageInfo @shareable @cost(weight: 0) {'],
    ['type NotFoundError implements LmsError @shareable @cost(weight: 0) {'],
    ['schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@cost", "@key", "@listSize", "@shareable"]) {'],
  ])('has: %s', (line) => {
    expect(sdl.split('\n')).toContain(line)
  })

  it('has keys for entities only, and omits `_service` and `_entities`', () => {
    expect(sdl.match(/^type \w+ .*@key/gm)).toHaveLength(11)
    expect(sdl).not.toMatch(/_entities|_service|_Any|_Entity/)
  })

  it('omits only root fields that return any node or a user', () => {
    const left = fieldsOf('Query', graph).filter((name) => !fieldsOf('Query').includes(name))
    expect(left.sort()).toEqual(['node', 'nodes', 'user', 'viewer'])
    expect(fieldsOf('Query').filter((name) => name.startsWith('_'))).toEqual(['_service', '_entities'])
    expect(fieldsOf('Mutation')).toEqual(fieldsOf('Mutation', graph))
  })

  it('adds fields to users under the key of their owner', () => {
    expect(fieldsOf('User')).toEqual(['id', 'courseProgress', 'courses', 'nextLessons', 'progressIn'])
    const otherwise = subgraphOf(graph, { users: 'lmsId:Int' })
    expect(fieldsOf('User', otherwise.schema)).toEqual(['lmsId', 'courseProgress', 'courses', 'nextLessons', 'progressIn'])
    expect(definition(otherwise.sdl, 'User')).toBe('type User @key(fields: "lmsId") @key(fields: "lmsId __typename") {')
    expect(otherwise.sdl).toMatch(/^ {2}lmsId: Int!$/m)
    expect(() => subgraphOf(graph, { users: 'no key' })).toThrow('`users` must be `here`, or the name of a field')
    expect(() => subgraphOf(graph, { users: 'progressIn' })).toThrow('`users` must not be `progressIn`: a relation has this name.')
  })

  it('does not change the graph', () => {
    expect(fieldsOf('User', graph)).toEqual(expect.arrayContaining(['courseProgress', 'databaseId', 'email', 'id', 'name', 'slug']))
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
    world = await World.start({ subgraph: { enabled: true }, tuning: { limits: { maxListItems: 2_000 } } })
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
    ['CourseConnection', '"CourseConnection"'],
    ['toString', '"toString"'],
    [7, '7'],
  ])('refuse the whole where a type is %s', async (__typename, shown) => {
    const { data, errors, calls } = await entities([course(10001), { __typename, databaseId: 1 }])
    expect([data, calls]).toEqual([null, []])
    expect(errors.map(({ message, extensions }) => [message, extensions.code])).toEqual([
      [
        `\`representations[1].__typename\` must be one of Course, CourseProgress, FeaturedImage, Group, Lesson, LmsTerm, PriceType, Question, Quiz, Topic, User, not \`${shown}\`.`,
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

  it('are topics by their ids, in one call, and an error on sites without them', async () => {
    const topics = 'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Topic { databaseId title } } }'
    const variables = { of: [400_001, 400_002, 999_999].map((databaseId) => ({ __typename: 'Topic', databaseId })) }
    const names = { ...SITE_NAMES, routes: ['sfwd-topic'] as const }
    const here = await World.start({ subgraph: { enabled: true } }, { profile: 'lms' }, names)
    try {
      const { data, errors, calls } = await here.query(topics, { as: 'admin', variables })
      expect([errors, data._entities]).toEqual([
        [],
        [400_001, 400_002].map((databaseId) => ({ databaseId, title: expect.stringMatching(/^Practice: /) })).concat([null as never]),
      ])
      // The batch, and the id that it leaves out.
      expect(calls).toHaveLength(2)
    } finally {
      await here.close()
    }
    const without = await World.start({ subgraph: { enabled: true } }, { profile: 'lms' }, { routes: [] })
    try {
      const { errors, calls } = await without.query(topics, { as: 'admin', variables })
      expect([new Set(errors.map(({ extensions }) => extensions.code)), calls]).toEqual([new Set(['NOT_AVAILABLE']), []])
    } finally {
      await without.close()
    }
  })

  const PROGRESS = `query ($of: [_Any!]!) { _entities(representations: $of) { ... on CourseProgress { id userId courseId status } } }`
  const progress = (more: object) => ({ __typename: 'CourseProgress', ...more })

  it('are progress by user and course, in one call per user', async () => {
    const found = await world.query(
      'query ($of: [_Any!]!) { _entities(representations: $of) { ... on User { courseProgress(first: 2) { nodes { courseId } } } } }',
      { as: 'admin', variables: { of: [{ __typename: 'User', id: 3 }] } },
    )
    const [first, second] = found.data._entities[0].courseProgress.nodes.map(({ courseId }: any) => courseId)
    const id = globalId('CourseProgress', `3:${first}`)
    const of = [{ userId: 3, courseId: first }, { id }, { id, userId: 3, courseId: first }, { userId: 3, courseId: second }]
    const { data, errors, calls } = await entities(of.map(progress), PROGRESS)
    expect(errors).toEqual([])
    expect(data._entities.map(({ userId, courseId }: any) => [userId, courseId])).toEqual([
      [3, first],
      [3, first],
      [3, first],
      [3, second],
    ])
    expect(data._entities[0]).toMatchObject({ id, status: expect.any(String) })
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatch(/^\/lms\/v2\/users\/3\/course-progress\?/)
  })

  it.each([
    ['half a key', { userId: 3 }, '`representations[0]` must have `id` or `userId` and `courseId` of a CourseProgress.'],
    ['a wrong part', { userId: 3, courseId: 'x' }, '`representations[0].courseId` must be a positive integer of 32 bits, not `"x"`.'],
    [
      'keys of two records',
      { id: globalId('CourseProgress', '3:10002'), userId: 3, courseId: 10001 },
      '`id` and `userId` and `courseId` of `representations[0]` do not identify the same record.',
    ],
  ])('are null with an error for progress by %s', async (_, key, message) => {
    const { data, errors, calls } = await entities([progress(key)], PROGRESS)
    expect([data._entities, errors.map(({ message }) => message), calls]).toEqual([[null], [message], []])
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

describe('slugs as keys', () => {
  let world: World
  const SLUGS = `query ($of: [_Any!]!) { _entities(representations: $of) {
    __typename
    ... on Course { databaseId slug title }
    ... on Lesson { databaseId slug }
    ... on User { id }
  } }`
  beforeAll(async () => {
    world = await World.start({ subgraph: { enabled: true, slugKeys: true } })
  })
  afterAll(() => world.close())

  const entities = (of: readonly unknown[]) => world.query(SLUGS, { as: 'admin', variables: { of } })

  it('are in the SDL of types that have a route for them', () => {
    const found = subgraphOf(graph, { slugKeys: true }).sdl.match(/^type \w+ .*@key\(fields: "slug"\)/gm) ?? []
    expect(found.map((line) => line.split(' ')[1])).toEqual(['Course', 'Group', 'Lesson', 'PriceType', 'Quiz', 'Topic'])
  })

  it('are looked up together, beside references by other keys', async () => {
    const { data: lists } = await world.query(
      '{ courses(first: 3) { nodes { databaseId slug } } lessons(first: 2) { nodes { databaseId slug } } }',
      { as: 'admin' },
    )
    const [first, second, third] = lists.courses.nodes
    const [lesson, other] = lists.lessons.nodes
    const of = [
      { __typename: 'Course', slug: first.slug },
      { __typename: 'Course', databaseId: second.databaseId },
      { __typename: 'User', id: '3' },
      { __typename: 'Lesson', slug: lesson.slug },
      { __typename: 'Course', slug: third.slug },
      { __typename: 'Course', slug: 'no-such-course' },
      { __typename: 'Lesson', databaseId: other.databaseId },
      // The other key counts.
      { __typename: 'Course', databaseId: second.databaseId, slug: first.slug },
    ]
    const { data, errors, calls } = await entities(of)
    expect(errors).toEqual([])
    expect(data._entities.map((entity: any) => entity?.databaseId ?? entity?.id ?? null)).toEqual([
      first.databaseId,
      second.databaseId,
      '3',
      lesson.databaseId,
      third.databaseId,
      null,
      other.databaseId,
      second.databaseId,
    ])
    // A lookup of each type (again among unpublished courses, for the missing one), and a read of the other keys.
    expect(calls.filter((path) => /[?&]slug=/.test(path)).map((path) => path.replace(/\?.*/, ''))).toEqual([
      '/lms/v1/sfwd-courses',
      '/lms/v1/sfwd-courses',
      '/lms/v2/sfwd-lessons',
    ])
    expect(calls).toHaveLength(5)
  })

  it('are refused one by one', async () => {
    const { data, errors } = await entities([
      { __typename: 'Course', slug: 'a,b' },
      { __typename: 'Course', slug: '' },
      { __typename: 'Course', databaseId: 10001 },
    ])
    expect(data._entities).toEqual([null, null, expect.objectContaining({ databaseId: 10001 })])
    expect(errors.map(({ path, message }) => [path, message])).toEqual([
      [['_entities', 0], '`representations[0].slug` must have 1 to 200 characters and no comma or space, not `"a,b"`.'],
      [['_entities', 1], '`representations[1].slug` must have 1 to 200 characters and no comma or space, not `""`.'],
    ])
  })

  it('are within the estimate', async () => {
    const of = [
      { __typename: 'Course', slug: 'a' },
      { __typename: 'Course', databaseId: 10001 },
    ]
    const explained = await World.start({ subgraph: { enabled: true, slugKeys: true }, observe: { explainFor: ['everybody'] } })
    const response = await explained.gateway.post({ query: SLUGS, variables: { of }, extensions: { explain: 'plan' } })
    const { predicted } = ((await response.json()) as any).extensions.explain
    const { calls } = await explained.query(SLUGS, { variables: { of } })
    expect(calls.length).toBeGreaterThanOrEqual(predicted.min)
    expect(calls.length).toBeLessThanOrEqual(predicted.max)
    expect(predicted.waves).toBe(2)
    await explained.close()
  })
})

describe('users that the subgraph owns', () => {
  it('have their keys, their names and their root fields', async () => {
    const { schema, sdl } = subgraphOf(graph, { users: 'here' })
    expect(definition(sdl, 'User')).toBe('type User implements Node @key(fields: "id") @key(fields: "databaseId") {')
    const left = fieldsOf('Query', graph).filter((name) => !fieldsOf('Query', schema).includes(name))
    expect(left.sort()).toEqual(['node', 'nodes'])
    const world = await World.start({ subgraph: { enabled: true, users: 'here' } })
    const { data, errors } = await world.query(
      `query ($of: [_Any!]!) { viewer { databaseId } _entities(representations: $of) { ... on User { id databaseId courseProgress(first: 1) { totalCount } } } }`,
      {
        as: 'learner',
        variables: {
          of: [
            { __typename: 'User', databaseId: 3 },
            { __typename: 'User', id: globalId('User', 3) },
          ],
        },
      },
    )
    expect(errors).toEqual([])
    const user = { id: globalId('User', 3), databaseId: 3, courseProgress: { totalCount: expect.any(Number) } }
    expect(data.viewer).toBeNull()
    expect(data._entities).toEqual([user, user])
    await world.close()
  })
})

describe('references to WordPress', () => {
  it('have the ids of the site, without a call', async () => {
    const refersTo = ['MediaItem', 'Category', 'Tag'] as const
    const { sdl } = subgraphOf(graph, { refersTo })
    for (const name of refersTo) expect(definition(sdl, name)).toBe(`type ${name} @key(fields: "databaseId", resolvable: false) {`)
    const world = await World.start({ subgraph: { enabled: true, refersTo } })
    const { data, errors, calls } = await world.query(
      `{ courses(first: 20) { nodes {
          featuredMediaId featuredMedia { __typename databaseId }
          categoryIds categories { databaseId }
          tagIds tags { databaseId }
      } } }`,
    )
    expect(errors).toEqual([])
    expect(calls).toHaveLength(1)
    const ids = (list: readonly { databaseId: number }[] | null) => list?.map(({ databaseId }) => databaseId) ?? null
    let references = 0
    for (const { featuredMediaId, featuredMedia, categoryIds, categories, tagIds, tags } of data.courses.nodes) {
      expect(featuredMedia).toEqual(featuredMediaId === null ? null : { __typename: 'MediaItem', databaseId: featuredMediaId })
      expect([ids(categories), ids(tags)]).toEqual([categoryIds, tagIds])
      references += (featuredMediaId === null ? 0 : 1) + (categoryIds?.length ?? 0) + (tagIds?.length ?? 0)
    }
    expect(references).toBeGreaterThan(10)
    await world.close()
  })
})
