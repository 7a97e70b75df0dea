import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COURSES, type Joined, LargerGraph } from './larger-graph.js'

interface Case {
  readonly what: string
  readonly query: string
  readonly variables?: Record<string, unknown>
  /** Requests for references, by what this version of the router makes of the query, and REST calls. */
  readonly costs: readonly [entities: number, restCalls: number]
  readonly check: (data: any, graph: LargerGraph) => void
}
const TITLE = expect.stringMatching(/\S/)

const CASES: readonly Case[] = [
  {
    what: 'progress of a user of another service',
    query: '{ me { name courseProgress(first: 2) { nodes { status course { title } } } } }',
    costs: [1, 2],
    check: ({ me }) => {
      expect(me.name).toBe('User 3')
      expect(me.courseProgress.nodes).toEqual([1, 2].map(() => ({ status: TITLE, course: { title: TITLE } })))
    },
  },
  {
    what: 'progress of several users in one course',
    query: '{ team { name progressIn(course: 10001) { status } } }',
    costs: [1, 2],
    check: ({ team }) => expect(team.map(({ name }: any) => name)).toEqual(['User 3', 'User 1']),
  },
  {
    what: 'courses that another service refers to',
    query: '{ offers { sku course { databaseId title } } }',
    costs: [1, 1],
    check: ({ offers }) => expect(offers).toEqual(COURSES.map((id) => ({ sku: `C-${id}`, course: { databaseId: id, title: TITLE } }))),
  },
  {
    what: 'what hangs on such courses',
    query: '{ offers { course { title priceType { name } lessons(first: 2) { nodes { title } } } } }',
    costs: [1, 2 + COURSES.length],
    check: ({ offers }) => {
      for (const { course } of offers)
        expect(course).toEqual({ title: TITLE, priceType: { name: TITLE }, lessons: { nodes: [{ title: TITLE }, { title: TITLE }] } })
    },
  },
  {
    what: 'what another service adds to a course',
    query: '{ course(id: 10001) { title offers { price } } }',
    costs: [0, 1],
    check: ({ course }) => expect(course).toEqual({ title: TITLE, offers: [{ price: 1 }] }),
  },
  {
    what: 'what it adds to the courses of a list',
    query: '{ courses(first: 3) { totalCount nodes { databaseId offers { sku } } } }',
    costs: [0, 1],
    check: ({ courses }) =>
      expect(courses.nodes.map(({ databaseId, offers }: any) => offers[0].sku === `C-${databaseId}`)).toEqual([true, true, true]),
  },
  {
    what: 'the author of a course, by their owner',
    query: '{ course(id: 10001) { title author { id name } } }',
    costs: [1, 2],
    check: ({ course: { author } }) => expect(author.name).toBe(`User ${author.id}`),
  },
  {
    what: 'a group, its courses, their offers and authors',
    query: '{ group(id: 1009) { title courses(first: 2) { nodes { title offers { price } author { name } } } } }',
    costs: [1, 4],
    check: ({ group }) =>
      expect(group.courses.nodes).toEqual(
        [1, 2].map(() => ({ title: TITLE, offers: [{ price: expect.any(Number) }], author: { name: TITLE } })),
      ),
  },
  {
    what: 'a user, their courses, and the offers of these',
    query: '{ me { name courseProgress(first: 2) { nodes { course { title offers { price } } } } } }',
    costs: [1, 2],
    check: ({ me }) =>
      expect(me.courseProgress.nodes).toEqual([1, 2].map(() => ({ course: { title: TITLE, offers: [{ price: expect.any(Number) }] } }))),
  },
  {
    what: 'an offer, what its course needs, and the offers of that',
    query: '{ offers { course { prerequisites { title offers { sku } } } } }',
    costs: [1, 2],
    check: ({ offers }) =>
      expect(offers[1].course.prerequisites[0]).toEqual({ title: TITLE, offers: [{ sku: expect.stringMatching(/^C-\d+$/) }] }),
  },
  {
    what: 'one of each type, by either of its keys',
    query:
      '{ tips { lesson { databaseId title } quiz { databaseId title } question { databaseId title } group { id title } priceType { slug name } } }',
    costs: [5, 5],
    check: ({ tips }) =>
      expect(tips).toEqual({
        lesson: { databaseId: 100_001, title: TITLE },
        quiz: { databaseId: 300_001, title: TITLE },
        question: { databaseId: 500_001, title: TITLE },
        group: { id: expect.any(String), title: TITLE },
        priceType: { slug: 'closed', name: TITLE },
      }),
  },
  {
    what: 'variables, aliases and fragments',
    query: `query ($id: ID!) {
      mine: me { progress: courseProgress(first: 1) { totalCount } }
      one: course(id: $id) { ...shown }
      offers { course { ...shown } }
    }
    fragment shown on Course { label: title author { name } }`,
    variables: { id: 10_002 },
    costs: [3, 4],
    check: ({ mine, one, offers }) => {
      expect(mine.progress.totalCount).toBeGreaterThan(1)
      expect(one).toEqual(offers[1].course)
    },
  },
  {
    what: 'a course that is not there',
    query: '{ outdated { sku course { title } } offers { course { title } } }',
    costs: [1, 2],
    check: ({ outdated, offers }) => {
      expect(outdated.course).toEqual({ title: null })
      expect(offers[0].course.title).toEqual(TITLE)
    },
  },
]

describe('a router in front of three services', () => {
  let graph: LargerGraph
  const table: string[] = []
  beforeAll(async () => {
    graph = await LargerGraph.start()
  })
  afterAll(async () => {
    await graph.close()
    console.log(['query: requests to the LMS, `_entities` in them, REST calls', ...table].join('\n'))
  })

  it.each(CASES)('joins $what', async ({ what, query, variables = {}, costs, check }) => {
    const { data, errors, requests, entities, restCalls }: Joined = await graph.query(query, { variables })
    table.push(`${what}: ${requests}, ${entities}, ${restCalls}`)
    expect(errors).toEqual([])
    check(data, graph)
    expect([entities, restCalls]).toEqual(costs)
  })

  it('shows an error of the LMS at its path, beside the other data', async () => {
    const { data, errors } = await graph.query('{ tips { question { title } group { title } } }', { as: 'learner' })
    expect(data.tips.question).toEqual({ title: null })
    expect(errors.map(({ path, extensions }) => [path, extensions?.code])).toEqual([[['tips', 'question', 'title'], 'FORBIDDEN']])
  })

  it('forwards mutations', async () => {
    const { data, errors } = await graph.query(
      'mutation { updateCourse(input: { id: 10003, title: "Renamed" }) { ... on UpdateCourseSuccess { course { title offers { price } } } ... on LmsError { code } } }',
    )
    expect([errors, data]).toEqual([[], { updateCourse: { course: { title: 'Renamed', offers: [{ price: 3 }] } } }])
  })
})
