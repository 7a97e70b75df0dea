import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cursorOf } from '../../src/model/connection.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

// Lists besides their rows: cursors, shared calls, refusals, and filters that a site may drop.

const KNOWN = 5
const SECRET = 6
const ABSENT = 7
const BROKEN = 8
const COURSES = [KNOWN, KNOWN + 10, KNOWN + 20]
const problem = (status: number) => ({ code: 'odd', message: 'Odd.', data: { status } })

let site: FakeSite
let gateway: Served

/** A site with three courses, and lessons that have to be narrowed; those of a course there is not are all of them. */
function answer({ url = '' }: IncomingMessage): [status: number, body: unknown, total?: number] {
  const { pathname, searchParams } = new URL(url, 'http://site.test')
  const id = Number(/\/(\d+)$/.exec(pathname)?.[1])
  if (id === SECRET) return [403, problem(403)]
  if (id === ABSENT) return [404, problem(404)]
  if (id === BROKEN) return [500, problem(500)]
  if (id > 0) return [200, { id }]
  const rows = (ids: readonly number[]) => ids.map((each) => ({ id: each, title: { rendered: `Title ${each}` }, slug: `slug-${each}` }))
  if (pathname.endsWith('/sfwd-courses')) {
    const from = Number(searchParams.get('offset') ?? 0)
    return [200, rows(COURSES.slice(from, from + Number(searchParams.get('per_page')))), COURSES.length]
  }
  if (pathname.endsWith('/courses')) return [200, rows([4]), 1]
  if (searchParams.get('search') === 'none') return [404, problem(404)]
  if (searchParams.get('search') === 'fault') return [500, problem(500)]
  return searchParams.has('course') ? [200, rows([9]), 1] : [400, problem(400)]
}

beforeAll(async () => {
  site = await FakeSite.start((request, response) => {
    const [status, body, total] = answer(request)
    json(response, body, { status, ...(total !== undefined && { headers: { 'x-wp-total': String(total) } }) })
  })
  gateway = await serve({ site: { url: site.url, droppedFilters: ['v2/sfwd-lessons course'] }, protection: { retries: 0 } })
})
beforeEach(() => {
  site.requests.length = 0
})
afterAll(async () => {
  await gateway.close()
  await site.close()
})

const ask = async (query: string): Promise<{ data: any; errors?: any[] }> => (await (await gateway.post({ query })).json()) as never
const pathsOf = (): string[] => site.paths.map((path) => path.replace(/^.*\/(v\d\/)/, '$1'))

describe('cursors', () => {
  const PAGE = '{ edges { cursor node { databaseId } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } }'

  it('encode the positions of rows', async () => {
    const { data } = await ask(`{ courses(first: 2, offset: 1) ${PAGE} }`)
    expect(data.courses).toEqual({
      edges: [15, 25].map((databaseId, index) => ({ cursor: cursorOf(index + 1), node: { databaseId } })),
      pageInfo: { startCursor: cursorOf(1), endCursor: cursorOf(2), hasNextPage: false, hasPreviousPage: true },
    })
  })

  it('are null without rows', async () => {
    const none = { startCursor: null, endCursor: null }
    expect((await ask(`{ courses(first: 0) ${PAGE} }`)).data.courses).toEqual({
      edges: [],
      pageInfo: { ...none, hasNextPage: true, hasPreviousPage: false },
    })
    const empty = await ask(`{ courses(where: { id: { in: [] } }) ${PAGE} }`)
    expect(empty.data.courses).toEqual({ edges: [], pageInfo: { ...none, hasNextPage: false, hasPreviousPage: false } })
  })
})

describe('lists that are selected twice', () => {
  it.each([
    ['{ a: courses(first: 2) { nodes { title } } b: courses(first: 2) { nodes { slug } } }', 'id,slug,title.rendered'],
    ['{ a: courses(first: 2) { totalCount } b: courses(first: 2) { nodes { slug } } }', 'id,slug'],
    ['{ b: courses(first: 2) { nodes { slug } } a: courses(first: 2) { totalCount } }', 'id,slug'],
  ])('%s share one call with the columns of both', async (query, fields) => {
    const { data, errors } = await ask(query)
    expect(errors).toBeUndefined()
    expect(Object.values(data).every((list: any) => list.totalCount === 3 || list.nodes.length === 2)).toBe(true)
    expect(pathsOf().map((path) => new URLSearchParams(path.split('?')[1]).get('_filter'))).toEqual([fields])
  })
})

it('a record of two lists has the columns of both', async () => {
  expect(await ask('{ a: courses(first: 1) { nodes { title } } b: courses(first: 2) { nodes { databaseId slug } } }')).toEqual({
    data: {
      a: { nodes: [{ title: 'Title 5' }] },
      b: {
        nodes: [
          { databaseId: 5, slug: 'slug-5' },
          { databaseId: 15, slug: 'slug-15' },
        ],
      },
    },
  })
  expect(site.requests).toHaveLength(2)
})

describe('lists with the same arguments below two records', () => {
  const lessons = (selection: string) => `lessons(first: 1) { ${selection} }`
  const TITLE = 'nodes { title }'
  const below = ([first, second]: readonly [string, string]): string =>
    `{ a: course(id: ${KNOWN}) { ${lessons(first)} } b: course(id: ${KNOWN + 10}) { ${lessons(second)} } }`

  it.each<[[string, string], string, string[]]>([
    [[TITLE, TITLE], 'id,title.rendered', ['9', '9']],
    [[TITLE, 'nodes { slug }'], 'id,slug,title.rendered', ['9', '9']],
    [['totalCount', TITLE], 'id,title.rendered', ['1', '9']],
    [[TITLE, 'totalCount'], 'id,title.rendered', ['9', '1']],
  ])('have the columns of both: %j', async (both, fields, shown) => {
    const { data, errors } = await ask(below(both))
    expect(errors).toBeUndefined()
    const texts = [data.a, data.b].map(({ lessons: { nodes, totalCount } }) => String(totalCount ?? Object.values(nodes[0])[0]))
    expect(texts.map((text) => text.replace(/\D/g, ''))).toEqual(shown)
    const asked = site.requests.map(({ url }) => new URL(url as string, site.url)).filter(({ pathname }) => pathname.endsWith('lessons'))
    expect(asked.map(({ searchParams }) => searchParams.get('_filter'))).toEqual([fields, fields])
  })
})

describe('the request of a list', () => {
  const asked = (): URLSearchParams | undefined =>
    site.requests.map(({ url }) => new URL(url as string, site.url)).find(({ pathname }) => pathname.endsWith('courses'))?.searchParams

  it.each([
    ['{ courses(first: 1) { nodes { databaseId titleHtml } } }', 'embed'],
    ['{ courses(first: 1) { nodes { databaseId price } } }', 'view'],
    ['{ group(id: 5) { courses(first: 1) { nodes { titleHtml } } } }', 'embed'],
    ['{ group(id: 5) { courses(first: 1) { edges { groupCourse { titleHtml } node { slug } } } } }', 'view'],
  ])('for %s has the context `%s` without a field filter', async (query, context) => {
    const plain = await serve({ site: { url: site.url, fieldFilter: 'none' } })
    const { errors } = (await (await plain.post({ query })).json()) as { errors?: unknown }
    await plain.close()
    expect(errors).toBeUndefined()
    expect([asked()?.get('context'), asked()?.has('_filter')]).toEqual([context, false])
  })

  it.each([
    ['node { titleHtml }', 'id,title.rendered'],
    ['groupCourse { slug lessonsPerPageEnabled } node { titleHtml }', 'id,lessons_per_page,slug,title.rendered'],
  ])('has sorted fields, for rows and records: %s', async (selection, fields) => {
    const { data, errors } = await ask(`{ group(id: 5) { courses(first: 1) { edges { ${selection} } } } }`)
    expect(errors).toBeUndefined()
    expect(data.group.courses.edges).toMatchObject([{ node: { titleHtml: 'Title 4' } }])
    if (selection.includes('slug')) expect(data.group.courses.edges[0].groupCourse).toEqual({ slug: 'slug-4', lessonsPerPageEnabled: null })
    expect([asked()?.get('context'), asked()?.get('_filter')]).toEqual(['view', fields])
  })
})

describe('lists below a parent', () => {
  it('are refused if the site ignores the filter for the parent', async () => {
    const other = await serve({ site: { url: site.url, ignoredFilters: ['v2/sfwd-lessons course'] }, protection: { retries: 0 } })
    try {
      const response = await other.post({ query: `{ course(id: ${KNOWN}) { databaseId lessons(first: 5) { nodes { databaseId } } } }` })
      const { data, errors } = (await response.json()) as any
      expect(data).toEqual({ course: { databaseId: KNOWN, lessons: null } })
      expect(errors).toMatchObject([{ path: ['course', 'lessons'], extensions: { code: 'BAD_USER_INPUT' } }])
      expect(pathsOf().filter((path) => path.startsWith('v2/sfwd-lessons'))).toEqual([])
    } finally {
      await other.close()
    }
  })
})

describe('lists that need a filter', () => {
  const NARROWED = 'Only administrators can read this list without `where.course`. Add `where.course`.'

  it('are only the declared ones', async () => {
    const { errors } = await ask('{ groups(first: 1, where: { search: "none" }) { nodes { title } } }')
    expect(errors?.map(({ message, extensions }) => [message, extensions.code])).toEqual([['Odd.', 'NOT_FOUND']])
  })

  it.each([
    ['', 'BAD_USER_INPUT', NARROWED],
    ['where: { search: "none" }', 'BAD_USER_INPUT', NARROWED],
    ['where: { search: "fault" }', 'UPSTREAM_UNAVAILABLE', undefined],
    [`where: { course: ${KNOWN}, search: "none" }`, 'NOT_FOUND', undefined],
  ])('refused with (%s) fail with %s', async (args, code, message) => {
    const { data, errors } = await ask(`{ lessons(first: 1${args && `, ${args}`}) { nodes { title } } }`)
    expect(data).toEqual({ lessons: null })
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([code])
    if (message === undefined) expect(errors?.[0].message).not.toBe(NARROWED)
    else expect(errors?.[0].message).toBe(message)
  })
})

describe('a filter that a site drops for missing records', () => {
  const lessons = (course: number) => ask(`{ lessons(first: 1, where: { course: ${course} }) { nodes { databaseId } } }`)

  it('is not sent if the record is missing', async () => {
    const { data, errors } = await lessons(ABSENT)
    expect(data).toEqual({ lessons: null })
    expect(errors).toMatchObject([{ message: `There is no Course with the id ${ABSENT}.`, extensions: { code: 'NOT_FOUND' } }])
    expect(pathsOf().filter((path) => path.includes('lessons'))).toEqual([])
  })

  it('is not sent if it is unknown whether the record exists', async () => {
    const { data, errors } = await lessons(BROKEN)
    expect(data).toEqual({ lessons: null })
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }])
    expect(pathsOf().filter((path) => path.includes('lessons'))).toEqual([])
  })

  it.each([KNOWN, SECRET])('is sent if the record exists, even if it is hidden: %i', async (course) => {
    expect(await lessons(course)).toEqual({ data: { lessons: { nodes: [{ databaseId: 9 }] } } })
    expect(pathsOf().map((path) => path.replace(/\?.*/, ''))).toEqual([`v1/sfwd-courses/${course}`, 'v2/sfwd-lessons'])
  })

  it('is sent at once if it is another filter', async () => {
    await ask('{ courses(first: 1, where: { search: "a" }) { nodes { databaseId } } }')
    expect(pathsOf().map((path) => path.replace(/\?.*/, ''))).toEqual(['v1/sfwd-courses'])
  })
})
