import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGateway } from '../../src/gateway.js'
import { merged } from '../support/merged.js'
import { BEHIND_PROXY, type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { exchange, piecesOf, type Raw, type Reply, repliesIn } from './raw.js'

// A request is known by one id: on its way in from a trusted proxy, in its answer, and to the site.

const QUERY = '{ priceTypes { slug } }'
const OTHER = '{ course(id: 7) { title } }'
const MADE = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

let site: FakeSite
let gateway: Served
beforeAll(async () => {
  site = await FakeSite.start()
  gateway = await serve({
    site: { url: site.url },
    limits: { maxBodyBytes: 1_000 },
    http: { ...BEHIND_PROXY.http, requestTimeout: 500 },
    tuning: { sockets: { headersTimeout: 500 } },
  })
})
beforeEach(() => {
  site.handler = ({ url }, response) => json(response, url?.includes('courses') ? { id: 7 } : [{ slug: 'free', name: 'Free' }])
  site.requests.length = 0
})
afterAll(async () => {
  await gateway.close()
  await site.close()
})

const seen = (): unknown[] => site.requests.map(({ headers }) => headers['x-request-id'])

async function ask(id?: string, query = QUERY, to = gateway): Promise<string | null> {
  const response = await to.post({ query }, id === undefined ? {} : { 'x-request-id': id })
  expect(await response.json()).toHaveProperty('data')
  return response.headers.get('x-request-id')
}

describe('an id', () => {
  it.each(['abc', 'a', 'x'.repeat(128), '00-0af7-b7ad/6:b.7+c=@_'])(
    'that is plain is taken, sent back and shown the site: %s',
    async (id) => {
      // Known operations go another way than new ones.
      for (let times = 0; times < 3; times++) expect(await ask(id)).toBe(id)
      expect(seen()).toEqual([id, id, id])
    },
  )

  it.each(['', ' ', 'a b', 'a,b', 'x'.repeat(129), '<script>', 'a"b', "a'b", 'é', '{}', 'a\\b', 'a;b', 'a%0d%0ab'])(
    'that is odd is replaced: %s',
    async (id) => {
      const own = await ask(id)
      expect(own).toMatch(MADE)
      expect(own).not.toBe(await ask(id))
      expect(seen()[0]).toBe(own)
    },
  )

  it('of a client that is not a trusted proxy is replaced, whatever path the request takes', async () => {
    for (const options of [{}, { http: { trustedProxies: ['10.0.0.0/8'] } }, { tuning: { shortPath: false } }]) {
      const own = await serve(merged({ site: { url: site.url } }, options))
      site.requests.length = 0
      const ids = [await ask('mine', QUERY, own), await ask('mine', QUERY, own)]
      for (const id of ids) expect(id).toMatch(MADE)
      expect(new Set(ids).size).toBe(2)
      expect(seen()).toEqual(ids)
      const page = await fetch(`${own.url}/health/live`, { headers: { 'x-request-id': 'mine' } })
      expect(page.headers.get('x-request-id')).toMatch(MADE)
      await own.close()
    }
  })

  it('is made where there is none, each time another', async () => {
    const ids = [await ask(), await ask(), await ask()]
    for (const id of ids) expect(id).toMatch(MADE)
    expect(new Set(ids).size).toBe(3)
    expect(seen()).toEqual(ids)
  })

  it('of each caller goes with their own calls, and a shared call has that of the first', async () => {
    // With a cache, reads share calls that were sent before.
    const cached = await serve({ ...BEHIND_PROXY, site: { url: site.url }, cache: { maxAge: 60 } })
    let answer = (): void => {}
    const asked = new Promise<void>((resolve) => {
      site.handler = (_, response) => {
        answer = () => json(response, [{ slug: 'free', name: 'Free' }])
        resolve()
      }
    })
    const first = ask('first', QUERY, cached)
    await asked
    const second = ask('second', QUERY, cached)
    // Another call shows that the second has come in.
    site.handler = (_, response) => json(response, { id: 7 })
    expect(await ask('third', OTHER, cached)).toBe('third')
    answer()
    expect(await Promise.all([first, second])).toEqual(['first', 'second'])
    expect(seen()).toEqual(['first', 'third'])
    await cached.close()
  })

  it('goes with writes', async () => {
    site.handler = (_, response) => json(response, { id: 7, title: { rendered: 'A', raw: 'A' } })
    await ask('written', 'mutation { updateCourse(input: { id: 7, title: "A" }) { __typename } }')
    expect(new Set(seen())).toEqual(new Set(['written']))
    expect(site.requests[0]?.method).toBe('POST')
  })

  it('goes with what health asks of the site, and no other header of the client does', async () => {
    const response = await fetch(`${gateway.url}/health/site`, { headers: { 'x-request-id': 'well', traceparent: 'x', 'x-evil': '1' } })
    expect([response.status, response.headers.get('x-request-id')]).toEqual([200, 'well'])
    await response.text()
    await gateway.post({ query: QUERY }, { 'x-request-id': 'plain', traceparent: 'x', 'x-evil': '1', 'x-correlation-id': 'y' })
    for (const { headers } of site.requests)
      expect(Object.keys(headers).sort()).toEqual(['accept', 'connection', 'host', 'user-agent', 'x-request-id'])
    expect(seen()).toEqual(['well', 'plain'])
  })
})

const JSON_BODY = { 'content-type': 'application/json' }

/** Whatever can be asked for, and the status of its answer. */
const ANSWERS: Readonly<Record<string, readonly [status: number, raw: Raw]>> = {
  'an operation': [200, { headers: JSON_BODY, body: JSON.stringify({ query: QUERY }) }],
  'an operation by GET': [200, { method: 'GET', path: `/graphql?query=${encodeURIComponent(QUERY)}` }],
  'a bad document': [400, { headers: { ...JSON_BODY, accept: 'application/graphql-response+json' }, body: '{"query":"{"}' }],
  'no JSON': [400, { headers: JSON_BODY, body: 'NONSENSE' }],
  'a form': [415, { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'query=x' }],
  'a body that is too large': [413, { headers: JSON_BODY, body: 'x'.repeat(2_000) }],
  'an answer nobody has': [406, { headers: { ...JSON_BODY, accept: 'image/png' }, body: '{}' }],
  'two hosts': [400, { method: 'GET', headers: { host: ['a', 'b'] } }],
  'an odd expectation': [400, { headers: { ...JSON_BODY, expect: 'wonders' }, body: '{}' }],
  health: [200, { method: 'GET', path: '/health/live' }],
  'what browsers ask first': [
    204,
    { method: 'OPTIONS', headers: { origin: 'https://a.example.org', 'access-control-request-method': 'POST' } },
  ],
  'a page': [302, { method: 'GET', path: '/graphiql' }],
  'a page that is not there': [404, { method: 'GET', path: '/nothing' }],
  'a body that does not come': [408, { headers: { ...JSON_BODY, 'content-length': '10' }, body: 'x' }],
}

describe('the answer to', () => {
  const replyTo = async (raw: Raw): Promise<Reply> => repliesIn(await exchange(gateway.url, piecesOf(raw))).at(-1) as Reply
  const idsIn = ({ headers }: Reply): string[] => headers.flatMap((each) => /^x-request-id: (.*)$/.exec(each)?.[1] ?? [])

  it.each(Object.entries(ANSWERS))('%s has the id it was given, once, or a new one', async (_, [status, raw]) => {
    const given = await replyTo({ ...raw, headers: { ...raw.headers, 'x-request-id': 'mine-1' } })
    expect(given.status).toContain(` ${status} `)
    expect(idsIn(given)).toEqual(['mine-1'])
    expect(idsIn(await replyTo(raw))).toEqual([expect.stringMatching(MADE)])
  })

  it.each(['NONSENSE\r\n\r\n', `GET /graphql HTTP/1.1\r\nx-a: ${'x'.repeat(40_000)}\r\n\r\n`])(
    'what is no request has one too',
    async (text) => {
      const [reply] = repliesIn(await exchange(gateway.url, [Buffer.from(text)]))
      expect(reply?.status).toMatch(/ 4\d\d /)
      expect(idsIn(reply as Reply)).toEqual([expect.stringMatching(MADE)])
    },
  )

  it('two ids has a new one', async () => {
    const reply = await replyTo({ headers: { ...JSON_BODY, 'x-request-id': ['a', 'b'] }, body: JSON.stringify({ query: QUERY }) })
    expect(idsIn(reply)).toEqual([expect.stringMatching(MADE)])
    expect(seen()).toEqual(idsIn(reply))
  })

  it.each(['/graphql', '/health/live', '/nothing'])(
    '%s without a socket has one as well, its own behind trusted proxies only',
    async (path) => {
      const own = createGateway({ site: { url: site.url }, ...BEHIND_PROXY })
      const direct = createGateway({ site: { url: site.url } })
      const get = async (headers: Record<string, string>, from = own) => {
        const response = await from.fetch(`http://localhost${path}?query=${encodeURIComponent(QUERY)}`, { headers })
        await response.text()
        return response.headers.get('x-request-id')
      }
      expect(await get({ 'x-request-id': 'mine' }, direct)).toMatch(MADE)
      site.requests.length = 0
      expect(await get({ 'x-request-id': 'mine' })).toBe('mine')
      const made = [await get({}), await get({ 'x-request-id': 'not mine' })]
      for (const id of made) expect(id).toMatch(MADE)
      if (path === '/graphql') expect(seen()).toEqual(['mine', ...made])
      await own.close()
      await direct.close()
    },
  )
})
