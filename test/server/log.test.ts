import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGateway } from '../../src/gateway.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import type { Log } from '../../src/server/log/levels.js'
import type { OperationEvent } from '../../src/server/request-state.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { BEHIND_PROXY, type Served, serve as serveTuned } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { authorizationOf } from '../support/world.js'
import { exchange, piecesOf, type Raw } from './raw.js'

// What a gateway in a program tells of operations, REST calls and faults. The suite runs on both paths.

type Line = Record<string, any> & { readonly level: string; readonly msg: string }

/** A log that keeps its lines as text, as they would be written. */
class KeptLog implements Log {
  readonly texts: string[] = []
  constructor(private readonly shown: readonly string[] = ['debug', 'info', 'warn', 'error']) {}

  isLevelEnabled = (level: string): boolean => this.shown.includes(level)
  debug = (fields: object, msg: string): void => this.keep('debug', fields, msg)
  info = (fields: object, msg: string): void => this.keep('info', fields, msg)
  warn = (fields: object, msg: string): void => this.keep('warn', fields, msg)
  error = (fields: object, msg: string): void => this.keep('error', fields, msg)

  get lines(): Line[] {
    return this.texts.map((text) => JSON.parse(text))
  }

  of(msg: string): Line[] {
    return this.lines.filter((line) => line.msg === msg)
  }

  private keep(level: string, fields: object, msg: string): void {
    this.texts.push(JSON.stringify({ ...fields, level, msg }))
  }
}

const serve = (options: TunedOptions): Promise<Served> => serveTuned(merged(BEHIND_PROXY, options))

const log = new KeptLog()
const KEY = 'a-key-of-the-gateway'
const JSON_BODY = { 'content-type': 'application/json' }
const RESPONSE = { ...JSON_BODY, accept: 'application/graphql-response+json' }
const asJson = (query: string, more: object = {}): Raw => ({ headers: RESPONSE, body: JSON.stringify({ query, ...more }) })
const COURSE = 'query Course { course(id: 10001) { title priceType { slug } } }'

let lms: RunningLms
let gateway: Served
let site: FakeSite
beforeAll(async () => {
  lms = await startLms()
  site = await FakeSite.start()
  gateway = await serve({
    site: { url: lms.url },
    log,
    limits: { maxBodyBytes: 2_000 },
    http: { requestTimeout: 500 },
    tuning: { sockets: { headersTimeout: 500 } },
  })
})
beforeEach(() => {
  log.texts.length = 0
})
afterAll(async () => {
  await gateway.close()
  await site.close()
  await lms.close()
})

/** The one line about an operation there is to come. */
async function told(from = log): Promise<Line> {
  await expect.poll(() => from.of('operation').length).toBe(1)
  return from.of('operation')[0] as Line
}

interface Case {
  readonly raw: Raw
  readonly line: Readonly<Record<string, unknown>>
}

/** Requests with the lines they make. */
const CASES: Readonly<Record<string, Case>> = {
  'a query': {
    raw: asJson(COURSE),
    line: { level: 'info', operation: 'Course', kind: 'query', outcome: 'ok', status: 200, calls: 2 },
  },
  'a query without a name': {
    raw: asJson('{ course(id: 10001) { title } }'),
    line: { operation: null, kind: 'query', outcome: 'ok', status: 200, calls: 1 },
  },
  'a query that needs no call': {
    raw: asJson('{ __typename }'),
    line: { operation: null, kind: 'query', outcome: 'ok', status: 200, calls: 0 },
  },
  'a query by GET': {
    raw: { method: 'GET', path: `/graphql?query=${encodeURIComponent(COURSE)}` },
    line: { operation: 'Course', kind: 'query', outcome: 'ok', status: 200, calls: 2 },
  },
  'one operation of several': {
    raw: asJson(`${COURSE} query Other { group(id: 1001) { title } }`, { operationName: 'Other' }),
    line: { operation: 'Other', kind: 'query', outcome: 'ok', status: 200, calls: 1 },
  },
  'a mutation': {
    raw: {
      headers: { ...RESPONSE, authorization: authorizationOf('admin') ?? '' },
      body: JSON.stringify({ query: 'mutation Rename { updateCourse(input: { id: 10001, customButtonLabel: "Go" }) { __typename } }' }),
    },
    line: { operation: 'Rename', kind: 'mutation', outcome: 'ok', status: 200, calls: 1 },
  },
  'an answer with errors beside data': {
    raw: asJson('query Partly { course(id: 10001) { title titleRaw } question(id: 1) { title } }'),
    line: { operation: 'Partly', outcome: 'partial', status: 200, calls: 3, codes: { UNAUTHENTICATED: 2 } },
  },
  'an answer without data': {
    raw: asJson('{ question(id: 1) { title } }'),
    line: { kind: 'query', outcome: 'failed', status: 200, calls: 1, codes: { UNAUTHENTICATED: 1 } },
  },
  'input that is refused in its field': {
    raw: asJson('query Bad { courses(first: 5000) { totalCount } }'),
    line: { operation: 'Bad', kind: 'query', outcome: 'failed', status: 200, calls: 0, codes: { BAD_USER_INPUT: 1 } },
  },
  'variables that do not fit': {
    raw: asJson('query V($id: ID!) { course(id: $id) { title } }', { variables: {} }),
    line: { operation: 'V', kind: 'query', outcome: 'refused', status: 400, calls: 0, codes: { BAD_USER_INPUT: 1 } },
  },
  'no document': {
    raw: asJson('query {', { operationName: 'Named' }),
    line: { operation: 'Named', kind: null, outcome: 'refused', status: 400, calls: 0, codes: { GRAPHQL_PARSE_FAILED: 1 } },
  },
  'a name that is none': {
    raw: asJson('query {', { operationName: 'a b\n"c"' }),
    line: { operation: null, kind: null, outcome: 'refused', codes: { GRAPHQL_PARSE_FAILED: 1 } },
  },
  'a document that does not fit the graph': {
    raw: asJson('query Wrong { nothing { a } other }'),
    line: { operation: 'Wrong', kind: 'query', outcome: 'refused', status: 400, calls: 0, codes: { GRAPHQL_VALIDATION_FAILED: 2 } },
  },
  'a document over a limit': {
    raw: asJson(`query Deep ${'{ course(id: 1) '.repeat(1)}${'{ prerequisites '.repeat(25)}{ title }${' }'.repeat(26)}`),
    line: { kind: 'query', operation: 'Deep', outcome: 'refused', status: 400, codes: { LIMIT_EXCEEDED: 1 } },
  },
  'a hash nobody knows': {
    raw: { headers: RESPONSE, body: JSON.stringify({ extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } }) },
    line: { operation: null, kind: null, outcome: 'refused', codes: { PERSISTED_QUERY_NOT_FOUND: 1 } },
  },
  'no JSON': {
    raw: { headers: RESPONSE, body: 'NONSENSE' },
    line: { operation: null, kind: null, outcome: 'refused', status: 400, calls: 0, codes: { BAD_REQUEST: 1 } },
  },
  'a form': {
    raw: { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'query=x' },
    line: { outcome: 'refused', status: 415, codes: { BAD_REQUEST: 1 } },
  },
  'a body that is too large': {
    raw: { headers: RESPONSE, body: 'x'.repeat(3_000) },
    line: { outcome: 'refused', status: 413, codes: { BODY_TOO_LARGE: 1 } },
  },
  'an answer nobody has': {
    raw: { headers: { ...JSON_BODY, accept: 'image/png' }, body: '{}' },
    line: { outcome: 'refused', status: 406, codes: { BAD_REQUEST: 1 } },
  },
  'a mutation by GET': {
    raw: { method: 'GET', path: `/graphql?query=${encodeURIComponent('mutation { __typename }')}` },
    line: { outcome: 'refused', status: 405 },
  },
  'two hosts': {
    raw: { headers: { ...RESPONSE, host: ['a', 'b'] }, body: '{}' },
    line: { outcome: 'refused', status: 400, codes: { BAD_REQUEST: 1 } },
  },
  'an odd expectation': {
    raw: { headers: { ...RESPONSE, expect: 'wonders' }, body: '{}' },
    line: { outcome: 'refused', status: 400, codes: { BAD_REQUEST: 1 } },
  },
  'a body that does not come': {
    raw: { headers: { ...RESPONSE, 'content-length': '10' }, body: 'x' },
    line: { operation: null, outcome: 'refused', status: 408, codes: { REQUEST_TIMEOUT: 1 } },
  },
}

describe('a line', () => {
  it.each(Object.entries(CASES))('tells of %s', async (_, { raw, line }) => {
    // Known operations go another way than new ones.
    for (const id of ['first', 'second']) {
      log.texts.length = 0
      await exchange(gateway.url, piecesOf({ ...raw, headers: { ...raw.headers, 'x-request-id': id } }))
      const seen = await told()
      expect(seen).toMatchObject({ requestId: id, ...line })
      expect(seen.duration).toBeGreaterThan(0)
      expect(seen.duration).toBeLessThan(30_000)
      expect('codes' in seen).toBe('codes' in line || line.status === 405)
      expect(seen).not.toHaveProperty('variables')
    }
  })

  it('is written for callers who are not authenticated', async () => {
    const kept = new KeptLog()
    const closed = await serve({ site: { url: lms.url }, log: kept, access: { apiKeys: [KEY] } })
    expect((await closed.post({ query: COURSE })).status).toBe(401)
    expect(await told(kept)).toMatchObject({ level: 'info', outcome: 'refused', status: 401, calls: 0, codes: { UNAUTHENTICATED: 1 } })
    await closed.close()
  })

  it.each(['before the site has answered', 'in the middle of the body'])('is written for a client that leaves %s', async (when) => {
    const kept = new KeptLog()
    const slow = await serve({ site: { url: site.url }, log: kept })
    site.handler = () => {}
    const body = JSON.stringify({ query: 'query Slow { priceTypes { slug } }' })
    const isWhole = when.startsWith('before')
    const leaving = httpRequest(`${slow.url}/graphql`, { method: 'POST', headers: { ...JSON_BODY, 'content-length': body.length } })
    leaving.on('error', () => {})
    if (isWhole) leaving.end(body)
    else leaving.write(body.slice(0, 10))
    if (isWhole) await expect.poll(() => site.open).toBe(1)
    else await new Promise((resolve) => setTimeout(resolve, 100))
    leaving.destroy()
    const known = isWhole ? { operation: 'Slow', kind: 'query', calls: 1 } : { operation: null, kind: null, calls: 0 }
    const line = await told(kept)
    expect(line).toMatchObject({ level: 'info', outcome: 'cancelled', status: 0, ...known })
    expect(line).not.toHaveProperty('codes')
    await slow.close()
  })

  it('is a warning when the site is down, and counts retries', async () => {
    const kept = new KeptLog()
    const own = await serve({
      site: { url: site.url },
      log: kept,
      tuning: { protection: { breakerCalls: 4, breakerCooldown: 60_000, maxRetryDelay: 300 } },
      protection: { retries: 1 },
    })
    site.handler = (_, response) => json(response, {}, { status: 503 })
    const query = 'query Down { priceTypes { slug } }'
    expect((await own.post({ query })).status).toBe(200)
    expect(await told(kept)).toMatchObject({ level: 'info', outcome: 'failed', calls: 2, codes: { UPSTREAM_UNAVAILABLE: 1 } })
    kept.texts.length = 0
    expect((await own.post({ query })).status).toBe(503)
    expect(await told(kept)).toMatchObject({ level: 'warn', outcome: 'refused', status: 503, calls: 0 })
    await own.close()
  })

  it('is written once for calls that fail in the same way, once for an outage of the site, and once for its end', async () => {
    const kept = new KeptLog(['info', 'warn', 'error'])
    const own = await serve({ site: { url: site.url }, log: kept, protection: { breakerThreshold: 100, retries: 0 } })
    const ofSite = () => kept.lines.filter(({ msg }) => msg !== 'operation')
    let status = 500
    site.handler = (_, response) => json(response, status === 200 ? [{ slug: 'free' }] : { code: 'odd', message: 'No.' }, { status })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const ask = (query = '{ priceTypes { slug } }') => own.post({ query }, { 'x-request-id': 'mine', traceparent })
    for (let call = 0; call < 3; call++) await ask()
    const failed = { method: 'GET', route: 'v2/price-types', status: 500, reason: 'UPSTREAM_UNAVAILABLE' }
    const ids = { requestId: 'mine', traceId: '0af7651916cd43dd8448eb211c80319c' }
    const line = { level: 'warn', msg: 'call failed', ...ids, ...failed, failures: 1, duration: expect.any(Number) }
    expect(ofSite()).toEqual([line])
    status = 429
    await ask()
    expect(ofSite().slice(1)).toEqual([{ ...line, status: 429, reason: 'UPSTREAM_RATE_LIMITED' }])
    // A refusal is an answer: the failures in a row begin again.
    status = 403
    await ask()
    status = 500
    for (let call = 0; call < 9; call++) await ask()
    expect(ofSite().length).toBe(2)
    for (let call = 0; call < 4; call++) await ask()
    expect(ofSite().slice(2)).toEqual([
      { level: 'error', msg: 'site outage', ...ids, ...failed, failures: 10, duration: expect.any(Number) },
    ])
    status = 200
    for (let call = 0; call < 3; call++) await ask()
    expect(ofSite().slice(3)).toEqual([{ level: 'info', msg: 'site answers again', failures: 13, duration: expect.any(Number) }])
    // The next failures are lines again, after a pause for those of the same kind.
    status = 500
    await ask('{ courses { nodes { title } } }')
    expect(ofSite().slice(4)).toEqual([{ ...line, route: 'v1/sfwd-courses' }])
    await own.close()
  })

  it('counts a shared call for the operation that sent it', async () => {
    const kept = new KeptLog()
    const own = await serve({ site: { url: site.url }, log: kept, cache: { maxAge: 60 } })
    const held: (() => void)[] = []
    site.handler = ({ url }, response) => {
      if (url?.includes('course')) json(response, { id: 7 })
      else held.push(() => json(response, [{ slug: 'free' }]))
    }
    const first = own.post({ query: 'query First { priceTypes { slug } }' })
    await expect.poll(() => held.length).toBe(1)
    const second = own.post({ query: 'query Second { priceTypes { slug } }' })
    await own.post({ query: 'query Third { course(id: 7) { title } }' })
    for (const answer of held) answer()
    await Promise.all([first, second])
    await expect.poll(() => kept.of('operation').length).toBe(3)
    const calls = Object.fromEntries(kept.of('operation').map((line) => [line.operation, line.calls]))
    expect(calls).toEqual({ First: 1, Second: 0, Third: 1 })
    await own.close()
  })

  it('is written for pages, health and preflights at debug only', async () => {
    const ask = (path: string, init: RequestInit = {}) => fetch(`${gateway.url}${path}`, { redirect: 'manual', ...init })
    const all = [
      ask('/graphql?x=hidden', { headers: { accept: 'text/html' } }),
      ask('/graphql', { method: 'OPTIONS' }),
      ask('/graphiql?x=hidden'),
      ask('/health/live'),
      ask('/health/ready'),
      ask('/nothing?x=hidden'),
    ]
    for (const response of await Promise.all(all)) await response.text()
    await expect.poll(() => log.of('request').length).toBe(all.length)
    expect(log.of('operation')).toEqual([])
    expect(new Set(log.of('request').map(({ level }) => level))).toEqual(new Set(['debug']))
    expect(
      log
        .of('request')
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual(['GET /graphiql', 'GET /graphql', 'GET /health/live', 'GET /health/ready', 'GET /nothing', 'OPTIONS /graphql'])
    expect(log.texts.join()).not.toContain('hidden')
  })

  it('is written for each REST call at debug, by route', async () => {
    await gateway.post({ query: 'query A { course(id: 10001, password: "hush") { title } }' }, { 'x-request-id': 'of-the-call' })
    expect(await told()).toMatchObject({ calls: 1 })
    expect(log.of('call')).toEqual([
      {
        level: 'debug',
        msg: 'call',
        requestId: 'of-the-call',
        method: 'GET',
        route: 'v1/sfwd-courses/:id',
        status: 403,
        duration: expect.any(Number),
        bytes: expect.any(Number),
      },
    ])
    expect(log.texts.join()).not.toContain('hush')
  })
})

describe('levels', () => {
  it.each([
    [['info', 'warn', 'error'], ['operation']],
    [['warn', 'error'], []],
    [[], []],
  ])('%j filter lines', async (shown, messages) => {
    const kept = new KeptLog(shown)
    const events: OperationEvent[] = []
    const own = await serve({ site: { url: lms.url }, log: kept, on: { operation: (event) => events.push(event) } })
    await (await own.post({ query: COURSE })).text()
    await (await fetch(`${own.url}/health/live`)).text()
    await expect.poll(() => events.length).toBe(1)
    expect(kept.lines.map(({ msg }) => msg)).toEqual(messages)
    await own.close()
  })
})

describe('faults', () => {
  const QUERY = { query: 'query Faulty { priceTypes { slug } }' }
  /** Something that goes wrong in the gateway as a request is answered. */
  const broken = Object.assign(new Error('broken at heart', { cause: new Error('deep down') }), { secret: 'beside it' })

  it('are logged with their requests and causes, without their other properties', async () => {
    const kept = new KeptLog()
    site.handler = (_, response) => json(response, [{ slug: 'free' }])
    const own = await serve({
      site: { url: site.url },
      log: kept,
      observe: { metrics: true },
      on: {
        call: () => {
          throw broken
        },
      },
    })
    await (await own.post(QUERY, { 'x-request-id': 'unlucky' })).text()
    await told(kept)
    expect(kept.of('fault')).toEqual([
      {
        level: 'error',
        msg: 'fault',
        requestId: 'unlucky',
        err: {
          type: 'Error',
          message: 'broken at heart',
          stack: expect.stringMatching(/^Error: broken at heart\n(.|\n)*caused by: Error: deep down\n/),
        },
      },
    ])
    expect(kept.texts.join()).not.toContain('beside it')
    const metrics = await (await fetch(`${own.url}/metrics`)).text()
    expect(metrics.match(/^lms_(faults_total|rest_calls_total\{.*\}) .*$/gm)).toEqual([
      'lms_faults_total 1',
      'lms_rest_calls_total{method="GET",route="v2/price-types",status="200",reason="ok"} 1',
    ])
    await own.close()
  })

  it.each(['new', 'known'])('in %s operations are logged with their request', async (which) => {
    const faults: [unknown, string | undefined][] = []
    const own = await serve({
      site: { url: site.url },
      on: {
        fault: (fault, id) => faults.push([fault, id]),
        repair: () => {
          throw broken
        },
      },
    })
    const query = 'query Odd { course(id: 7) { menuOrder } }'
    site.handler = (_, response) => json(response, { id: 7, menu_order: 1 })
    if (which === 'known')
      for (let times = 0; times < 2; times++) expect(await (await own.post({ query })).json()).not.toHaveProperty('errors')
    site.handler = (_, response) => json(response, { id: 7, menu_order: 'odd' })
    const { errors } = (await (await own.post({ query }, { 'x-request-id': 'marked' })).json()) as any
    expect(errors[0].extensions.code).toBe('INTERNAL_SERVER_ERROR')
    expect(faults).toEqual([[broken, 'marked']])
    await own.close()
  })

  it('include an account that the site refuses, with the request', async () => {
    const kept = new KeptLog()
    site.handler = (_, response) => json(response, { code: 'x', message: 'x', data: { status: 401 } }, { status: 401 })
    const own = await serve({
      site: { url: site.url, user: 'gate', password: 'pass word' },
      log: kept,
      access: { apiKeys: [KEY] },
    })
    await (await own.post(QUERY, { 'x-api-key': KEY, 'x-request-id': 'by-account' })).text()
    await told(kept)
    expect(kept.of('fault')).toMatchObject([{ level: 'error', requestId: 'by-account' }])
    expect(kept.texts.join()).not.toMatch(/pass word|a-key-of|authorization/i)
    await own.close()
  })
})

describe('answers in parts', () => {
  const PARTS = 'query Parts { course(id: 10001) { title ... @defer { titleRaw menuOrder } } }'
  const headers = { ...JSON_BODY, accept: 'multipart/mixed' }

  it('have one line, with the errors of all parts', async () => {
    await exchange(gateway.url, piecesOf({ headers, body: JSON.stringify({ query: PARTS }) }))
    expect(await told()).toMatchObject({ operation: 'Parts', outcome: 'partial', status: 200, codes: { UNAUTHENTICATED: 1 } })
    log.texts.length = 0
    await exchange(gateway.url, piecesOf({ headers, body: JSON.stringify({ query: PARTS.replace('titleRaw', '') }) }))
    const line = await told()
    expect(line).toMatchObject({ operation: 'Parts', outcome: 'ok', status: 200 })
    expect(line).not.toHaveProperty('codes')
  })

  it('have it at their end, also without a socket', async () => {
    const kept = new KeptLog()
    const own = createGateway({ site: { url: lms.url }, log: kept })
    const response = await own.fetch('http://localhost/graphql', { method: 'POST', headers, body: JSON.stringify({ query: PARTS }) })
    await response.text()
    expect(await told(kept)).toMatchObject({ operation: 'Parts', outcome: 'partial', status: 200, codes: { UNAUTHENTICATED: 1 } })
    await own.close()
  })
})

describe('without a socket', () => {
  it('operations are logged when they are answered', async () => {
    const kept = new KeptLog()
    const own = createGateway({ site: { url: lms.url }, log: kept })
    const post = async (query: string) =>
      (await own.fetch('http://localhost/graphql', { method: 'POST', headers: RESPONSE, body: JSON.stringify({ query }) })).text()
    await post(COURSE)
    await post('query {')
    await (await own.fetch('http://localhost/health/live')).text()
    expect(kept.of('operation')).toMatchObject([
      { operation: 'Course', kind: 'query', outcome: 'ok', status: 200, calls: 2 },
      { operation: null, kind: null, outcome: 'refused', status: 400, calls: 0, codes: { GRAPHQL_PARSE_FAILED: 1 } },
    ])
    await own.close()
  })
})

describe('variables', () => {
  const FIND =
    'query Find($id: ID!, $p: String, $where: CourseWhere) { course(id: $id, password: $p) { title } courses(where: $where) { totalCount } }'

  async function shown(query: string, variables: object): Promise<{ variables: any; text: string }> {
    const events: OperationEvent[] = []
    const own = await serve({
      site: { url: lms.url },
      observe: { logVariables: true },
      on: { operation: (event) => events.push(event) },
      limits: { maxBodyBytes: 1_000_000 },
    })
    await (await own.post({ query, variables })).text()
    await expect.poll(() => events.length).toBe(1)
    await own.close()
    return { variables: events[0]?.variables, text: JSON.stringify(events) }
  }

  it('are logged on request, except those for arguments with secrets', async () => {
    const { variables } = await shown(FIND, { id: 10001, p: 'hush-1', where: { search: 'algebra' } })
    expect(variables).toEqual({ id: 10001, p: '[redacted]', where: { search: 'algebra' } })
  })

  it('are redacted by name, at any depth', async () => {
    const names = ['password', 'newPassword', 'clientSecret', 'access_token', 'Authorization', 'apiKey', 'KEY', 'cookie', 'x-wp-nonce']
    const secrets = Object.fromEntries(names.map((name, place) => [name, { deep: [`hush-${place}`] }]))
    const { variables, text } = await shown('query Any($id: ID) { __typename }', {
      id: 'seen',
      a: [{ b: { ...secrets, c: 'seen' } }],
      ...secrets,
    })
    expect(text).not.toContain('hush')
    expect(variables.a[0].b).toEqual({ ...Object.fromEntries(names.map((name) => [name, '[redacted]'])), c: 'seen' })
  })

  it('are redacted when they are part of a secret, also in fragments', async () => {
    const update = `mutation M($t: String!, $label: String) { updateCourse(input: { id: 10001, title: $t, password: $label }) { ...F } }
      fragment F on UpdateCourseSuccess { course { title } }`
    expect((await shown(update, { t: 'seen', label: 'hush' })).variables).toEqual({ t: 'seen', label: '[redacted]' })
    const fragment = 'query Q($w: String) { ...F } fragment F on Query { course(id: 10001, password: $w) { title } }'
    expect((await shown(fragment, { w: 'hush' })).variables).toEqual({ w: '[redacted]' })
  })

  it('are cut when they are long, and left out when the document cannot be parsed', async () => {
    const { variables, text } = await shown('query Any($id: ID) { __typename }', {
      long: 'x'.repeat(5_000),
      many: Array.from({ length: 900 }, (_, each) => each),
    })
    expect(variables.long).toBe(`${'x'.repeat(200)}…`)
    expect(variables.many.length).toBeLessThan(201)
    expect(text.length).toBeLessThan(3_000)
    expect((await shown('query {', { a: 'hush' })).text).not.toContain('hush')
  })
})
