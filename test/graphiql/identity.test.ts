import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkCredentials, credentialsIn, describeCaller, Identity, type IdentityOptions } from '../../src/graphiql/identity/identity.js'
import { AUDIENCE, ISSUER, makeSigner, sign } from '../server/issuer.js'
import { World } from '../support/world.js'

const KEY = 'a-key-of-the-gateway'
const account = { by: 'password', user: 'admin', password: 'admin-demo' } as const

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

class Session implements Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  readonly values = new Map<string, string>()
  getItem = (key: string) => this.values.get(key) ?? null
  setItem = (key: string, value: string) => void this.values.set(key, value)
  removeItem = (key: string) => void this.values.delete(key)
}

describe('Identity', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start({ access: { apiKeys: [KEY], open: true } })
  })
  afterAll(() => world.close())

  const open = (options: Partial<IdentityOptions> = {}) =>
    new Identity({ url: `${world.gateway.url}/graphql`, signIn: ['password', 'bearer', 'apiKey'], storage: new Session(), ...options })
  const settled = (identity: Identity) => expect.poll(() => identity.current()?.isAsking ?? false).toBe(false)

  it('sends no headers for anonymous callers', () => {
    const identity = open()
    expect([identity.headers(), identity.current()]).toEqual([{}, undefined])
  })

  it.each([
    [{ account: { ...account, user: 'ädmin', password: 'p🎵ss: word' } }, { Authorization: basic('ädmin:p🎵ss: word') }],
    [
      { account, apiKey: KEY },
      { Authorization: basic('admin:admin-demo'), 'X-API-Key': KEY },
    ],
    [{ account: { by: 'bearer', token: 'a.b-c' } }, { Authorization: 'Bearer a.b-c' }],
    [{ apiKey: KEY }, { 'X-API-Key': KEY }],
  ])('sends %j', (credentials, headers) => {
    const storage = new Session()
    const url = `${world.gateway.url}/graphql`
    storage.setItem(`lms-graphql:identity:${url}`, JSON.stringify(credentials))
    expect(open({ storage, url }).headers()).toEqual(headers)
  })

  it('signs in and out in memory, and tells about each change', async () => {
    const storage = new Session()
    const identity = open({ storage })
    const seen: unknown[] = []
    const stop = identity.subscribe(() => seen.push(identity.current()?.credentials))
    await identity.signIn({ account, apiKey: KEY }, false)
    identity.signOut()
    stop()
    await identity.signIn({ apiKey: KEY }, false)
    expect(seen).toEqual([{ account, apiKey: KEY }, undefined])
    expect([identity.headers(), storage.values.size]).toEqual([{ 'X-API-Key': KEY }, 0])
  })

  it('keeps nothing of rejected credentials', async () => {
    const storage = new Session()
    const identity = open({ storage })
    await identity.signIn({ apiKey: KEY }, true)
    await expect(identity.signIn({ account, apiKey: 'a-wrong-key-of-16-characters' }, true)).rejects.toThrow('The API key is not valid.')
    expect(identity.headers()).toEqual({ 'X-API-Key': KEY })
    expect([...storage.values.values()]).toEqual([JSON.stringify({ apiKey: KEY })])
  })

  it('keeps credentials for the session if asked for, at the path of one endpoint, until the person signs out', async () => {
    const storage = new Session()
    await open({ storage }).signIn({ account, apiKey: KEY }, true)
    const again = open({ storage })
    expect(again.headers()).toMatchObject({ 'X-API-Key': KEY })
    await settled(again)
    expect(again.current()?.credentials).toEqual({ account, apiKey: KEY })
    expect(open({ storage, url: `${world.gateway.url}/other` }).current()).toBeUndefined()
    again.signOut()
    expect([storage.values.size, again.headers()]).toEqual([0, {}])
  })

  it('forgets kept credentials that are rejected, damaged, or of a kind that the gateway does not accept any more', async () => {
    const storage = new Session()
    await open({ storage }).signIn({ apiKey: KEY }, true)
    const [[name = '', kept = ''] = []] = [...storage.values]
    const reopened = (text: string, options: Partial<IdentityOptions> = {}) => {
      storage.setItem(name, text)
      return open({ storage, ...options })
    }
    for (const text of ['{', '[]', '{}', '"a"', '{"account":{"by":"password"}}', '{"apiKey":"a\\nb"}', '{"account":{"by":"other"}}']) {
      expect([text, reopened(text).headers(), storage.values.size]).toEqual([text, {}, 0])
    }
    expect([reopened(kept, { signIn: ['password'] }).headers(), storage.values.size]).toEqual([{}, 0])
    const rejected = reopened(kept.replace(KEY, 'a-key-that-was-revoked'))
    await expect.poll(() => rejected.current()).toBeUndefined()
    expect(storage.values.size).toBe(0)
    const offline = open({ storage, url: 'http://127.0.0.1:9/graphql' })
    await expect(offline.signIn({ apiKey: KEY }, true)).rejects.toThrow('The gateway cannot be reached. Try again.')
    expect([offline.current(), storage.values.size]).toEqual([undefined, 0])
  })

  it('shows the user that the gateway names', async () => {
    const signer = await makeSigner('any')
    const token = await sign(signer)
    const service = await World.start({
      site: { user: 'admin', password: 'admin-demo' },
      access: { jwtKey: signer.pem, jwtIssuer: ISSUER, jwtAudience: AUDIENCE },
    })
    try {
      const identity = open({ url: `${service.gateway.url}/graphql` })
      await identity.signIn({ account: { by: 'bearer', token } }, false)
      expect(identity.current()).toMatchObject({ viewer: { databaseId: 3 }, isAsking: false })
      expect(describeCaller(identity.current())).toEqual({
        name: 'user 3',
        sentence: 'The site says that this is user 3. Signed in with a bearer token.',
        isConfirmed: true,
      })
      await expect(identity.signIn({ account: { by: 'bearer', token: `${token}x` } }, false)).rejects.toThrow('not valid')
      expect(identity.current()).toMatchObject({ viewer: { databaseId: 3 } })
    } finally {
      await service.close()
    }
  })
})

describe('Identity at a slow gateway', () => {
  /** A gateway whose answers the test gives, in any order. */
  interface Asked {
    key: unknown
    answer(body: object | undefined, status?: number): void
  }
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    await text(request)
    asked.push({
      key: request.headers['x-api-key'],
      answer: (body, status = 200) => (body ? response.writeHead(status).end(JSON.stringify(body)) : response.destroy()),
    })
  })
  let url: string
  const name = () => `lms-graphql:identity:${url}`
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
  })
  beforeEach(() => {
    asked.length = 0
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const open = (storage = new Session()) => new Identity({ url, signIn: ['apiKey'], storage })
  /** An identity with kept credentials, which is asking who the caller is. */
  const reload = async (storage = new Session()) => {
    storage.setItem(name(), '{"apiKey":"A"}')
    const identity = open(storage)
    await requests(1)
    return identity
  }
  const requests = (count: number) => expect.poll(() => asked.length).toBe(count)
  const viewer = (databaseId: number, own?: string) => ({ data: { viewer: { databaseId, name: own } } })
  const shown = (identity: Identity) => describeCaller(identity.current()).name
  /** Waits until an answer that changes nothing has arrived. */
  const arrival = () => new Promise((resolve) => setTimeout(resolve, 100))

  it.each([
    ['it is cancelled', (identity: Identity) => identity.cancel(), undefined],
    ['the person signs out', (identity: Identity) => identity.signOut(), undefined],
    ['somebody else signs in', (identity: Identity) => identity.signIn({ apiKey: 'B' }, true), 'B'],
  ])('does not sign in when %s meanwhile', async (_, interrupt, apiKey) => {
    const storage = new Session()
    const identity = open(storage)
    const first = identity.signIn({ apiKey: 'A' }, true)
    await requests(1)
    const second = interrupt(identity)
    if (second) {
      await requests(2)
      asked[1]?.answer(viewer(2))
      expect(await second).toBe(true)
    }
    asked[0]?.answer(viewer(1))
    expect(await first).toBe(false)
    expect(identity.current()?.credentials.apiKey).toBe(apiKey)
    expect([...storage.values.values()]).toEqual(apiKey ? [JSON.stringify({ apiKey })] : [])
  })

  it('shows the name of the user, and the user without one when only the name is refused', async () => {
    const refused = { errors: [{ message: 'Sorry.', extensions: { code: 'UNAUTHENTICATED' } }], ...viewer(3) }
    for (const [answer, name] of [
      [viewer(3, 'Ada'), 'Ada'],
      [refused, 'user 3'],
    ] as const) {
      asked.length = 0
      const identity = await reload()
      asked[0]?.answer(answer)
      await expect.poll(() => shown(identity)).toBe(name)
    }
  })

  it('says that a key is accepted only when the gateway has answered with data', async () => {
    for (const [body, status, sentence] of [
      [undefined, 200, 'Signed in with an API key. Not confirmed: The gateway cannot be reached. Try again.'],
      [{ errors: [{ message: 'Too many requests.' }] }, 429, 'Signed in with an API key. Not confirmed: Too many requests.'],
      [{ data: { viewer: null } }, 200, 'The gateway accepted the API key.'],
    ] as const) {
      asked.length = 0
      const identity = await reload()
      asked[0]?.answer(body, status)
      await expect.poll(() => describeCaller(identity.current()).sentence).toBe(sentence)
    }
  })

  it('keeps the stored credentials of somebody else when those before are rejected', async () => {
    const storage = new Session()
    const identity = await reload(storage)
    const signing = identity.signIn({ apiKey: 'B' }, true)
    await requests(2)
    asked[1]?.answer(viewer(2))
    await signing
    asked[0]?.answer({ errors: [{ message: 'The API key is not valid.' }] }, 401)
    await arrival()
    expect([...storage.values.values()]).toEqual(['{"apiKey":"B"}'])
    expect(shown(identity)).toBe('user 2')
  })
})

describe('describeCaller', () => {
  const reason = 'The site does not say who this is.'
  it.each([
    [undefined, 'visitor, not signed in', true],
    [{ credentials: { account }, viewer: { databaseId: 7, name: 'Ada' }, isAsking: false }, 'Ada', true],
    [{ credentials: { account }, viewer: { databaseId: 7, name: '' }, isAsking: false }, 'user 7', true],
    [{ credentials: { account }, isAsking: true }, 'admin', false],
    [{ credentials: { account, apiKey: KEY }, isAsking: false, reason }, 'admin', false],
    [{ credentials: { account: { by: 'bearer' as const, token: 'SECRET' } }, isAsking: false, reason }, 'bearer token', false],
    [{ credentials: { apiKey: KEY }, isAsking: false, isAccepted: true, reason }, 'API key', true],
    [{ credentials: { apiKey: KEY }, isAsking: false, isAccepted: false, reason: 'The gateway cannot be reached.' }, 'API key', false],
    [{ credentials: { apiKey: KEY }, isAsking: true }, 'API key', false],
  ])('names %o', (caller, name, isConfirmed) => {
    const described = describeCaller(caller)
    expect(described).toMatchObject({ name, isConfirmed })
    expect(described.sentence).not.toMatch(/SECRET|admin-demo|a-key/)
  })
})

describe('credentialsIn', () => {
  it.each([
    [null, []],
    ['{"X-A": "1"}', []],
    ['{"authorization": "Bearer SECRET", /* text */ }', ['Authorization']],
    ['{"x-api-key": "SECRET", "AUTHORIZATION": "Bearer SECRET"}', ['Authorization', 'X-API-Key']],
    ['{"X-API-Key": "SECRET"}', ['X-API-Key']],
  ])('finds them in %j, and they are shown in place of the caller', (text, names) => {
    const own = credentialsIn(text)
    expect(own).toEqual(names)
    const { name, sentence } = describeCaller(undefined, own)
    expect(name).toBe(names.length > 0 ? 'from the headers' : 'visitor, not signed in')
    for (const each of names) expect(sentence).toContain(each)
    expect(sentence).not.toContain('SECRET')
  })
})

describe('checkCredentials', () => {
  const bearer = (token: string) => ({ account: { by: 'bearer' as const, token } })
  it.each([
    [{ account: { ...account, user: '' } }, 'Enter the user name.'],
    [{ account: { ...account, password: '' } }, 'Enter the application password.'],
    [{ account: { ...account, user: 'a:b' } }, 'must not contain a colon'],
    [{ account: { ...account, user: 'a\nb' } }, 'The user name contains a line break or another control character.'],
    [{ account: { ...account, password: 'SECRET\u0000' } }, 'The application password contains a line break or another control character.'],
    [bearer(''), 'Enter the token.'],
    [bearer('Bearer SECRET'), 'Enter the token without the word Bearer.'],
    [bearer('SEC RET'), 'The token contains a space or line break (character 4).'],
    [bearer('SECRET–x'), 'The token contains “–” (character 7).'],
    [{ apiKey: 'SECRET🎵' }, 'The API key contains “🎵” (character 7).'],
    [{ apiKey: 'SECRET\r\nX: y' }, 'The API key contains a space or line break (character 7).'],
    [{ apiKey: 'SECRET\u007f' }, 'The API key contains a control character (character 7).'],
  ])('refuses %j', (credentials, message) => {
    const check = () => checkCredentials(credentials)
    expect(check).toThrow(message)
    expect(check).not.toThrow('SECRET')
  })

  it('accepts what headers can carry', () => {
    for (const credentials of [
      {},
      { account },
      { account: { ...account, user: 'ä ö', password: 'abcd EFGH: “x”' } },
      bearer('aB-._~+/='),
      { apiKey: '!~' },
    ])
      expect(() => checkCredentials(credentials)).not.toThrow()
  })
})
