import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { World } from '../support/world.js'
import { topics } from './topic.js'

let world: World
let without: World
beforeAll(async () => {
  world = await World.start({ resources: [topics] }, { profile: 'lms', switches: { topics: true } })
  without = await World.start({}, { profile: 'lms' })
})
afterAll(async () => {
  await world.close()
  await without.close()
})

const decoded = (calls: readonly string[]): string[] => calls.map((call) => decodeURIComponent(call))

describe('a resource from outside', () => {
  it('has at most 80 lines', () => {
    expect(readFileSync(new URL('topic.ts', import.meta.url), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(80)
  })

  it('has a list with filters and an order', async () => {
    const { data, errors, calls } = await world.query(
      '{ topics(first: 2, where: { course: 10001 }, orderBy: { field: TITLE, direction: ASC }) { totalCount nodes { databaseId title lesson { databaseId } } } }',
    )
    expect(errors).toEqual([])
    expect(data.topics.totalCount).toBe(1)
    expect(data.topics.nodes).toEqual([
      { databaseId: 400_001, title: expect.stringMatching(/^Practice: /), lesson: { databaseId: 100_003 } },
    ])
    expect(decoded(calls)).toEqual([
      '/lms/v2/sfwd-lessons/100003?context=view&_filter=id',
      '/lms/v2/sfwd-topic?per_page=2&context=view&_filter=id,lesson,title.rendered&course=10001&orderby=title&order=asc',
    ])
  })

  it('has records by id and by global id', async () => {
    const { data, calls } = await world.query('{ topic(id: 400001) { id content } missing: topic(id: 1) { id } }')
    expect(data).toEqual({ topic: { id: btoa('Topic:400001'), content: '<p>Exercises for the lesson.</p>' }, missing: null })
    expect(calls).toHaveLength(2)
    const node = await world.query('query ($id: ID!) { node(id: $id) { ... on Topic { slug } } }', { variables: { id: data.topic.id } })
    expect(node.data).toEqual({ node: { slug: 'topic-400001' } })
    expect(node.calls).toHaveLength(1)
  })

  it('is related to lessons, with one call per lesson', async () => {
    const { data, errors, calls } = await world.query(
      '{ course(id: 10001) { lessons(first: 3) { nodes { databaseId topics { nodes { databaseId } } } } } }',
    )
    expect(errors).toEqual([])
    const found = data.course.lessons.nodes.map((lesson: any) => lesson.topics.nodes.map(({ databaseId }: any) => databaseId))
    expect(found).toEqual([[], [], [400_001]])
    expect(decoded(calls)).toEqual([
      '/lms/v1/sfwd-courses/10001?context=view&_filter=id',
      '/lms/v2/sfwd-lessons?per_page=3&context=view&_filter=id&course=10001',
      ...[100_001, 100_002, 100_003].map((lesson) => `/lms/v2/sfwd-topic?per_page=10&context=view&_filter=id&lesson=${lesson}`),
    ])
  })

  it('computes a field from a column and a relation, which the plan fetches in one batch', async () => {
    const { data, errors, calls } = await world.query('{ topics(first: 5) { nodes { heading } } }')
    expect(errors).toEqual([])
    const { data: parts } = await world.query('{ topics(first: 5) { nodes { title course { title } } } }')
    expect(data.topics.nodes).toEqual(parts.topics.nodes.map(({ title, course }: any) => ({ heading: `${course.title}: ${title}` })))
    expect(decoded(calls).map((call) => call.replace(/[\d,]{5,}/, 'IDS'))).toEqual([
      '/lms/v1/sfwd-courses?per_page=100&context=view&_filter=id,title.rendered&include=IDS',
      '/lms/v2/sfwd-topic?per_page=5&context=view&_filter=course,id,title.rendered',
    ])
  })

  it('is only in the graph of gateways that list it', async () => {
    const here = await world.query('{ __type(name: "Topic") { name } lesson: __type(name: "Lesson") { fields { name } } }')
    expect(here.data.__type).toEqual({ name: 'Topic' })
    const there = await without.query('{ __type(name: "Topic") { name } lesson: __type(name: "Lesson") { fields { name } } }')
    expect(there.data.__type).toBe(null)
    expect(there.data.lesson.fields).not.toContainEqual({ name: 'topics' })
    expect(here.data.lesson.fields).toContainEqual({ name: 'topics' })
    const { data, errors } = await without.query('query ($id: ID!) { node(id: $id) { id } }', { variables: { id: btoa('Topic:400001') } })
    expect([data, errors.map(({ extensions }) => extensions.code)]).toEqual([{ node: null }, ['BAD_USER_INPUT']])
  })
})

it('is the example of the documentation', () => {
  const page = readFileSync(new URL('../../docs/kit.md', import.meta.url), 'utf8')
  const source = readFileSync(new URL('topic.ts', import.meta.url), 'utf8').replace('../../src/kit.js', 'lms-graphql/kit')
  expect(page).toContain(`\`\`\`ts\n${source}\`\`\``)
  for (const [, method] of page.matchAll(/\bt\.(lms\w+)/g))
    expect(['lmsRelation', 'lmsRelations', 'lmsConnection', 'lmsComputed']).toContain(method)
})
