import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { World } from '../support/world.js'
import { pictures } from './picture.js'

let world: World
let without: World
beforeAll(async () => {
  world = await World.start({ resources: [pictures] }, { profile: 'lms' })
  without = await World.start({}, { profile: 'lms' })
})
afterAll(async () => {
  await world.close()
  await without.close()
})

const decoded = (calls: readonly string[]): string[] => calls.map((call) => decodeURIComponent(call))

describe('a resource from outside', () => {
  it('has at most 80 lines', () => {
    expect(readFileSync(new URL('picture.ts', import.meta.url), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(80)
  })

  it('has a list with filters and an order', async () => {
    const { data, errors, calls } = await world.query(
      '{ pictures(first: 2, where: { course: 10001 }, orderBy: { field: TITLE, direction: ASC }) { totalCount nodes { databaseId title url course { databaseId } } } }',
    )
    expect(errors).toEqual([])
    expect(data.pictures.totalCount).toBe(1)
    expect(data.pictures.nodes).toEqual([
      {
        databaseId: 800_142,
        title: expect.stringMatching(/ 142$/),
        url: expect.stringMatching(/^http:.*-142\.png$/),
        course: { databaseId: 10_001 },
      },
    ])
    expect(decoded(calls)).toEqual([
      '/lms/v1/sfwd-courses/10001?context=view&_filter=id',
      '/wp/v2/media?per_page=2&context=view&_filter=id,post,source_url,title.rendered&parent=10001&orderby=title&order=asc',
    ])
  })

  it('has records by id and by global id', async () => {
    const { data, calls } = await world.query('{ picture(id: 800142) { id slug } missing: picture(id: 1) { id } }')
    expect(data).toEqual({ picture: { id: btoa('Picture:800142'), slug: expect.stringMatching(/-142$/) }, missing: null })
    expect(calls).toHaveLength(2)
    const node = await world.query('query ($id: ID!) { node(id: $id) { ... on Picture { slug } } }', { variables: { id: data.picture.id } })
    expect(node.data).toEqual({ node: { slug: data.picture.slug } })
    expect(node.calls).toHaveLength(1)
  })

  it('is related to courses, with one call per course', async () => {
    const { data, errors, calls } = await world.query(
      '{ courses(first: 3, where: { id: { in: [10001, 10002, 10003] } }) { nodes { databaseId pictures { nodes { course { databaseId } } } } } }',
    )
    expect(errors).toEqual([])
    const shown = data.courses.nodes.flatMap(({ databaseId, pictures: { nodes } }: any) =>
      nodes.map(({ course }: any) => [databaseId, course.databaseId]),
    )
    expect(shown.length).toBeGreaterThan(0)
    for (const [below, of] of shown) expect(of).toBe(below)
    expect(decoded(calls).map((call) => call.replace(/include=.*/, 'include=IDS'))).toEqual([
      '/lms/v1/sfwd-courses?per_page=3&context=view&_filter=id&include=IDS',
      ...[10_001, 10_002, 10_003].map((course) => `/wp/v2/media?per_page=10&context=view&_filter=id,post&parent=${course}`),
    ])
  })

  it('computes a field from a column and a relation, which the plan fetches in one batch', async () => {
    const { data, errors, calls } = await world.query('{ pictures(first: 5) { nodes { credit } } }')
    expect(errors).toEqual([])
    const { data: parts } = await world.query('{ pictures(first: 5) { nodes { title author { name } } } }')
    expect(data.pictures.nodes).toEqual(parts.pictures.nodes.map(({ title, author }: any) => ({ credit: `${title}, by ${author.name}` })))
    expect(decoded(calls).map((call) => call.replace(/include=.*/, 'include=IDS'))).toEqual([
      '/wp/v2/media?per_page=5&context=view&_filter=author,id,title.rendered',
      '/wp/v2/users?per_page=100&context=view&_filter=id,name&include=IDS',
    ])
  })

  it('is only in the graph of gateways that list it', async () => {
    const types = '{ __type(name: "Picture") { name } course: __type(name: "Course") { fields { name } } }'
    const here = await world.query(types)
    expect(here.data.__type).toEqual({ name: 'Picture' })
    const there = await without.query(types)
    expect(there.data.__type).toBe(null)
    expect(there.data.course.fields).not.toContainEqual({ name: 'pictures' })
    expect(here.data.course.fields).toContainEqual({ name: 'pictures' })
    const { data, errors } = await without.query('query ($id: ID!) { node(id: $id) { id } }', { variables: { id: btoa('Picture:800142') } })
    expect([data, errors.map(({ extensions }) => extensions.code)]).toEqual([{ node: null }, ['BAD_USER_INPUT']])
  })
})

it('is the example of the documentation', () => {
  const page = readFileSync(new URL('../../docs/kit.md', import.meta.url), 'utf8')
  const source = readFileSync(new URL('picture.ts', import.meta.url), 'utf8').replace('../../src/kit.js', 'lms-graphql/kit')
  expect(page).toContain(`\`\`\`ts\n${source}\`\`\``)
  for (const [, method] of page.matchAll(/\bt\.(lms\w+)/g))
    expect(['lmsRelation', 'lmsRelations', 'lmsConnection', 'lmsComputed']).toContain(method)
})
