import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { merged } from '../support/merged.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite } from '../support/site.js'
import { AUDIENCE, ISSUER, makeSigner, type Signer, sign } from './issuer.js'

// What besides operations is behind the door.

const KEY = 'a-key-of-the-monitoring'
const ACCOUNT = { site: { user: 'service', password: 'x' } }

let signer: Signer
beforeAll(async () => {
  signer = await makeSigner('one')
})

describe('/metrics', () => {
  let site: FakeSite
  let gateway: Served | undefined
  afterEach(async () => {
    await gateway?.close()
    await site.close()
  })
  const start = async (options: Partial<Parameters<typeof serve>[0]>): Promise<void> => {
    site = await FakeSite.start()
    gateway = await serve(merged({ site: { url: site.url }, observe: { metrics: true } }, options))
  }
  const statusOf = async (headers: Record<string, string> = {}, method = 'GET'): Promise<number> => {
    const response = await fetch(`${gateway?.url}/metrics`, { headers, method })
    const text = await response.text()
    if (response.status !== 200) expect(text).not.toContain('lms_')
    return response.status
  }
  const jwt = () => ({ jwtKey: signer.pem, jwtIssuer: ISSUER, jwtAudience: AUDIENCE })
  const token = async (claims = {}) => ({ authorization: `Bearer ${await sign(signer, claims)}` })
  const admin = () => token({ roles: ['admin'] })

  it('is for callers with a key when keys are configured', async () => {
    await start({ access: { apiKeys: [KEY] } })
    expect([await statusOf(), await statusOf({}, 'HEAD'), await statusOf({ 'x-api-key': 'wrong' })]).toEqual([401, 401, 401])
    expect(await statusOf({ 'x-api-key': KEY })).toBe(200)
  })

  it('is for callers with a token when tokens are configured', async () => {
    await start({ ...ACCOUNT, access: { ...jwt() } })
    expect([await statusOf(), await statusOf({ authorization: 'Bearer wrong' }), await statusOf(await admin())]).toEqual([401, 401, 200])
  })

  it('is for editors and administrators when tokens have roles, and for every key', async () => {
    const roles = ['administrator=roles=admin', 'editor=roles=author', 'learner=key:app:3', 'visitor=key:page']
    for (const open of [true, false]) {
      await start({ ...ACCOUNT, access: { apiKeys: [`app:${KEY}`, `page:${KEY}-2`], ...jwt(), roles, open } })
      const tokens = [await token(), await token({ sub: 'somebody' }), await token({ roles: ['author'] }), await admin()]
      const seen = await Promise.all(tokens.map((headers) => statusOf({ ...headers, ...(!open && { 'x-api-key': KEY }) })))
      expect([open, seen]).toEqual([open, [403, 403, 200, 200]])
      expect([await statusOf({ 'x-api-key': KEY }), await statusOf({ 'x-api-key': `${KEY}-2` })]).toEqual([200, 200])
      await gateway?.close()
      await site.close()
    }
  })

  it('is not for anonymous callers, even when they are allowed', async () => {
    await start({ ...ACCOUNT, access: { apiKeys: [KEY], ...jwt(), open: true } })
    expect([await statusOf(), await statusOf({ 'x-api-key': KEY }), await statusOf(await admin())]).toEqual([401, 200, 200])
  })

  it('is for everybody with a setting', async () => {
    await start({ ...ACCOUNT, access: { apiKeys: [KEY], ...jwt() }, observe: { metrics: 'open' } })
    expect([await statusOf(), await statusOf(await token())]).toEqual([200, 200])
  })
})

describe('explain outside production', () => {
  let site: FakeSite
  let command: Command
  afterEach(async () => {
    await command.stop()
    await site.close()
  })
  const start = async (env: Record<string, string>): Promise<(headers?: Record<string, string>) => Promise<number>> => {
    site = await FakeSite.start()
    command = new Command(['--upstream', site.url, '--port', '0'], env)
    const url = await command.address()
    return async (headers = {}) => {
      const body = JSON.stringify({ query: '{ course(id: 1) { title } }', extensions: { explain: 'plan' } })
      const all = { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers }
      const response = await fetch(`${url}/graphql`, { method: 'POST', headers: all, body })
      const { extensions } = (await response.json()) as { extensions?: { explain?: unknown } }
      expect(extensions?.explain !== undefined).toBe(response.status === 200)
      return response.status
    }
  }

  it('is for everybody without authentication', async () => {
    const explain = await start({})
    expect(await explain()).toBe(200)
  })

  it('is for callers with a key or token when authentication is configured, and not for anonymous callers', async () => {
    const explain = await start({
      LMS_USER: 'service',
      LMS_PASSWORD: 'x',
      GATEWAY_API_KEYS: KEY,
      GATEWAY_OPEN: 'true',
      JWT_KEY: signer.pem,
      JWT_ISSUER: ISSUER,
      JWT_AUDIENCE: AUDIENCE,
    })
    const token = { authorization: `Bearer ${await sign(signer)}` }
    expect([await explain(), await explain({ 'x-api-key': KEY }), await explain(token)]).toEqual([403, 200, 200])
  })

  it('is for anonymous callers with a setting', async () => {
    const explain = await start({ GATEWAY_API_KEYS: KEY, GATEWAY_OPEN: 'true', EXPLAIN_FOR: 'everybody' })
    expect(await explain()).toBe(200)
  })
})
