import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createYoga } from 'graphql-yoga'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/index.js'
import { readProgram } from '../../src/options/program.js'
import { type AccessEvents, createAuthenticator } from '../../src/server/auth/authenticator.js'
import { EventView } from '../../src/server/auth/callers.js'
import type { Events, GatewayEvents } from '../../src/server/events.js'
import { Deliveries } from '../../src/server/hooks/deliveries.js'
import type { HookEvents, SiteHook } from '../../src/server/hooks/receive.js'
import { Bodies } from '../../src/server/http/bodies.js'
import { useRequestState } from '../../src/server/http/plugins/use-request-state.js'
import { useSiteHook } from '../../src/server/http/plugins/use-site-hook.js'
import { Steps } from '../../src/server/http/steps.js'
import { limitsOf } from '../../src/server/limits/limits.js'
import { MemoryGuard } from '../../src/server/limits/memory-guard.js'
import { Shares } from '../../src/server/limits/shares.js'
import { logEvents } from '../../src/server/log/event-log.js'
import type { SiteChange } from '../../src/upstream/cache/tags.js'
import { NotFoundError } from '../../src/upstream/errors.js'
import { MemoryBudget } from '../../src/upstream/transport/memory.js'
import { Command } from '../support/command.js'
import { KeptLog, now, Receiver, SECRET, signed } from '../support/hooks.js'
import { merged } from '../support/merged.js'
import { type Served, serve } from '../support/served.js'
import { exchange, piecesOf } from './raw.js'

const UPSTREAM = 'http://127.0.0.1:9'
const NEW = 'new-site-secret-0123456789-0123456789'
const FORWARD_SECRET = 'forward-secret-0123456789-0123456'
const NEW_FORWARD_SECRET = 'new-forward-secret-0123456789-012'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A body that no other delivery has. */
let last = 0
const course = (id = ++last): string => JSON.stringify({ type: 'course', id, kind: 'updated' })

const post = (url: string, body: string | Buffer, headers: Record<string, string> = signed(body), method = 'POST'): Promise<Response> =>
  fetch(url, { method, headers, ...(method !== 'GET' && method !== 'HEAD' && { body: body as BodyInit }), redirect: 'manual' })

interface Refusal {
  readonly status: number
  readonly message: string
  readonly code: string
}

async function refusalOf(response: Response): Promise<Refusal> {
  const { errors } = (await response.json()) as { errors: { message: string; extensions: { code: string } }[] }
  expect(errors).toHaveLength(1)
  return { status: response.status, message: errors[0]!.message, code: errors[0]!.extensions.code }
}

const UNSIGNED = {
  status: 401,
  message: 'The signature is missing or wrong, or its time stamp differs from the clock by more than 300 seconds.',
  code: 'UNAUTHENTICATED',
}
const invalid = (status: number, message: string): Refusal => ({ status, message, code: 'BAD_REQUEST' })

describe('the webhook', () => {
  let gateway: Served
  let receiver: Receiver
  let url: string
  const log = new KeptLog()
  beforeAll(async () => {
    receiver = await Receiver.start()
    gateway = await serve({
      site: { url: UPSTREAM, user: 'gateway', password: 'x' },
      observe: { metrics: true },
      log,
      access: { apiKeys: ['0123456789abcdef-0123456789'] },
      hooks: { secret: SECRET, forward: [`${receiver.url}/in?key=in-url`], forwardSecret: FORWARD_SECRET },
    })
    url = `${gateway.url}/hooks/site`
  })
  afterAll(async () => {
    await gateway.close()
    await receiver.close()
  })

  it('accepts one change, and a list of them, without other credentials', async () => {
    // Each one is waited for: what comes while another is on its way is sent with the next, and too many become a change of the whole site.
    const forwarded = async (body: string, headers?: Record<string, string>) => {
      const before = receiver.deliveries.length
      const response = await post(url, body, headers)
      await expect.poll(() => receiver.deliveries.length).toBe(before + 1)
      return response
    }
    const one = await forwarded(course())
    expect([one.status, await one.text(), one.headers.get('x-content-type-options')]).toEqual([204, '', 'nosniff'])
    const kinds = ['created', 'updated', 'deleted', 'members']
    const types = ['group', 'course', 'lesson', 'topic', 'quiz', 'question', 'priceType', 'progress', 'user', 'term', 'site']
    const all = types.flatMap((type) =>
      kinds.flatMap((kind) => [
        { type, kind },
        { type, id: ++last, kind },
      ]),
    )
    for (const body of [JSON.stringify(all), `\uFEFF${JSON.stringify(all, null, '\t')}\n`]) {
      expect((await forwarded(body)).status).toBe(204)
      expect(receiver.deliveries.at(-1)!.changes).toEqual(all)
    }
    const thousand = JSON.stringify(Array.from({ length: 1_000 }, () => ({ type: 'course', id: ++last, kind: 'updated' })))
    const typed = { ...signed(thousand, { timestamp: now() - 50 }), 'content-type': 'Application/JSON; charset=UTF-8' }
    for (const headers of [undefined, typed]) {
      expect((await forwarded(thousand, headers)).status).toBe(204)
      expect(receiver.deliveries.at(-1)!.changes).toHaveLength(1_000)
    }
  })

  it.each([-299, 299])('accepts a time stamp that is %s seconds off', async (off) => {
    const body = course()
    expect((await post(url, body, signed(body, { timestamp: now() + off }))).status).toBe(204)
    await expect.poll(() => receiver.deliveries.flatMap(({ changes }) => changes)).toContainEqual(JSON.parse(body))
  })

  it.each<[string, (body: string) => Record<string, string>]>([
    ['no signature', (body) => ({ ...signed(body), 'x-lms-signature': '' })],
    ['no time stamp', (body) => ({ ...signed(body), 'x-lms-timestamp': '' })],
    ['neither', () => ({ 'content-type': 'application/json' })],
    ['an API key instead', () => ({ 'content-type': 'application/json', 'x-api-key': '0123456789abcdef-0123456789' })],
    ['another secret', (body) => signed(body, { secret: `${SECRET}.` })],
    ['an empty secret', (body) => signed(body, { secret: '' })],
    ['the secret of forwarding', (body) => signed(body, { secret: FORWARD_SECRET })],
    ['the signature of another body', (body) => signed(`${body} `)],
    ['the signature of no body', () => signed('')],
    ['the signature of another time stamp', (body) => ({ ...signed(body), 'x-lms-timestamp': String(now() - 1) })],
    ['an uppercase signature', (body) => ({ ...signed(body), 'x-lms-signature': signed(body)['x-lms-signature']!.toUpperCase() })],
    ['uppercase digits', (body) => ({ ...signed(body), 'x-lms-signature': upperDigits(signed(body)['x-lms-signature']!) })],
    ['a signature without its name', (body) => ({ ...signed(body), 'x-lms-signature': signed(body)['x-lms-signature']!.slice(7) })],
    ['a signature that is longer', (body) => ({ ...signed(body), 'x-lms-signature': `${signed(body)['x-lms-signature']}0` })],
    ['a signature that is shorter', (body) => ({ ...signed(body), 'x-lms-signature': signed(body)['x-lms-signature']!.slice(0, -1) })],
    ['two signatures', (body) => ({ ...signed(body), 'x-lms-signature': `${signed(body)['x-lms-signature']}, x` })],
    ['a time stamp that is too old', (body) => signed(body, { timestamp: now() - 301 })],
    ['a time stamp that is too new', (body) => signed(body, { timestamp: now() + 302 })],
    ['a time stamp in milliseconds', (body) => signed(body, { timestamp: Date.now() })],
    ['a time stamp with a fraction', (body) => signed(body, { timestamp: `${now()}.5` })],
    ['a time stamp with a sign', (body) => signed(body, { timestamp: `+${now()}` })],
    ['a time stamp with a zero in front', (body) => signed(body, { timestamp: `0${now()}` })],
    ['a time stamp in other digits', (body) => signed(body, { timestamp: `0x${now().toString(16)}` })],
    ['a time stamp that is a date', (body) => signed(body, { timestamp: new Date().toISOString() })],
  ])('refuses %s', async (_, headersFor) => {
    const body = course()
    const before = receiver.deliveries.length
    const response = await post(url, body, headersFor(body))
    expect(await refusalOf(response)).toEqual(UNSIGNED)
    // It is not recorded either: the same body with its signature is accepted.
    expect((await post(url, body)).status).toBe(204)
    await expect.poll(() => receiver.deliveries.length).toBe(before + 1)
  })

  const TYPES = 'one of group, course, lesson, topic, quiz, question, priceType, progress, user, media, term, block, site'
  const KINDS = 'one of created, updated, deleted, members'
  const LENGTH = (length: number) => `The body is an array of ${length} changes; it must have 1 to 1000.`
  it.each<[string, unknown, string]>([
    ['an empty array', [], LENGTH(0)],
    ['1,001 changes', Array.from({ length: 1_001 }, () => ({ type: 'course', kind: 'updated' })), LENGTH(1_001)],
    ['null', null, '`body` is `null`; it must be an object or an array of objects.'],
    ['a number', 17, '`body` is `17`; it must be an object or an array of objects.'],
    ['a text', 'course', '`body` is a text; it must be an object or an array of objects.'],
    ['an empty object', {}, `\`type\` is missing; it must be ${TYPES}.`],
    ['an unknown type', { type: 'courses', kind: 'updated' }, `\`type\` is a text; it must be ${TYPES}.`],
    ['a type of the prototype', { type: 'constructor', kind: 'updated' }, `\`type\` is a text; it must be ${TYPES}.`],
    ['a type in an array', { type: ['course'], kind: 'updated' }, `\`type\` is an array; it must be ${TYPES}.`],
    ['no kind', { type: 'course' }, `\`kind\` is missing; it must be ${KINDS}.`],
    ['an unknown kind', { type: 'course', kind: 'changed' }, `\`kind\` is a text; it must be ${KINDS}.`],
    ['the id 0', { type: 'course', id: 0, kind: 'updated' }, '`id` is `0`; it must be a whole number from 1.'],
    ['a negative id', { type: 'course', id: -1, kind: 'updated' }, '`id` is `-1`; it must be a whole number from 1.'],
    ['a fraction', { type: 'course', id: 1.5, kind: 'updated' }, '`id` is `1.5`; it must be a whole number from 1.'],
    [
      'an id that is too large',
      { type: 'course', id: 2 ** 53, kind: 'updated' },
      `\`id\` is \`${2 ** 53}\`; it must be a whole number from 1.`,
    ],
    ['an id in a text', { type: 'course', id: '12', kind: 'updated' }, '`id` is a text; it must be a whole number from 1.'],
    ['the id null', { type: 'course', id: null, kind: 'updated' }, '`id` is `null`; it must be a whole number from 1.'],
    [
      'columns in a text',
      { type: 'course', id: 1, kind: 'updated', columns: 'title' },
      '`columns` is a text; it must be an array of names of columns.',
    ],
    [
      'a column that is not a text',
      [{ type: 'course', id: 1, kind: 'updated', columns: ['title', 1] }],
      '`[0].columns` is an array; it must be an array of names of columns.',
    ],
    ['a list with null', [{ type: 'course', kind: 'updated' }, null], '`[1]` is `null`; it must be an object.'],
    ['a list in a list', [[]], '`[0]` is an array; it must be an object.'],
    [
      'a wrong item of a list',
      [
        { type: 'course', kind: 'updated' },
        { type: 'course', kind: 'updated' },
        { type: 'course', id: '3', kind: 'updated' },
      ],
      '`[2].id` is a text; it must be a whole number from 1.',
    ],
  ])('refuses %s, and says what is wrong and where', async (_, value, message) => {
    const body = JSON.stringify(value)
    for (const _attempt of [1, 2]) expect(await refusalOf(await post(url, body))).toEqual(invalid(400, message))
  })

  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['half of an object', '{"type":"course"'],
    ['two objects', '{"type":"course","kind":"updated"}{"type":"course","kind":"updated"}'],
    ['a form', 'type=course&kind=updated'],
    ['many brackets', '['.repeat(99_000)],
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ])('refuses %s as a body that is not JSON', async (_, body) => {
    expect(await refusalOf(await post(url, body))).toEqual(invalid(400, 'The body is not JSON.'))
  })

  it('ignores members that it does not know', async () => {
    const body = JSON.stringify({ type: 'quiz', id: ++last, kind: 'updated', slug: 'x', nested: { type: 3 }, ['__proto__']: { id: 4 } })
    expect((await post(url, body)).status).toBe(204)
    await expect.poll(() => receiver.deliveries.at(-1)?.changes).toEqual([{ type: 'quiz', id: last, kind: 'updated' }])
  })

  it('refuses the same delivery again, but takes a new signature of the same changes', async () => {
    const body = course()
    const headers = signed(body, { timestamp: now() - 5 })
    expect((await post(url, body, headers)).status).toBe(204)
    for (const _ of [1, 2])
      expect(await refusalOf(await post(url, body, headers))).toEqual(invalid(409, 'This delivery was received before.'))
    expect((await post(url, body)).status).toBe(204)
  })

  it('refuses bodies over 100,000 bytes, with a length or in chunks', async () => {
    const change = course()
    const fits = `${change}${' '.repeat(100_000 - change.length)}`
    expect((await post(url, fits)).status).toBe(204)
    const tooLarge = { status: 413, message: 'The request body is larger than 100000 bytes.', code: 'BODY_TOO_LARGE' }
    expect(await refusalOf(await post(url, `${fits} `))).toEqual(tooLarge)
    // Such a body is not read, so it does not matter whether it is signed.
    expect(await refusalOf(await post(url, `${fits} `, { 'content-type': 'application/json' }))).toEqual(tooLarge)
    const chunked = (text: string) =>
      exchange(url, piecesOf({ path: '/hooks/site', headers: signed(text), body: [text.slice(0, 60_000), text.slice(60_000)] }))
    const other = `${course()} `.padEnd(100_000)
    expect((await chunked(other)).toString()).toMatch(/^HTTP\/1\.1 204 /)
    expect((await chunked(`${other} `)).toString()).toMatch(/^HTTP\/1\.1 413 [\s\S]*"The request body is larger than 100000 bytes\."/)
  })

  it('refuses other media types and compressed bodies', async () => {
    const body = course()
    const wrongType = invalid(415, 'The body must be JSON in UTF-8, with `Content-Type: application/json`.')
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', 'application/jsonp', ''])
      expect(await refusalOf(await post(url, body, { ...signed(body), 'content-type': type }))).toEqual(wrongType)
    const packed = gzipSync(body)
    for (const headers of [signed(packed), signed(body)]) {
      const response = await post(url, packed, { ...headers, 'content-encoding': 'gzip' })
      expect(response.headers.get('accept-encoding')).toBe('identity')
      expect(await refusalOf(response)).toEqual(invalid(415, 'The body must not be compressed.'))
    }
    expect((await post(url, body)).status).toBe(204)
  })

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])('refuses %s', async (method) => {
    const body = course()
    const response = await post(url, body, signed(body), method)
    expect(response.headers.get('allow')).toBe('POST')
    if (method === 'HEAD') expect([response.status, await response.text()]).toEqual([405, ''])
    else expect(await refusalOf(response)).toEqual(invalid(405, 'The webhook accepts POST only.'))
  })

  it('does not carry headers for one origin over to later answers', async () => {
    const open = await serve({ site: { url: UPSTREAM }, hooks: { secret: SECRET }, http: { corsOrigins: ['https://app.example.org'] } })
    closers.push(() => open.close())
    const allowed = async (headers: Record<string, string>): Promise<string | null> =>
      (await fetch(`${open.url}/hooks/site`, { headers })).headers.get('access-control-allow-origin')
    expect(await allowed({ origin: 'https://app.example.org' })).toBe('https://app.example.org')
    expect(await allowed({})).toBe(null)
  })

  it('is not for pages of browsers', async () => {
    const body = course()
    const response = await post(url, body, { ...signed(body), origin: 'https://app.example.org' })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, null])
  })

  it('counts deliveries by how they ended', async () => {
    const counts = async (): Promise<Record<string, number>> => {
      const text = await (await fetch(`${gateway.url}/metrics`, { headers: { 'x-api-key': '0123456789abcdef-0123456789' } })).text()
      return Object.fromEntries(
        [...text.matchAll(/^lms_hooks_received_total\{outcome="(\w+)"\} (\d+)$/gm)].map(([, name, value]) => [
          name as string,
          Number(value),
        ]),
      )
    }
    const before = await counts()
    const body = course()
    const headers = signed(body)
    await post(url, body, headers)
    await post(url, body, headers)
    await post(url, body, headers, 'GET')
    await post(url, '{}')
    await post(url, body, {})
    await post(url, body, { 'content-type': 'application/json' })
    const after = await counts()
    expect(Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - before[name]!]))).toEqual({
      accepted: 1,
      invalid: 3,
      unauthenticated: 1,
      replayed: 1,
      failed: 0,
    })
  })

  it('leaves no secret, signature or body in the log', async () => {
    const body = course(987_654_321)
    const headers = signed(body)
    log.lines.length = 0
    receiver.answer = (response) => response.writeHead(500).end()
    for (const status of [204, 409]) expect((await post(url, body, headers)).status).toBe(status)
    for (const wrong of [
      { ...headers, 'x-lms-signature': 'sha256=wrong-one' },
      { ...headers, 'x-lms-timestamp': '17' },
    ])
      expect((await post(url, body, wrong)).status).toBe(401)
    await expect.poll(() => log.lines.filter(({ level }) => level === 'warn').length).toBe(1)
    receiver.answer = (response) => response.writeHead(204).end()
    await expect.poll(() => log.lines.some(({ msg }) => msg === 'changes are forwarded again')).toBe(true)
    const text = JSON.stringify(log.lines)
    expect(log.lines.filter(({ path }) => path === '/hooks/site').map(({ status }) => status)).toEqual([204, 409, 401, 401])
    for (const part of [SECRET, FORWARD_SECRET, headers['x-lms-signature']!.slice(7), 'wrong-one', '987654321', 'in-url', '/in'])
      expect(text).not.toContain(part)
  })
})

const upperDigits = (signature: string): string => `sha256=${signature.slice(7).toUpperCase()}`

describe('the webhook, while its secret is replaced,', () => {
  const FURTHER = 'further-secret-0123456789-0123456789'

  it.each<[string, readonly string[]]>([
    ['the new one is first', [NEW, SECRET]],
    ['the former one is first', [SECRET, NEW]],
  ])('accepts a signature by either of two secrets when %s, each delivery once, and no other signature', async (_, secret) => {
    const gateway = await serve({ site: { url: UPSTREAM }, hooks: { secret } })
    closers.push(() => gateway.close())
    const url = `${gateway.url}/hooks/site`
    const body = course()
    for (const each of [SECRET, NEW]) {
      const headers = signed(body, { secret: each })
      expect([(await post(url, body, headers)).status, (await post(url, body, headers)).status]).toEqual([204, 409])
    }
    const signatures = [SECRET, NEW].map((each) => signed(body, { secret: each })['x-lms-signature'] as string)
    const wrong: Record<string, string>[] = [
      ...[FURTHER, '', `${SECRET},${NEW}`, `${SECRET}${NEW}`].map((each) => signed(body, { secret: each })),
      ...[' ', ', '].map((between) => ({ ...signed(body), 'x-lms-signature': signatures.join(between) })),
      { ...signed(body), 'x-lms-signature': signatures[0]!.slice(0, 40) + signatures[1]!.slice(40) },
    ]
    for (const headers of wrong) expect(await refusalOf(await post(url, body, headers))).toEqual(UNSIGNED)
  })

  it('refuses no call when the gateways get both secrets, then the site the new one, and the gateways then lose the former one', async () => {
    const start = async (secret: string | readonly string[]): Promise<Served> => {
      const gateway = await serve({ site: { url: UPSTREAM }, hooks: { secret } })
      closers.push(() => gateway.close())
      return gateway
    }
    const statusOf = async ({ url }: Served, secret: string): Promise<number> => {
      const body = course()
      return (await post(`${url}/hooks/site`, body, signed(body, { secret }))).status
    }
    const gateways = [await start(SECRET), await start(SECRET)]
    const statuses: number[] = []
    const sendToEach = async (secret: string): Promise<void> => {
      statuses.push(...(await Promise.all(gateways.map((gateway) => statusOf(gateway, secret)))))
    }
    const replaceEach = async (secrets: string | readonly string[], signing: string): Promise<void> => {
      for (const index of gateways.keys()) {
        gateways[index] = await start(secrets)
        await sendToEach(signing)
      }
    }
    await replaceEach([NEW, SECRET], SECRET)
    await sendToEach(NEW)
    await replaceEach(NEW, NEW)
    expect(statuses).toEqual(Array(10).fill(204))
    expect(await Promise.all(gateways.map((gateway) => statusOf(gateway, SECRET)))).toEqual([401, 401])
  })
})

describe('the route of the webhook', () => {
  async function start(handle: (gateway: Gateway) => RequestListener, options: GatewayOptions = {}): Promise<string> {
    const gateway = createGateway(merged({ site: { url: UPSTREAM }, hooks: { secret: SECRET } }, options))
    const server = createServer(handle(gateway))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(async () => {
      server.close()
      server.closeAllConnections()
      await gateway.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const statuses = async (origin: string, paths: readonly string[]): Promise<number[]> => {
    const found: number[] = []
    for (const path of paths) found.push((await post(`${origin}${path}`, course())).status)
    return found
  }

  it.each<[string, (gateway: Gateway) => RequestListener, string | undefined, string, string]>([
    ['beside the default endpoint', ({ handle }) => handle, undefined, '/hooks/site', '/hooks/sites'],
    ['below a path', ({ handle }) => handle, '/api/lms', '/api/lms/hooks/site', '/hooks/site'],
    ['at the root', ({ handle }) => handle, '/', '/hooks/site', '/hooks/site/x'],
  ])('is %s', async (_, handle, path, right, wrong) => {
    const origin = await start(handle, { http: { path } })
    expect(await statuses(origin, [right, `${right}?x=1`, wrong])).toEqual([204, 204, 404])
  })

  it('does not exist without a secret', async () => {
    for (const hooks of [undefined, {}, { forward: ['http://127.0.0.1:9/'], forwardSecret: FORWARD_SECRET }]) {
      const origin = await start(({ handle }) => handle, { hooks: { secret: undefined, ...hooks } })
      expect(await statuses(origin, ['/hooks/site', '/graphql/hooks/site'])).toEqual([404, 404])
    }
  })

  it('is reached by `fetch`', async () => {
    const gateway = createGateway({ site: { url: UPSTREAM }, hooks: { secret: SECRET } })
    closers.push(() => gateway.close())
    const body = course()
    const headers = signed(body)
    const send = (): Promise<Response> => gateway.fetch('http://gateway.test/hooks/site', { method: 'POST', headers, body })
    expect((await send()).status).toBe(204)
    expect(await refusalOf(await send())).toEqual(invalid(409, 'This delivery was received before.'))
    expect((await gateway.fetch(new Request('http://gateway.test/hooks/site'))).status).toBe(405)
    // Nothing says how long this body is.
    const stream = new Blob(['x'.repeat(100_001)]).stream()
    const init = { method: 'POST', headers: signed('x'), body: stream, duplex: 'half' } as RequestInit
    expect((await gateway.fetch(new Request('http://gateway.test/hooks/site', init))).status).toBe(413)
  })
})

describe('changes', () => {
  /** The webhook alone, over HTTP, with another receiver of changes than the gateway has. */
  async function start(hook: Partial<SiteHook>): Promise<string> {
    const siteHook: SiteHook = {
      secrets: [SECRET],
      deliveries: new Deliveries(),
      memory: { isBusy: false },
      onChanges: async () => {},
      tagsOf: ({ type, id }) => [type, `${type}:${id}`],
      changeTypes: ['course'],
      events: new EventEmitter<HookEvents>(),
      ...hook,
    }
    const memory = new MemoryGuard(new MemoryBudget(), limitsOf({}))
    const { options } = readProgram({ site: { url: UPSTREAM } }, { others: [], isServer: false })
    const steps = new Steps({
      authenticate: createAuthenticator(options, undefined, new EventEmitter<AccessEvents>()),
      memory,
      shares: new Shares({
        limits: { operationsPerMinute: 0, callsPerMinute: 0, documentCostPerMinute: 0 },
        isProven: () => false,
        signIns: undefined,
        events: new EventEmitter(),
      }),
      bodies: new Bodies(memory.budget),
      bodyBytes: 0,
    })
    const plugins = [
      useRequestState(steps, () => {}, undefined, { client: '', isTrusted: false, isProxied: false }),
      useSiteHook(siteHook, steps),
    ]
    const server = createServer(createYoga({ plugins, logging: false }) as never)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(async () => {
      server.close()
      server.closeAllConnections()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/site`
  }

  it('are made known before the answer, and then forwarded with their tags', async () => {
    const order: string[] = []
    let known: () => void = () => {}
    const url = await start({
      onChanges: async (changes) => {
        order.push(JSON.stringify(changes))
        await new Promise<void>((resolve) => {
          known = resolve
        })
        order.push('known')
      },
      events: new EventEmitter<HookEvents>().on('changesReceived', (changes, tags) => order.push(`${changes.length} ${tags}`)),
    })
    const body =
      '[{"type":"course","id":1,"kind":"updated","x":1},{"type":"course","kind":"created"},{"type":"course","id":1,"kind":"deleted"}]'
    const headers = signed(body)
    const answered = post(url, body, headers).then(({ status }) => order.push(String(status)))
    await expect.poll(() => order.length).toBe(1)
    // While they are not known yet, there is no answer, and the same delivery is not accepted twice.
    expect((await post(url, body, headers)).status).toBe(409)
    expect(order).toHaveLength(1)
    known()
    await answered
    expect(order).toEqual([
      '[{"type":"course","kind":"updated","id":1},{"type":"course","kind":"created"},{"type":"course","kind":"deleted","id":1}]',
      'known',
      '3 course,course:1,course:undefined',
      '204',
    ])
  })

  it('that could not be made known are answered with 503, and may be sent again as they are', async () => {
    const seen: SiteChange[] = []
    const troubles: unknown[] = []
    const outcomes: string[] = []
    let error: Error | undefined = new Error(`no Redis with ${SECRET}`)
    const url = await start({
      onChanges: async (changes) => {
        if (error) throw error
        seen.push(...changes)
      },
      events: new EventEmitter<HookEvents>()
        .on('changesReceived', () => outcomes.push('forwarded'))
        .on('deliveryReceived', (outcome) => outcomes.push(outcome))
        .on('changesFailed', (reason) => troubles.push(reason)),
    })
    const body = course()
    const headers = signed(body)
    const refused = await post(url, body, headers)
    expect(refused.headers.get('retry-after')).toBe('5')
    const message = 'The changes could not be made known. Send them again.'
    expect(await refusalOf(refused)).toEqual({ status: 503, message, code: 'INTERNAL_SERVER_ERROR' })
    expect(troubles).toEqual([error])
    error = new NotFoundError('no')
    expect(await refusalOf(await post(url, body, headers))).toEqual({ status: 503, message, code: 'NOT_FOUND' })
    error = undefined
    expect((await post(url, body, headers)).status).toBe(204)
    expect((await post(url, body, headers)).status).toBe(409)
    expect(seen).toEqual([JSON.parse(body)])
    expect(outcomes).toEqual(['failed', 'failed', 'forwarded', 'accepted', 'replayed'])
  })

  it('that can not be made known are logged once, until others can', async () => {
    const troubles: string[] = []
    let fails = true
    const events: Events = new EventEmitter<GatewayEvents>()
    logEvents(events, { on: { fault: (trouble) => troubles.push(String(trouble)) } }, new EventView(false))
    const url = await start({
      events,
      onChanges: async () => {
        if (fails) throw new Error(`trouble ${troubles.length + 1}`)
      },
    })
    const statuses: number[] = []
    for (const each of [true, true, false, true, true]) {
      fails = each
      statuses.push((await post(url, course())).status)
    }
    expect(statuses).toEqual([503, 503, 204, 503, 503])
    expect(troubles).toEqual(['Error: trouble 1', 'Error: trouble 2'])
  })

  it('are refused while memory is short', async () => {
    const memory = { isBusy: true }
    const url = await start({ memory })
    const body = course()
    const headers = signed(body)
    const refused = await post(url, body, headers)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)])
    memory.isBusy = false
    expect((await post(url, body, headers)).status).toBe(204)
  })

  it('of a body that breaks off have no effect', async () => {
    const outcomes: string[] = []
    const url = await start({ events: new EventEmitter<HookEvents>().on('deliveryReceived', (outcome) => outcomes.push(outcome)) })
    const body = course()
    const [head = Buffer.alloc(0)] = piecesOf({ path: '/hooks/site', headers: { ...signed(body), 'content-length': String(body.length) } })
    const { connect } = await import('node:net')
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(Buffer.concat([head, Buffer.from(body.slice(0, 10))]))
    await new Promise((resolve) => setTimeout(resolve, 100))
    socket.destroy()
    await expect.poll(() => outcomes).toEqual(['invalid'])
    expect((await post(url, body, signed(body))).status).toBe(204)
  })
})

describe('the command', () => {
  it('has the webhook and forwards, with secrets from files, and shows none of them', async () => {
    const receiver = await Receiver.start()
    const folder = mkdtempSync(join(tmpdir(), 'lms-graphql-hooks-'))
    closers.push(async () => rmSync(folder, { recursive: true }))
    closers.push(() => receiver.close())
    writeFileSync(join(folder, 'secret'), `${NEW}\n${SECRET}\n`)
    writeFileSync(
      join(folder, 'lms.yaml'),
      `hooks:\n  secretFile: secret\n  forward:\n    - ${receiver.url}/a\n    - ${receiver.url}/b\nobserve:\n  metrics: true\n  logLevel: debug\n`,
    )
    const command = new Command(['--port', '0', '--upstream', UPSTREAM, '--config', join(folder, 'lms.yaml')], {
      HOOK_FORWARD_SECRET: `${FORWARD_SECRET},${NEW_FORWARD_SECRET}`,
      NODE_ENV: 'production',
    })
    try {
      const address = await command.address()
      const body = course()
      expect((await post(`${address}/hooks/site`, body, signed(body, { secret: FORWARD_SECRET }))).status).toBe(401)
      expect((await post(`${address}/hooks/site`, body)).status).toBe(204)
      expect((await post(`${address}/hooks/site`, body, signed(body, { secret: NEW }))).status).toBe(204)
      await expect.poll(() => receiver.deliveries.map(({ path }) => path).toSorted()).toEqual(['/a', '/a', '/b', '/b'])
      for (const { text, headers } of receiver.deliveries) {
        const timestamp = headers['x-lms-timestamp'] as string
        const signatures = [FORWARD_SECRET, NEW_FORWARD_SECRET].map((secret) => signed(text, { secret, timestamp })['x-lms-signature'])
        expect(headers['x-lms-signature']).toBe(signatures.join(' '))
      }
      const metrics = await (await fetch(`${address}/metrics`)).text()
      expect(metrics).toContain('lms_hooks_received_total{outcome="accepted"} 2\n')
      expect(metrics).toContain('lms_hooks_received_total{outcome="unauthenticated"} 1\n')
      expect(metrics).toContain('lms_hooks_forwarded_total{outcome="delivered"} 4\n')
    } finally {
      const { code, stdout, stderr } = await command.stop()
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain('"path":"/hooks/site"')
      for (const secret of [SECRET, NEW, FORWARD_SECRET, NEW_FORWARD_SECRET, receiver.url]) expect(stdout).not.toContain(secret)
    }
  })
})
