import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import type { JWTPayload } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGateway, type MutationEvent, type OperationEvent } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { BEHIND_PROXY, type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { authorizationOf } from '../support/world.js'
import { AUDIENCE, ISSUER, makeSigner, type Signer, sign } from './issuer.js'
import { exchange, piecesOf, type Raw } from './raw.js'

// Who sent an operation, and what a mutation has changed. The suite runs on both paths.

const KEYS = ['first-key-0123456789', 'second-key-0123456789', 'third-key-0123456789'] as const
const [SHOP, SHOP_BEFORE, NAMELESS] = KEYS
const NAMED = { apiKeys: [`shop:${SHOP}`, `shop:${SHOP_BEFORE}`, NAMELESS] }
const NAMELESS_CALLER = `key:${createHash('sha256').update(NAMELESS).digest('hex').slice(0, 8)}`
const QUERY = '{ __typename }'

const PAGE = readFileSync(new URL('../../docs/observing.md', import.meta.url), 'utf8')

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

let lms: RunningLms
/** A site with a route for the viewer. */
let learndash: RunningLms
let site: FakeSite
let signer: Signer
const closers: (() => Promise<void>)[] = []
beforeAll(async () => {
  lms = await startLms()
  learndash = await startLms({ profile: 'learndash' })
  site = await FakeSite.start()
  signer = await makeSigner('one')
})
beforeEach(() => {
  site.handler = (_, response) => json(response, [])
})
afterAll(async () => {
  // First, because gateways wait for calls that are not answered.
  await site.close()
  for (const close of closers) await close()
  await learndash.close()
  await lms.close()
})

/** A gateway with the events of its operations and mutations. */
class Watched {
  readonly operations: OperationEvent[] = []
  readonly mutations: MutationEvent[] = []
  readonly faults: unknown[] = []
  readonly lines: Record<string, any>[] = []
  declare gateway: Served

  static async start(options: TunedOptions = {}): Promise<Watched> {
    const watched = new Watched()
    const line =
      (level: string) =>
      (fields: object, msg: string): void =>
        void watched.lines.push({ ...fields, level, msg })
    const on = {
      operation: (event: OperationEvent) => watched.operations.push(event),
      mutation: (event: MutationEvent) => watched.mutations.push(event),
      fault: (fault: unknown) => watched.faults.push(fault),
    }
    const log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
    watched.gateway = await serve(merged({ site: { url: lms.url }, log, on, http: { drainTimeout: 0 } }, options))
    closers.push(() => watched.gateway.close())
    return watched
  }

  /** The event of an operation. */
  async ask(headers: Record<string, string> = {}, query = QUERY): Promise<OperationEvent> {
    this.operations.length = this.mutations.length = this.lines.length = 0
    await (await this.gateway.post({ query }, headers)).text()
    await expect.poll(() => this.operations.length).toBe(1)
    return this.operations[0] as OperationEvent
  }

  of(msg: string): Record<string, any>[] {
    return this.lines.filter((line) => line.msg === msg)
  }
}

const shownOf = ({ client, caller, viewer }: OperationEvent | MutationEvent) => ({ client, caller, viewer })
const here = (caller?: string, viewer?: number | string) => ({ client: '127.0.0.1', caller, viewer })

describe('an operation', () => {
  it.each([
    ['nothing', {}, 'anonymous'],
    ['a user name and a password', { authorization: basic('ada:pass:word') }, 'login:ada'],
    ['a user name in other letters', { authorization: basic('Zoë Ünal:x') }, 'login:Zoë Ünal'],
    ['a user name with control characters', { authorization: basic('a\u001b[31m\r\n\u202e\u2028da:x') }, 'login:a[31mda'],
    ['a user name that is too long', { authorization: basic(`${'a'.repeat(200)}:x`) }, `login:${'a'.repeat(100)}`],
    ['a password alone', { authorization: basic('hunter2-hunter2') }, 'login'],
    ['an empty user name', { authorization: basic(':x') }, 'login'],
    ['a bearer token for the site', { authorization: 'Bearer secret-token' }, 'bearer'],
    ['cookies', { cookie: 'wordpress_logged_in=x', 'x-wp-nonce': 'n' }, 'cookie'],
  ] as [string, Record<string, string>, string][])('with %s has the caller in its event', async (_, headers, caller) => {
    const watched = await Watched.start({ site: { forwardCookie: true } })
    expect(shownOf(await watched.ask(headers))).toEqual(here(caller))
    expect(watched.of('operation')).toEqual([expect.objectContaining({ level: 'info', client: '127.0.0.1', caller })])
  })

  it('with an API key has its name, or the beginning of its hash, and the credentials beside it', async () => {
    const watched = await Watched.start({ access: { ...NAMED, open: true } })
    for (const key of [SHOP, SHOP_BEFORE]) expect(shownOf(await watched.ask({ 'x-api-key': key }))).toEqual(here('key:shop'))
    expect(shownOf(await watched.ask({ 'x-api-key': NAMELESS }))).toEqual(here(NAMELESS_CALLER))
    expect(shownOf(await watched.ask({ 'x-api-key': SHOP, authorization: basic('ada:x') }))).toEqual(here('key:shop login:ada'))
    expect(shownOf(await watched.ask({ 'x-api-key': SHOP, authorization: 'Bearer x' }))).toEqual(here('key:shop bearer'))
    expect(shownOf(await watched.ask())).toEqual(here('anonymous'))
  })

  it('in front of a service account has the key or the subject of the token, never the account', async () => {
    const access = { ...NAMED, open: true, jwtKey: signer.pem, jwtIssuer: ISSUER, jwtAudience: AUDIENCE, jwtUserClaim: 'lms' }
    const watched = await Watched.start({ site: { url: lms.url, user: 'admin', password: 'admin-demo' }, access })
    const bearer = async (claims: { readonly sub?: string | undefined; readonly lms?: number }) => ({
      authorization: `Bearer ${await sign(signer, claims as JWTPayload)}`,
    })
    expect(shownOf(await watched.ask({ 'x-api-key': SHOP }))).toEqual(here('key:shop'))
    expect(shownOf(await watched.ask({ authorization: `Bearer ${NAMELESS}` }))).toEqual(here(NAMELESS_CALLER))
    expect(shownOf(await watched.ask(await bearer({ sub: 'ada@example.org', lms: 3 })))).toEqual(here('token:ada@example.org', 3))
    const nobody = await bearer({ sub: undefined })
    expect(shownOf(await watched.ask(nobody))).toEqual(here('token'))
    expect(shownOf(await watched.ask())).toEqual(here('anonymous'))
    expect(JSON.stringify(watched.lines)).not.toContain(nobody.authorization.slice(-20))
  })

  it('in front of a service account has the role, in its event, its lines and the metrics', async () => {
    const roles = ['visitor=key:web', 'learner=key:app:3', 'editor=key:shop']
    const apiKeys = [`web:${SHOP_BEFORE}`, `shop:${SHOP}`, NAMELESS]
    const watched = await Watched.start({
      site: { url: lms.url, user: 'admin', password: 'admin-demo' },
      access: { apiKeys: [...apiKeys, 'app:an-app-key-0123456789'], open: true, roles },
      observe: { metrics: 'open' },
    })
    const keys = { visitor: SHOP_BEFORE, learner: 'an-app-key-0123456789', editor: SHOP, administrator: NAMELESS }
    for (const [role, key] of Object.entries(keys)) {
      const event = await watched.ask({ 'x-api-key': key })
      expect([event.role, event.viewer]).toEqual([role, role === 'learner' ? 3 : undefined])
      expect(watched.of('operation')).toEqual([expect.objectContaining({ role, caller: event.caller })])
    }
    expect(await watched.ask()).toMatchObject({ caller: 'anonymous', role: 'visitor' })
    const text = await (await fetch(`${watched.gateway.url}/metrics`)).text()
    expect(text.match(/lms_caller_operations_total\{.*/g)?.sort()).toEqual([
      'lms_caller_operations_total{caller="administrator",status="2xx"} 1',
      'lms_caller_operations_total{caller="editor",status="2xx"} 1',
      'lms_caller_operations_total{caller="learner",status="2xx"} 1',
      'lms_caller_operations_total{caller="visitor",status="2xx"} 2',
    ])
  })

  it('that is refused has the client, and no caller unless there is one', async () => {
    const watched = await Watched.start({ access: NAMED })
    for (const headers of [{}, { 'x-api-key': 'a-wrong-key-0123456789' }, { authorization: basic('ada:x') }])
      expect(await watched.ask(headers as {})).toMatchObject({ status: 401, outcome: 'refused', client: '127.0.0.1' })
    expect(watched.operations[0]).not.toHaveProperty('caller')
    expect(await watched.ask({ 'x-api-key': SHOP }, '{ nothing }')).toMatchObject({ status: 400, client: '127.0.0.1', caller: 'key:shop' })
  })

  it('has the viewer when that is known at its end', async () => {
    const watched = await Watched.start({ site: { url: learndash.url, preset: 'learndash' } })
    const admin = { authorization: authorizationOf('admin') }
    expect(shownOf(await watched.ask(admin))).toEqual(here('login:admin'))
    expect(shownOf(await watched.ask(admin, '{ viewer { databaseId } }'))).toEqual(here('login:admin', 1))
    expect(shownOf(await watched.ask(admin))).toEqual(here('login:admin', 1))
    expect(shownOf(await watched.ask({ authorization: basic('admin:wrong') }, '{ viewer { databaseId } }'))).toEqual(here('login:admin'))
  })

  it('that a trusted proxy passes on has the address of its client', async () => {
    const watched = await Watched.start(BEHIND_PROXY)
    const event = await watched.ask({ 'x-forwarded-for': '198.51.100.7, 2001:db8:1:2:3:4:5:6' })
    expect(event.client).toBe('2001:db8:1:2:3:4:5:6')
    const direct = await Watched.start()
    expect((await direct.ask({ 'x-forwarded-for': '198.51.100.7' })).client).toBe('127.0.0.1')
  })

  it('by `fetch` has no client, which only the program knows', async () => {
    const events: OperationEvent[] = []
    const own = createGateway({ site: { url: lms.url }, on: { operation: (event) => events.push(event) } })
    const response = await own.fetch(`http://localhost/graphql?query=${encodeURIComponent(QUERY)}`)
    await response.text()
    expect(events).toEqual([expect.objectContaining({ caller: 'anonymous' })])
    expect(events[0]).not.toHaveProperty('client')
    await own.close()
  })
})

it('other requests have their client in the line at `debug`', async () => {
  const watched = await Watched.start()
  await (await fetch(`${watched.gateway.url}/health/live`)).text()
  await expect
    .poll(() => watched.of('request'))
    .toEqual([expect.objectContaining({ level: 'debug', path: '/health/live', client: '127.0.0.1' })])
})

describe('`observe.logCallers`', () => {
  const ada = { authorization: authorizationOf('admin') }
  const VIEWER = '{ viewer { databaseId } }'
  const HASH = /^[\da-f]{16}$/

  it('hashes addresses, names and viewers, alike on all gateways with one `cache.secret`', async () => {
    const secret = 'a-secret-of-the-cache-0123456789-0123456789'
    const hashed = (cache?: { readonly secret: string | string[] }) =>
      Watched.start({ site: { url: learndash.url, preset: 'learndash' }, ...(cache && { cache }), observe: { logCallers: 'hashed' } })
    const one = await (await hashed({ secret })).ask(ada, VIEWER)
    const { client, caller = '', viewer } = one
    const [kind, name] = caller.split(':')
    expect([client, name, viewer]).toEqual([1, 2, 3].map(() => expect.stringMatching(HASH)))
    expect([kind, new Set([client, name, viewer]).size]).toEqual(['login', 3])
    expect(shownOf(await (await hashed({ secret: [secret, secret.replace('a', 'b')] })).ask(ada, VIEWER))).toEqual(shownOf(one))
    const [without, again] = [await hashed(), await hashed()]
    const other = shownOf(await without.ask(ada, VIEWER))
    expect(other).not.toEqual(shownOf(one))
    // One secret of the process.
    expect(shownOf(await again.ask(ada, VIEWER))).toEqual(other)
    expect(shownOf(await without.ask())).toEqual({ client: other.client, caller: 'anonymous', viewer: undefined })
    expect(JSON.stringify(again.lines)).not.toMatch(/127\.0\.0\.1|admin/)
  })

  it('leaves all of them out with `none`', async () => {
    const watched = await Watched.start({ observe: { logCallers: 'none' } })
    const event = await watched.ask(ada, 'mutation { updateCourse(input: { id: 10001, customButtonLabel: "Go" }) { __typename } }')
    await expect.poll(() => watched.of('mutation').length).toBe(1)
    await (await fetch(`${watched.gateway.url}/health/live`)).text()
    await expect.poll(() => watched.of('request').length).toBe(1)
    for (const each of [event, watched.mutations[0], ...watched.lines])
      for (const name of ['client', 'caller', 'viewer']) expect(each).not.toHaveProperty(name)
    expect(JSON.stringify(watched.lines)).not.toMatch(/127\.0\.0\.1|login/)
  })
})

describe('metrics', () => {
  const metricsOf = async ({ gateway }: Watched): Promise<Record<string, number>> => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text()
    const lines = text.split('\n').filter((line) => /^lms_(caller_operations|operation_(request|response)_bytes)/.test(line))
    return Object.fromEntries(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
  }
  const COUNTED = { observe: { metrics: 'open' } } as const

  it('count operations by kind of caller and class of status', async () => {
    const watched = await Watched.start({ ...COUNTED, access: { ...NAMED, open: true }, site: { forwardCookie: true } })
    const ada = { authorization: basic('ada:x') }
    for (const headers of [
      {},
      ada,
      ada,
      { 'x-api-key': SHOP, ...ada },
      { authorization: 'Bearer x' },
      { 'x-api-key': 'wrong-key-0123456789' },
    ])
      await watched.ask(headers as Record<string, string>)
    await watched.ask({ cookie: 'wordpress_logged_in=x', 'x-wp-nonce': 'n' }, '{ nothing }')
    expect(await metricsOf(watched)).toMatchObject({
      'lms_caller_operations_total{caller="anonymous",status="2xx"}': 1,
      'lms_caller_operations_total{caller="login",status="2xx"}': 2,
      'lms_caller_operations_total{caller="key",status="2xx"}': 1,
      'lms_caller_operations_total{caller="bearer",status="2xx"}': 1,
      'lms_caller_operations_total{caller="unknown",status="4xx"}': 1,
      'lms_caller_operations_total{caller="cookie",status="4xx"}': 1,
    })
  })

  it('have the bytes of bodies and of whole responses, also of parts and pipelined requests', async () => {
    const watched = await Watched.start(COUNTED)
    const post = (query: string, accept = 'application/json'): Raw => ({
      headers: { accept, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    const requests: Raw[] = [
      post('{ __typename }'),
      post('{ courses(first: 20) { nodes { title content } } }'),
      post('{'),
      { method: 'GET', path: `/graphql?query=${encodeURIComponent(QUERY)}` },
      post('{ course(id: 10001) { title ... @defer { content } } }', 'multipart/mixed'),
    ]
    const bodies = requests.reduce((sum, { body = '' }) => sum + body.length, 0)
    let received = 0
    for (const each of requests) received += (await exchange(watched.gateway.url, piecesOf(each))).length
    const kept = (raw: Raw): Raw => ({ ...raw, headers: { ...raw.headers, connection: 'keep-alive' } })
    const pipelined = [...requests.slice(0, -1).map(kept), ...requests.slice(-1)]
    received += (await exchange(watched.gateway.url, [Buffer.concat(pipelined.flatMap(piecesOf))])).length
    await expect.poll(() => watched.operations.length).toBe(10)
    const total = async (name: string): Promise<number> => {
      const values = Object.entries(await metricsOf(watched)).filter(([series]) => series.startsWith(name))
      return values.reduce((sum, [, value]) => sum + value, 0)
    }
    expect(await total('lms_operation_request_bytes_sum')).toBe(2 * bodies)
    expect(await total('lms_operation_response_bytes_sum')).toBe(received)
    expect(await total('lms_operation_response_bytes_count')).toBe(10)
  })
})

describe('a mutation', () => {
  const admin = { authorization: authorizationOf('admin') }
  const update = (id: string, field = 'updateCourse') => `${field}(input: { id: ${id}, customButtonLabel: "Go" }) { __typename }`
  const outcomes = ({ mutations }: Watched) => mutations.map(({ field, type, id, outcome }) => [field, type, id, outcome])

  it('has an event and a line for each root field, with the id of its record', async () => {
    const watched = await Watched.start(BEHIND_PROXY)
    const created = `mutation { createGroup(input: { title: "New" }) { ... on CreateGroupSuccess { group { databaseId } } } }`
    const answer = (await (await watched.gateway.post({ query: created }, admin)).json()) as any
    const id = answer.data.createGroup.group.databaseId
    await expect.poll(() => watched.operations.length).toBe(1)
    expect(outcomes(watched)).toEqual([['createGroup', 'Group', id, 'ok']])
    const { requestId } = await watched.ask(
      { ...admin, 'x-forwarded-for': '198.51.100.7' },
      `mutation { a: ${update('10001')} ${update(`"${btoa('Course:10001')}"`)} addCoursesToGroup(input: { id: ${id}, courseIds: [10001] }) { __typename }
        deleteGroup(input: { id: ${id}, force: true }) { __typename } }`,
    )
    expect(outcomes(watched)).toEqual([
      ['updateCourse', 'Course', 10_001, 'ok'],
      ['updateCourse', 'Course', 10_001, 'ok'],
      ['addCoursesToGroup', 'Group', id, 'ok'],
      ['deleteGroup', 'Group', id, 'ok'],
    ])
    const line = {
      level: 'info',
      requestId,
      client: '198.51.100.7',
      caller: 'login:admin',
      field: 'deleteGroup',
      type: 'Group',
      id,
      outcome: 'ok',
    }
    expect(watched.of('mutation').at(-1)).toEqual({ ...line, msg: 'mutation' })
    // The line of the page.
    const { time: _, pid: __, ...shown } = JSON.parse(/^\{"level".*"msg":"mutation"\}$/m.exec(PAGE)?.[0] ?? '{}')
    expect(Object.keys(shown)).toEqual([...Object.keys(line), 'msg'])
  })

  it('that is refused or fails has the code of its error, and the id of its input', async () => {
    const watched = await Watched.start()
    await watched.ask(
      admin,
      `mutation { a: ${update('10001')} b: ${update('"nonsense"')} c: ${update(`"${btoa('Group:1001')}"`)} d: ${update('999999')} }`,
    )
    expect(outcomes(watched)).toEqual([
      ['updateCourse', 'Course', 10_001, 'ok'],
      ['updateCourse', 'Course', null, 'BAD_USER_INPUT'],
      ['updateCourse', 'Course', null, 'BAD_USER_INPUT'],
      ['updateCourse', 'Course', 999_999, 'NOT_FOUND'],
    ])
    await watched.ask({}, 'mutation { createCourse(input: { title: "x" }) { __typename } }')
    expect(outcomes(watched)).toEqual([['createCourse', 'Course', null, 'UNAUTHENTICATED']])
    expect(shownOf(watched.mutations[0] as MutationEvent)).toEqual(here('anonymous'))
    // It did not run.
    await watched.ask(admin, 'mutation { updateCourse(input: { nothing: 1 }) { __typename } }')
    expect(outcomes(watched)).toEqual([])
    await watched.ask({}, QUERY)
    expect(outcomes(watched)).toEqual([])
  })

  it('of a token without rights to write is refused by the gateway, with its caller', async () => {
    const watched = await Watched.start({
      site: { user: 'admin', password: 'admin-demo' },
      access: { jwtKey: signer.pem, jwtIssuer: ISSUER, jwtAudience: AUDIENCE },
    })
    await watched.ask({ authorization: `Bearer ${await sign(signer, { sub: '3' })}` }, `mutation { ${update('10001')} }`)
    expect(outcomes(watched)).toEqual([['updateCourse', 'Course', 10_001, 'FORBIDDEN']])
    expect(shownOf(watched.mutations[0] as MutationEvent)).toEqual(here('token:3', 3))
  })

  it('whose outcome is not known has the code of that', async () => {
    site.handler = () => {}
    const watched = await Watched.start({ site: { url: site.url }, protection: { timeout: 100 } })
    await watched.ask(admin, `mutation { ${update('7')} }`)
    expect(outcomes(watched)).toEqual([['updateCourse', 'Course', 7, 'UPSTREAM_TIMEOUT']])
  })

  it('whose client has left has an event as well', async () => {
    site.handler = () => {}
    const watched = await Watched.start({ site: { url: site.url } })
    const open = site.open
    const body = JSON.stringify({ query: `mutation { ${update('7')} ${update('8', 'later: updateCourse')} }` })
    const headers = { ...admin, 'content-type': 'application/json', 'content-length': body.length }
    const leaving = httpRequest(`${watched.gateway.url}/graphql`, { method: 'POST', headers })
    leaving.on('error', () => {})
    leaving.end(body)
    await expect.poll(() => site.open).toBe(open + 1)
    leaving.destroy()
    await expect.poll(() => watched.of('mutation').length).toBe(2)
    expect(outcomes(watched)).toEqual([
      ['updateCourse', 'Course', 7, 'REQUEST_CANCELLED'],
      ['updateCourse', 'Course', 8, 'REQUEST_CANCELLED'],
    ])
    expect(shownOf(watched.mutations[0] as MutationEvent)).toEqual(here('login:admin'))
  })

  it('is answered as always when a listener throws, which is a fault', async () => {
    const watched = await Watched.start({
      on: {
        mutation: () => {
          throw new Error('of the listener')
        },
      },
    })
    const response = await watched.gateway.post({ query: `mutation { ${update('10001')} }` }, admin)
    expect(await response.json()).toEqual({ data: { updateCourse: { __typename: 'UpdateCourseSuccess' } } })
    expect(watched.faults.map(String)).toEqual(['Error: of the listener'])
  })
})
