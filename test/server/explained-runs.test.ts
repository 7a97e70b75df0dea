import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { type LmsOptions, type RunningLms, SAMPLES, startLms } from '../../src/lms/index.js'
import { type Part, partsOf } from '../front-ends/parts.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { authorizationOf, type Login } from '../support/world.js'
import { AUDIENCE, ISSUER, makeSigner, sign } from './issuer.js'

const PARTS = { accept: 'multipart/mixed; deferSpec=20220824, application/json' }
const KEY = 'some-key-0123456789'
const DESK = 'desk-key-0123456789'

/** A request at the site, in the order of arrival; its response once it was sent. */
interface Logged {
  readonly method: string
  readonly path: string
  readonly include: readonly string[] | undefined
  answer: { readonly status: number; readonly bytes: number } | undefined
}

/** A call of an explanation. */
interface ExplainedCall {
  readonly method: string
  readonly route: string
  readonly params: Readonly<Record<string, string | number>>
  readonly ids?: readonly unknown[]
  readonly wave: number | null
  readonly attempt?: number
  readonly start: number
  readonly queued?: number | null
  readonly waiting: number | null
  readonly receiving: number | null
  readonly duration: number | null
  readonly status: number | null
  readonly bytes: number | null
  readonly shared?: boolean
  readonly paths: readonly string[]
}

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const everybody = {
  observe: { explainFor: ['everybody'] },
  tuning: { explainOthersFor: ['everybody'] },
} as const satisfies TunedOptions

/** A gateway in front of an embedded LMS whose log is kept by a server between them. */
async function start(options: TunedOptions = {}, lmsOptions: LmsOptions = {}) {
  const lms: RunningLms = await startLms(lmsOptions)
  closing.push(() => lms.close())
  const log: Logged[] = []
  const site = await FakeSite.start((request, response) => {
    const { method = '', headers, url = '' } = request
    const { pathname, searchParams } = new URL(url, lms.url)
    const include = searchParams.get('include')?.split(',') ?? undefined
    const logged: Logged = { method, path: pathname.replace('/lms/', ''), include, answer: undefined }
    log.push(logged)
    const { host: _host, connection: _connection, 'transfer-encoding': _encoding, 'content-length': _length, ...onward } = headers
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined
      const answer = await fetch(lms.url + url, { method, headers: onward as Record<string, string>, ...(body && { body }) })
      const bytes = Buffer.from(await answer.arrayBuffer())
      logged.answer = { status: answer.status, bytes: bytes.length }
      const sent = Object.fromEntries(
        [...answer.headers].filter(([name]) => !['connection', 'transfer-encoding', 'keep-alive'].includes(name)),
      )
      response.writeHead(answer.status, sent).end(bytes)
    })
  })
  closing.push(() => site.close())
  const gateway = await serve(merged({ site: { url: site.url } }, everybody, options))
  closing.push(() => gateway.close())
  return { gateway, log }
}

interface Asking {
  readonly as?: Login
  readonly headers?: Record<string, string>
  readonly variables?: object
}

async function ask(gateway: Served, query: string, { as, headers, variables }: Asking = {}) {
  const sent = { ...(as && { authorization: authorizationOf(as) }), ...headers }
  const response = await gateway.post({ query, variables, extensions: { explain: 'run' } }, sent)
  const { data, errors, extensions } = (await response.json()) as any
  return {
    data,
    errors,
    actual: extensions.explain.actual,
    calls: extensions.explain.calls as ExplainedCall[],
    steps: extensions.explain.steps,
  }
}

async function askInParts(gateway: Served, query: string) {
  const parts: (Part & { extensions?: any })[] = []
  for await (const part of partsOf(await gateway.post({ query, extensions: { explain: 'run' } }, PARTS))) parts.push(part)
  return parts
}

const explanationOf = (part: { extensions?: any } | undefined): any => (part as { extensions: any }).extensions.explain

/** What the site has seen of a call. */
const seen = ({ method, route, params, ids, status, bytes }: ExplainedCall) => ({
  method,
  path: route.replace(/:(\w+)/g, (_, name: string) => String(params[name])),
  include: ids?.map(String),
  answer: { status, bytes },
})

const byText = (values: readonly object[]) => values.map((value) => JSON.stringify(value)).sort()

/** Number by which sums of rounded times can differ. */
const ROUNDING = 0.31

const sentAt = ({ start, queued }: ExplainedCall) => start + (queued ?? 0)
const endOf = ({ start, duration }: ExplainedCall) => start + (duration ?? 0)

/** Compares an explanation with the log of the site. */
function check(calls: readonly ExplainedCall[], actual: any, log: readonly Logged[]): void {
  expect(byText(calls.map(seen))).toEqual(byText(log))
  const sent = [...calls].sort((a, b) => sentAt(a) - sentAt(b))
  // Calls that began after another one had ended arrived after it.
  const rest = log.map((logged) => JSON.stringify(logged))
  const places = sent.map((call) => {
    const place = rest.indexOf(JSON.stringify(seen(call)))
    rest[place] = ''
    return place
  })
  sent.forEach((before, index) => {
    sent.forEach((after, other) => {
      if (sentAt(after) > endOf(before) + ROUNDING) expect(places[other]).toBeGreaterThan(places[index] as number)
    })
  })
  for (const call of calls) {
    const { queued, waiting, receiving, duration } = call as Required<ExplainedCall>
    expect([queued, waiting, receiving].every((time) => (time as number) >= 0)).toBe(true)
    expect(Math.abs((queued as number) + (waiting as number) + (receiving as number) - (duration as number))).toBeLessThan(ROUNDING)
    expect(endOf(call)).toBeLessThanOrEqual(actual.duration + ROUNDING)
  }
  expect(calls.map(({ start }) => start)).toEqual(calls.map(({ start }) => start).sort((a, b) => a - b))
  expect(actual.bytes).toBe(log.reduce((sum, { answer }) => sum + (answer?.bytes ?? 0), 0))
  expect(actual.calls + actual.retries).toBe(log.length)
}

/** Checks that calls at a path begin only when those at another path have ended. */
function follows(calls: readonly ExplainedCall[], after: string, before: string): void {
  const [later, earlier] = [after, before].map((path) => calls.filter(({ paths }) => paths.includes(path))) as [
    ExplainedCall[],
    ExplainedCall[],
  ]
  expect(later.length * earlier.length).toBeGreaterThan(0)
  for (const call of later)
    for (const other of earlier) {
      expect(call.wave).toBeGreaterThan(other.wave as number)
      expect(call.start).toBeGreaterThanOrEqual(endOf(other) - ROUNDING)
    }
}

describe('an explained run equals the log of the site', () => {
  const NESTED = `{ groups(first: 5) { nodes { title courses(first: 3) { nodes {
    title prerequisites { title } priceType { name } lessons(first: 2) { nodes { title } }
  } } } } }`

  it('for a nested query', async () => {
    const { gateway, log } = await start({ protection: { maxInFlight: 50 } })
    const { calls, actual } = await ask(gateway, NESTED)
    check(calls, actual, log)
    expect(actual).toMatchObject({ calls: log.length, waves: 3, retries: 0, shared: 0 })
    follows(calls, 'groups.nodes.courses', 'groups')
    follows(calls, 'groups.nodes.courses.nodes.lessons', 'groups.nodes.courses')
    follows(calls, 'groups.nodes.courses.nodes.priceType', 'groups.nodes.courses')
    expect(calls.every(({ wave }) => wave !== null)).toBe(true)
  })

  it('in the order of arrival, for a query that queues', async () => {
    const { gateway, log } = await start({ protection: { maxInFlight: 1 } }, { switches: { latency: { median: 20, p95: 20 } } })
    const { calls, actual } = await ask(gateway, NESTED)
    check(calls, actual, log)
    const inOrder = [...calls].sort((a, b) => sentAt(a) - sentAt(b))
    expect(inOrder.map(seen)).toEqual(log)
    inOrder.slice(1).forEach((call, index) => {
      expect(sentAt(call)).toBeGreaterThanOrEqual(endOf(inOrder[index] as ExplainedCall) - ROUNDING)
    })
    const courses = calls.filter(({ paths }) => paths.includes('groups.nodes.courses'))
    expect(courses).toHaveLength(5)
    expect(Math.max(...courses.map(({ queued }) => queued as number))).toBeGreaterThan(60)
    expect(calls.every(({ waiting }) => (waiting as number) > 10)).toBe(true)
  })

  it('for mutations: the write, then its reads, then the next write', async () => {
    const { gateway, log } = await start()
    const { calls, actual } = await ask(
      gateway,
      `mutation {
        a: updateCourse(input: { id: 10001, title: "One" }) { ... on UpdateCourseSuccess { course { title priceType { name } prerequisites { title } } } }
        b: updateCourse(input: { id: 10002, title: "Two" }) { ... on UpdateCourseSuccess { course { title lessons(first: 1) { nodes { title } } } } }
      }`,
      { as: 'admin' },
    )
    check(calls, actual, log)
    expect(calls.map(({ method, wave, paths }) => [method, wave, paths.join()])).toEqual([
      ['POST', 1, 'a'],
      ['GET', 3, 'a.course.priceType'],
      ['POST', 4, 'b'],
      ['GET', 5, 'b.course.lessons'],
    ])
    expect(actual.waves).toBe(4)
    for (let place = 1; place < calls.length; place++)
      expect((calls[place] as ExplainedCall).start).toBeGreaterThanOrEqual(endOf(calls[place - 1] as ExplainedCall) - ROUNDING)
  })

  it('for a query with errors', async () => {
    const { gateway, log } = await start()
    const { calls, actual, errors } = await ask(
      gateway,
      `{ course(id: 10001) { title } missing: course(id: ${SAMPLES.missingCourse}) { title }
        user(id: 999999) { courseProgress { totalCount } } groups(first: 2) { nodes { title } } }`,
      { as: 'admin' },
    )
    check(calls, actual, log)
    expect(errors.map(({ path }: any) => path.join('.'))).toEqual(['user.courseProgress'])
    expect(calls.map(({ status }) => status).sort()).toEqual(log.map(({ answer }) => answer?.status).sort())
    expect(calls.some(({ status }) => status === 404)).toBe(true)
  })

  it('for a query with retries, which begin when the attempt before has ended', async () => {
    const { gateway, log } = await start({ protection: { retries: 2 } }, { switches: { rateLimited: { next: 2, route: '/v2/groups/' } } })
    const { calls, actual, errors } = await ask(gateway, '{ groups(first: 2) { nodes { courses(first: 2) { nodes { title } } } } }')
    expect(errors).toBeUndefined()
    check(calls, actual, log)
    expect([actual.calls, actual.retries, calls.length]).toEqual([3, 2, 5])
    for (const retry of calls.filter(({ attempt }) => attempt !== undefined)) {
      const before = calls.find(
        ({ route, params, attempt = 1 }) =>
          route === retry.route && params.id === retry.params.id && attempt === (retry.attempt as number) - 1,
      ) as ExplainedCall
      expect([before.status, before.wave]).toEqual([429, retry.wave])
      expect(Math.abs(retry.start - endOf(before))).toBeLessThan(ROUNDING)
    }
  })

  it('for a deferred query, in the last part', async () => {
    const { gateway, log } = await start()
    const parts = await askInParts(
      gateway,
      `{ courses(first: 3) { nodes { title ... @defer { content lessons(first: 2) { nodes { title ... @defer { content quizzes(first: 1) { nodes { title } } } } } } } } }`,
    )
    expect(parts.length).toBeGreaterThan(2)
    expect(parts.slice(0, -1).every(({ extensions, hasNext }) => extensions === undefined && hasNext === true)).toBe(true)
    const last = parts.at(-1)
    expect(last?.hasNext).toBe(false)
    const { actual, calls, predicted, steps } = explanationOf(last)
    check(calls, actual, log)
    expect(predicted.max).toBeGreaterThan(0)
    expect(steps.map(({ paths, actual }: any) => [paths.join(), actual])).toContainEqual(['courses.nodes.lessons', 3])
    follows(calls, 'courses.nodes.lessons', 'courses')
    follows(calls, 'courses.nodes.lessons.nodes.quizzes', 'courses.nodes.lessons')
    expect(calls.filter(({ paths }: ExplainedCall) => paths.includes('courses.nodes')).map(({ route }: ExplainedCall) => route)).toEqual([
      'v1/sfwd-courses',
    ])
    expect(actual.waves).toBe(new Set(calls.map(({ wave }: ExplainedCall) => wave)).size)
  })

  it('for a streamed query, in the last part', async () => {
    const { gateway, log } = await start()
    const parts = await askInParts(gateway, '{ courses(first: 4) { nodes @stream(initialCount: 1) { title priceType { name } } } }')
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.slice(0, -1).every(({ extensions }) => extensions === undefined)).toBe(true)
    const { actual, calls } = explanationOf(parts.at(-1))
    check(calls, actual, log)
    expect([actual.calls, actual.waves]).toEqual([2, 2])
  })
})

describe('a call that was not sent', () => {
  it('has its time, but no status', async () => {
    const { gateway, log } = await start(
      { protection: { maxInFlight: 1, retries: 0 }, tuning: { protection: { queueTimeout: 60 } } },
      { switches: { latency: { median: 1_500, p95: 1_500 } } },
    )
    const { calls, actual } = await ask(gateway, '{ groups(first: 1) { nodes { title } } courses(first: 1) { nodes { title } } }')
    expect([actual.calls, log.length]).toEqual([2, 1])
    const [sent, refused] = calls as [ExplainedCall, ExplainedCall]
    expect(sent).toMatchObject({ status: 200, queued: expect.any(Number) })
    expect(refused).toMatchObject({ status: null, bytes: null, queued: null, waiting: null, receiving: null, wave: 1 })
    expect(refused.duration).toBeGreaterThan(50)
    expect(endOf(refused)).toBeLessThan(endOf(sent))
  })

  it('counts no bytes', async () => {
    const { gateway } = await start({ site: { url: 'http://127.0.0.1:9' }, protection: { retries: 0 } })
    const { calls, actual } = await ask(gateway, '{ course(id: 7) { title } }')
    expect(actual.bytes).toBe(0)
    expect(calls).toMatchObject([{ status: 0, bytes: 0, receiving: 0 }])
  })
})

describe('data about other callers in an explanation', () => {
  const OPERATORS = ['queued', 'shared'] as const
  const QUERY = '{ groups(first: 2) { nodes { courses(first: 2) { nodes { title } } } } }'

  /** Whether an explanation has what is for operators, which must be all or nothing. */
  function isForOperators({ calls, actual }: { calls: readonly ExplainedCall[]; actual: object }): boolean {
    const members = [...calls.flatMap((call) => OPERATORS.map((name) => name in call)), 'shared' in actual]
    expect(new Set(members).size).toBe(1)
    return members[0] as boolean
  }

  it('is in front of a service account for administrators', async () => {
    const lms = await startLms()
    closing.push(() => lms.close())
    const signer = await makeSigner('one')
    const jwt = { jwtKey: signer.pem, jwtIssuer: ISSUER, jwtAudience: AUDIENCE }
    const roles = ['administrator=roles=admin', 'editor=key:desk']
    const account = {
      site: { user: 'admin', password: 'admin-demo' },
      access: { apiKeys: [KEY, `desk:${DESK}`], ...jwt, open: true, roles },
    }
    const bearer = async (claims: object) => ({ authorization: `Bearer ${await sign(signer, { sub: '3', ...claims })}` })
    const callers = {
      nobody: {},
      key: { 'x-api-key': KEY },
      desk: { 'x-api-key': DESK },
      admin: await bearer({ roles: ['admin'] }),
      token: await bearer({}),
    }
    const operatorsIn = async (options: TunedOptions) => {
      const gateway = await serve(merged({ site: { url: lms.url }, observe: { explainFor: ['everybody'] } }, account, options))
      closing.push(() => gateway.close())
      const operators: string[] = []
      for (const [name, headers] of Object.entries(callers))
        if (isForOperators(await ask(gateway, QUERY, { headers }))) operators.push(name)
      return operators
    }
    expect(await operatorsIn({})).toEqual(['key', 'admin'])
    expect(await operatorsIn({ tuning: { explainOthersFor: ['keys'] } })).toEqual(['key', 'desk'])
    expect(await operatorsIn({ tuning: { explainOthersFor: ['administrator'] } })).toEqual(['key', 'admin'])
    expect(await operatorsIn({ tuning: { explainOthersFor: ['editor'] } })).toEqual(['desk'])
    expect(await operatorsIn({ tuning: { explainOthersFor: ['callers'] } })).toEqual(['key', 'desk', 'admin', 'token'])
    expect(await operatorsIn({ tuning: { explainOthersFor: [] } })).toEqual([])
    expect(await operatorsIn({ tuning: { explainOthersFor: ['everybody'] } })).toEqual(['nobody', 'key', 'desk', 'admin', 'token'])
  })

  it('is for keys by default, and for nobody else', async () => {
    const lms = await startLms()
    closing.push(() => lms.close())
    const gateway = await serve({ site: { url: lms.url }, observe: { explainFor: ['everybody'] }, access: { apiKeys: [KEY], open: true } })
    closing.push(() => gateway.close())
    expect(isForOperators(await ask(gateway, QUERY, { headers: { 'x-api-key': KEY } }))).toBe(true)
    expect(isForOperators(await ask(gateway, QUERY))).toBe(false)
    expect(isForOperators(await ask(gateway, QUERY, { as: 'admin' }))).toBe(false)
  })

  it('includes the time in the queue in the time of waiting for all others', async () => {
    const { gateway, log } = await start(
      { protection: { maxInFlight: 1 }, tuning: { explainOthersFor: [] } },
      { switches: { latency: { median: 30, p95: 30 } } },
    )
    const { calls, actual } = await ask(gateway, QUERY)
    expect(isForOperators({ calls, actual })).toBe(false)
    expect(byText(calls.map(seen))).toEqual(byText(log))
    for (const { waiting, receiving, duration } of calls)
      expect(Math.abs((waiting as number) + (receiving as number) - (duration as number))).toBeLessThan(ROUNDING)
    expect(Math.max(...calls.map(({ waiting }) => waiting as number))).toBeGreaterThan(55)
  })

  it.each([true, false])('does not include that a read was shared, unless to operators: %s', async (operator) => {
    let course: ServerResponse | undefined
    const site = await FakeSite.start(({ url = '' }, response) => {
      if (url.includes('courses')) course = response
      else json(response, { id: Number(/\d+$/.exec(url.split('?')[0] as string)?.[0]), title: { rendered: 'Group' } })
    })
    closing.push(() => site.close())
    const gateway = await serve({
      site: { url: site.url },
      observe: { explainFor: ['everybody'] },
      tuning: { explainOthersFor: operator ? ['everybody'] : [] },
      cache: { maxAge: 60 },
    })
    closing.push(() => gateway.close())
    const headersOfCourse = new Promise<void>((resolve) => {
      const look = (message: unknown): void => {
        if (!(message as { request: { path: string } }).request.path.includes('courses')) return
        unsubscribe('undici:request:headers', look)
        resolve()
      }
      subscribe('undici:request:headers', look)
    })
    const until = (count: number) => expect.poll(() => site.requests.length, { timeout: 20_000 }).toBe(count)
    /** Each operation also reads a group, so that the site sees when the course is needed. */
    const query = (group: number): string => `{ course(id: 7) { title } group(id: ${group}) { title } }`
    const first = ask(gateway, query(1))
    await until(2)
    const unexplained = gateway.post({ query: query(2) })
    await until(3)
    const second = ask(gateway, query(3))
    await until(4)
    await sleep(50)
    course?.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    await headersOfCourse
    await sleep(10)
    // The headers have arrived before this one is needed.
    const late = ask(gateway, query(4))
    await until(5)
    await sleep(50)
    course?.end(JSON.stringify({ id: 7, title: { rendered: 'Shared' } }))
    const answers = await Promise.all([first, second, late])
    await unexplained
    expect(site.requests).toHaveLength(5)
    const calls = answers.map(({ calls }) => calls.find(({ route }) => route.includes('courses')) as ExplainedCall)
    expect(calls.map(({ shared }) => shared)).toEqual(operator ? [false, true, true] : [undefined, undefined, undefined])
    expect(answers.map(({ actual }) => actual.shared)).toEqual(operator ? [0, 1, 1] : [undefined, undefined, undefined])
    for (const { status, bytes, start, queued, waiting, receiving, duration } of calls) {
      expect([status, bytes]).toEqual([200, calls[0]?.bytes])
      expect([start, waiting, receiving, duration].every((time) => (time as number) >= 0)).toBe(true)
      // Only operators see the time in the queue apart; on a busy machine it is not 0.
      const parts = (queued ?? 0) + (waiting as number) + (receiving as number)
      expect(Math.abs(parts - (duration as number))).toBeLessThan(ROUNDING)
    }
    expect(calls[0]?.receiving).toBeGreaterThan(55)
    expect(calls[1]?.receiving).toBeGreaterThan(55)
    expect(calls[1]?.waiting).toBeGreaterThan(45)
    expect([calls[2]?.receiving, (calls[2]?.waiting as number) > 45]).toEqual([0, true])
    expect(new Set(calls.map((call) => Object.keys(call).join())).size).toBe(1)
  })
})

it('an operation whose client leaves is not explained', async () => {
  let answered = 0
  const site = await FakeSite.start((_, response) => {
    if (answered++ === 0)
      json(response, [{ id: 7, title: { rendered: 'One' } }], { headers: { 'x-wp-total': '1', 'x-wp-totalpages': '1' } })
  })
  closing.push(() => site.close())
  const gateway = await serve({ site: { url: site.url }, ...everybody })
  closing.push(() => gateway.close())
  const leaving = new AbortController()
  const query = '{ courses(first: 1) { nodes { title ... @defer { lessons(first: 1) { nodes { title } } } } } }'
  const response = await gateway.post({ query, extensions: { explain: 'run' } }, PARTS, { signal: leaving.signal })
  const parts = partsOf(response)
  const { value } = await parts.next()
  expect(value).toMatchObject({ data: { courses: { nodes: [{ title: 'One' }] } }, hasNext: true })
  await expect.poll(() => site.requests.length, { timeout: 20_000 }).toBe(2)
  leaving.abort()
  await expect(parts.next()).rejects.toThrow()
  await expect.poll(() => site.open, { timeout: 20_000 }).toBe(0)
})
