import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphSchema, subgraphOf } from '../../src/index.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { authorizationOf, World } from '../support/world.js'

const MAX_AGE = { Course: 300, Lesson: 60, PriceType: 3600, CourseProgress: 0 }

const worlds: readonly (readonly [string, TunedOptions])[] = [
  ['the path for JSON posts', {}],
  ['Yoga', { tuning: { shortPath: false } }],
  ['graphql-js', { tuning: { compile: false } }],
]

describe.each(worlds)('Cache-Control by %s', (_, options) => {
  let world: World
  beforeAll(async () => {
    world = await World.start(
      merged({ subgraph: { enabled: true }, http: { maxAge: MAX_AGE }, observe: { explainFor: ['everybody'] } }, options),
    )
  })
  afterAll(() => world.close())

  async function cacheControl(body: object, headers: Record<string, string> = {}): Promise<[string | null, any]> {
    const response = await world.gateway.post(body, headers)
    return [response.headers.get('cache-control'), await response.json()]
  }

  it.each([
    ['the age of a type', '{ course(id: 10001) { title } }', 300],
    ['the least of several', '{ course(id: 10001) { title priceType { name } lessons(first: 1) { nodes { title } } } }', 60],
    ['that of the records of a list', '{ courses(first: 1) { totalCount } }', 300],
    [
      'that of a reference',
      '{ _entities(representations: [{ __typename: "PriceType", slug: "free" }]) { ... on PriceType { name } } }',
      3600,
    ],
    [
      'the least in fragments',
      'query { course(id: 10001) { ...a } } fragment a on Course { lessons(first: 1) { edges { node { id } } } }',
      60,
    ],
  ])('has %s', async (_, query, seconds) => {
    const [first, result] = await cacheControl({ query })
    expect(result.errors).toBeUndefined()
    expect(Object.keys(result)).toEqual(['data'])
    expect(first).toBe(`public, max-age=${seconds}`)
    // Known documents take another way.
    for (const _ of [1, 2]) expect((await cacheControl({ query }))[0]).toBe(`public, max-age=${seconds}`)
    expect((await cacheControl({ query }, { authorization: authorizationOf('learner') }))[0]).toBe(`private, max-age=${seconds}`)
  })

  it.each([
    ['what is computed for the viewer', '{ course(id: 10001) { access { state } } }'],
    ['a relation to the viewer', '{ course(id: 10001) { id progress { id } } }'],
    ['what the viewer may do', '{ course(id: 10001) { viewerCanUpdate } }'],
    ['what the caller may do at the address of a link', '{ course(id: 10001) { links { allow } } }'],
  ])('is private with %s', async (_, query) => {
    const world = await World.start(merged({ subgraph: { enabled: true }, http: { maxAge: 60 } }, options))
    const response = await world.gateway.post({ query })
    expect([((await response.json()) as { errors?: unknown }).errors, response.headers.get('cache-control')]).toEqual([
      undefined,
      'private, max-age=60',
    ])
    await world.close()
  })

  it.each([
    ['a type without age', { query: '{ groups(first: 1) { nodes { title } } }' }],
    [
      'a type whose age is 0',
      {
        query:
          '{ _entities(representations: [{ __typename: "CourseProgress", userId: 3, courseId: 10001 }]) { ... on CourseProgress { status } } }',
      },
      'learner',
    ],
    ['an error', { query: '{ course(id: 10001) { title passwordIs: contentRaw } }' }],
    [
      'a mutation',
      { query: 'mutation { updateCourse(input: { id: 10003, price: "3" }) { ... on UpdateCourseSuccess { course { title } } } }' },
      'admin',
    ],
    ['a password', { query: 'query ($p: String) { course(id: 10001, password: $p) { title } }' }],
    ['an explanation', { query: '{ course(id: 10001) { title } }', extensions: { explain: 'run' } }],
    ['no record', { query: '{ __typename _service { sdl } }' }],
  ] as const)('forbids to keep %s', async (_, body, as?: 'admin' | 'learner') => {
    const [value, result] = await cacheControl(body, as && { authorization: authorizationOf(as) })
    expect(result.extensions?.http).toBeUndefined()
    expect(value).toBe('no-store')
  })
})

describe('Cache-Control', () => {
  it('is private on a gateway with authentication, and absent without ages', async () => {
    const body = { query: '{ course(id: 10001) { title } }' }
    const withKeys = await World.start({ subgraph: { enabled: true }, http: { maxAge: 60 }, access: { apiKeys: ['k'.repeat(32)] } })
    const response = await withKeys.gateway.post(body, { 'x-api-key': 'k'.repeat(32) })
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'private, max-age=60'])
    await withKeys.close()
    const without = await World.start({ subgraph: { enabled: true } })
    expect((await without.gateway.post(body)).headers.get('cache-control')).toBeNull()
    await without.close()
  })

  it('has its ages in the SDL, by type or for all', () => {
    const { sdl } = subgraphOf(graphSchema(), { maxAge: MAX_AGE })
    const marked = [...sdl.matchAll(/^type (\w+) .*@cacheControl\(maxAge: (\d+)\)/gm)].map(([, type, seconds]) => [type, Number(seconds)])
    expect(marked).toEqual([
      ['Course', 300],
      ['CourseConnection', 300],
      ['GroupCourseConnection', 300],
      ['Lesson', 60],
      ['LessonConnection', 60],
      ['PriceType', 3600],
      ['UserCourseConnection', 300],
    ])
    expect(sdl).toContain(
      '@link(url: "https://the-guild.dev/mesh/v1.0", import: ["@cacheControl"]) @composeDirective(name: "@cacheControl")',
    )
    const all = subgraphOf(graphSchema(), { maxAge: 60 }).sdl
    expect(all.match(/^type .*@cacheControl\(maxAge: 60\)/gm)?.length).toBeGreaterThan(12)
    expect(subgraphOf(graphSchema()).sdl).not.toMatch(/cacheControl|CacheControlScope/)
  })
})
