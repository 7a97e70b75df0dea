import { generateKeyPairSync } from 'node:crypto'
import { UnsecuredJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { GatewayOptions } from '../../src/gateway.js'
import { Recorded } from './asking.js'
import { AUDIENCE, ISSUER, KeySetServer, makeSigner, type Signer, type Signing, sign } from './issuer.js'

type Access = NonNullable<GatewayOptions['access']>

const KEY = 'first-key-0123456789'
const SECRET = 'a shared secret that is long enough, with its 64 bytes and more, for HS512'
const VIEWER = '{ viewer { databaseId } }'
const now = (): number => Math.floor(Date.now() / 1000)

const closers: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

async function start(jwt: Access, authentication: object = {}): Promise<Recorded> {
  const recorded = await Recorded.start({
    site: { user: 'service', password: 'x' },
    access: { ...authentication, jwtIssuer: ISSUER, jwtAudience: AUDIENCE, ...jwt },
  })
  closers.push(() => recorded.close())
  return recorded
}

async function startKeySet(...signers: Signer[]): Promise<KeySetServer> {
  const keySet = await KeySetServer.start(signers)
  closers.push(() => keySet.close())
  return keySet
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const REFUSED = { errors: [{ message: 'The API key or token is not valid.', extensions: { code: 'UNAUTHENTICATED' } }] }

async function expectRefused(recorded: Recorded, token: string): Promise<void> {
  const before = recorded.site.requests.length
  const answer = await recorded.ask(bearer(token))
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
  expect(JSON.parse(answer.text)).toEqual(REFUSED)
  expect(recorded.site.requests).toHaveLength(before)
}

describe('tokens checked with a key set', () => {
  let signer: Signer
  let stranger: Signer
  let keySet: KeySetServer
  let recorded: Recorded
  beforeAll(async () => {
    ;[signer, stranger] = await Promise.all([makeSigner('one'), makeSigner('two')])
    keySet = await startKeySet(signer, await makeSigner('ec', 'ES256'))
    recorded = await start({ jwtJwksUrl: keySet.url }, { apiKeys: [KEY] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('authenticate their owners, and the site receives the account only', async () => {
    const { status, data } = await recorded.ask(bearer(await sign(signer)))
    expect([status, data]).toEqual([200, { priceTypes: [{ slug: 'free' }] }])
    expect(recorded.sent.authorization).toBe(`Basic ${Buffer.from('service:x').toString('base64')}`)
    expect(recorded.allSent).not.toContain('Bearer')
  })

  it('are valid within the tolerance of clocks, and for one of several audiences', async () => {
    for (const claims of [{ exp: now() - 2 }, { nbf: now() + 2 }, { aud: ['other', AUDIENCE] }]) {
      expect((await recorded.ask(bearer(await sign(signer, claims)))).status).toBe(200)
    }
  })

  it.each<[string, Record<string, unknown>, Signing?]>([
    ['another issuer', { iss: 'https://evil.example.org/' }],
    ['nearly the issuer', { iss: ISSUER.slice(0, -1) }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'other-gateway' }],
    ['several other audiences', { aud: ['other', 'another'] }],
    ['no audience', { aud: undefined }],
    ['an end in the past', { exp: now() - 60 }],
    ['no end', { exp: undefined }],
    ['a start in the future', { nbf: now() + 60 }],
    ['an end that is no time', { exp: 'never' }],
    ['an unknown key id', {}, { header: { kid: 'unknown' } }],
  ])('are refused with %s', async (_, claims, signing) => {
    await expectRefused(recorded, await sign(signer, claims as {}, signing))
  })

  it('are refused when they are signed by another key, or changed', async () => {
    await expectRefused(recorded, await sign({ ...stranger, kid: 'one' }))
    const [header, , signature] = (await sign(signer)).split('.')
    const payload = Buffer.from(JSON.stringify({ iss: ISSUER, aud: AUDIENCE, sub: '1', roles: ['admin'] })).toString('base64url')
    await expectRefused(recorded, [header, payload, signature].join('.'))
  })

  it('are refused without signature, or signed with the public key as a secret', async () => {
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: '1', roles: ['admin'], exp: now() + 600 }
    const unsigned = new UnsecuredJWT(claims).encode()
    await expectRefused(recorded, unsigned)
    await expectRefused(recorded, `${unsigned}x`)
    for (const text of [signer.pem, signer.pem.trim()]) {
      await expectRefused(recorded, await sign(signer, claims, { header: { alg: 'HS256' }, key: Buffer.from(text) }))
    }
  })

  it.each(['', '.', '..', 'a.b.c', 'eyJhbGciOiJSUzI1NiJ9', 'x'.repeat(9_000)])('are refused when they are none: %s', async (token) => {
    expect((await recorded.ask(bearer(token))).status).toBe(401)
  })

  it('can be combined with API keys: either one is enough, and the token determines the rights', async () => {
    const token = await sign(signer, { sub: '3' })
    const viewer = async (headers: Record<string, string>) => (await recorded.ask(headers, VIEWER)).data?.viewer
    expect(await viewer({ 'x-api-key': KEY })).toBe(null)
    expect(await viewer(bearer(KEY))).toBe(null)
    expect(await viewer({ 'x-api-key': KEY, ...bearer(token) })).toEqual({ databaseId: 3 })
    expect((await recorded.ask({ 'x-api-key': 'wrong', ...bearer(token) })).status).toBe(401)
    expect((await recorded.ask({ 'x-api-key': KEY, ...bearer(await sign(signer, { exp: now() - 60 })) })).status).toBe(401)
  })

  it('are refused when they are wrong, even by open gateways', async () => {
    const open = await start({ jwtJwksUrl: keySet.url }, { open: true })
    expect((await open.ask()).status).toBe(200)
    expect((await open.ask(bearer(await sign(signer)))).status).toBe(200)
    await expectRefused(open, await sign(signer, { exp: now() - 60 }))
    await expectRefused(open, await sign(signer, { aud: 'other' }))
  })

  it('are verified without loading the key set again', async () => {
    const before = keySet.asked
    for (let count = 0; count < 5; count++) expect((await recorded.ask(bearer(await sign(signer)))).status).toBe(200)
    for (let count = 0; count < 5; count++) await expectRefused(recorded, await sign(signer, {}, { header: { kid: `made-up-${count}` } }))
    expect(keySet.asked).toBe(before)
  })
})

describe('a key set', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('can be rotated', async () => {
    const [old, young] = await Promise.all([makeSigner('old'), makeSigner('young')])
    const keySet = await startKeySet(old)
    const recorded = await start({ jwtJwksUrl: keySet.url })
    expect((await recorded.ask(bearer(await sign(old)))).status).toBe(200)
    keySet.signers = [young]
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    expect((await recorded.ask(bearer(await sign(young)))).status).toBe(200)
    await expectRefused(recorded, await sign(old))
    expect(keySet.asked).toBe(2)
  })

  it.each<[string, (keySet: KeySetServer) => unknown]>([
    ['is too large', (keySet) => Object.assign(keySet, { broken: { status: 200, body: `{"keys":[],"x":"${'x'.repeat(1_000_000)}"}` } })],
    ['redirects', (keySet) => Object.assign(keySet, { broken: { status: 302, body: '' } })],
    ['refuses', (keySet) => Object.assign(keySet, { broken: { status: 500, body: 'no' } })],
    ['is no JSON', (keySet) => Object.assign(keySet, { broken: { status: 200, body: '<html>' } })],
    ['is no key set', (keySet) => Object.assign(keySet, { broken: { status: 200, body: '{"keys":1}' } })],
    ['is gone', (keySet) => keySet.close()],
  ])('that %s is reported to the operator at the start, and once for all requests', async (_, breakIt) => {
    const signer = await makeSigner('one')
    const keySet = await startKeySet(signer)
    const jwksUrl = `${keySet.url}?token=s3cret`
    await breakIt(keySet)
    const recorded = await start({ jwtJwksUrl: jwksUrl }, { apiKeys: [KEY], open: true })
    await expect.poll(() => recorded.faults.length).toBe(1)
    const token = await sign(signer)
    expect((await Promise.all(Array.from({ length: 20 }, () => recorded.ask(bearer(token))))).map(({ status }) => status)).toEqual(
      Array.from({ length: 20 }, () => 503),
    )
    const answer = await recorded.ask(bearer(token))
    expect(answer.status).toBe(503)
    expect(answer.headers.get('www-authenticate')).toBe(null)
    expect(answer.errors).toEqual([{ message: expect.stringContaining('key set'), extensions: { code: 'UPSTREAM_UNAVAILABLE' } }])
    expect(recorded.faults).toHaveLength(1)
    expect(String(recorded.faults[0])).toContain('could not be loaded')
    for (const text of [answer.text, String(recorded.faults[0])]) for (const secret of ['s3cret', token]) expect(text).not.toContain(secret)
    // Neither keys nor tokens that are none need it.
    expect((await recorded.ask({ 'x-api-key': KEY })).status).toBe(200)
    expect((await recorded.ask(bearer('a.b.c'))).status).toBe(401)
    expect(recorded.site.requests).toHaveLength(1)
  })
})

describe('tokens checked with a key', () => {
  it.each(['RS256', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])('are valid with a public key and %s', async (alg) => {
    const signer = await makeSigner('any', alg)
    const recorded = await start({ jwtKey: signer.pem })
    expect((await recorded.ask(bearer(await sign(signer)))).status).toBe(200)
    await expectRefused(recorded, await sign(await makeSigner('any', alg)))
    await expectRefused(recorded, await sign(signer, {}, { header: { alg: 'HS256' }, key: Buffer.from(signer.pem) }))
    await expectRefused(recorded, await sign(signer, { aud: 'other' }))
  })

  it('are valid with a shared secret and HS256 only', async () => {
    const signer: Signer = { ...(await makeSigner('any')), alg: 'HS256' }
    const recorded = await start({ jwtKey: SECRET })
    expect((await recorded.ask(bearer(await sign(signer, {}, { key: Buffer.from(SECRET) })))).status).toBe(200)
    await expectRefused(recorded, await sign(signer, {}, { key: Buffer.from(`${SECRET}!`) }))
    await expectRefused(recorded, await sign(signer, {}, { key: Buffer.from(SECRET), header: { alg: 'HS512' } }))
    await expectRefused(recorded, new UnsecuredJWT({ iss: ISSUER, aud: AUDIENCE }).encode())
  })

  it('are refused by a key of another kind', async () => {
    const recorded = await start({ jwtKey: (await makeSigner('any', 'ES256')).pem })
    await expectRefused(recorded, await sign(await makeSigner('any', 'RS256')))
  })

  it('require a valid key', async () => {
    const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
    await expect(start({ jwtKey: JSON.stringify(jwk) })).rejects.toThrow('must be a public key in PEM')
  })
})

describe('the viewer', () => {
  const viewerOf = async (claims: Record<string, unknown>, options: Access = {}) => {
    const signer: Signer = { ...(await makeSigner('any', 'ES256')), alg: 'HS256' }
    const recorded = await start({ jwtKey: SECRET, ...options })
    const { status, data, errors } = await recorded.ask(bearer(await sign(signer, claims as {}, { key: Buffer.from(SECRET) })), VIEWER)
    expect([status, errors]).toEqual([200, []])
    expect(recorded.site.requests).toEqual([])
    return data.viewer?.databaseId ?? null
  }

  it.each<[string, Record<string, unknown>, Access, number | null]>([
    ['digits in `sub`', { sub: '3' }, {}, 3],
    ['the largest id', { sub: '2147483647' }, {}, 2147483647],
    ['too large an id', { sub: '2147483648' }, {}, null],
    ['far too large an id', { sub: '99999999999' }, {}, null],
    ['zero', { sub: '0' }, {}, null],
    ['a sign', { sub: '-3' }, {}, null],
    ['a leading zero', { sub: '03' }, {}, null],
    ['another system of numbers', { sub: '0x3' }, {}, null],
    ['spaces', { sub: ' 3 ' }, {}, null],
    ['a name', { sub: 'auth0|3' }, {}, null],
    ['no claim', { sub: undefined }, {}, null],
    ['a number', { uid: 3 }, { jwtUserClaim: 'uid' }, 3],
    ['a fraction', { uid: 3.5 }, { jwtUserClaim: 'uid' }, null],
    ['a list', { uid: [3] }, { jwtUserClaim: 'uid' }, null],
    ['true', { uid: true }, { jwtUserClaim: 'uid' }, null],
    ['a claim inside another', { lms: { user: { id: '3' } } }, { jwtUserClaim: 'lms.user.id' }, 3],
    ['a claim inside none', { lms: 'x' }, { jwtUserClaim: 'lms.user.id' }, null],
    ['a name with dots', { 'https://example.org/lms_user': 3 }, { jwtUserClaim: 'https://example.org/lms_user' }, 3],
    ['what every object has', { sub: '3' }, { jwtUserClaim: 'constructor.length' }, null],
    ['another claim than `sub`', { sub: '4', uid: 3 }, { jwtUserClaim: 'uid' }, 3],
  ])('is read from %s', async (_, claims, options, wanted) => {
    expect(await viewerOf(claims, options)).toBe(wanted)
  })
})
