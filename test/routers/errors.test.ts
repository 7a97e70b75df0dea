import type { IncomingHttpHeaders } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { graphSchema, subgraphOf } from '../../src/index.js'
import { defineSite } from '../../src/upstream/site/site.js'
import { merged } from '../support/merged.js'
import { SITE_NAMES } from '../support/profile.js'
import { type RunningProxy, type Substitute, startProxy } from '../support/proxy.js'
import { BEHIND_PROXY, type Served, serve as serveGateway } from '../support/served.js'
import { authorizationOf, CANDID, type Login, World } from '../support/world.js'
import { entityFields, type Result, ROUTERS, type Router } from './routers.js'
import { type Service, serve, startUsers } from './services.js'

/** Refers to lessons, courses and a question of the LMS. */
const LIBRARY = `
  type Query { shelf: [Lesson!]!  shown: [Course!]!  quoted: Question }
  type Lesson @key(fields: "databaseId", resolvable: false) { databaseId: Int! }
  type Course @key(fields: "databaseId", resolvable: false) { databaseId: Int! }
  type Question @key(fields: "databaseId", resolvable: false) { databaseId: Int! }`

const LESSONS = 1_000

describe.each(ROUTERS)('errors and requests through %s', (name, start) => {
  let world: World
  let proxy: RunningProxy
  let gateway: Served
  let services: readonly Service[]
  let router: Router
  let lessons: readonly { databaseId: number; title: string; course: { title: string } }[] = []
  /** The credentials that the library received. */
  const received: unknown[] = []
  /** The requests to the site: their headers by their paths. */
  const seen: { path: string; headers: IncomingHttpHeaders }[] = []
  let failing: RegExp | undefined

  beforeAll(async () => {
    world = await World.start()
    const { data } = await world.query(`{ lessons(first: ${LESSONS}) { nodes { databaseId title course { title } } } }`, { as: 'admin' })
    lessons = data.lessons.nodes
    proxy = await startProxy(world.lms.url, (path, headers): Substitute | undefined => {
      seen.push({ path, headers })
      return failing?.test(path) ? { status: 500, body: '{"code":"internal","message":"It broke.","data":{"status":500}}' } : undefined
    })
    gateway = await serveGateway(
      merged(
        BEHIND_PROXY,
        { tuning: { site: defineSite(proxy.url, SITE_NAMES), limits: { maxListItems: 2_000 } }, subgraph: { enabled: true } },
        CANDID,
      ),
    )
    const library = await serve({
      name: 'library',
      sdl: LIBRARY,
      entities: ['Lesson'],
      resolvers: {
        Query: {
          shelf: () => lessons.map(({ databaseId }) => ({ databaseId })),
          shown: (_, __, { request }) => {
            received.push(request.headers.get('authorization'))
            return [10_001, 10_002].map((databaseId) => ({ databaseId }))
          },
          quoted: () => ({ databaseId: 500_001 }),
        },
      },
      find: (reference) => reference,
    })
    services = [library, await startUsers(3)]
    router = await start([{ name: 'lms', url: `${gateway.url}/graphql`, sdl: subgraphOf(graphSchema()).sdl }, ...services])
  })
  afterEach(() => {
    failing = undefined
  })
  afterAll(async () => {
    await router.close()
    await Promise.all(services.map((service) => service.close()))
    await gateway.close()
    await proxy.close()
    await world.close()
  })

  async function run(query: string, as: Login | null = 'admin', headers: Record<string, string> = {}): Promise<Result> {
    seen.length = 0
    router.documents.length = 0
    return router.execute(query, {}, { ...(as && { authorization: authorizationOf(as) }), ...headers })
  }

  /** Paths and codes of errors. Hive Gateway leaves out the index of a reference in a list. */
  const told = ({ errors }: Result) => errors.map(({ path, extensions }) => [path?.join('.'), extensions?.code])
  const at = (path: string) => (name === 'Hive Gateway' ? path.replace(/\.\d/g, '') : path)

  it('keeps the batches of 1,000 references', async () => {
    expect(lessons).toHaveLength(LESSONS)
    expect(new Set(lessons.map(({ title }) => title)).size).toBeGreaterThan(100)
    const { data, errors } = await run('{ shelf { databaseId title course { title } } }')
    expect(errors).toEqual([])
    expect(data.shelf).toEqual(lessons)
    expect(router.documents.map(entityFields)).toEqual([1])
    expect(seen.filter(({ path }) => /sfwd-lessons\?/.test(path))).toHaveLength(10)
  })

  it('has the code of a field that only editors may read, at its path, beside the other data', async () => {
    const result = await run('{ course(id: 10001) { title contentRaw lessons(first: 1) { nodes { title } } } }', 'learner')
    expect(result.data.course).toEqual({ title: expect.any(String), contentRaw: null, lessons: { nodes: [{ title: expect.any(String) }] } })
    expect(told(result)).toEqual([['course.contentRaw', 'FORBIDDEN']])
  })

  it('has it for records that another service refers to', async () => {
    const result = await run('{ shown { title contentRaw } quoted { title } }', 'learner')
    for (const { title, contentRaw } of result.data.shown) expect([title, contentRaw]).toEqual([expect.any(String), null])
    // A router may report an error of a reference at the reference, or at each field that it lacks.
    expect(
      told(result)
        .map(([path, code]) => [path?.toString().replace(/^quoted\.title$/, 'quoted'), code])
        .sort(),
    ).toEqual([
      ['quoted', 'FORBIDDEN'],
      [at('shown.0.contentRaw'), 'FORBIDDEN'],
      [at('shown.1.contentRaw'), 'FORBIDDEN'],
    ])
  })

  it('has the code of a wrong argument', async () => {
    const result = await run('{ course(id: "nonsense") { title } shown { title } }')
    expect([result.data.course, result.data.shown.length]).toEqual([null, 2])
    expect(told(result)).toEqual([['course', 'BAD_USER_INPUT']])
  })

  it('has the code of a question without credentials', async () => {
    const result = await run('{ quoted { title } shown { title } }', null)
    expect(result.data.shown).toEqual([1, 2].map(() => ({ title: expect.any(String) })))
    expect(told(result).map(([, code]) => code)).toEqual(['UNAUTHENTICATED'])
  })

  it('has the code of a failure of the site, beside what the site sent', async () => {
    failing = /price-types/
    const result = await run('{ shown { title priceType { name } } }')
    expect(result.data.shown).toEqual([1, 2].map(() => ({ title: expect.any(String), priceType: null })))
    expect(told(result)).toEqual([
      [at('shown.0.priceType'), 'UPSTREAM_UNAVAILABLE'],
      [at('shown.1.priceType'), 'UPSTREAM_UNAVAILABLE'],
    ])
    expect(result.errors[0]?.extensions?.upstream?.status).toBe(500)
  })

  it('returns the errors of a mutation as data', async () => {
    const mutation = (id: number) =>
      `mutation { updateCourse(input: { id: ${id}, title: "New" }) { __typename ... on UpdateCourseSuccess { course { title } } ... on LmsError { code message } } }`
    const refused = await run(mutation(10_003), 'learner')
    expect([refused.errors, refused.data.updateCourse]).toEqual([
      [],
      expect.objectContaining({ __typename: 'ForbiddenError', code: 'FORBIDDEN' }),
    ])
    const missing = await run(mutation(999_999))
    expect([missing.errors, missing.data.updateCourse]).toEqual([
      [],
      expect.objectContaining({ __typename: 'NotFoundError', code: 'NOT_FOUND' }),
    ])
  })

  it('passes the headers of a trace to the site', async () => {
    const trace = {
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      tracestate: 'vendor=1',
      'x-request-id': `from-${name.length}`,
    }
    await run('{ shown { title lessons(first: 1) { nodes { title } } } }', 'admin', trace)
    expect(seen.length).toBeGreaterThan(2)
    for (const { headers } of seen) expect(headers).toMatchObject({ ...trace, authorization: authorizationOf('admin') })
    // What is no trace context is not passed on.
    await run('{ shown { title } }', 'admin', { traceparent: 'nonsense', tracestate: 'vendor=1' })
    expect(seen.length).toBeGreaterThan(0)
    for (const { headers } of seen) expect([headers.traceparent, headers.tracestate]).toEqual([undefined, undefined])
  })

  it('passes credentials to every service', async () => {
    received.length = 0
    await run('{ shown { title } }', 'learner')
    expect(received).toEqual([authorizationOf('learner')])
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([authorizationOf('learner')])
    await run('{ shown { title } }', null)
    expect([received[1] ?? undefined, seen.map(({ headers }) => headers.authorization)]).toEqual([undefined, [undefined]])
  })

  it('shows each caller what the site shows them', async () => {
    const query = '{ shown { databaseId contentRaw } me { name courseProgress(first: 5) { totalCount } } }'
    const callers = ['admin', 'learner', null] as const
    const alone = []
    for (const as of callers) alone.push(await run(query, as))
    expect(new Set(alone.map(({ data }) => JSON.stringify(data))).size).toBeGreaterThan(1)
    const together = await Promise.all(
      [...callers, ...callers, ...callers].map((as) => router.execute(query, {}, as ? { authorization: authorizationOf(as) } : {})),
    )
    for (const [index, result] of together.entries()) {
      expect(result.data).toEqual(alone[index % callers.length]?.data)
      expect(told(result).sort()).toEqual(told(alone[index % callers.length] as Result).sort())
    }
  })
})
