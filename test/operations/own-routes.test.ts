import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SiteNames } from '../../src/upstream/site/site.js'
import { globalId } from '../support/global-id.js'
import { merged } from '../support/merged.js'
import { READER, SITE_NAMES } from '../support/profile.js'
import { World } from '../support/world.js'

// Images, users and terms of the embedded LMS. `test/deploy/wordpress-relations.test.ts` has them of a WordPress.

const ALL: SiteNames = { ...SITE_NAMES, routes: ['users/me', 'users', 'media', 'terms'] }
/** With categories of all types, which courses of sites of the plugin do not have. */
const SCHOOL = { switches: { siteRoutes: true, withoutCategories: false } } as const

const routesOf = (calls: readonly string[]): string[] => calls.map((path) => path.split('?')[0]!.replace(/^.*\/(lms|wp)\//, '$1/')).sort()

const IMAGE = 'featuredImage { databaseId url alt title caption mimeType width height sizes { name url width height mimeType } srcSet }'

let world: World
beforeAll(async () => {
  world = await World.start({}, SCHOOL, ALL)
})
afterAll(() => world.close())

describe('a catalogue of 24 courses', () => {
  const ask = (fields: string) => world.query(`{ courses(first: 24, orderBy: { field: ID }) { nodes { databaseId ${fields} } } }`, READER)

  it('takes five calls with images, authors, categories and course categories', async () => {
    const { data, errors, calls } = await ask(
      `${IMAGE} featuredMediaId authorId author { databaseId name avatarUrl } categoryIds categories { databaseId name } courseCategoryIds courseCategories { databaseId name slug taxonomy }`,
    )
    expect(errors).toEqual([])
    const courses = data.courses.nodes as any[]
    expect(courses).toHaveLength(24)
    expect(calls).toHaveLength(5)
    expect(routesOf(calls)).toEqual(['lms/v1/sfwd-courses', 'wp/v2/categories', 'wp/v2/lms_course_category', 'wp/v2/media', 'wp/v2/users'])
    for (const course of courses) {
      expect(course.author).toEqual({ databaseId: course.authorId, name: expect.any(String), avatarUrl: expect.stringMatching(/^http/) })
      expect(course.categories.map(({ databaseId }: any) => databaseId)).toEqual(course.categoryIds ?? [])
      expect(course.courseCategories.map(({ databaseId }: any) => databaseId)).toEqual(course.courseCategoryIds ?? [])
      expect(course.featuredImage?.databaseId ?? null).toBe(course.featuredMediaId)
    }
    const image = courses.find(({ featuredImage }) => featuredImage).featuredImage
    expect(image).toMatchObject({ alt: expect.any(String), mimeType: expect.stringMatching(/^image\//), width: expect.any(Number) })
    const widths = [...image.srcSet.matchAll(/ (\d+)w/g)].map(([, width]) => Number(width))
    expect(widths).toEqual([...widths].sort((a, b) => a - b))
    expect(widths.at(-1)).toBe(image.width)
    for (const { url } of image.sizes) expect(image.srcSet.includes(url) || /thumbnail/.test(JSON.stringify(image.sizes))).toBe(true)
  })

  it('takes three when two of the relations are not selected', async () => {
    const { errors, calls } = await ask('featuredImage { url } author { name }')
    expect(errors).toEqual([])
    expect(routesOf(calls)).toEqual(['lms/v1/sfwd-courses', 'wp/v2/media', 'wp/v2/users'])
  })

  it('takes one for the ids of authors', async () => {
    expect(routesOf((await ask('author { id databaseId }')).calls)).toEqual(['lms/v1/sfwd-courses'])
  })
})

it('reads the images, users and terms of several types of a level together', async () => {
  const fields = 'nodes { featuredImage { url } author { name slug } categories { name } }'
  const { errors, calls } = await world.query(`{ groups(first: 3) { ${fields} } courses(first: 3) { ${fields} } }`, { as: 'admin' })
  expect(errors).toEqual([])
  expect(routesOf(calls).filter((route) => route.startsWith('wp/'))).toEqual(['wp/v2/categories', 'wp/v2/media', 'wp/v2/users'])
})

it('reads more than 100 users by several calls', async () => {
  const ids = Array.from({ length: 150 }, (_, index) => globalId('User', index + 1))
  const { errors, calls } = await world.query(`{ nodes(ids: ${JSON.stringify(ids)}) { ... on User { name } } }`, { as: 'admin' })
  expect(errors).toEqual([])
  expect(routesOf(calls)).toEqual(['wp/v2/users', 'wp/v2/users'])
})

describe('terms', () => {
  it('are listed by taxonomy, and lead to the terms above them', async () => {
    const { data, errors } = await world.query(
      '{ terms(taxonomy: COURSE_CATEGORY, first: 100, orderBy: { field: NAME }) { totalCount nodes { id databaseId taxonomy name count parentId parent { databaseId } } } }',
    )
    expect(errors).toEqual([])
    const nodes = data.terms.nodes as any[]
    expect(nodes.length).toBeGreaterThan(1)
    expect(data.terms.totalCount).toBe(nodes.length)
    for (const { id, databaseId, taxonomy, parentId, parent } of nodes) {
      expect([id, taxonomy]).toEqual([globalId('LmsTerm', `lms_course_category:${databaseId}`), 'COURSE_CATEGORY'])
      expect(parent?.databaseId ?? null).toBe(parentId)
    }
    const [first] = nodes
    const again = await world.query(`{ node(id: "${first.id}") { ... on LmsTerm { name taxonomy } } }`)
    expect(again.data.node).toEqual({ name: first.name, taxonomy: 'COURSE_CATEGORY' })
    expect(again.calls).toHaveLength(1)
  })

  it('of other names than those of taxonomies are no nodes', async () => {
    for (const key of ['users:1', 'media:1', 'categories:0', '../users:1', 'categories:1:2']) {
      const { data, errors, calls } = await world.query(`{ node(id: "${globalId('LmsTerm', key)}") { id } }`)
      expect([data.node, errors[0]?.extensions.code, calls]).toEqual([null, 'BAD_USER_INPUT', []])
    }
  })

  it('that do not exist are null items', async () => {
    const { data, errors, calls } = await world.query(`{ node(id: "${globalId('LmsTerm', 'categories:999999')}") { id } }`)
    expect([data.node, errors, calls.length]).toEqual([null, [], 1])
  })

  it('in other taxonomies are refused as values of filters', async () => {
    const tag = globalId('LmsTerm', 'tags:1')
    const { errors, calls } = await world.query(`{
      a: terms(taxonomy: CATEGORY, where: { id: { in: ["${tag}"] } }) { totalCount }
      b: terms(taxonomy: CATEGORY, where: { parent: "${tag}" }) { totalCount }
      c: courses(where: { categories: { notIn: ["${tag}"] } }) { totalCount }
    }`)
    expect(errors.map(({ path, extensions }) => [path?.join('.'), extensions.code])).toEqual(
      ['a', 'b', 'c'].map((path) => [path, 'BAD_USER_INPUT']),
    )
    expect(calls).toEqual([])
  })
})

describe('on a site without these routes', () => {
  const QUERY = `{
    course(id: 10002) { title featuredMediaId featuredImage { url } authorId author { databaseId name } courseCategoryIds courseCategories { name } }
    terms(taxonomy: TAG) { totalCount }
    user(id: 4) { id databaseId }
  }`
  let bare: World
  beforeAll(async () => {
    bare = await World.start({ observe: { explainFor: ['everybody'] } }, {}, { ...SITE_NAMES, routes: [] })
  })
  afterAll(() => bare.close())

  it('the fields are null with an error, before any call', async () => {
    const { data, errors, calls } = await bare.query(QUERY, { as: 'admin' })
    expect(routesOf(calls)).toEqual(['lms/v1/sfwd-courses/10002'])
    const { course } = data
    expect([course.author, data.terms, data.user]).toEqual([
      { databaseId: course.authorId, name: null },
      null,
      { id: globalId('User', 4), databaseId: 4 },
    ])
    expect(course.courseCategories).toEqual((course.courseCategoryIds as number[]).map(() => null))
    const paths = ['course.author.name', 'terms', ...(course.featuredMediaId === null ? [] : ['course.featuredImage'])]
    const expected = [...paths, ...(course.courseCategoryIds as number[]).map((_, index) => `course.courseCategories.${index}`)]
    expect(errors.map(({ path }) => path?.join('.')).sort()).toEqual(expected.sort())
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['NOT_AVAILABLE']))
  })

  it('the estimate and the explained plan have no calls for them', async () => {
    const query = '{ terms(taxonomy: TAG) { totalCount } user(id: 4) { name } }'
    const { extensions } = (await (await bare.gateway.post({ query, extensions: { explain: 'plan' } })).json()) as any
    expect(extensions.explain).toMatchObject({ predicted: { min: 0, max: 0, expected: 0 }, steps: [] })
  })
})

describe('columns of administrators', () => {
  const PRIVATE = '{ users: nodes(ids: ["VXNlcjoy", "VXNlcjo0"]) { ... on User { name email username firstName roles registeredAt } } }'

  it('are never kept, neither for others nor for the caller, with every cache on', async () => {
    const kept = await World.start(merged({ cache: { maxAge: 60, forCallers: 60 } }, {}), SCHOOL, ALL)
    try {
      const admin = await kept.query(PRIVATE, { as: 'admin' })
      expect(admin.errors).toEqual([])
      for (const user of admin.data.users) expect(user).toMatchObject({ email: expect.stringContaining('@'), roles: [expect.any(String)] })
      const email = admin.data.users[0].email as string
      for (const as of [undefined, 'leader', 'learner'] as const) {
        const { data } = await kept.query(PRIVATE, as ? { as } : {})
        expect(JSON.stringify(data.users.filter((_: unknown, index: number) => as !== 'leader' || index > 0))).not.toContain(email)
      }
      const again = await kept.query(PRIVATE, { as: 'admin' })
      expect(again.calls.filter((path) => path.includes('context=edit'))).toHaveLength(1)
    } finally {
      await kept.close()
    }
  })
})

describe('the viewer', () => {
  it('has a name without a further call', async () => {
    const fresh = await World.start({}, SCHOOL, ALL)
    try {
      const { data, calls } = await fresh.query('{ viewer { databaseId name } }', { as: 'learner' })
      expect(data.viewer).toEqual({ databaseId: expect.any(Number), name: expect.any(String) })
      expect(routesOf(calls)).toEqual(['wp/v2/users/me'])
      const again = await fresh.query('{ viewer { name slug } }', { as: 'learner' })
      expect(again.data.viewer.name).toBe(data.viewer.name)
      expect(routesOf(again.calls)).toEqual(['wp/v2/users'])
    } finally {
      await fresh.close()
    }
  })

  it('has a name where the site has no other route of users', async () => {
    const only = await World.start({}, SCHOOL, { ...SITE_NAMES, routes: ['users/me'] })
    try {
      const { data, errors } = await only.query('{ viewer { name slug } }', { as: 'learner' })
      expect(data.viewer).toEqual({ name: expect.any(String), slug: null })
      expect(errors.map(({ path, extensions }) => [path?.join('.'), extensions.code])).toEqual([['viewer.slug', 'NOT_AVAILABLE']])
    } finally {
      await only.close()
    }
  })
})
