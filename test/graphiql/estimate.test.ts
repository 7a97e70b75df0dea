import { buildSchema } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PlanExplanation, Step } from '../../src/graphiql/calls/explanation.js'
import {
  type Estimate,
  estimateDetails,
  estimatedFields,
  estimateText,
  levelOf,
  operationAt,
  requestEstimate,
} from '../../src/graphiql/estimate/estimate.js'
import { ExplainAccess } from '../../src/graphiql/explain-access.js'
import { byVersion } from '../support/graphql-version.js'
import { authorizationOf, World } from '../support/world.js'

type Planned = Extract<Estimate, { kind: 'plan' }>

const step = (more: Partial<Step>): Step => ({
  wave: 1,
  method: 'GET',
  route: 'v1/groups',
  batch: 100,
  min: 1,
  expected: 1,
  max: 1,
  paths: ['groups'],
  ...more,
})
const plan = (predicted: Partial<PlanExplanation['predicted']>, more: Partial<PlanExplanation> = {}): PlanExplanation => ({
  predicted: { min: 1, expected: 6, max: 16, waves: 2, ...predicted },
  maxCalls: 300,
  steps: [],
  ...more,
})

describe('estimateText', () => {
  it.each([
    [{}, 'about 6 of 300 calls'],
    [{ expected: 5.2 }, 'about 6 of 300 calls'],
    [{ min: 0, expected: 0, max: 0, waves: 0 }, 'no REST call'],
    [{ max: 2511, expected: 1107 }, 'about 1,107 of 300 calls'],
  ])('of %j', (predicted, text) => expect(estimateText(plan(predicted))).toBe(text))
})

describe('estimateDetails', () => {
  it.each([
    [{ max: 2511, waves: 3 }, /^At most 2,511 calls, one after the other in 3 steps\. An operation may make 300\. The estimate /],
    [{ max: 1, waves: 1 }, /^At most 1 call, one after the other in 1 step\. /],
    [{ max: 0, waves: 0 }, /^The operation needs no REST call\.$/],
  ])('of %j', (predicted, text) => expect(estimateDetails(plan(predicted))).toMatch(text))
})

describe('levelOf', () => {
  it.each([
    [plan({ expected: 240 }), 'low'],
    [plan({ expected: 240.1 }), 'near'],
    [plan({ expected: 310 }, { refusal: 'No.' }), 'over'],
  ])('%#', (explained, level) => expect(levelOf(explained)).toBe(level))
})

describe('operationAt', () => {
  const schema = buildSchema('type Query { a: Int b(n: Int!): Int }')
  const two = 'query A { a }\nquery B($n: Int!) { b(n: $n) }\n'
  it.each<[string, number, string | undefined, string | null | undefined]>([
    ['{ a }', 0, undefined, null],
    [two, 3, 'B', 'A'],
    [two, 20, 'A', 'B'],
    [two, two.length, 'B', 'B'],
    [two, two.length, 'C', 'A'],
    ['{ a', 0, undefined, undefined],
    ['{ c }', 0, undefined, undefined],
    ['', 0, undefined, undefined],
    ['fragment F on Query { a }', 0, undefined, undefined],
  ])('%j at %d', (query, offset, preferred, name) => {
    expect(operationAt(query, schema, offset, preferred)).toBe(name)
  })
})

describe('estimatedFields', () => {
  it('names the fields that lead to calls, the most expensive first, with their routes', () => {
    const query = '{ groups { nodes { courses { nodes { title } } parent { title } } } }'
    const steps = [
      step({}),
      step({ wave: 2, route: 'v2/groups/:id/courses', min: 0, expected: 9.5, max: 10, paths: ['groups.nodes.courses'] }),
      step({ wave: 2, route: 'v1/groups', min: 0, paths: ['groups.nodes.parent', 'groups.nodes.nowhere'] }),
    ]
    const fields = estimatedFields({
      kind: 'plan',
      operation: { query, operationName: undefined, variables: {} },
      plan: plan({}, { steps }),
    })
    expect(fields).toEqual([
      {
        path: 'groups.nodes.courses',
        expected: 9.5,
        isExpensive: true,
        text: 'GET v2/groups/:id/courses: about 10 calls, at most 10, step 2',
        name: [19, 26],
      },
      { path: 'groups', expected: 1, isExpensive: false, text: 'GET v1/groups: about 1 call, at most 1, step 1', name: [2, 8] },
      {
        path: 'groups.nodes.parent',
        expected: 1,
        isExpensive: false,
        text: 'GET v1/groups: about 1 call, at most 1, step 2, shared by 2 fields',
        name: [47, 53],
      },
    ])
  })
})

describe('requestEstimate', () => {
  let world: World
  let closed: World
  beforeAll(async () => {
    ;[world, closed] = await Promise.all([
      World.start({ observe: { explainFor: ['everybody'] } }),
      World.start({ observe: { explainFor: [] } }),
    ])
  })
  afterAll(() => Promise.all([world.close(), closed.close()]))
  beforeEach(() => {
    world.calls.length = 0
  })

  const ask = (query: string, { variables = {}, of = world, access = new ExplainAccess(true) } = {}) =>
    requestEstimate(
      { query, operationName: undefined, variables },
      {
        url: `${of.gateway.url}/graphql`,
        headers: { authorization: authorizationOf('admin') },
        access,
        signal: new AbortController().signal,
      },
    )

  it('asks for the plan of an operation, and makes no REST call', async () => {
    const query = 'query Q($first: Int!) { groups(first: $first) { nodes { courses(first: 50) { nodes { lessons { totalCount } } } } } }'
    const few = (await ask(query, { variables: { first: 1 } })) as Planned
    expect([estimateText(few.plan), levelOf(few.plan)]).toEqual(['about 52 of 300 calls', 'low'])
    const many = (await ask(query, { variables: { first: 10 } })) as Planned
    expect([estimateText(many.plan), levelOf(many.plan)]).toEqual(['about 511 of 300 calls', 'over'])
    expect(estimatedFields(many)[0]).toMatchObject({ path: 'groups.nodes.courses.nodes.lessons', expected: 500, isExpensive: true })
    expect(world.calls).toEqual([])
  })

  it('plans mutations, and runs nothing', async () => {
    const query = 'mutation { createCourse(input: { title: "Never" }) { __typename } }'
    expect(await ask(query)).toMatchObject({ kind: 'plan' })
    expect(world.calls).toEqual([])
  })

  it('says what is wrong', async () => {
    expect(await ask('query Q($first: Int!) { groups(first: $first) { totalCount } }')).toEqual({
      kind: 'problem',
      message: byVersion(
        'Variable "$first" of required type "Int!" was not provided.',
        'Variable "$first" has invalid value: Expected a value of non-null type "Int!" to be provided.',
      ),
    })
  })

  it('remembers a caller who may not have operations explained', async () => {
    const access = new ExplainAccess(true)
    const headers = { Authorization: authorizationOf('admin') }
    expect(access.allows(headers)).toBe(true)
    expect(await ask('{ __typename }', { of: closed, access })).toBeUndefined()
    expect(access.allows(headers)).toBe(false)
    expect(access.allows({})).toBe(true)
  })
})
