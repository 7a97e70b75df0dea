import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { GatewayOptions } from '../../src/gateway.js'
import type { Call } from '../../src/index.js'
import { type RunningLms, SAMPLES, startLms } from '../../src/lms/index.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { callScope } from '../support/call-scope.js'
import { merged } from '../support/merged.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { authorizationOf } from '../support/world.js'
import { AUDIENCE, ISSUER, makeSigner, type Signer, sign } from './issuer.js'

const KEY = 'some-key-0123456789'
const QUERY =
  '{ group(id: 1009) { title courses(first: 2) { nodes { databaseId title priceType { name } lessons(first: 2) { nodes { title } } } } } }'

let lms: RunningLms
let signer: Signer
const calls: Call[] = []
const open: Served[] = []
beforeAll(async () => {
  lms = await startLms()
  signer = await makeSigner('one')
})
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway.close()
})
afterAll(() => lms.close())

async function start(options: Partial<GatewayOptions>): Promise<Served> {
  calls.length = 0
  const gateway = await serve(merged({ site: { url: lms.url }, on: { call: (call) => calls.push(call) } }, options))
  open.push(gateway)
  return gateway
}

interface Request {
  readonly query?: string
  readonly explain?: unknown
  readonly headers?: Record<string, string>
  readonly variables?: object
}

async function ask(gateway: Served, { query = QUERY, explain, headers, variables }: Request) {
  const asked = { query, variables, ...(explain !== undefined && { extensions: { explain } }) }
  const response = await gateway.post(asked, headers)
  const body = (await response.json()) as any
  return { status: response.status, text: JSON.stringify(body), ...body }
}

const everybody = { observe: { explainFor: ['everybody'] }, tuning: { explainOthersFor: ['everybody'] } } as const
/** Nothing but the cost of an operation bounds it. */
const LARGE = {
  limits: { maxTokens: 100_000, maxAliases: 100_000 },
  tuning: { limits: { maxRootFields: 10_000, maxSelections: 100_000, maxRepeats: 10_000 } },
} as const

describe('explain', () => {
  it('returns the plan without a REST call', async () => {
    const { status, data, errors, extensions } = await ask(await start(everybody), { explain: 'plan' })
    expect([status, data, errors, calls]).toEqual([200, null, undefined, []])
    const { predicted, maxCalls, steps } = extensions.explain
    expect([predicted, maxCalls]).toEqual([{ min: 2, expected: 5, max: 5, waves: 2 }, 300])
    expect(steps).toEqual([
      { wave: 1, method: 'GET', route: 'v2/groups/:id/courses', batch: 2, min: 1, expected: 1, max: 1, paths: ['group.courses'] },
      { wave: 1, method: 'GET', route: 'v1/groups/:id', batch: 1, min: 1, expected: 1, max: 1, paths: ['group'] },
      { wave: 2, method: 'GET', route: 'v2/sfwd-lessons', batch: 2, min: 0, expected: 2, max: 2, paths: ['group.courses.nodes.lessons'] },
      { wave: 2, method: 'GET', route: 'v2/price-types', batch: 2, min: 0, expected: 1, max: 1, paths: ['group.courses.nodes.priceType'] },
    ])
  })

  it('returns the actual calls beside the estimate', async () => {
    const { data, extensions } = await ask(await start(everybody), { explain: 'run' })
    const { predicted, actual, steps, calls: told } = extensions.explain
    expect(data.group.courses.nodes).toHaveLength(2)
    expect([predicted, actual.calls, actual.shared]).toEqual([{ min: 2, expected: 5, max: 5, waves: 2 }, 5, 0])
    expect(steps.map(({ max, actual }: any) => [max, actual])).toEqual([
      [1, 1],
      [1, 1],
      [2, 2],
      [1, 1],
    ])
    expect(told).toHaveLength(calls.length)
    for (const { route, status, bytes, duration } of calls) {
      const found = told.find((call: any) => call.route === route && Math.abs(call.waiting + call.receiving - duration) < 0.2)
      expect(found).toMatchObject({ method: 'GET', status, bytes, shared: false })
      expect(found.start).toBeGreaterThanOrEqual(0)
      expect(found.start + found.duration).toBeLessThanOrEqual(actual.duration + 1)
    }
    const lessonsOf: number[] = data.group.courses.nodes.map(({ databaseId }: any) => databaseId)
    expect(told.map(({ route, params, paths }: any) => [route, params, paths.join()]).sort()).toEqual(
      [
        ['v1/groups/:id', { id: 1009 }, 'group'],
        ['v2/groups/:id/courses', { id: 1009 }, 'group.courses'],
        ['v2/price-types', {}, 'group.courses.nodes.priceType'],
        ...lessonsOf.map((course) => ['v2/sfwd-lessons', { course }, 'group.courses.nodes.lessons']),
      ].sort(),
    )
  })

  it('lists the ids of batches, and all fields of a call', async () => {
    const query = `{
      a: course(id: 10001) { title }
      b: course(id: ${SAMPLES.missingCourse}) { ...F }
      lesson(id: 100002) { course { ...F } }
    } fragment F on Course { title content }`
    const { extensions } = await ask(await start(everybody), { query, explain: 'run' })
    const { calls: told, steps } = extensions.explain
    expect(told.map(({ route, ids, params, status, paths }: any) => [route, ids, params, status, paths])).toEqual([
      // One with its heavy columns, which are read apart.
      ['v1/sfwd-courses/:id', undefined, { id: 10_001 }, 200, ['a', 'b']],
      ['v1/sfwd-courses/:id', undefined, { id: SAMPLES.missingCourse }, 404, ['a', 'b']],
      ['v2/sfwd-lessons/:id', undefined, { id: 100_002 }, 200, ['lesson']],
      ['v1/sfwd-courses/:id', undefined, { id: 10_001 }, 200, ['lesson.course']],
    ])
    expect(steps.find(({ route }: any) => route === 'v1/sfwd-courses')).toMatchObject({ batch: 2, actual: 2, paths: ['a', 'b'] })
    const batch = '{ a: course(id: 10001) { title } b: course(id: 10002) { title } c: course(id: 99999) { title } }'
    const again = await ask(await start(everybody), { query: batch, explain: 'run' })
    expect(again.extensions.explain.calls.map(({ ids, params }: any) => ids ?? params)).toEqual([[10_001, 10_002, 99_999], { id: 99_999 }])
  })

  it('can be requested by a header, which an extension overrides, and by GET', async () => {
    const gateway = await start(everybody)
    const plan = await ask(gateway, { headers: { 'x-lms-explain': 'plan' } })
    expect([plan.data, calls.length]).toEqual([null, 0])
    const run = await ask(gateway, { headers: { 'x-lms-explain': 'plan' }, explain: 'run' })
    expect([run.extensions.explain.actual.calls, calls.length]).toEqual([5, 5])
    const parameters = new URLSearchParams({ query: '{ courses { totalCount } }', extensions: '{"explain":"plan"}' })
    const response = await fetch(`${gateway.url}/graphql?${parameters}`)
    expect(((await response.json()) as any).extensions.explain.predicted.max).toBe(1)
    expect(calls).toHaveLength(5)
  })

  it('is absent unless it is requested', async () => {
    expect(Object.keys(await ask(await start(everybody), {}))).toEqual(['status', 'text', 'data'])
  })

  it.each([true, 'all', '', 7, {}])('is refused for the value %j', async (explain) => {
    const { status, errors } = await ask(await start(everybody), { explain })
    expect([status, errors.map(({ message, extensions }: any) => [message, extensions.code]), calls]).toEqual([
      400,
      [['`explain` must be `plan` or `run`.', 'BAD_REQUEST']],
      [],
    ])
  })

  it.each<[string, Request, string]>([
    ['wrong variables', { query: 'query ($id: ID!) { course(id: $id) { title } }' }, 'BAD_USER_INPUT'],
    ['an unclear operation', { query: 'query A { viewer { id } } query B { viewer { id } }' }, 'OPERATION_RESOLUTION_FAILURE'],
  ])('returns errors without a REST call: %s', async (_, request, code) => {
    const { errors, data } = await ask(await start(everybody), { ...request, explain: 'plan' })
    expect([data ?? null, errors.map(({ extensions }: any) => extensions.code), calls]).toEqual([null, [code], []])
  })

  it('leaves out wrong arguments, which the run reports', async () => {
    const query = '{ courses(first: -1) { nodes { title } } groups { totalCount } }'
    const plan = await ask(await start(everybody), { query, explain: 'plan' })
    expect(plan.extensions.explain.steps.map(({ route }: any) => route)).toEqual(['v1/groups'])
  })

  it('estimates an operation of any size that the limits allow', async () => {
    const leaves = Array.from({ length: 6_000 }, (_, index) => `l${index}: title`).join(' ')
    const { extensions } = await ask(await start(merged(everybody, LARGE)), {
      query: `{ course(id: 10001) { ${leaves} } }`,
      explain: 'run',
    })
    expect(extensions.explain).toMatchObject({
      predicted: { min: 1, expected: 1, max: 1 },
      actual: { calls: 1 },
      calls: [{ route: 'v1/sfwd-courses/:id', paths: ['course'] }],
    })
  })

  it('explains mutations without running them', async () => {
    const query =
      'mutation { updateCourse(input: { id: 10001, title: "Other" }) { ... on UpdateCourseSuccess { course { title author { id } } } } }'
    const headers = { authorization: authorizationOf('admin') }
    const { extensions, data } = await ask(await start(everybody), { query, headers, explain: 'plan' })
    expect([data, calls]).toEqual([null, []])
    expect(extensions.explain.steps[0]).toMatchObject({ wave: 1, method: 'POST', route: 'v1/sfwd-courses/:id', paths: ['updateCourse'] })
    const run = await ask(await start(everybody), { query, headers, explain: 'run' })
    expect(run.extensions.explain.calls).toMatchObject([{ method: 'POST', params: { id: 10_001 }, status: 200, paths: ['updateCourse'] }])
  })

  it('marks calls that are shared with another operation', async () => {
    let answer = (): void => {}
    const site = await FakeSite.start((_, response) => {
      answer = () => json(response, { id: 7, title: { rendered: 'Shared' } })
    })
    const gateway = await start({ ...everybody, site: { url: site.url }, cache: { maxAge: 60 } })
    const both = [1, 2].map(() => ask(gateway, { query: '{ course(id: 7) { title } }', explain: 'run' }))
    await expect.poll(() => site.requests.length).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    answer()
    const told = (await Promise.all(both)).map(({ extensions }) => extensions.explain)
    await site.close()
    expect(told.map(({ actual }) => [actual.calls, actual.shared]).sort()).toEqual([
      [1, 0],
      [1, 1],
    ])
    const [one, other] = told.map(({ calls: [call] }) => call)
    expect([one.bytes, one.status]).toEqual([other.bytes, other.status])
    expect(new Set([one.shared, other.shared]).size).toBe(2)
  })

  it('lists a call without an answer, and its retry', async () => {
    const gateway = await start({ ...everybody, site: { url: 'http://127.0.0.1:9' }, protection: { retries: 1 } })
    const { extensions, errors } = await ask(gateway, { query: '{ course(id: 7) { title } }', explain: 'run' })
    expect(errors[0].extensions.code).toBe('UPSTREAM_UNAVAILABLE')
    const { actual, steps, calls: told } = extensions.explain
    expect(told).toMatchObject([
      { route: 'v1/sfwd-courses/:id', status: 0, bytes: 0 },
      { route: 'v1/sfwd-courses/:id', status: 0, bytes: 0, attempt: 2 },
    ])
    expect([actual.calls, actual.retries, steps[0].actual, 'attempt' in told[0]]).toEqual([1, 1, 1, false])
  })

  it('contains no password, search text, credential, address or header', async () => {
    const query = `{
      course(id: ${SAMPLES.protectedCourse}, password: "${SAMPLES.password}") { content }
      courses(where: { search: "Secret words", slug: ["hidden-slug"] }) { nodes { title } }
    }`
    const headers = { authorization: authorizationOf('admin') }
    const { extensions } = await ask(await start(everybody), { query, headers, explain: 'run' })
    const plan = await ask(await start(everybody), { query, headers, explain: 'plan' })
    const text = JSON.stringify([extensions, plan.extensions])
    expect(extensions.explain.calls).toHaveLength(2)
    for (const secret of [
      SAMPLES.password,
      encodeURIComponent(SAMPLES.password),
      'Secret',
      'hidden-slug',
      '127.0.0.1',
      'http',
      headers.authorization,
      '?',
    ])
      expect(text).not.toContain(secret)
  })
})

describe('an operation that has run before', () => {
  const query =
    'query ($first: Int, $id: ID!) { course(id: $id) { title } groups(first: $first) { nodes { courses(first: 50) { nodes { lessons { totalCount } } } } } }'
  const askFor = (gateway: Served, first: number, more: Partial<Request> = {}) =>
    ask(gateway, { query, variables: { first, id: 10_001 + first }, ...more })

  it.each([true, false])('is still refused over the budget of calls, compiled: %s', async (compile) => {
    const gateway = await start(merged(everybody, { tuning: { compile }, limits: { maxCalls: 60 } }))
    for (let first = 1; first <= 2; first++) {
      const { data, errors } = await askFor(gateway, first)
      expect([errors, data.groups.nodes.length]).toEqual([undefined, first])
    }
    calls.length = 0
    const { status, errors } = await askFor(gateway, 6)
    expect([status, errors.map(({ extensions }: any) => extensions), calls]).toEqual([
      400,
      [
        {
          code: 'CALL_BUDGET_EXCEEDED',
          cost: { min: 2, expected: expect.any(Number), max: 308, waves: 3 },
          maxCalls: 60,
          field: 'groups.nodes.courses.nodes.lessons',
        },
      ],
      [],
    ])
    expect((await askFor(gateway, 1)).errors).toBeUndefined()
  })

  it('can be explained', async () => {
    const gateway = await start({ ...everybody, limits: { maxCalls: 60 } })
    for (let run = 0; run < 3; run++) await askFor(gateway, 1)
    calls.length = 0
    for (const request of [{ headers: { 'x-lms-explain': 'plan' } }, { explain: 'plan' }]) {
      const { data, extensions } = await askFor(gateway, 6, request)
      expect([data, extensions.explain.predicted.max, extensions.explain.refusal, calls]).toEqual([
        null,
        308,
        expect.stringMatching(/expected to need \d+ REST calls \(2 to 308\), and the budget is 60/),
        [],
      ])
    }
    const { data, extensions } = await askFor(gateway, 1, { headers: { 'x-lms-explain': 'run' } })
    expect(data.groups.nodes).toHaveLength(1)
    expect(extensions.explain.actual.calls).toBe(calls.length)
  })
})

describe('who may request it', () => {
  it('is the same for an operation that has run before, and by header', async () => {
    const gateway = await start({})
    for (let run = 0; run < 3; run++) expect((await ask(gateway, {})).errors).toBeUndefined()
    calls.length = 0
    for (const request of [{ headers: { 'x-lms-explain': 'run' } }, { headers: { 'X-LMS-Explain': 'plan' } }, { explain: 'plan' }]) {
      const { status, data, errors, extensions } = await ask(gateway, request)
      expect([status, data, errors[0].extensions, extensions, calls]).toEqual([403, undefined, { code: 'FORBIDDEN' }, undefined, []])
    }
  })

  const DESK = 'desk-key-0123456789'
  const ADMIN = 'administrator=roles=admin'
  const ACCOUNT = { site: { user: 'admin', password: 'admin-demo' } }
  const tokens = () => ({ jwtKey: signer.pem, jwtIssuer: ISSUER, jwtAudience: AUDIENCE })
  const doors = (): Readonly<Record<string, Partial<GatewayOptions>>> => ({
    'pass-through': {},
    'pass-through with keys': { access: { apiKeys: [KEY], open: true } },
    account: { ...ACCOUNT, access: { apiKeys: [KEY, `desk:${DESK}`], ...tokens(), open: true, roles: [ADMIN, 'editor=key:desk'] } },
  })
  const callers: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
    nobody: async () => ({}),
    admin: async () => ({ authorization: authorizationOf('admin') }),
    key: async () => ({ 'x-api-key': KEY }),
    'key of an editor': async () => ({ 'x-api-key': DESK }),
    'key as token': async () => ({ authorization: `Bearer ${KEY}` }),
    'admin token': async () => ({ authorization: `Bearer ${await sign(signer, { sub: '3', roles: ['admin'] })}` }),
    token: async () => ({ authorization: `Bearer ${await sign(signer, { sub: '3' })}` }),
  }

  it.each<[string, string, readonly string[]]>([
    // Door, caller, and the audiences of which one lets them ask.
    ['pass-through', 'nobody', ['everybody']],
    ['pass-through', 'admin', ['everybody']],
    ['pass-through with keys', 'nobody', ['everybody']],
    ['pass-through with keys', 'admin', ['everybody']],
    ['pass-through with keys', 'key', ['everybody', 'keys', 'callers']],
    ['account', 'nobody', ['everybody']],
    ['account', 'key', ['everybody', 'keys', 'administrator', 'callers']],
    ['account', 'key as token', ['everybody', 'keys', 'administrator', 'callers']],
    ['account', 'key of an editor', ['everybody', 'keys', 'editor', 'callers']],
    ['account', 'admin token', ['everybody', 'administrator', 'callers']],
    ['account', 'token', ['everybody', 'callers']],
  ])('%s: %s when it is allowed for %j', async (door, caller, allowed) => {
    const headers = await (callers[caller] as () => Promise<Record<string, string>>)()
    for (const audiences of [undefined, [], ['keys'], ['administrator'], ['editor', 'keys'], ['callers'], ['everybody']] as const) {
      for (const explain of ['plan', 'run']) {
        const gateway = await start(merged(doors()[door], audiences && { observe: { explainFor: audiences } }))
        const { status, errors, extensions } = await ask(gateway, { headers, explain })
        const may = audiences?.some((audience) => allowed.includes(audience)) ?? false
        if (may) expect([status, typeof extensions.explain]).toEqual([200, 'object'])
        else
          expect([status, errors, extensions, calls]).toEqual([
            403,
            [{ message: 'You may not have operations explained.', extensions: { code: 'FORBIDDEN' } }],
            undefined,
            [],
          ])
      }
    }
  })

  it('is refused for callers who are not authenticated', async () => {
    const gateway = await start({ access: { apiKeys: [KEY] }, ...everybody })
    expect((await ask(gateway, { explain: 'plan' })).status).toBe(401)
  })
})

it('the transport reports to watchers their own calls only', async () => {
  const transport = new Transport({
    origin: lms.url,
    maxInFlight: 4,
    timeout: 5_000,
    connectTimeout: 5_000,
    maxBytes: 1e7,
    share: true,
  })
  const told: [number, string][] = []
  const call = callScope({ since: 0 })
  const watcher = (number: number) => ({
    joined: () => told.push([number, 'joined']),
    cached: () => told.push([number, 'cached']),
    ended: ({ status }: { status: number }) => told.push([number, `${status}`]),
    failed: () => told.push([number, 'failed']),
  })
  await Promise.all([
    transport.get('a', '/lms/v2/price-types', call, watcher(1)),
    transport.get('a', '/lms/v2/price-types', call, watcher(2)),
    transport.get('a', '/lms/v2/price-types', call),
    transport.get('b', '/lms/v2/price-types/none', call, watcher(3)).catch(() => {}),
  ])
  await transport.close()
  expect(told.sort()).toEqual([
    [1, '200'],
    [2, '200'],
    [2, 'joined'],
    [3, '404'],
  ])
})
