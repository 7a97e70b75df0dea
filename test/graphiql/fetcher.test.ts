import type { FetcherParams } from '@graphiql/toolkit'
import { parse } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Runs } from '../../src/graphiql/calls/runs.js'
import { ExplainAccess } from '../../src/graphiql/explain-access.js'
import { createFetcher } from '../../src/graphiql/fetcher.js'
import { authorizationOf, World } from '../support/world.js'

const LIST = '{ groups(first: 2) { nodes { title } } }'
const DEFERRED = '{ groups(first: 2) { nodes { title ... @defer { courses(first: 1) { nodes { title } } } } } }'
const EXPENSIVE = '{ groups(first: 10) { nodes { courses(first: 50) { nodes { lessons { totalCount } } } } } }'

/** A page in front of a gateway: its fetcher, its runs in the tab `a`, and the operations that it has sent. */
function pageOf(world: World, { explains = true, headers = {} }: { explains?: boolean; headers?: Record<string, string> } = {}) {
  const runs = new Runs()
  runs.open('a', ['a', 'b'])
  const access = new ExplainAccess(explains)
  const fetcher = createFetcher({ url: `${world.gateway.url}/graphql`, headers: () => headers, access, runs })
  const start = (params: FetcherParams, own: Record<string, string> = {}) =>
    fetcher(params, { headers: own, documentAST: parse(params.query) }) as AsyncIterableIterator<any>
  /** All results of an operation, as GraphiQL receives them. */
  const run = async (query: string, own?: Record<string, string>, operationName?: string): Promise<any[]> => {
    const results: any[] = []
    for await (const result of start({ query, operationName: operationName ?? null }, own)) results.push(result)
    return results
  }
  return { runs, run, start, fetcher, outcome: () => runs.of('a')?.outcome as any }
}

describe('createFetcher', () => {
  let world: World
  let closed: World
  beforeAll(async () => {
    ;[world, closed] = await Promise.all([
      World.start({ observe: { explainFor: ['everybody'] }, limits: { maxCalls: 60 } }),
      World.start({ observe: { explainFor: [] } }),
    ])
  })
  afterAll(() => Promise.all([world.close(), closed.close()]))
  beforeEach(() => {
    world.calls.length = 0
    closed.calls.length = 0
  })

  it('runs with an explanation, records it, and removes it from the response', async () => {
    const { run, runs, outcome } = pageOf(world)
    expect(await run(LIST)).toEqual([{ data: { groups: { nodes: [expect.anything(), expect.anything()] } } }])
    expect(runs.of('a')).toMatchObject({ query: LIST, operationName: undefined })
    expect(outcome()).toMatchObject({
      kind: 'explained',
      explanation: { actual: { calls: 1 }, calls: [{ route: 'v1/groups', status: 200 }] },
    })
    expect(world.calls).toHaveLength(1)
  })

  it('records the HTTP status and the time of a response, and what it was sent with', async () => {
    const { run, runs } = pageOf(world, { headers: { 'X-Page': '1' } })
    await world.lms.set({ latency: { median: 150, p95: 150 } })
    try {
      await run(DEFERRED, { 'x-tab': '2' })
    } finally {
      await world.lms.set({ latency: null })
    }
    expect(runs.of('a')).toMatchObject({ headers: { 'x-page': '1', 'x-tab': '2' }, variables: {}, answer: { status: 200 } })
    // Two calls, one after the other: the time is that of the last part.
    expect(runs.of('a')?.answer?.time).toBeGreaterThan(300)
    await run('{ nope }', { accept: 'application/graphql-response+json' })
    expect(runs.of('a')?.answer?.status).toBe(400)
  })

  it('keeps other extensions of a response', async () => {
    const { run, outcome } = pageOf(world)
    const [refused] = await run('{ groups(first: 5000) { totalCount } }')
    expect(refused.errors[0].extensions).toEqual({ code: 'BAD_USER_INPUT' })
    expect(outcome()).toMatchObject({ kind: 'explained', explanation: { calls: [] } })
  })

  it('finds the explanation of a deferred operation in its last part', async () => {
    const { run, outcome } = pageOf(world)
    const results = await run(DEFERRED)
    expect(results.length).toBeGreaterThan(1)
    expect(JSON.stringify(results)).not.toContain('explain')
    expect(JSON.stringify(results)).toContain('courses')
    expect(outcome()).toMatchObject({ kind: 'explained', explanation: { actual: { calls: 3 } } })
  })

  it('records a refusal, and that a document is invalid', async () => {
    const { run, outcome } = pageOf(world)
    expect(await run(EXPENSIVE)).toMatchObject([{ errors: [{ extensions: { code: 'CALL_BUDGET_EXCEEDED' } }] }])
    expect(outcome()).toEqual({ kind: 'refused', message: expect.stringMatching(/^The operation is expected to need \d+ REST calls/) })
    await run('{ nope }')
    expect(outcome()).toEqual({ kind: 'failed' })
    expect(world.calls).toEqual([])
  })

  it('sends again without `explain` when the caller may not ask for it, and remembers that for the credentials', async () => {
    const { run, outcome } = pageOf(closed)
    const sent: string[] = []
    const original = globalThis.fetch
    globalThis.fetch = (input, init) => {
      sent.push(String(init?.body).includes('explain') ? 'explain' : 'plain')
      return original(input, init)
    }
    try {
      for (const [own, requests] of [
        [{}, ['explain', 'plain']],
        [{}, ['plain']],
        [{ Authorization: authorizationOf('admin') }, ['explain', 'plain']],
        [{ authorization: authorizationOf('admin') }, ['plain']],
      ] as const) {
        sent.length = 0
        expect(await run(LIST, own)).toMatchObject([{ data: { groups: { nodes: [{}, {}] } } }])
        expect(sent).toEqual(requests)
        expect(outcome()).toEqual({ kind: 'forbidden' })
      }
      expect(closed.calls).toHaveLength(4)
    } finally {
      globalThis.fetch = original
    }
  })

  it('does not ask for explanations when nobody may have them', async () => {
    const { run, outcome } = pageOf(world, { explains: false })
    expect(await run(LIST)).toMatchObject([{ data: { groups: {} } }])
    expect(outcome()).toEqual({ kind: 'forbidden' })
  })

  it('sends headers of the page, which those of the tab replace', async () => {
    const { run } = pageOf(world, { headers: { Authorization: authorizationOf('admin') } })
    const drafts = '{ courses(where: { status: [DRAFT] }) { totalCount } }'
    expect(await run(drafts)).toEqual([{ data: { courses: { totalCount: expect.any(Number) } } }])
    expect(await run(drafts, { authorization: authorizationOf('learner') })).toMatchObject([{ data: { courses: null }, errors: [{}] }])
  })

  it.each(['(a+)+$', '(', '.', 'Other|B', '^', '\\w'])(
    'takes an operation name of a link, such as %s, as a name and not as a pattern',
    async (name) => {
      const { run, runs } = pageOf(world)
      // With the first name as a pattern, this document takes years.
      expect(await run(`query B ${LIST} # ${'a'.repeat(60)}!`, {}, name)).toMatchObject([{ data: { groups: { nodes: [{}, {}] } } }])
      expect(runs.of('a')?.operationName).toBeUndefined()
      expect(world.calls).toHaveLength(1)
    },
  )

  it('omits an operation name that is not in the document', async () => {
    const { run, runs } = pageOf(world)
    expect(await run(LIST, {}, 'OfTheTabBefore')).toMatchObject([{ data: { groups: {} } }])
    const two = `query A { groups(first: 1) { totalCount } } query B ${LIST}`
    expect(await run(two, {}, 'B')).toMatchObject([{ data: { groups: { nodes: [{}, {}] } } }])
    expect(runs.of('a')).toMatchObject({ operationName: 'B' })
  })

  it('does not record introspection of GraphiQL', async () => {
    const { fetcher, runs } = pageOf(world)
    const result = await fetcher(
      { query: 'query IntrospectionQuery { __schema { queryType { name } } }', operationName: 'IntrospectionQuery' },
      {},
    )
    expect(result).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } })
    expect(runs.of('a')).toBeUndefined()
  })

  it('aborts the request of a run that is stopped, and ends it without an error', async () => {
    await world.lms.set({ latency: { median: 10_000, p95: 10_000 } })
    try {
      const { start, outcome } = pageOf(world)
      const results = start({ query: '{ groups(first: 3) { totalCount } }' })
      const next = results.next()
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(outcome()).toEqual({ kind: 'running' })
      await results.return?.()
      expect(await next).toEqual({ done: true, value: undefined })
      expect(outcome()).toEqual({ kind: 'stopped' })
    } finally {
      await world.lms.set({ latency: null })
    }
  })

  it('records a run that could not be sent', async () => {
    const runs = new Runs()
    runs.open('a', ['a'])
    const fetcher = createFetcher({ url: 'http://127.0.0.1:1/graphql', headers: () => ({}), access: new ExplainAccess(true), runs })
    const results = fetcher({ query: LIST }, { headers: {} }) as AsyncIterableIterator<unknown>
    await expect(results.next()).rejects.toThrow()
    expect(runs.of('a')?.outcome).toEqual({ kind: 'failed' })
  })

  it('keeps the last run of each open tab', async () => {
    const { run, runs } = pageOf(world)
    await run(LIST)
    runs.open('b', ['a', 'b'])
    await run('{ __typename }')
    expect([runs.of('a')?.query, runs.of('b')?.query, runs.of(undefined)]).toEqual([LIST, '{ __typename }', undefined])
    runs.open('b', ['b'])
    expect([runs.of('a'), runs.of('b')?.query]).toEqual([undefined, '{ __typename }'])
  })
})
