import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGateway, type Gateway, startGateway } from '../../src/index.js'
import { startLms } from '../../src/lms/index.js'
import { create } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

const ROWS = [
  { id: 1, title: { rendered: 'Good' }, course_points: '5' },
  { id: 2, title: { rendered: 'Odd' }, course_points: { no: 'number' } },
]
const TOTALS = { headers: { 'x-wp-total': '2', 'x-wp-totalpages': '1' } }

type Series = Readonly<Record<string, number>>

/** The values of all series, by name and labels as printed. */
const seriesIn = (text: string): Series =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )

const metricsOf = async (gateway: Pick<Gateway, 'metrics'>): Promise<Series> => seriesIn(await gateway.metrics())

/** How much the series have changed that an act changes. */
async function changes(gateway: Pick<Gateway, 'metrics'>, act: () => Promise<unknown>, shown: RegExp): Promise<Series> {
  const before = await metricsOf(gateway)
  await act()
  const after = await metricsOf(gateway)
  return Object.fromEntries(
    Object.entries(after)
      .map(([series, value]) => [series, value - (before[series] ?? 0)] as const)
      .filter(([series, by]) => by !== 0 && shown.test(series)),
  )
}

const post = (gateway: Gateway, body: object, headers: object = {}): Promise<Response> =>
  gateway.fetch('http://gateway.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const DASHBOARD = 'query Dashboard { courses { nodes { title } } }'
const STORE = 'mutation Store($title: String!) { createCourse(input: { title: $title }) { __typename } }'

describe('metrics', () => {
  let site: FakeSite
  let gateway: Gateway
  const told: string[] = []
  beforeAll(async () => {
    site = await FakeSite.start()
    gateway = create({
      site: { url: site.url },
      observe: { metrics: true },
      cache: { staleIfError: 60 },
      tuning: { protection: { breakerCalls: 10, maxRetryDelay: 1 } },
      protection: { retries: 1 },
      on: {
        fault: () => {},
        call: ({ route }) => told.push(route),
      },
      http: {
        operations: new Map([
          ['a', DASHBOARD],
          ['b', STORE],
          ['c', 'query Broken {'],
        ]),
      },
    })
  })
  afterAll(async () => {
    await gateway.close()
    await site.close()
  })
  const changed = (act: () => Promise<unknown>, shown: RegExp) => changes(gateway, act, shown)

  it('count calls by route, status and reason, their bytes and times, cleaned answers and odd values', async () => {
    const counts = await changed(async () => {
      site.handler = (_, response) => json(response, ROWS, TOTALS)
      await post(gateway, { query: '{ courses { nodes { title points } } }' })
      await post(gateway, { query: '{ courses { nodes { points } } }' })
      site.handler = (_, response) => response.end(`<br />\n<b>Warning</b>: x\n${JSON.stringify(ROWS[0])}`)
      await post(gateway, { query: '{ course(id: 1) { title } }' })
      site.handler = (_, response) => json(response, { code: 'rest_forbidden', message: 'No.' }, { status: 403 })
      await post(gateway, { query: '{ course(id: 77) { title } }' })
      site.handler = (_, response) => response.end('<html>')
      await post(gateway, { query: '{ course(id: 78) { title } }' })
      site.handler = (_, response) => response.writeHead(200, { 'content-length': '5000' }).write('[{"id":', () => response.destroy())
      await post(gateway, { query: '{ course(id: 79) { title } }' })
      site.handler = (_, response) => response.writeHead(299).end(JSON.stringify(ROWS[0]))
      await post(gateway, { query: '{ course(id: 1) { title points } }' })
    }, /^lms_(rest_(calls_total|bytes_total|call_duration_seconds_count|queue_wait_seconds_count|retries)|cleaned|repairs)/)
    const list = 'method="GET",route="v1/sfwd-courses"'
    const single = 'method="GET",route="v1/sfwd-courses/:id"'
    expect(counts).toEqual({
      [`lms_rest_calls_total{${list},status="200",reason="ok"}`]: 2,
      [`lms_rest_calls_total{${single},status="200",reason="ok"}`]: 1,
      [`lms_rest_calls_total{${single},status="403",reason="FORBIDDEN"}`]: 1,
      [`lms_rest_calls_total{${single},status="200",reason="UPSTREAM_INVALID_RESPONSE"}`]: 1,
      [`lms_rest_calls_total{${single},status="200",reason="UPSTREAM_UNAVAILABLE"}`]: 2,
      [`lms_rest_calls_total{${single},status="2xx",reason="ok"}`]: 1,
      [`lms_rest_call_duration_seconds_count{${list}}`]: 2,
      [`lms_rest_call_duration_seconds_count{${single}}`]: 6,
      lms_rest_queue_wait_seconds_count: 8,
      'lms_rest_retries_total{reason="UPSTREAM_UNAVAILABLE"}': 1,
      [`lms_rest_bytes_total{${list}}`]: 2 * JSON.stringify(ROWS).length,
      [`lms_rest_bytes_total{${single}}`]: expect.any(Number),
      'lms_cleaned_answers_total{route="v1/sfwd-courses/:id"}': 1,
      'lms_repairs_total{field="Course.points"}': 2,
    })
    expect(told).toHaveLength(8)
  })

  it('count operations by the names of trusted documents, and all others together', async () => {
    site.handler = (_, response) => json(response, ROWS, TOTALS)
    const counts = await changed(async () => {
      await post(gateway, { query: DASHBOARD })
      // Another document with the name of a trusted one.
      await post(gateway, { query: 'query Dashboard { courses { nodes { id } } }' })
      await post(gateway, { query: 'query Mine { courses { nodes { id } } }' })
      site.handler = (_, response) => json(response, { code: 'odd', message: 'No.' }, { status: 400 })
      await post(gateway, { query: STORE, variables: { title: 'x' } })
      await post(gateway, { query: '{ nothing }' })
      await post(gateway, { query: '{' })
    }, /^lms_(operations_total|operation_errors|operation_duration_seconds_count|operation_rest_calls_sum)/)
    expect(counts).toEqual({
      'lms_operations_total{operation="Dashboard",kind="query",outcome="ok"}': 1,
      'lms_operations_total{operation="other",kind="query",outcome="ok"}': 2,
      'lms_operations_total{operation="other",kind="query",outcome="refused"}': 1,
      'lms_operations_total{operation="other",kind="unknown",outcome="refused"}': 1,
      'lms_operations_total{operation="Store",kind="mutation",outcome="ok"}': 1,
      'lms_operation_duration_seconds_count{operation="Dashboard",kind="query"}': 1,
      'lms_operation_duration_seconds_count{operation="other",kind="query"}': 3,
      'lms_operation_duration_seconds_count{operation="other",kind="unknown"}': 1,
      'lms_operation_duration_seconds_count{operation="Store",kind="mutation"}': 1,
      'lms_operation_rest_calls_sum{operation="Dashboard",kind="query"}': 1,
      'lms_operation_rest_calls_sum{operation="other",kind="query"}': 2,
      'lms_operation_rest_calls_sum{operation="Store",kind="mutation"}': 1,
      'lms_operation_errors_total{code="GRAPHQL_PARSE_FAILED"}': 1,
      'lms_operation_errors_total{code="GRAPHQL_VALIDATION_FAILED"}': 1,
    })
  })

  it('have the time of the gateway apart from the time in which it waits', async () => {
    site.handler = (_, response) => setTimeout(() => json(response, ROWS, TOTALS), 300)
    const counts = await changed(
      () => post(gateway, { query: DASHBOARD }),
      /^lms_operation_(gateway_)?duration_seconds_sum\{operation="Dashboard"/,
    )
    const [all, own] = ['', 'gateway_'].map(
      (part) => counts[`lms_operation_${part}duration_seconds_sum{operation="Dashboard",kind="query"}`],
    )
    expect(all).toBeGreaterThanOrEqual(0.3)
    expect(own).toBeLessThan((all as number) - 0.29)
  })

  it('count shared reads, prepared operations, stale answers, refusals, and the states of the circuit breaker', async () => {
    const shown = /^lms_(rest_shared|rest_stale|rest_refusals|breaker|prepared_operation_lookups)/
    site.handler = (_, response) => setTimeout(() => json(response, ROWS, TOTALS), 50)
    const query = '{ courses(first: 2) { nodes { title } } }'
    expect(await changed(() => Promise.all([post(gateway, { query }), post(gateway, { query }), post(gateway, { query })]), shown)).toEqual(
      {
        lms_rest_shared_reads_total: 2,
        // A document enters the cache when it runs for the second time.
        'lms_prepared_operation_lookups_total{result="miss"}': 2,
        'lms_prepared_operation_lookups_total{result="hit"}': 1,
      },
    )
    site.handler = (_, response) => response.writeHead(500).end()
    const counts = await changed(async () => {
      for (let call = 0; call < 12; call++) await post(gateway, { query }, { authorization: 'Basic bm86bm8=' })
      await post(gateway, { query })
    }, shown)
    expect(counts).toMatchObject({
      'lms_rest_stale_answers_total{route="v1/sfwd-courses"}': 1,
      'lms_prepared_operation_lookups_total{result="hit"}': 13,
      'lms_breaker_openings_total{calls="reads"}': 1,
      'lms_breaker_state{calls="reads",state="open"}': 1,
      'lms_breaker_state{calls="reads",state="closed"}': -1,
    })
    expect(counts['lms_rest_refusals_total{reason="breaker_open"}']).toBeGreaterThan(0)
    const { 'lms_breaker_state{calls="writes",state="closed"}': writes } = await metricsOf(gateway)
    expect(writes).toBe(1)
  })

  it('do not grow with what clients and sites make up', async () => {
    let calls = 0
    const names = async (): Promise<string[]> => Object.keys(await metricsOf(gateway))
    site.handler = (_, response) => {
      const status = 200 + (++calls % 700)
      response.writeHead(status, { 'content-type': 'application/json' }).end(status < 300 ? JSON.stringify(ROWS[0]) : '{}')
    }
    const before = await names()
    for (let each = 0; each < 1_000; each++) {
      await post(gateway, { query: `query Name${each} { course(id: ${each + 1}) { title } }`, operationName: `Name${each}` })
      await post(gateway, { query: '{ __typename }', operationName: `Other${each}` })
      await gateway.fetch(`http://gateway.test/nonsense/${each}`)
    }
    const after = await names()
    expect(calls).toBeGreaterThan(100)
    expect(after.filter((series) => /Name|Other|nonsense/.test(series))).toEqual([])
    // One more for each known status and each class of status, of one route.
    const more = after.filter((series) => !before.includes(series) && !series.includes('route="v1/sfwd-courses/:id"'))
    // Garbage collection has kinds.
    expect(
      more.filter((series) => !/^nodejs_gc|^lms_((caller_)?operations_total|operation_errors_total|rest_retries_total)/.test(series)),
    ).toEqual([])
    expect(after.length).toBeLessThan(before.length + 180)
  })

  it('are in the format of Prometheus, and contain no values of requests', async () => {
    const response = await gateway.fetch('http://gateway.test/metrics')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    const text = await response.text()
    // The hash of the options can have any digits.
    const labels = text.replace(/ \S+$/gm, '').replace(/hash="\w+"/, '')
    expect(labels).not.toMatch(/77|127\.0\.0\.1|Basic/)
    expect(text).toContain('lms_site_info{preset="lms"} 1\n')
    expect(text).toMatch(/^lms_build_info\{version="\d+\.\d+\.\d+",node="v[\d.]+"\} 1$/m)
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
  })

  it('are kept with a setting only', async () => {
    const without = createGateway({ site: { url: site.url } })
    const { status } = await without.fetch('http://gateway.test/metrics')
    await expect(without.metrics()).rejects.toThrow('This gateway has no metrics: set the option `observe.metrics`.')
    // They are for a port of their own, which the program opens.
    const unserved = createGateway({ site: { url: site.url }, observe: { metrics: 9464 } })
    const other = await unserved.fetch('http://gateway.test/metrics')
    expect([status, other.status, (await unserved.metrics()).includes('lms_site_info')]).toEqual([404, 404, true])
    await Promise.all([without.close(), unserved.close()])
  })
})

describe('a port for metrics', () => {
  it('serves them, and nothing else, until the gateway has ended', async () => {
    const site = await FakeSite.start()
    const gateway = await startGateway({ site: { url: site.url }, http: { port: 0 }, observe: { metrics: 0 }, on: { fault: () => {} } })
    const url = gateway.metricsUrl as string
    let closing: Promise<void> | undefined
    try {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
      const response = await fetch(url)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
      expect(seriesIn(await response.text()).lms_draining).toBe(0)
      const statusOf = async (address: string, init?: RequestInit) => (await fetch(address, init)).status
      expect(await statusOf(url, { method: 'POST' })).toBe(405)
      expect(await statusOf(url, { method: 'HEAD' })).toBe(200)
      expect(await statusOf(url.replace('/metrics', '/graphql'))).toBe(404)
      expect(await statusOf(`${url}x`)).toBe(404)
      expect(await statusOf(`${gateway.url}/metrics`)).toBe(404)
      const held: ServerResponse[] = []
      site.handler = (_, response) => void held.push(response)
      const answer = fetch(`${gateway.url}/graphql?query={course(id:1){title}}`, { headers: { connection: 'close' } })
      await expect.poll(() => held.length).toBe(1)
      closing = gateway.close()
      expect(seriesIn(await (await fetch(url)).text()).lms_draining).toBe(1)
      json(held[0] as ServerResponse, ROWS[0])
      expect((await answer).status).toBe(200)
      await closing
      await expect(fetch(url)).rejects.toThrow()
    } finally {
      await (closing ?? gateway.close())
      await site.close()
    }
  })

  it('rejects the start when it is in use, and closes what is open', async () => {
    const lms = await startLms({ port: 0 })
    const port = Number(new URL(lms.url).port)
    await expect(startGateway({ site: { url: lms.url }, http: { port: 0 }, observe: { metrics: port } })).rejects.toThrow(
      `The metrics cannot be served on 127.0.0.1:${port}: the port is already in use: set another one, or 0 for any free one.`,
    )
    await lms.close()
  })
})
