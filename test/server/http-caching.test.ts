import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions } from '../../src/index.js'
import { globalId } from '../support/global-id.js'
import { merged } from '../support/merged.js'
import { create } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { authorizationOf, type Login, World } from '../support/world.js'

const DOCUMENTS = {
  course: 'query ($id: ID! = 10001) { course(id: $id) { title price } }',
  catalogue: '{ courses(first: 3) { nodes { title priceType { name } lessons(first: 1) { nodes { title } } } } }',
  byIds: 'query ($in: [ID!]) { courses(where: { id: { in: $in } }) { nodes { title } } }',
  groupCourses: '{ group(id: 20001) { title courses(first: 2) { nodes { title } } } }',
  viewer: '{ viewer { databaseId } }',
  access: '{ course(id: 10001) { title access { state } } }',
  partial: '{ course(id: 10001) { title contentRaw } }',
  password: '{ course(id: 10001, password: "x") { title } }',
  groups: '{ groups(first: 1) { nodes { title } } }',
  typename: '{ __typename }',
  update: 'mutation { updateCourse(input: { id: 10003, price: "3" }) { ... on UpdateCourseSuccess { course { title } } } }',
  invalid: '{ course(id: 10001) { nothing } }',
} as const

type Name = keyof typeof DOCUMENTS

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const operations = new Map(Object.values(DOCUMENTS).map((text) => [sha256(text), text]))
const MAX_AGE = { Course: 300, Lesson: 60, PriceType: 3600, Group: 0 }
const KEY = 'k'.repeat(32)

const byHash = (name: Name): string => JSON.stringify({ persistedQuery: { version: 1, sha256Hash: sha256(DOCUMENTS[name]) } })

/** The address of a GET with a trusted document, by its hash. */
const addressOf = (name: Name, variables?: object): string =>
  `/graphql?${new URLSearchParams({ extensions: byHash(name), ...(variables && { variables: JSON.stringify(variables) }) })}`

const listed = (value: string | null, between: string): string[] => value?.split(between) ?? []

const start = (options: Partial<GatewayOptions> = {}): Promise<World> =>
  World.start(merged({ http: { maxAge: MAX_AGE, operations } }, options))

/** A `GET` with a password needs the header: no page of another origin can send it. */
const as = (login: Login) => ({ authorization: authorizationOf(login), 'apollo-require-preflight': 'true' })

describe('answers to GET with trusted documents', () => {
  let world: World
  beforeAll(async () => {
    world = await start({
      http: { corsOrigins: ['https://app.example.org'] },
      site: { forwardCookie: true },
      observe: { explainFor: ['everybody'] },
    })
  })
  afterAll(() => world.close())

  async function get(name: Name, headers: Record<string, string> = {}, variables?: object) {
    const response = await fetch(world.gateway.url + addressOf(name, variables), { headers })
    return { response, headers: response.headers, kept: response.headers.get('cache-control'), text: await response.text() }
  }

  it.each([
    ['course', 300],
    ['catalogue', 60],
    ['byIds', 300],
  ] as const)('are public for the least age of their types: %s', async (name, seconds) => {
    const { response, kept, text, headers } = await get(name, {}, name === 'byIds' ? { in: ['10001', '10002'] } : undefined)
    expect([response.status, kept, Object.keys(JSON.parse(text))]).toEqual([200, `public, max-age=${seconds}`, ['data']])
    expect(headers.get('etag')).toMatch(/^W\/"[\w-]{43}"$/)
    expect(headers.get('vary')?.split(/, ?/)).toEqual([
      'accept',
      'accept-encoding',
      'authorization',
      'cookie',
      'x-wp-nonce',
      'x-lms-explain',
      'origin',
    ])
  })

  it('are the same with the text of the document in place of its hash', async () => {
    const url = `${world.gateway.url}/graphql?${new URLSearchParams({ query: DOCUMENTS.course })}`
    const response = await fetch(url)
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
    expect(response.headers.get('etag')).toBe((await get('course')).headers.get('etag'))
  })

  it.each([
    ['by a password', as('learner')],
    ['by cookies of the site', { cookie: 'wordpress_logged_in_x=1', 'x-wp-nonce': 'n' }],
  ])('are private for callers with credentials: %s', async (_, headers) => {
    const { kept, headers: received } = await get('course', headers)
    expect(kept).toBe('private, max-age=300')
    expect([received.get('cache-tag'), received.get('surrogate-key')]).toEqual([null, null])
  })

  it('are public with cookies that do not go to the site', async () => {
    expect((await get('course', { cookie: 'consent=yes; wordpress_x=1' })).kept).toBe('public, max-age=300')
  })

  it.each(['access', 'viewer'] as const)('are never public with a field that depends on the viewer: %s', async (name) => {
    const anonymous = await get(name)
    expect(anonymous.kept).toMatch(name === 'access' ? /^private, max-age=300$/ : /^(private|no-store)/)
    expect(anonymous.headers.get('surrogate-key')).toBeNull()
    expect((await get(name, as('learner'))).kept).toMatch(/^(private|no-store)/)
  })

  it.each(['partial', 'password', 'groups', 'typename', 'update', 'invalid'] as const)('may not be kept: %s', async (name) => {
    const { kept, headers } = await get(name)
    expect(kept).toBe('no-store')
    expect([headers.get('etag'), headers.get('cache-tag'), headers.get('surrogate-key')]).toEqual([null, null, null])
  })

  it('may not be kept with an explanation, by the header or by the extension', async () => {
    expect((await get('course', { 'x-lms-explain': 'run' })).kept).toBe('no-store')
    const extensions = JSON.stringify({ ...JSON.parse(byHash('course')), explain: 'plan' })
    const response = await fetch(`${world.gateway.url}/graphql?${new URLSearchParams({ extensions })}`)
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  })

  it('have the tags of what they depend on', async () => {
    const course = await get('course')
    expect(listed(course.headers.get('cache-tag'), ',')).toEqual(['course', 'course:10001', 'site'])
    const { headers } = await get('catalogue')
    const tags = listed(headers.get('surrogate-key'), ' ')
    expect(tags).toEqual(listed(headers.get('cache-tag'), ','))
    expect(tags).toEqual(expect.arrayContaining(['access', 'course', 'courses', 'lesson', 'lessons', 'priceTypes', 'site']))
    expect(tags.filter((tag) => /^(caller|user)/.test(tag))).toEqual([])
    // All records exist, so that new ones do not matter.
    const found = await get('byIds', {}, { in: ['10001', '10002'] })
    expect(listed(found.headers.get('surrogate-key'), ' ')).toEqual(['course', 'course:10001', 'course:10002', 'site'])
    const some = await get('byIds', {}, { in: ['10001', '999999'] })
    expect(listed(some.headers.get('surrogate-key'), ' ')).toEqual(['course', 'course:10001', 'course:999999', 'courses', 'site'])
    const none = await get('course', {}, { id: '999999' })
    expect([none.text, none.kept]).toEqual(['{"data":{"course":null}}', 'public, max-age=300'])
    expect(listed(none.headers.get('surrogate-key'), ' ')).toEqual(['course', 'course:999999', 'courses', 'site'])
  })

  it('have the tags of lists of one record', async () => {
    const open = await start({ http: { maxAge: 60 } })
    const response = await fetch(open.gateway.url + addressOf('groupCourses'))
    const tags = listed(response.headers.get('surrogate-key'), ' ')
    expect(tags).toEqual(expect.arrayContaining(['group:20001', 'courses:of:group:20001', 'access']))
    await open.close()
  })

  it('have an ETag that changes with the data, and are 304 as long as they do not', async () => {
    const before = await get('course', {}, { id: '10002' })
    const etag = before.headers.get('etag') as string
    const again = await get('course', { 'if-none-match': `"other", ${etag}` }, { id: '10002' })
    expect([again.response.status, again.text, again.headers.get('content-type')]).toEqual([304, '', null])
    for (const name of ['cache-control', 'etag', 'vary', 'cache-tag', 'surrogate-key'])
      expect([name, again.headers.get(name)]).toEqual([name, before.headers.get(name)])
    expect((await get('course', { 'if-none-match': '*' }, { id: '10002' })).response.status).toBe(304)
    expect((await get('course', { 'if-none-match': '"other"' }, { id: '10002' })).response.status).toBe(200)
    const changed = await world.query(`mutation { updateCourse(input: { id: 10002, price: "321" }) { __typename } }`, { as: 'admin' })
    expect(changed.data).toEqual({ updateCourse: { __typename: 'UpdateCourseSuccess' } })
    const after = await get('course', { 'if-none-match': etag }, { id: '10002' })
    expect([after.response.status, JSON.parse(after.text).data.course.price]).toEqual([200, '321'])
    expect(after.headers.get('etag')).not.toBe(etag)
  })

  it('have another ETag for another media type', async () => {
    const plain = await get('course', { accept: 'application/json' })
    const typed = await get('course', { accept: 'application/graphql-response+json' })
    expect(plain.text).toBe(typed.text)
    expect(plain.headers.get('etag')).not.toBe(typed.headers.get('etag'))
  })

  it('are 304 for credentials too, with an ETag of what these callers see', async () => {
    const own = await get('course', as('learner'))
    const { response, kept } = await get('course', { ...as('learner'), 'if-none-match': own.headers.get('etag') as string })
    expect([response.status, kept]).toEqual([304, 'private, max-age=300'])
  })

  it('never answer 304 to what may not be kept', async () => {
    expect((await get('groups', { 'if-none-match': '*' })).response.status).toBe(200)
    expect((await get('partial', { 'if-none-match': '*' })).response.status).toBe(200)
  })
})

describe('other answers', () => {
  let world: World
  beforeAll(async () => {
    world = await start()
  })
  afterAll(() => world.close())

  it.each([
    ['a document that is not trusted', '/graphql?query={course(id:10001){title}}'],
    [
      'an unknown hash',
      `/graphql?${new URLSearchParams({ extensions: `{"persistedQuery":{"version":1,"sha256Hash":"${'0'.repeat(64)}"}}` })}`,
    ],
    ['wrong variables', `${addressOf('course')}&variables={`],
    ['a document that does not parse', '/graphql?query={'],
    ['no document', '/graphql'],
    ['health', '/health/live'],
    ['an unknown path', '/nothing'],
  ])('to GET may not be kept: %s', async (_, path) => {
    const response = await fetch(world.gateway.url + path)
    expect([response.headers.get('cache-control'), response.headers.get('etag')]).toEqual(['no-store', null])
  })

  it('to POST have no headers for caches, also for trusted documents', async () => {
    const response = await world.gateway.post({ query: DOCUMENTS.course }, { 'if-none-match': '*' })
    expect(response.status).toBe(200)
    for (const name of ['cache-control', 'etag', 'vary', 'cache-tag', 'surrogate-key']) expect(response.headers.get(name)).toBeNull()
  })

  it('keep their own headers: files of GraphiQL', async () => {
    const page = await fetch(`${world.gateway.url}/graphql`, { headers: { accept: 'text/html' } })
    const [, file] = /src="\.?\/?(?:graphql\/)?(graphiql\/assets\/[^"]+)"/.exec(await page.text()) ?? []
    const script = await fetch(`${world.gateway.url}/${file}`)
    expect([script.status, script.headers.get('cache-control')]).toEqual([200, expect.stringContaining('immutable')])
  })
})

const ACCOUNT = { site: { user: 'admin', password: passwordOf('admin') } }
const OTHER_KEY = 'o'.repeat(32)

describe('a gateway with authentication', () => {
  it.each<[string, Partial<GatewayOptions>, Record<string, string>]>([
    ['an API key', { access: { apiKeys: [KEY] } }, { 'x-api-key': KEY }],
    ['no API key where none is needed', { access: { apiKeys: [KEY], open: true } }, {}],
    ['the key of a visitor', { ...ACCOUNT, access: { apiKeys: [`web:${KEY}`], roles: ['visitor=key:web'] } }, { 'x-api-key': KEY }],
    [
      'a service account and a key as Bearer token',
      { site: { user: 'admin', password: passwordOf('admin') }, access: { apiKeys: [KEY] } },
      { authorization: `Bearer ${KEY}` },
    ],
  ])('has private answers only: %s', async (_, options, headers) => {
    const world = await start(options)
    const response = await fetch(world.gateway.url + addressOf('course'), { headers })
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'private, max-age=300'])
    expect(response.headers.get('surrogate-key')).toBeNull()
    if (options.access?.apiKeys) expect(response.headers.get('vary')).toContain('x-api-key')
    await world.close()
  })

  it('has public answers for visitors without credentials of a service account, and private ones for all others', async () => {
    const world = await start({ ...ACCOUNT, access: { apiKeys: [KEY, `app:${OTHER_KEY}`], open: true, roles: ['learner=key:app:3'] } })
    const keptFor = async (headers: Record<string, string>, name: Name = 'course') =>
      (await fetch(world.gateway.url + addressOf(name), { headers })).headers
    const visitor = await keptFor({})
    expect([visitor.get('cache-control'), listed(visitor.get('vary'), ', ')]).toEqual([
      'public, max-age=300',
      expect.arrayContaining(['authorization', 'x-api-key']),
    ])
    expect(visitor.get('surrogate-key')).toContain('course:10001')
    for (const key of [KEY, OTHER_KEY]) {
      const headers = await keptFor({ 'x-api-key': key })
      expect([headers.get('cache-control'), headers.get('surrogate-key')]).toEqual(['private, max-age=300', null])
    }
    // What depends on the viewer is private also for visitors.
    expect((await keptFor({}, 'access')).get('cache-control')).toMatch(/^(private|no-store)/)
    await world.close()
  })

  it('refuses without headers to keep it', async () => {
    const world = await start({ access: { apiKeys: [KEY] } })
    const response = await fetch(world.gateway.url + addressOf('course'))
    expect([response.status, response.headers.get('cache-control')]).toEqual([401, 'no-store'])
    await world.close()
  })
})

/** The application password of a demo user. */
function passwordOf(login: Login): string {
  return Buffer.from(authorizationOf(login).slice('Basic '.length), 'base64')
    .toString()
    .replace(/^[^:]*:/, '')
}

describe('answers to GET', () => {
  it('may not be kept when they have stale data', async () => {
    const site = await FakeSite.start((_, response) => json(response, [{ slug: 'free', name: 'Free' }]))
    const text = '{ priceTypes { slug } }'
    const options: GatewayOptions = {
      site: { url: site.url },
      cache: { staleIfError: 60 },
      protection: { retries: 0 },
      http: { maxAge: 60, operations: new Map([['x', text]]) },
    }
    const gateway = createGateway(options)
    const get = () => gateway.fetch(`http://localhost/graphql?${new URLSearchParams({ query: text })}`)
    expect((await get()).headers.get('cache-control')).toBe('public, max-age=60')
    site.handler = (_, response) => response.writeHead(503).end()
    const stale = await get()
    expect(await stale.json()).toMatchObject({ data: { priceTypes: [{ slug: 'free' }] }, extensions: { stale: {} } })
    expect([stale.headers.get('cache-control'), stale.headers.get('etag')]).toEqual(['no-store', null])
    await gateway.close()
    await site.close()
  })

  it('may not be kept when the cache of the gateway answered with stale data', async () => {
    const world = await start({ cache: { maxAge: 1, staleWhileRevalidate: 60 } })
    const kept = async () => (await fetch(world.gateway.url + addressOf('course'))).headers.get('cache-control')
    expect([await kept(), await kept()]).toEqual(['public, max-age=300', 'public, max-age=300'])
    await sleep(1_100)
    expect(await kept()).toBe('no-store')
    await expect.poll(kept).toBe('public, max-age=300')
    await world.close()
  })

  it.each(['during', 'before'])(
    'may not be kept when a write was running while they were read: one that began %s the read',
    async (when) => {
      const held: ServerResponse[] = []
      const site = await FakeSite.start(({ method }, response) =>
        method === 'POST' || held.length === 0 ? void held.push(response) : json(response, []),
      )
      const text = '{ courses(first: 1) { nodes { title } } }'
      const gateway = createGateway({
        site: { url: site.url },
        http: { maxAge: 60, operations: new Map([['x', text]]) },
        cache: { maxAge: 60 },
      })
      const get = () => gateway.fetch(`http://localhost/graphql?${new URLSearchParams({ query: text })}`)
      const write = () =>
        gateway.fetch('http://localhost/graphql', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query: 'mutation { updateCourse(input: { id: 1, price: "3" }) { __typename } }' }),
        })
      const [first, second] = when === 'during' ? [get, write] : [write, get]
      const running = first()
      await expect.poll(() => held.length).toBe(1)
      const later = second()
      if (when === 'during') await expect.poll(() => held.length).toBe(2)
      else expect((await later).headers.get('cache-control')).toBe('no-store')
      for (const response of held) json(response, response.req.method === 'POST' ? { id: 1 } : [])
      const [one, other] = [await running, await later]
      expect((when === 'during' ? one : other).headers.get('cache-control')).toBe('no-store')
      expect((await get()).headers.get('cache-control')).toBe('public, max-age=60')
      await gateway.close()
      await site.close()
    },
  )

  it('are the same from `gateway.fetch`', async () => {
    const world = await start()
    const gateway = createGateway({ site: { url: world.lms.url }, http: { maxAge: MAX_AGE, operations } })
    const accept = 'application/json'
    const own = await gateway.fetch(`http://localhost${addressOf('course')}`, { headers: { accept } })
    const served = await fetch(world.gateway.url + addressOf('course'), { headers: { accept } })
    for (const name of ['cache-control', 'etag', 'vary', 'cache-tag', 'surrogate-key'])
      expect([name, own.headers.get(name)]).toEqual([name, served.headers.get(name)])
    const headers = { accept, 'if-none-match': own.headers.get('etag') as string }
    const again = await gateway.fetch(`http://localhost${addressOf('course')}`, { headers })
    expect([again.status, await again.text()]).toEqual([304, ''])
    await gateway.close()
    await world.close()
  })

  it('have short headers, also with many records', async () => {
    const world = await start({ http: { maxAge: 60 }, limits: { maxRows: 1_000 } })
    const ids = Array.from({ length: 450 }, (_, each) => String(10_001 + each))
    const few = await fetch(world.gateway.url + addressOf('byIds', { in: ids.slice(0, 100) }))
    expect(listed(few.headers.get('surrogate-key'), ' ')).toContain('course:10100')
    const text = 'query ($a: [ID!]) { courses(first: 500, where: { id: { in: $a } }) { nodes { title } } }'
    const many = create({
      site: { url: world.lms.url },
      http: { maxAge: 60, operations: new Map([['x', text]]) },
      tuning: { limits: { maxListItems: 1_000 } },
    })
    const response = await many.fetch(
      `http://localhost/graphql?${new URLSearchParams({ query: text, variables: JSON.stringify({ a: ids }) })}`,
    )
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=60'])
    expect(listed(response.headers.get('surrogate-key'), ' ')).toEqual(['course', 'courses', 'site'])
    await many.close()
    await world.close()
  })

  it('have no ages without the option', async () => {
    const world = await World.start({ http: { operations } })
    const response = await fetch(world.gateway.url + addressOf('course'))
    expect([response.headers.get('cache-control'), response.headers.get('etag')]).toEqual(['no-store', null])
    await world.close()
  })
})

describe('results of a subgraph', () => {
  it.each([{}, { tuning: { shortPath: false } }])('have tags when they are public, and `Vary` of pages only with %o', async (options) => {
    const world = await World.start({
      subgraph: { enabled: true },
      http: { maxAge: 60, corsOrigins: ['https://app.example.org'] },
      ...options,
    })
    const query = `{ _entities(representations: [{ __typename: "Course", id: "${globalId('Course', 10001)}" }]) { ... on Course { title } } }`
    const open = await world.gateway.post({ query })
    expect((await open.json()) as object).not.toHaveProperty('errors')
    expect([open.headers.get('cache-control'), open.headers.get('etag'), open.headers.get('vary')]).toEqual([
      'public, max-age=60',
      null,
      'origin',
    ])
    expect(listed(open.headers.get('surrogate-key'), ' ')).toContain('course:10001')
    const own = await world.gateway.post({ query }, as('learner'))
    expect([own.headers.get('cache-control'), own.headers.get('surrogate-key')]).toEqual(['private, max-age=60', null])
    await world.close()
  })

  it('are private where callers without a key are allowed beside others', async () => {
    const world = await World.start({ subgraph: { enabled: true }, http: { maxAge: 60 }, access: { apiKeys: [KEY], open: true } })
    const response = await world.gateway.post({ query: '{ course(id: 10001) { title } }' })
    expect(response.headers.get('cache-control')).toBe('private, max-age=60')
    await world.close()
  })
})

describe('`http.maxAge`', () => {
  it.each<[string, Partial<GatewayOptions>, RegExp]>([
    [
      'an unknown type',
      { http: { maxAge: { Curse: 1 } } },
      /`http\.maxAge` has `Curse`, but the graph has no such object type; did you mean `Course`\?/,
    ],
    ['a negative age', { http: { maxAge: -1 } }, /`http\.maxAge` is `-1`; it must be seconds, for all types or by type/],
    [
      'an unknown type of a subgraph',
      { subgraph: { enabled: true }, http: { maxAge: { Curse: 1 } } },
      /`http\.maxAge` has `Curse`, but the subgraph has no such object type/,
    ],
    ['no trusted documents', { http: { operations: undefined } }, /`http\.maxAge` has no effect without `http\.operations`/],
  ])('is refused with %s', (_, options, message) => {
    const given = merged({ site: { url: 'http://127.0.0.1:1' }, http: { maxAge: 60, operations } }, options)
    expect(() => createGateway(given)).toThrow(message)
  })
})
