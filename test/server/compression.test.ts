import { createHash } from 'node:crypto'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readManifest } from '../../src/operations/manifest.js'
import { compress, encodingFor } from '../../src/server/http/compression.js'
import { create } from '../support/served.js'
import { World } from '../support/world.js'

interface Received {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  /** The body as it was sent. */
  readonly body: Buffer
}

/** An answer long enough to be compressed, and one that is too short. */
const LONG = '{ courses(first: 20) { nodes { id title content } } }'
const SHORT = '{ course(id: 10001) { title } }'

const decoders = { gzip: gunzipSync, br: brotliDecompressSync }

/** The text of an answer. */
function textOf({ headers, body }: Received): string {
  const encoding = headers['content-encoding'] as keyof typeof decoders | undefined
  return (encoding ? decoders[encoding](body) : body).toString()
}

/** Sends a request, and receives its answer as it is. */
function receive(method: string, url: string, headers: Record<string, string>, body = ''): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

describe.each([
  ['the fast JSON path', true],
  ['Yoga', false],
])('an answer by %s', (_, shortPath) => {
  let world: World
  beforeAll(async () => {
    const operations = readManifest(
      JSON.stringify({
        [createHash('sha256').update(LONG).digest('hex')]: LONG,
        [createHash('sha256').update(SHORT).digest('hex')]: SHORT,
      }),
    )
    const maxAge = { Course: 60 }
    world = await World.start({
      tuning: { shortPath },
      http: { operations, maxAge, corsOrigins: ['https://app.example.org'] },
    })
  })
  afterAll(() => world.close())

  const send = (method: string, path: string, headers: Record<string, string>, body?: string): Promise<Received> =>
    receive(method, world.gateway.url + path, headers, body)

  const post = (query: string, headers: Record<string, string> = {}): Promise<Received> =>
    send('POST', '/graphql', { 'content-type': 'application/json', accept: 'application/json', ...headers }, JSON.stringify({ query }))

  const get = (query: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Received> =>
    send(method, `/graphql?${new URLSearchParams({ query })}`, { accept: 'application/json', ...headers })

  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['*', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0.1', 'gzip'],
    ['identity;q=0, gzip', 'gzip'],
  ])('is compressed for Accept-Encoding: %s, in %s', async (accepted, encoding) => {
    const plain = await post(LONG)
    const compressed = await post(LONG, { 'accept-encoding': accepted })
    expect(compressed.status).toBe(200)
    expect(compressed.headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(compressed.body.length),
      'content-type': 'application/json; charset=utf-8',
      vary: expect.stringMatching(/accept-encoding/i),
    })
    expect(textOf(compressed)).toBe(plain.body.toString())
    expect(compressed.body.length).toBeLessThan(plain.body.length / 2)
  })

  it.each([
    ['', {}],
    ['identity', {}],
    ['deflate, zstd', {}],
    ['gzip;q=0, br;q=0', {}],
    ['*;q=0', {}],
    ['identity, gzip;q=0.5', {}],
    ['gzip;q=wrong', {}],
    ['gzip', { 'cache-control': 'max-age=0, no-transform' }],
  ])('is not compressed for Accept-Encoding: %s and %o', async (accepted, headers) => {
    const plain = await post(LONG, { 'accept-encoding': accepted, ...headers })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers['content-length']).toBe(String(plain.body.length))
    expect(Object.keys(JSON.parse(plain.body.toString()))).toEqual(['data'])
  })

  it('is not compressed below 1 kB', async () => {
    const { headers, body } = await post(SHORT, { 'accept-encoding': 'gzip, br' })
    expect([headers['content-encoding'], headers['content-length']]).toEqual([undefined, String(body.length)])
  })

  it('keeps the headers of security and CORS, with both request headers in `Vary`', async () => {
    const origin = { origin: 'https://app.example.org' }
    const plain = await post(LONG, origin)
    const { headers } = await post(LONG, { ...origin, 'accept-encoding': 'br' })
    for (const name of ['access-control-allow-origin', 'content-security-policy', 'x-content-type-options', 'x-frame-options'])
      expect([name, headers[name]]).toEqual([name, plain.headers[name]])
    expect(headers.vary?.toLowerCase().split(/, */).sort()).toEqual(['accept-encoding', 'origin'])
  })

  it('to introspection is compressed', async () => {
    const query = '{ __schema { types { name fields { name description type { name } } } } }'
    const { headers, body } = await post(query, { 'accept-encoding': 'gzip' })
    expect(headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(body).length).toBeGreaterThan(5 * body.length)
  })

  it('with an error is compressed when it is long', async () => {
    const query = `{ ${Array.from({ length: 9 }, (_, at) => `wrongField${at}: wrongField${at}`).join(' ')} }`
    const answer = await post(query, { 'accept-encoding': 'gzip' })
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, 'gzip'])
    expect(JSON.parse(textOf(answer)).errors).toHaveLength(9)
  })

  it('to GET has one ETag for all encodings, which is answered with 304', async () => {
    const [plain, gzip, br] = await Promise.all([
      get(LONG),
      get(LONG, { 'accept-encoding': 'gzip' }),
      get(LONG, { 'accept-encoding': 'br' }),
    ])
    expect([plain, gzip, br].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip', 'br'])
    for (const each of [gzip, br]) {
      expect(textOf(each)).toBe(plain.body.toString())
      expect(each.headers['content-length']).toBe(String(each.body.length))
      for (const name of ['etag', 'vary', 'cache-control', 'cache-tag'])
        expect([name, each.headers[name]]).toEqual([name, plain.headers[name]])
    }
    expect(plain.headers.vary?.split(/, */).filter((name) => name === 'accept-encoding')).toHaveLength(1)
    const etag = plain.headers.etag as string
    expect(etag).toMatch(/^W\//)
    for (const encoding of ['identity', 'gzip', 'br']) {
      const known = await get(LONG, { 'if-none-match': etag, 'accept-encoding': encoding })
      expect([known.status, known.body.length, known.headers['content-encoding'], known.headers.etag]).toEqual([304, 0, undefined, etag])
      expect(known.headers.vary).toBe(plain.headers.vary)
    }
  })

  it('that is short names Accept-Encoding in `Vary` too where caches may keep it', async () => {
    const { headers } = await get(SHORT, { 'accept-encoding': 'gzip' })
    expect([headers['content-encoding'], headers['cache-control']]).toEqual([undefined, 'public, max-age=60'])
    expect(headers.vary?.split(/, */)).toContain('accept-encoding')
  })

  it('from `gateway.fetch` is left to the program that sends it', async () => {
    const gateway = create({ site: { url: world.lms.url } })
    const headers = { 'content-type': 'application/json', 'accept-encoding': 'gzip, br' }
    const response = await gateway.fetch('http://localhost/graphql', { method: 'POST', headers, body: JSON.stringify({ query: LONG }) })
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(await response.text()).toBe((await post(LONG)).body.toString())
    await gateway.close()
  })

  it('of a client that leaves meanwhile does no harm', async () => {
    await Promise.all(
      Array.from({ length: 20 }, () => {
        const left = new AbortController()
        const headers = { 'content-type': 'application/json', 'accept-encoding': 'br' }
        const asked = fetch(`${world.gateway.url}/graphql`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ query: LONG }),
          signal: left.signal,
        })
        setTimeout(() => left.abort(), 5 + Math.random() * 20)
        return asked.then((response) => response.text()).catch(() => {})
      }),
    )
    expect(textOf(await post(LONG, { 'accept-encoding': 'br' }))).toBe((await post(LONG)).body.toString())
  })

  it('is the same when many are compressed at once', async () => {
    const plain = (await post(LONG)).body.toString()
    const all = await Promise.all(Array.from({ length: 100 }, (_, at) => post(LONG, { 'accept-encoding': at % 2 ? 'gzip' : 'br' })))
    expect(all.filter((each) => textOf(each) !== plain)).toEqual([])
  })
})

describe('the files of GraphiQL', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start({ http: { graphiql: true } })
  })
  afterAll(() => world.close())

  const ask = (method: string, path: string, encoding: string): Promise<Received> =>
    receive(method, world.gateway.url + path, { accept: 'text/html', 'accept-encoding': encoding })

  it('are compressed when they are asked for, but those that the build has compressed are sent to clients that accept gzip', async () => {
    const html = (await ask('GET', '/graphql', 'identity')).body.toString()
    const script = `/${/graphql\/graphiql\/assets\/[\w.-]+\.js/.exec(html)?.[0]}`
    for (const [path, both] of [
      ['/graphql', 'br'],
      [script, 'gzip'],
    ] as const) {
      const all = await Promise.all(['identity', 'br, gzip', 'br'].map((encoding) => ask('GET', path, encoding)))
      expect([path, ...all.map(({ headers }) => headers['content-encoding'])]).toEqual([path, undefined, both, 'br'])
      const [plain, ...others] = all as [Received, ...Received[]]
      for (const each of others) {
        expect(textOf(each) === plain.body.toString()).toBe(true)
        expect([each.headers['content-length'], each.headers.etag]).toEqual([String(each.body.length), plain.headers.etag])
        expect(each.headers.vary).toBe(plain.headers.vary)
      }
    }
  })

  it.each(['identity', 'gzip', 'br'])('have the same headers for HEAD, with Accept-Encoding: %s', async (encoding) => {
    const [get, head] = await Promise.all([ask('GET', '/graphql', encoding), ask('HEAD', '/graphql', encoding)])
    const shown = ({ headers: { date: _, 'x-request-id': __, 'content-length': length, ...headers } }: Received) => headers
    expect([shown(head), head.body.length]).toEqual([shown(get), 0])
    // The length of what is compressed for an answer is not known before.
    expect(head.headers['content-length']).toBe(encoding === 'identity' ? get.headers['content-length'] : undefined)
  })
})

describe('the memory of compressors', () => {
  const accepting = { headers: { 'accept-encoding': 'gzip' } } as unknown as IncomingMessage

  it('is bounded: beyond, answers are sent without compression', async () => {
    expect(encodingFor(accepting, 2_000)).toBe('gzip')
    const all = Array.from({ length: 300 }, () => (encodingFor(accepting, 2_000) ? compress('x'.repeat(2_000), 'gzip') : undefined))
    const running = all.filter((each) => each !== undefined)
    expect(running.length).toBeGreaterThan(200)
    expect(running.length).toBeLessThan(300)
    expect(encodingFor(accepting, 2_000)).toBeUndefined()
    await Promise.all(running)
    expect(encodingFor(accepting, 2_000)).toBe('gzip')
    expect(encodingFor(accepting, 100_000_000)).toBeUndefined()
  })
})
