import { MapperKind, mapSchema } from '@graphql-tools/utils'
import { Kind, parse, print, visit } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphSchema, subgraphOf } from '../../src/index.js'
import { Coverage } from '../support/coverage.js'
import { Random } from '../support/random.js'
import { randomOperation } from '../support/random-operations.js'
import { IDS } from '../support/random-site.js'
import { authorizationOf } from '../support/world.js'
import { COURSES, LargerGraph, LEARNER } from './larger-graph.js'
import { ROUTERS } from './routers.js'

interface Case {
  readonly what: string
  readonly query: string
  readonly variables?: Record<string, unknown>
  /** Which service owns users. */
  readonly owner?: 'wordpress'
  /** REST calls of a plan that is written by hand, and what they are for. */
  readonly plan: number
  readonly by: string
  /** Requests for references and REST calls of Hive Gateway, by what the planner of this version makes of the query. */
  readonly hive: readonly [entities: number, restCalls: number]
  readonly check: (data: any) => void
}
const TITLE = expect.stringMatching(/\S/)
/** A course that the learner has begun, and user 1 has not. */
const BEGUN = 10_095

const CASES: readonly Case[] = [
  {
    what: 'progress of a user of another service',
    query: '{ me { name courseProgress(first: 2) { nodes { status course { title } } } } }',
    plan: 2,
    by: 'progress: 1, courses: 1',
    hive: [1, 2],
    check: ({ me }) => {
      expect(me.name).toBe('User 3')
      expect(me.courseProgress.nodes).toEqual([1, 2].map(() => ({ status: TITLE, course: { title: TITLE } })))
    },
  },
  {
    what: 'progress of several users in one course',
    query: `{ team { name progressIn(course: ${BEGUN}) { status } } }`,
    plan: 2,
    by: 'progress of each user: 2',
    hive: [1, 2],
    check: ({ team }) =>
      expect(team).toEqual([
        { name: 'User 3', progressIn: { status: TITLE } },
        { name: 'User 1', progressIn: null },
      ]),
  },
  {
    what: 'courses that another service refers to',
    query: '{ offers { sku course { databaseId title } } }',
    plan: 1,
    by: 'courses: 1',
    hive: [1, 1],
    check: ({ offers }) => expect(offers).toEqual(COURSES.map((id) => ({ sku: `C-${id}`, course: { databaseId: id, title: TITLE } }))),
  },
  {
    what: 'what hangs on such courses',
    query: '{ offers { course { title priceType { name } lessons(first: 2) { nodes { title } } } } }',
    plan: 2 + COURSES.length,
    by: 'courses: 1, price types: 1, lessons of each course: 5',
    hive: [1, 2 + COURSES.length],
    check: ({ offers }) => {
      for (const { course } of offers)
        expect(course).toEqual({ title: TITLE, priceType: { name: TITLE }, lessons: { nodes: [{ title: TITLE }, { title: TITLE }] } })
    },
  },
  {
    what: 'what another service adds to a course',
    query: '{ course(id: 10001) { title offers { price } } }',
    plan: 1,
    by: 'course: 1',
    hive: [0, 1],
    check: ({ course }) => expect(course).toEqual({ title: TITLE, offers: [{ price: 1 }] }),
  },
  {
    what: 'what it adds to the courses of a list',
    query: '{ courses(first: 3) { totalCount nodes { databaseId offers { sku } } } }',
    plan: 1,
    by: 'courses: 1',
    hive: [0, 1],
    check: ({ courses }) =>
      expect(courses.nodes.map(({ databaseId, offers }: any) => offers[0].sku === `C-${databaseId}`)).toEqual([true, true, true]),
  },
  {
    what: 'the author of a course, by their owner',
    query: '{ course(id: 10001) { title author { id name } } }',
    plan: 1,
    by: 'course: 1',
    hive: [0, 1],
    check: ({ course: { author } }) => expect(author.name).toBe(`User ${author.id}`),
  },
  {
    what: 'a group, its courses, their offers and authors',
    query: '{ group(id: 1009) { title courses(first: 2) { nodes { title offers { price } author { name } } } } }',
    plan: 2,
    by: 'group: 1, its courses: 1',
    hive: [0, 2],
    check: ({ group }) =>
      expect(group.courses.nodes).toEqual(
        [1, 2].map(() => ({ title: TITLE, offers: [{ price: expect.any(Number) }], author: { name: TITLE } })),
      ),
  },
  {
    what: 'a user, their courses, and the offers of these',
    query: '{ me { name courseProgress(first: 2) { nodes { course { title offers { price } } } } } }',
    plan: 2,
    by: 'progress: 1, courses: 1',
    hive: [1, 2],
    check: ({ me }) =>
      expect(me.courseProgress.nodes).toEqual([1, 2].map(() => ({ course: { title: TITLE, offers: [{ price: expect.any(Number) }] } }))),
  },
  {
    what: 'an offer, what its course needs, and the offers of that',
    query: '{ offers { course { prerequisites { title offers { sku } } } } }',
    plan: 2,
    by: 'courses: 1, prerequisites that are not among them: 1',
    hive: [1, 2],
    check: ({ offers }) =>
      expect(offers[1].course.prerequisites[0]).toEqual({ title: TITLE, offers: [{ sku: expect.stringMatching(/^C-\d+$/) }] }),
  },
  {
    what: 'one of each type, by either of its keys',
    query:
      '{ tips { lesson { databaseId title } quiz { databaseId title } question { databaseId title } group { id title } priceType { slug name } } }',
    plan: 5,
    by: 'one of each of 5 types: 5',
    hive: [5, 5],
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
    plan: 3,
    by: 'progress: 1, the course: 1, courses of the offers: 1',
    hive: [2, 3],
    check: ({ mine, one, offers }) => {
      expect(mine.progress.totalCount).toBeGreaterThan(1)
      expect(one).toEqual(offers[1].course)
    },
  },
  {
    what: 'a course that is not there',
    query: '{ outdated { sku course { title } } offers { course { title } } }',
    plan: 1,
    by: 'courses: 1',
    hive: [1, 2],
    check: ({ outdated, offers }) => {
      expect(outdated.course).toEqual({ title: null })
      expect(offers[0].course.title).toEqual(TITLE)
    },
  },
  {
    what: 'what another service computes from the price',
    query: '{ courses(first: 3) { nodes { databaseId price priceWithTax } } }',
    plan: 1,
    by: 'courses: 1',
    hive: [0, 1],
    check: ({ courses }) => {
      expect(courses.nodes).toHaveLength(3)
      for (const { price, priceWithTax } of courses.nodes)
        expect(priceWithTax).toBe(price === '' || price === null ? null : `${price} with tax`)
    },
  },
  {
    what: 'the same for courses that it refers to',
    query: '{ offers { course { databaseId title priceWithTax } } }',
    plan: 1,
    by: 'courses: 1',
    hive: [1, 1],
    check: ({ offers }) =>
      expect(offers.map(({ course }: any) => course)).toEqual(
        COURSES.map((databaseId, index) => ({
          databaseId,
          title: TITLE,
          priceWithTax: index < 3 ? expect.stringMatching(/^\d+\.\d\d with tax$/) : null,
        })),
      ),
  },
  {
    what: 'what another service adds to progress',
    query: '{ me { courseProgress(first: 2) { nodes { courseId status certificate } } } }',
    plan: 1,
    by: 'progress: 1',
    hive: [1, 1],
    check: ({ me }) => {
      expect(me.courseProgress.nodes).toHaveLength(2)
      for (const { courseId, certificate } of me.courseProgress.nodes) expect(certificate).toBe(`${LEARNER}/${courseId}`)
    },
  },
  {
    what: 'progress by user and course, of another service',
    query: '{ latest { certificate status course { title } } }',
    plan: 2,
    by: 'progress: 1, courses: 1',
    hive: [1, 2],
    check: ({ latest }) => expect(latest).toEqual([1, 2].map(() => ({ certificate: TITLE, status: TITLE, course: { title: TITLE } }))),
  },
  {
    what: 'users, their courses, and the authors of these',
    query: '{ team { name courseProgress(first: 1) { nodes { course { title offers { sku } author { name } } } } } }',
    plan: 3,
    by: 'progress of each user: 2, courses: 1',
    hive: [1, 3],
    check: ({ team }) =>
      expect(team[0].courseProgress.nodes[0].course).toEqual({ title: TITLE, offers: [{ sku: TITLE }], author: { name: TITLE } }),
  },
  {
    what: 'courses of posts',
    query: '{ posts { nodes { title courses { title priceType { name } } } } }',
    owner: 'wordpress',
    plan: 2,
    by: 'courses: 1, price types: 1',
    hive: [1, 2],
    check: ({ posts }) =>
      expect(posts.nodes).toEqual(
        [1, 2].map((post) => ({ title: `Post ${post}`, courses: [1, 2, 3].map(() => ({ title: TITLE, priceType: { name: TITLE } })) })),
      ),
  },
  {
    what: 'images, categories, tags and authors of courses',
    query:
      '{ courses(first: 20) { nodes { featuredMediaId categoryIds tagIds authorId featuredMedia { sourceUrl } categories { name } tags { name } author { name } } } }',
    owner: 'wordpress',
    plan: 1,
    by: 'courses: 1',
    hive: [1, 2],
    check: ({ courses }) => {
      expect(courses.nodes).toHaveLength(20)
      let references = 0
      for (const { featuredMediaId, categoryIds, tagIds, authorId, featuredMedia, categories, tags, author } of courses.nodes) {
        expect(featuredMedia).toEqual(featuredMediaId && { sourceUrl: `https://example.org/${featuredMediaId}.jpg` })
        expect(categories).toEqual(categoryIds?.map((id: number) => ({ name: `Category ${id}` })) ?? null)
        expect(tags).toEqual(tagIds?.map((id: number) => ({ name: `Tag ${id}` })) ?? null)
        expect(author).toEqual(authorId && { name: `User ${authorId}` })
        references += (featuredMediaId ? 1 : 0) + (categoryIds?.length ?? 0) + (tagIds?.length ?? 0)
      }
      expect(references).toBeGreaterThan(10)
    },
  },
  {
    what: 'the viewer of WordPress, and their courses',
    query: '{ viewer { name courseProgress(first: 2) { nodes { course { title } } } } }',
    owner: 'wordpress',
    plan: 2,
    by: 'progress: 1, courses: 1',
    hive: [1, 2],
    check: ({ viewer }) =>
      expect(viewer).toEqual({ name: 'User 3', courseProgress: { nodes: [1, 2].map(() => ({ course: { title: TITLE } })) } }),
  },
  {
    what: 'the progress of the author of a post',
    query: '{ post(id: "1") { title author { name courseProgress(first: 1) { totalCount } } } }',
    owner: 'wordpress',
    plan: 1,
    by: 'progress: 1',
    hive: [1, 1],
    check: ({ post }) =>
      expect(post).toEqual({ title: 'Post 1', author: { name: 'User 3', courseProgress: { totalCount: expect.any(Number) } } }),
  },
]

const OPERATIONS = Number(process.env.OPERATIONS ?? 12)
const SEED = Number(process.env.SEED ?? 20_261_124)

/** Gives each field an alias of its own. Routers differ in how they merge fields that are selected twice. */
function withOwnAliases(query: string): string {
  let count = 0
  return print(visit(parse(query), { Field: (field) => ({ ...field, alias: { kind: Kind.NAME, value: `f${++count}` } }) }))
}

/** Paths and codes of errors. */
const told = (errors: readonly { path?: readonly unknown[]; extensions?: Record<string, unknown> }[]): string[] =>
  errors.map(({ path, extensions }) => `${path?.join('.')} ${extensions?.code}`).sort()

/** The data of each case through the first router. */
const shown = new Map<string, unknown>()

describe.each(ROUTERS)('%s in front of three services', (router, start) => {
  let graphs: Readonly<Record<'people' | 'wordpress', LargerGraph>>
  const table: string[] = []
  beforeAll(async () => {
    const [people, wordpress] = await Promise.all([LargerGraph.start(start), LargerGraph.start(start, 'wordpress')])
    graphs = { people, wordpress }
  })
  afterAll(async () => {
    await Promise.all([graphs.people.close(), graphs.wordpress.close()])
    console.log([`${router}: query: requests to the LMS, \`_entities\` in them, REST calls (by hand)`, ...table].join('\n'))
  })

  it.each(CASES)('joins $what', async ({ what, query, variables = {}, owner = 'people', plan, by, hive, check }) => {
    const { data, errors, requests, entities, restCalls } = await graphs[owner as 'people' | 'wordpress'].query(query, { variables })
    table.push(`${what}: ${requests}, ${entities}, ${restCalls} (${plan}: ${by})`)
    expect(errors).toEqual([])
    check(data)
    if (shown.has(what)) expect(data).toEqual(shown.get(what))
    else shown.set(what, data)
    expect(restCalls).toBeLessThanOrEqual(plan + 1)
    // Hive Gateway takes each further key of a subgraph for a further service. It starts at the one of the last keys, and reads a record
    // again when it needs fields of another service on a type that it cannot look up here.
    if (router === 'Hive Gateway') expect([entities, restCalls]).toEqual(hive)
  })

  it('shows an error of the LMS at its path, beside the other data', async () => {
    const { data, errors } = await graphs.people.query('{ tips { question { title } group { title } } }', { as: 'learner' })
    expect(data.tips.question).toEqual({ title: null })
    expect(data.tips.group).toEqual({ title: TITLE })
    // Hive Gateway reports an error of a reference at the fields that it lacks.
    const path = router === 'Hive Gateway' ? ['tips', 'question', 'title'] : ['tips', 'question']
    expect(errors.map(({ path, extensions }) => [path, extensions?.code])).toEqual([[path, 'FORBIDDEN']])
  })

  it('shows what the gateway shows without it, with no more REST calls', async () => {
    const { world, router: routed } = graphs.people
    const schema = mapSchema(subgraphOf(graphSchema()).schema, {
      [MapperKind.ROOT_FIELD]: (_, name) => (name.startsWith('_') ? null : undefined),
    })
    const random = new Random(SEED)
    const steering = new Coverage(schema, random)
    let compared = 0
    for (let count = 0; count < OPERATIONS; count++) {
      const { query: made, variables, caller } = randomOperation({ schema, random, ids: IDS, steering })
      const query = withOwnAliases(made)
      const { data, errors, calls } = await world.query(query, { variables, ...(caller && { as: caller }) })
      // The budget refuses some operations. Hive Router does not answer those of which all fields are skipped.
      if (data == null || Object.keys(data).length === 0) continue
      world.calls.length = 0
      const result = await routed.execute(query, variables, caller ? { authorization: authorizationOf(caller) } : {})
      const place = `as ${caller ?? 'anonymous'}\n${query}\n${JSON.stringify(variables)}`
      expect(result.data, place).toEqual(data)
      expect(told(result.errors), place).toEqual(told(errors))
      expect(world.calls.length, place).toBeLessThanOrEqual(calls.length)
      compared++
    }
    expect(compared).toBeGreaterThan(OPERATIONS / 2)
  })

  it('forwards mutations', async () => {
    const { data, errors } = await graphs.people.query(
      'mutation { updateCourse(input: { id: 10003, title: "Renamed" }) { ... on UpdateCourseSuccess { course { title offers { price } } } ... on LmsError { code } } }',
    )
    expect([errors, data]).toEqual([[], { updateCourse: { course: { title: 'Renamed', offers: [{ price: 3 }] } } }])
  })
})
