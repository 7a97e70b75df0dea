import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGateway } from '../../src/gateway.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { json } from '../support/site.js'
import { Recorded } from './asking.js'

const KEY = 'first-key-0123456789'
const OTHER_KEY = 'second-key-0123456789'
const ACCOUNT = { user: 'ädmin', password: 'abcd efgh:ijkl' }
const BASIC = `Basic ${Buffer.from('ädmin:abcd efgh:ijkl').toString('base64')}`
const MINE = `Basic ${Buffer.from('me:mine').toString('base64')}`

const running: Recorded[] = []
afterAll(async () => {
  for (const each of running) await each.close()
})

async function start(options: TunedOptions): Promise<Recorded> {
  const recorded = await Recorded.start(merged({ site: { ...ACCOUNT } }, options))
  running.push(recorded)
  return recorded
}

describe('a service account behind API keys', () => {
  let recorded: Recorded
  beforeAll(async () => {
    recorded = await start({ access: { apiKeys: [KEY, OTHER_KEY] } })
  })

  it.each([
    ['X-API-Key', { 'x-api-key': KEY }],
    ['another one', { 'x-api-key': OTHER_KEY }],
    ['a Bearer token', { authorization: `Bearer ${KEY}` }],
    ['a bearer token', { authorization: `bearer  ${KEY}` }],
    ['both', { 'x-api-key': KEY, authorization: `Bearer ${KEY}` }],
  ] as [string, Record<string, string>][])('lets in by %s, and shows the site the account alone', async (_, headers) => {
    const { status, data } = await recorded.ask({ ...headers, cookie: 'wordpress_a=1', 'x-wp-nonce': 'n' })
    expect([status, data]).toEqual([200, { priceTypes: [{ slug: 'free' }] }])
    expect(recorded.sent.authorization).toBe(BASIC)
    expect(Object.keys(recorded.sent).sort()).toEqual(['accept', 'authorization', 'connection', 'host', 'user-agent', 'x-request-id'])
  })

  it.each([
    ['nothing', {}, 'Bearer', 'This gateway requires an API key or a token in `Authorization: Bearer`.'],
    ...(
      [
        ['a wrong key', { 'x-api-key': 'third-key-0123456789' }],
        ['an empty key', { 'x-api-key': '' }],
        ['a wrong Bearer token', { authorization: 'Bearer third-key-0123456789' }],
        ['an empty Bearer token', { authorization: 'Bearer ' }],
        ['a token of JWT form', { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.' }],
        ['credentials for the site', { authorization: MINE }],
        ["the account's own credentials", { authorization: BASIC }],
        ['a good key with credentials for the site', { 'x-api-key': KEY, authorization: MINE }],
        ['a good key with a wrong one', { 'x-api-key': KEY, authorization: `Bearer ${KEY}x` }],
        ['a wrong key with a good one', { 'x-api-key': `${KEY}x`, authorization: `Bearer ${KEY}` }],
      ] as [string, Record<string, string>][]
    ).map(([name, headers]) => [name, headers, 'Bearer error="invalid_token"', 'The API key or token is not valid.']),
  ] as [string, Record<string, string>, string, string][])('refuses %s', async (_, headers, challenge, message) => {
    const before = recorded.site.requests.length
    const answer = await recorded.ask(headers)
    expect([answer.status, answer.headers.get('www-authenticate'), answer.headers.get('cache-control')]).toEqual([
      401,
      challenge,
      'no-store',
    ])
    expect(JSON.parse(answer.text)).toEqual({ errors: [{ message, extensions: { code: 'UNAUTHENTICATED' } }] })
    expect(recorded.site.requests).toHaveLength(before)
  })

  it('never passes on what callers show', async () => {
    await recorded.ask({ 'x-api-key': KEY, authorization: MINE })
    await recorded.ask({ authorization: `Bearer ${KEY}` })
    for (const text of [KEY, OTHER_KEY, MINE]) expect(recorded.allSent).not.toContain(text)
  })

  it('refuses operations by GET, and lets in by GET', async () => {
    const address = `${recorded.gateway.url}/graphql?query=${encodeURIComponent('{ priceTypes { slug } }')}`
    const headers = { accept: 'application/json' }
    expect((await fetch(address, { headers })).status).toBe(401)
    expect((await fetch(address, { headers: { ...headers, 'x-api-key': KEY } })).status).toBe(200)
  })

  it('keeps pages, health and preflights reachable', async () => {
    const get = async (path: string, init: RequestInit = {}) => (await fetch(`${recorded.gateway.url}${path}`, init)).status
    expect(await get('/health/live')).toBe(200)
    expect(await get('/health/ready')).toBe(200)
    expect(await get('/graphql', { headers: { accept: 'text/html' } })).toBe(200)
    expect(await get('/graphiql/config.json')).toBe(200)
    const preflight = { origin: 'https://app.example.org', 'access-control-request-method': 'POST' }
    expect(await get('/graphql', { method: 'OPTIONS', headers: preflight })).toBe(204)
  })

  it('refuses before the body is there, and does not parse it', async () => {
    const { port } = new URL(recorded.gateway.url)
    const status = await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
      const sent = request({ port, host: '127.0.0.1', path: '/graphql', method: 'POST', headers }, (response) => {
        resolve(response.statusCode)
        sent.destroy()
      })
      sent.on('error', reject)
      sent.write('{ "query": ')
    })
    expect(status).toBe(401)
    const { status: unparsed } = await fetch(`${recorded.gateway.url}/graphql`, { method: 'POST', body: 'no JSON at all' })
    expect(unparsed).toBe(401)
  })

  it('shares calls in flight between its callers', async () => {
    const cached = await start({ access: { apiKeys: [KEY, OTHER_KEY] }, cache: { maxAge: 60 } })
    cached.site.handler = (_, response) => {
      setTimeout(() => json(response, [{ slug: 'late' }]), 50)
    }
    const answers = await Promise.all([KEY, OTHER_KEY].map((key) => cached.ask({ 'x-api-key': key })))
    expect(answers.map(({ data }) => data.priceTypes[0].slug)).toEqual(['late', 'late'])
    expect(cached.site.requests).toHaveLength(1)
  })

  it('does not take it for a fault of the caller when the site refuses the account', async () => {
    const { handler } = recorded.site
    recorded.site.handler = (_, response) =>
      json(response, { code: 'incorrect_password', message: 'The password for ädmin is wrong.', data: { status: 401 } }, { status: 401 })
    const { errors, text } = await recorded.ask({ 'x-api-key': KEY })
    recorded.site.handler = handler
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject({
      message: 'The site refuses the account of the gateway.',
      extensions: { code: 'UPSTREAM_UNAVAILABLE', upstream: { status: 401, code: 'incorrect_password' } },
    })
    expect(text).not.toContain('ädmin')
    expect(recorded.faults).toHaveLength(1)
  })
})

describe('a service account with an open door', () => {
  it('allows anonymous callers, and refuses wrong credentials', async () => {
    const recorded = await start({ access: { open: true, apiKeys: [KEY] } })
    expect((await recorded.ask()).status).toBe(200)
    expect(recorded.sent.authorization).toBe(BASIC)
    expect((await recorded.ask({ 'x-api-key': KEY })).status).toBe(200)
    for (const headers of [{ 'x-api-key': 'third-key-0123456789' }, { authorization: 'Bearer x' }, { authorization: MINE }]) {
      expect((await recorded.ask(headers as Record<string, string>)).status).toBe(401)
    }
    expect(recorded.allSent).not.toContain(MINE)
  })

  it('reads users without the account, and blames neither it nor the caller when the site hides them from strangers', async () => {
    const recorded = await start({ site: { ...ACCOUNT, routes: ['users'] }, access: { open: true, apiKeys: [KEY] } })
    recorded.site.handler = (_, response) =>
      json(response, { code: 'rest_user_cannot_view', message: 'Sign in.', data: { status: 401 } }, { status: 401 })
    const { errors, data } = await recorded.ask({}, '{ user(id: 4) { name } }')
    expect(recorded.sent).not.toHaveProperty('authorization')
    expect([data, errors.map(({ extensions }) => extensions.code), recorded.faults]).toEqual([{ user: { name: null } }, ['FORBIDDEN'], []])
    const { errors: refused } = await recorded.ask({ 'x-api-key': KEY }, '{ user(id: 4) { name } }')
    expect(recorded.sent.authorization).toBe(BASIC)
    expect([refused.map(({ extensions }) => extensions.code), recorded.faults.length]).toEqual([['UPSTREAM_UNAVAILABLE'], 1])
  })
})

describe('a service account', () => {
  const upstream = 'http://127.0.0.1:9'
  const jwt = { jwtKey: '0123456789abcdef0123456789abcdef', jwtIssuer: 'i', jwtAudience: 'a' }

  it.each([
    ['no door', {}, /^createGateway: `site\.user` gives its rights to everybody .* `access\.apiKeys`; .* or `access\.open` /],
    ['a door that is shut', { access: { open: false } }, /^createGateway: `site\.user` gives its rights to everybody /],
    ['a door without keys', { access: { apiKeys: [] } }, /^createGateway: `access\.apiKeys` is wrong; it must be a list of keys /],
  ] as [string, TunedOptions, RegExp][])('is refused with %s', (_, options, message) => {
    expect(() => createGateway(merged({ site: { url: upstream, ...ACCOUNT } }, options))).toThrow(message)
  })

  it.each([
    ['a user with a colon', { site: { user: 'a:b', password: 's3cret' }, access: { open: true } }, /without a colon/],
    [
      'tokens without an account',
      { site: { user: undefined, password: undefined }, access: { ...jwt } },
      /^createGateway: `access\.jwtKey` has no effect without `site\.user` and `site\.password`/,
    ],
    ['tokens without issuer', { access: { ...jwt, jwtIssuer: '' } }, /`access\.jwtIssuer` is ``; it must be a text/],
    [
      'tokens without audience',
      { access: { ...jwt, jwtAudience: undefined as unknown as string } },
      /`access\.jwtKey` is not enough to verify tokens: also set `access\.jwtAudience`\./,
    ],
    [
      'tokens without key',
      { access: { jwtIssuer: 'i', jwtAudience: 'a' } },
      /^createGateway: `access\.jwtIssuer` is not enough to verify tokens: also set `access\.jwtJwksUrl` or `access\.jwtKey`\./,
    ],
    [
      'tokens with two',
      { access: { ...jwt, jwtJwksUrl: 'http://127.0.0.1:9' } },
      /`access\.jwtJwksUrl` cannot be used with `access\.jwtKey`/,
    ],
    ['tokens with a short secret', { access: { ...jwt, jwtKey: 's3cret' } }, /at least 32 bytes/],
  ] as [string, TunedOptions, RegExp][])('is refused with %s', (_, options, message) => {
    const create = () => createGateway(merged({ site: { url: upstream, ...ACCOUNT } }, options))
    expect(create).toThrow(message)
    expect(create).not.toThrow('s3cret')
  })

  it('offers no users to sign in as', async () => {
    const users = [{ login: 'admin', name: 'Admin', role: 'admin', authorization: MINE }]
    const recorded = await start({ access: { open: true }, tuning: { users } })
    expect(await (await fetch(`${recorded.gateway.url}/graphiql/config.json`)).json()).toEqual({
      users: [],
      embedded: true,
      explain: false,
      signIn: [],
      maxCalls: 300,
    })
  })
})
