import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { TroubledProxy } from '../support/troubled-proxy.js'
import { authorizationOf, PATIENCE } from '../support/world.js'
import { type Asked, ask } from './asking.js'
import { Target } from './attacks/target.js'
import { FAULTS, type Fault, type Outcome } from './faults.js'

// Everything that can go wrong between the gateway and a site, met by a read, by a part of a nested read, and by a write. The gateway runs
// in a process of its own, with the breaker and the retries it has by default.

const DEADLINE = 1_500
/** What a busy machine may add to a deadline. */
const SLACK = 500 * PATIENCE
/** Milliseconds after which data must be right again. */
const RECOVERY = 1_000 * PATIENCE

const READ = '{ course(id: 10001) { databaseId title status } }'
const NESTED = `{
  group(id: 1009) { title courses(first: 2) { nodes { title lessons(first: 2) { nodes { title } } } } }
  course(id: 10002) { title }
}`
const write = (order: number): string => `mutation {
  result: updateCourse(input: { id: 10001, menuOrder: ${order} }) {
    __typename
    ... on UpdateCourseSuccess { course { databaseId title menuOrder } }
    ... on LmsError { code message }
    ... on UpstreamError { upstream { status } }
  }
}`
/** Ten calls that are well, so that no fault is held against the site when the next one comes. */
const CALM = `{ ${Array.from({ length: 10 }, (_, i) => `q${i}: question(id: ${500_001 + i}) { title }`).join(' ')} }`
/** The same for writes, which are counted apart. */
const CALM_WRITES = `mutation { ${Array.from({ length: 5 }, (_, i) => `w${i}: updateCourse(input: { id: 10002, menuOrder: 1 }) { __typename }`).join(' ')} }`

/** The requests each kind of operation is struck at. */
const STRUCK = {
  read: /^GET \S*\/sfwd-courses\/10001\?/,
  nested: /^GET \S*\/sfwd-lessons\?/,
  write: /^POST /,
} as const
/** The same for a switch of the embedded LMS. */
const ROUTES = { read: 'GET */sfwd-courses/10001?*', nested: 'GET */sfwd-lessons?*', write: 'POST *' } as const
type Kind = keyof typeof STRUCK

const ADMIN = { authorization: authorizationOf('admin') }

let lms: RunningLms
let proxy: TroubledProxy
let gateway: Target
const truth: { read?: any; nested?: any } = {}
/** How often each kind of operation ended in what, and how long data took to be right again. */
const counts = new Map<Outcome, Record<Kind, number>>()
const recoveries: number[] = []

const send = (query: string): Promise<Asked> => ask(gateway.url, ADMIN, query)

beforeAll(async () => {
  lms = await startLms({ control: true })
  proxy = await TroubledProxy.start(lms.url)
  gateway = await Target.start('development', {
    site: { url: proxy.url },
    protection: { timeout: 300, operationTimeout: DEADLINE, maxResponseBytes: 100_000 },
    tuning: { protection: { connectTimeout: 500, maxRetryDelay: 100 } },
  })
  // The first ones take longer.
  for (const query of [READ, NESTED, READ, NESTED]) await send(query)
  truth.read = await rightly(READ)
  truth.nested = await rightly(NESTED)
})
afterAll(async () => {
  await gateway.stop()
  await proxy.close()
  await lms.close()
})

async function rightly(query: string): Promise<unknown> {
  const { data, errors } = await send(query)
  expect(errors).toEqual([])
  return data
}

async function switches(given: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${lms.url}/-/switches`, { method: 'PATCH', headers, body: JSON.stringify({ switches: given }) })
  expect(response.status).toBe(200)
}

async function begin(fault: Fault, kind: Kind): Promise<void> {
  const { strike, switch: name } = fault
  if (name) await switches({ [name]: { route: ROUTES[kind] } })
  else if (strike) proxy.strikes = (asked) => (STRUCK[kind].test(asked) ? strike : undefined)
  else await proxy.stop()
}

async function end({ strike, switch: name }: Fault): Promise<void> {
  proxy.strikes = () => undefined
  if (name) await switches({ [name]: false })
  else if (!strike) await proxy.resume()
}

/** Asks while a fault lasts, and sees to it that the answer comes in time and data are right soon after. */
async function during(fault: Fault, kind: Kind, query: string): Promise<Asked> {
  if (kind === 'write') await send(CALM_WRITES)
  proxy.requests.length = 0
  await begin(fault, kind)
  const since = performance.now()
  const answer = await send(query)
  const took = performance.now() - since
  await end(fault)
  expect(took).toBeLessThan(DEADLINE + SLACK)
  await recovers()
  return answer
}

async function recovers(): Promise<void> {
  const since = performance.now()
  for (;;) {
    const { data, errors } = await send(READ)
    const took = performance.now() - since
    expect(took).toBeLessThan(RECOVERY)
    if (errors.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 10))
      continue
    }
    expect(data).toEqual(truth.read)
    recoveries.push(took)
    await send(CALM)
    return
  }
}

function count(outcome: Outcome, kind: Kind): void {
  const row = counts.get(outcome) ?? { read: 0, nested: 0, write: 0 }
  row[kind]++
  counts.set(outcome, row)
}

/** What every error must tell, and must not. */
function judge(
  { read, status }: Fault,
  { message, code, upstream }: { message: string; code: unknown; upstream?: any },
  route: string,
): void {
  expect(message).not.toMatch(/GARBAGE|127\.0\.0\.1|<|\n/)
  expect(upstream?.status).toBe(status)
  if (code === 'UPSTREAM_INVALID_RESPONSE') expect(message).toContain(status && status >= 300 ? `answered ${status} for ${route}` : route)
  expect(read).not.toBe('data')
}

describe.each(FAULTS)('$name', (fault) => {
  it('is distinguished by a read', async () => {
    const { status, data, errors } = await during(fault, 'read', READ)
    expect(status).toBe(200)
    const [error] = errors
    count(error ? error.extensions.code : 'data', 'read')
    if (fault.read === 'data') return expect([data, errors]).toEqual([truth.read, []])
    expect(data).toEqual({ course: null })
    expect(errors.map(({ extensions }) => extensions.code)).toEqual([fault.read])
    if (error) judge(fault, { message: error.message, ...(error.extensions as { code: unknown }) }, 'v1/sfwd-courses/:id')
  })

  it('does not affect the healthy branches of a nested read', async () => {
    const { status, data, errors } = await during(fault, 'nested', NESTED)
    expect(status).toBe(200)
    count(errors[0]?.extensions.code ?? 'data', 'nested')
    if (fault.read === 'data') return expect([data, errors]).toEqual([truth.nested, []])
    const isDown = !fault.strike && !fault.switch
    const nodes = truth.nested.group.courses.nodes.map((node: object) => ({ ...node, lessons: null }))
    expect(data).toEqual(isDown ? { group: null, course: null } : { ...truth.nested, group: { ...truth.nested.group, courses: { nodes } } })
    const paths = isDown ? ['course', 'group'] : [0, 1].map((index) => `group,courses,nodes,${index},lessons`)
    expect(errors.map(({ path }: any) => path.join()).sort()).toEqual(paths)
    for (const { message, extensions } of errors) {
      expect(extensions.code).toBe(fault.read)
      judge(fault, { message, ...(extensions as { code: unknown }) }, isDown ? 'v1/' : 'v2/sfwd-lessons')
    }
  })

  it('is reported by a write, which is sent once', async () => {
    const order = 100 + FAULTS.indexOf(fault)
    const { status, data, errors } = await during(fault, 'write', write(order))
    expect([status, errors]).toEqual([200, []])
    const { __typename, course, code, ...error } = data.result
    const outcome = fault.write ?? fault.read
    count(code ?? 'data', 'write')
    if (outcome === 'data') {
      // Some of these stand in the place of the site, which then was not changed.
      expect([__typename, course.databaseId, course.title]).toEqual(['UpdateCourseSuccess', 10_001, truth.read.course.title])
    } else {
      expect(code).toBe(outcome)
      judge(
        fault,
        { code, ...error, ...(code === 'FORBIDDEN' || !('upstream' in error) ? { upstream: { status: fault.status } } : {}) },
        'v1/sfwd-courses/:id',
      )
      const isUnknown = ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_INVALID_RESPONSE'].includes(code)
      expect(error.message.includes('The change may have been made')).toBe(isUnknown)
    }
    const sent = fault.strike || fault.switch ? 1 : 0
    expect(proxy.requests.filter((asked) => asked.startsWith('POST '))).toHaveLength(sent)
  })
})

describe('a site that fails as a whole', () => {
  /** Milliseconds for which it does, and operations at a time. */
  const LASTS = 1_500
  const AT_ONCE = 20

  it.each(['503 of a maintenance', '500 in HTML', 'a connection that is reset', 'silence', 'nobody listens'])(
    'is left alone, and called again soon after: %s',
    async (name) => {
      const { switch: switched, strike } = FAULTS.find((fault) => fault.name === name) as Fault
      proxy.requests.length = 0
      if (switched) await switches({ [switched]: true })
      else if (strike) proxy.strikes = () => strike
      else await proxy.stop()
      const over = performance.now() + LASTS
      const codes = new Set<string>()
      const worker = async (id: number): Promise<void> => {
        while (performance.now() < over) {
          const since = performance.now()
          const { errors } = await send(`{ course(id: ${10_001 + id}) { title } }`)
          expect(performance.now() - since).toBeLessThan(DEADLINE + SLACK)
          for (const { extensions } of errors) codes.add(extensions.code)
          // As somebody would who is told to try again later.
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, (_, id) => worker(id)))
      const seen = proxy.requests.length
      if (switched) await switches({ [switched]: false })
      else if (strike) proxy.strikes = () => undefined
      // A site that has hung and comes back does not remember what it was asked.
      proxy.hangUp()
      if (!switched && !strike) await proxy.resume()
      expect([...codes].filter((code) => code !== 'UPSTREAM_UNAVAILABLE' && code !== 'UPSTREAM_TIMEOUT')).toEqual([])
      // A dozen calls until it is known, their retries, and one each half second.
      expect(seen).toBeLessThan(40)
      await recovers()
    },
  )
})

it('there are enough faults, each with its code', () => {
  const lines = [...counts].map(
    ([outcome, { read, nested, write }]) => `${outcome.padEnd(26)} ${[read, nested, write].map((n) => String(n).padStart(6)).join(' ')}`,
  )
  const sorted = recoveries.toSorted((a, b) => a - b)
  const [median, most] = [sorted[sorted.length >> 1], sorted.at(-1)].map((took = 0) => took.toFixed(0))
  console.log(
    [
      `${FAULTS.length} faults, each met by three operations; data right again after ${median} ms (median), ${most} ms (most)`,
      `${''.padEnd(26)}   read nested  write`,
      ...lines.sort(),
    ].join('\n'),
  )
  expect(FAULTS.length).toBeGreaterThanOrEqual(30)
  expect(counts.size).toBeGreaterThanOrEqual(9)
})
