import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { World } from '../support/world.js'

let world: World
beforeAll(async () => {
  world = await World.start({ limits: { maxCalls: 40 }, observe: { explainFor: ['everybody'] } })
})
afterAll(() => world.close())

const planOf = async (query: string): Promise<any> => {
  const response = await world.gateway.post({ query }, { 'x-lms-explain': 'plan' })
  return ((await response.json()) as any).extensions.explain
}

describe('an operation over the budget', () => {
  it.each<[string, string, number, string, string, string]>([
    [
      'a list below a list',
      '{ groups(first: 10) { nodes { courses(first: 20) { nodes { lessons { totalCount } } } } } }',
      211,
      'groups.nodes.courses.nodes.lessons',
      'use `first: 2` in `groups.nodes.courses`.',
      '{ groups(first: 10) { nodes { courses(first: 2) { nodes { lessons { totalCount } } } } } }',
    ],
    [
      'the end of a list, under an alias',
      '{ all: courses(last: 50) { edges { node { steps: lessons { totalCount } } } } }',
      52,
      'all.edges.node.steps',
      'use `last: 38` in `all`.',
      '{ all: courses(last: 38) { edges { node { steps: lessons { totalCount } } } } }',
    ],
    [
      'a list that is long itself',
      '{ user(id: 3) { courseProgress(first: 1000) { nodes { status } } } g: group(id: 1001) { courses(first: 1000, offset: 5000) { nodes { lessons(first: 100) { nodes { id } } } } } }',
      1_021,
      'g.courses.nodes.lessons',
      'use `first: 28` in `g.courses`.',
      '{ user(id: 3) { courseProgress(first: 1000) { nodes { status } } } g: group(id: 1001) { courses(first: 28, offset: 5000) { nodes { lessons(first: 100) { nodes { id } } } } } }',
    ],
    [
      'a relation without pages',
      '{ courses(first: 20) { nodes { prerequisites { lessons { totalCount } } } } }',
      42,
      'courses.nodes.prerequisites.lessons',
      'use `first: 19` in `courses`.',
      '{ courses(first: 19) { nodes { prerequisites { lessons { totalCount } } } } }',
    ],
    [
      'many fields',
      `{ ${Array.from({ length: 41 }, (_, index) => `q${index}: question(id: ${500_001 + index}) { title }`).join(' ')} }`,
      41,
      'q0',
      'request less in one operation.',
      `{ ${Array.from({ length: 40 }, (_, index) => `q${index}: question(id: ${500_001 + index}) { title }`).join(' ')} }`,
    ],
  ])('is refused, with advice that makes it cheaper: %s', async (_, query, expected, field, advice, cheaper) => {
    const { data, errors, calls, status } = await world.query(query)
    expect([data, calls, status]).toEqual([undefined, [], 400])
    expect(errors).toHaveLength(1)
    expect(errors[0]?.message).toMatch(
      new RegExp(
        `^The operation is expected to need ${expected} REST calls \\(\\d+ to \\d+\\), and the budget is 40. \`${field}\` costs most, about \\d+: `,
      ),
    )
    expect(errors[0]?.message.endsWith(advice), errors[0]?.message).toBe(true)
    expect(errors[0]?.extensions).toMatchObject({ code: 'CALL_BUDGET_EXCEEDED', cost: { expected }, maxCalls: 40, field })
    expect(await planOf(query)).toMatchObject({ predicted: { expected }, refusal: errors[0]?.message })
    // The advice is good.
    const { predicted, refusal } = await planOf(cheaper)
    expect([predicted.expected <= 40, refusal]).toEqual([true, undefined])
  })

  it('is refused with its variables, and not with others', async () => {
    const query =
      'query ($first: Int!, $deep: Boolean!) { courses(first: $first) { nodes { lessons @include(if: $deep) { totalCount } } } }'
    const codes = async (variables: object) =>
      (await world.query(query, { variables: variables as Record<string, unknown> })).errors.map(({ extensions }) => extensions.code)
    expect(await codes({ first: 39, deep: true })).toEqual([])
    expect(await codes({ first: 40, deep: true })).toEqual(['CALL_BUDGET_EXCEEDED'])
    expect(await codes({ first: 1000, deep: false })).toEqual([])
  })

  it('writes nothing', async () => {
    const id = 10_011
    const before = (await world.query(`{ course(id: ${id}) { title } }`)).data.course.title
    const list = 'lessons(first: 45) { nodes { quizzes { totalCount } } }'
    const mutation = `mutation { updateCourse(input: { id: ${id}, title: "Changed" }) { ... on UpdateCourseSuccess { course { ${list} } } } }`
    const { errors, calls } = await world.query(mutation, { as: 'admin' })
    expect([errors.map(({ extensions }) => extensions.code), calls]).toEqual([['CALL_BUDGET_EXCEEDED'], []])
    expect((await world.query(`{ course(id: ${id}) { title } }`)).data.course.title).toBe(before)
  })
})

describe('a list that is refused', () => {
  it('is requested once, below objects of any type', async () => {
    // Of all types that have an author only this one is met.
    const query = '{ node(id: "UXVpejozMDAwMjE=") { ... on LmsContent { author { courseProgress(first: 1) { nodes { status } } } } } }'
    const { data, errors, calls } = await world.query(query, { as: 'learner' })
    expect(data).toEqual({ node: { author: { courseProgress: null } } })
    expect([errors.map(({ extensions }) => extensions.code), calls.length]).toEqual([['FORBIDDEN'], 2])
  })
})

describe('an operation that needs more calls than expected', () => {
  let frugal: World
  beforeAll(async () => {
    frugal = await World.start({
      limits: { maxCalls: 3, maxTokens: 100_000, maxAliases: 100_000 },
      tuning: { limits: { maxUnpaged: 1, maxRootFields: 10_000, maxSelections: 100_000, maxRepeats: 10_000 } },
    })
  })
  afterAll(() => frugal.close())

  it('stops at the budget, and shows what it has fetched', async () => {
    // Two prerequisites where at most one was assumed: a list for each, and one has to be looked for.
    const generous = await World.start({ limits: { maxCalls: 4 }, tuning: { limits: { maxUnpaged: 1 } } })
    const query = `{ course(id: ${SAMPLES.dangling}) { title prerequisites { title lessons { totalCount } } } }`
    const { data, errors, calls, status } = await generous.query(query)
    await generous.close()
    expect(status).toBe(200)
    expect(calls).toHaveLength(4)
    expect(data.course.title).toMatch(/\S/)
    expect(data.course.prerequisites).toEqual([{ title: expect.stringMatching(/\S/), lessons: { totalCount: expect.any(Number) } }, null])
    expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['course', 'prerequisites', 1], 'CALL_BUDGET_EXCEEDED'],
    ])
    expect(errors[0]?.message).toBe('The operation has reached the budget of 4 REST calls. Request less at a time.')
  })

  it('is refused before its first call, however many fields it selects', async () => {
    const leaves = Array.from({ length: 1_700 }, (_, index) => `l${index}: title`).join(' ')
    const query = `{ ${['a', 'b', 'c'].map((key, index) => `${key}: groups(first: 1, offset: ${index}) { nodes { ${leaves} courses(first: 1) { totalCount } } }`).join(' ')} }`
    const { errors, calls } = await frugal.query(query)
    expect([calls, errors.map(({ extensions }) => extensions.code)]).toEqual([[], ['CALL_BUDGET_EXCEEDED']])
  })

  it('has a budget of its own', async () => {
    for (let run = 0; run < 3; run++) {
      const { errors, calls } = await frugal.query(
        '{ a: question(id: 500001) { title } b: question(id: 500002) { title } c: group(id: 1001) { title } }',
        { as: 'admin' },
      )
      expect([errors, calls.length]).toEqual([[], 3])
    }
  })
})
