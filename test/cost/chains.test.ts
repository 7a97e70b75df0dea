import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLES } from '../../src/lms/index.js'
import { authorizationOf, type Login, World } from '../support/world.js'

let world: World
beforeAll(async () => {
  world = await World.start({ observe: { explainFor: ['everybody'] } })
})
afterAll(() => world.close())

/** A chain of prerequisites, so many deep. */
const chain = (depth: number, inner: string): string => (depth === 0 ? inner : `${inner} prerequisites { ${chain(depth - 1, inner)} }`)

const predicted = async (of: World, query: string, as?: Login): Promise<any> => {
  const headers = as ? { authorization: authorizationOf(as) } : {}
  const response = await of.gateway.post({ query, extensions: { explain: 'plan' } }, headers)
  return ((await response.json()) as any).extensions.explain.predicted
}

describe('a chain of relations without pages', () => {
  it('runs with one call for each level that leads to new records', async () => {
    const query = `{ course(id: ${SAMPLES.cycle[0]}) { ${chain(5, 'databaseId title')} } }`
    const { min, expected, max } = await predicted(world, query, 'admin')
    expect([min, expected <= 10, max > 300]).toEqual([1, true, true])
    const { data, errors, calls } = await world.query(query, { as: 'admin' })
    expect(errors.map(({ extensions }) => extensions.code)).toEqual([])
    expect(data.course.prerequisites[0].databaseId).toBe(SAMPLES.cycle[1])
    expect(calls.length).toBeLessThanOrEqual(6)
    expect(calls.every((call) => /sfwd-courses(\/\d+)?\?/.test(call))).toBe(true)
  })

  it('runs below a list as well', async () => {
    const query = `{ courses(first: 60) { nodes { ${chain(5, 'databaseId title')} } } }`
    const { errors, calls, data } = await world.query(query, { as: 'admin' })
    expect(errors.map(({ extensions }) => extensions.code)).toEqual([])
    expect(data.courses.nodes).toHaveLength(60)
    // Each course is read once, in batches.
    expect(calls.length).toBeLessThanOrEqual(10)
  })

  it('stops at the budget if it is longer than expected', async () => {
    const frugal = await World.start({ limits: { maxCalls: 2 }, observe: { explainFor: ['everybody'] } })
    // One of the prerequisites is left out of its batch, and looked for alone.
    const query = `{ course(id: ${SAMPLES.dangling}) { ${chain(1, 'title')} } }`
    const { min, expected, max } = await predicted(frugal, query, 'admin')
    expect([min, expected, max > 2]).toEqual([1, 2, true])
    const { status, data, errors, calls } = await frugal.query(query, { as: 'admin' })
    await frugal.close()
    expect([status, calls.length]).toEqual([200, 2])
    expect(data.course.title).toEqual(expect.any(String))
    expect(errors.length).toBeGreaterThan(0)
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['CALL_BUDGET_EXCEEDED']))
  })
})

describe('relations that lead back from the rows of a list to the record above', () => {
  it('are expected once for each of these records', async () => {
    const lessons = 'lessons(first: 10) { nodes { course { title quizzes(first: 1) { totalCount } } } }'
    const query = `{ courses(first: 20) { nodes { ${lessons} } } }`
    const { expected } = await predicted(world, query, 'admin')
    const { errors, calls } = await world.query(query, { as: 'admin' })
    expect([errors, calls.length]).toEqual([[], 41])
    expect(expected).toBeGreaterThanOrEqual(41)
    expect(expected).toBeLessThanOrEqual(45)
  })

  it('so that access to many lessons runs at once, within the budget', async () => {
    const query = '{ courses(first: 20) { nodes { lessons(first: 10) { nodes { access(user: 3) { state } } } } } }'
    const { expected } = await predicted(world, query, 'admin')
    const { errors, calls, data } = await world.query(query, { as: 'admin' })
    expect(errors).toEqual([])
    expect(data.courses.nodes).toHaveLength(20)
    expect(calls.length).toBeLessThan(60)
    expect(expected).toBeLessThan(100)
  })
})

describe('the expected number of calls', () => {
  const QUERY = '{ group(id: 1001) { courses(first: 100) { nodes { lessons(first: 100) { totalCount } } } } }'

  it('reveals nothing of other callers', async () => {
    const site = await World.start({ observe: { explainFor: ['everybody'] } })
    const before = await predicted(site, QUERY)
    for (const id of [1003, 1004, 1005, 1006]) await site.query(QUERY.replace('1001', `${id}`), { as: 'admin' })
    expect(await predicted(site, QUERY)).toEqual(before)
    expect(await predicted(site, QUERY, 'learner')).toEqual(before)
    const own = await predicted(site, QUERY, 'admin')
    expect([own.expected < 30, own.max]).toEqual([true, before.max])
    await site.close()
  })

  it('is part of the refusal, with advice that makes the operation cheaper', async () => {
    const site = await World.start({ limits: { maxCalls: 20 }, observe: { explainFor: ['everybody'] } })
    const { status, errors, calls } = await site.query(QUERY, { as: 'admin' })
    await site.close()
    expect([status, calls]).toEqual([400, []])
    expect(errors[0]?.message).toBe(
      'The operation is expected to need 102 REST calls (2 to 102), and the budget is 20. ' +
        '`group.courses.nodes.lessons` costs most, about 100: use `first: 18` in `group.courses`.',
    )
    expect(errors[0]?.extensions).toMatchObject({ cost: { min: 2, expected: 102, max: 102, waves: 2 }, maxCalls: 20 })
  })

  it('is bounded by the total of a list', async () => {
    const site = await World.start({ observe: { explainFor: ['everybody'] }, limits: { maxCalls: 1_000 } }, {}, { pageCap: 10 })
    const query = `{ course(id: ${SAMPLES.cycle[0]}) { ${chain(9, 'databaseId')} } }`
    const before = await predicted(site, query, 'admin')
    await site.query('{ courses(first: 1) { totalCount nodes { databaseId } } }', { as: 'admin' })
    const after = await predicted(site, query, 'admin')
    await site.close()
    // Of 1,024 courses at the end of the chain there are 120.
    expect([before.expected > 100, after.expected < 0.7 * before.expected, after.max]).toEqual([true, true, before.max])
  })

  it('does not matter for a query that certainly makes too many calls', async () => {
    const site = await World.start({ limits: { maxCalls: 5 }, observe: { explainFor: ['everybody'] } })
    const query = `{ ${[1, 2, 3, 4, 5, 6].map((id) => `c${id}: course(id: 1000${id}) { lessons { totalCount } }`).join(' ')} }`
    const { status, errors, calls } = await site.query(query, { as: 'admin' })
    expect([status, calls, errors[0]?.extensions.code]).toEqual([400, [], 'CALL_BUDGET_EXCEEDED'])
    await site.close()
  })
})
