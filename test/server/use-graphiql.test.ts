import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createSchema, createYoga } from 'graphql-yoga'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useGraphiQL } from '../../src/server/http/plugins/use-graphiql.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { create } from '../support/served.js'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
/** A built page, with a link to one of its files. */
const BUILT = '<!doctype html><title>page</title><script src="./assets/main-1a2b.js"></script>'
/** The page as it is served. */
const PAGE = BUILT.replace('./', './graphql/graphiql/')
const SCRIPT = 'console.log(1)'
const users = [{ login: 'learner', name: 'Lena', role: 'subscriber', authorization: 'Basic abc' }]
const config = { users, embedded: true, explain: true, signIn: ['password'], maxCalls: 300 } as const
const NOTHING = { description: '', folder: '', group: null, role: null, variables: null, ids: null, choose: null, needs: null }
const OPERATIONS = [{ ...NOTHING, name: 'Hello', kind: 'query', title: 'Hello', query: 'query Hello { hello }' } as const]

let directory: string
let server: Server

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'graphiql-'))
  const plugins = [useGraphiQL({ config, operations: () => OPERATIONS, directory: join(directory, 'built') })]
  const schema = createSchema({ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'hi' } } })
  const yoga = createYoga({ schema, plugins, graphiql: false, landingPage: false, logging: false })
  server = createServer(yoga)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
  await rm(directory, { recursive: true })
})

/** Sends the path exactly as given, as `fetch` would not. */
function send(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const { port } = server.address() as AddressInfo
    const call = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
    })
    call.on('error', reject).end(body)
  })
}

describe('useGraphiQL', () => {
  it('answers with how to build a missing page, and still answers operations', async () => {
    const page = await send('GET', '/graphql', { accept: BROWSER })
    expect(page).toMatchObject({ status: 503, headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' } })
    expect(page.body.toString()).toContain('npm run build:graphiql')
    const answer = await send('POST', '/graphql', { 'content-type': 'application/json' }, '{"query":"{ hello }"}')
    expect(JSON.parse(answer.body.toString())).toEqual({ data: { hello: 'hi' } })
  })

  describe('with the page built since', () => {
    beforeAll(async () => {
      const built = join(directory, 'built')
      await mkdir(join(built, 'assets'), { recursive: true })
      await writeFile(join(directory, 'secret.txt'), 'secret')
      await writeFile(join(built, 'index.html'), BUILT)
      await writeFile(join(built, 'assets/main-1a2b.js.gz'), gzipSync(SCRIPT))
      await writeFile(join(built, 'assets/style-3c4d.css'), 'a{}')
      await writeFile(join(built, 'assets/font-5e6f.woff2'), Buffer.from([0, 255, 1]))
    })

    it('serves the page to browsers under a strict policy', async () => {
      const { status, headers, body } = await send('GET', '/graphql?query=%7Bhello%7D', { accept: BROWSER })
      expect(status).toBe(200)
      expect(body.toString()).toBe(PAGE)
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-length': String(PAGE.length),
        'cache-control': 'no-cache',
        vary: 'accept, accept-encoding',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
      })
      const policy = Object.fromEntries((headers['content-security-policy'] as string).split('; ').map((part) => part.split(/ (.*)/)))
      expect(policy).toMatchObject({
        'default-src': "'none'",
        'script-src': "'self'",
        'connect-src': "'self'",
        'frame-ancestors': "'none'",
      })
    })

    it('answers a matching ETag with 304 without a body', async () => {
      const { headers } = await send('GET', '/graphql', { accept: BROWSER })
      const again = await send('GET', '/graphql', { accept: BROWSER, 'if-none-match': headers.etag as string })
      expect(again).toMatchObject({ status: 304, body: Buffer.alloc(0), headers: { etag: headers.etag } })
    })

    it.each([
      [undefined, 'graphql'],
      ['*/*', 'graphql'],
      ['application/json', 'graphql'],
      ['application/json, text/html', 'graphql'],
      ['text/html;q=0.5, application/graphql-response+json', 'graphql'],
      ['text/html;q=0, */*', 'graphql'],
      ['text/html', 'page'],
      ['application/json;q=0.5, text/html;q=0.6', 'page'],
      ['TEXT/HTML, application/json; q=0.9', 'page'],
    ])('Accept: %s gets the %s', async (accept, expected) => {
      const { body } = await send('GET', '/graphql?query=%7Bhello%7D', accept ? { accept } : {})
      expect(body.toString()).toBe(expected === 'page' ? PAGE : '{"data":{"hello":"hi"}}')
    })

    it.each(['/graphiql', '/graphiql/'])('%s redirects to the page', async (path) => {
      expect(await send('GET', path)).toMatchObject({ status: 302, headers: { location: '/graphql' } })
    })

    it('serves the configuration of the page', async () => {
      const { headers, body } = await send('GET', '/graphiql/config.json')
      expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
      expect(JSON.parse(body.toString())).toEqual(config)
    })

    it('serves the operations of the collection, which browsers ask for again, and get when they have changed', async () => {
      const { headers, body } = await send('GET', '/graphiql/operations.json')
      expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' })
      expect(JSON.parse(body.toString())).toEqual({ operations: OPERATIONS })
      const again = (etag: string) => send('GET', '/graphiql/operations.json', { 'if-none-match': etag })
      expect(await again(headers.etag as string)).toMatchObject({ status: 304, body: Buffer.alloc(0) })
      expect((await again('W/"of-others"')).status).toBe(200)
    })

    it.each([
      ['main-1a2b.js', 'text/javascript; charset=utf-8'],
      ['style-3c4d.css', 'text/css; charset=utf-8'],
      ['font-5e6f.woff2', 'font/woff2'],
    ])('serves %s as %s, immutable', async (name, type) => {
      const { status, headers } = await send('GET', `/graphiql/assets/${name}`)
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      })
    })

    it('sends the compressed file to clients that accept it, and decompresses it for others', async () => {
      const plain = await send('GET', '/graphiql/assets/main-1a2b.js')
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect(plain.headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'content-length': String(SCRIPT.length),
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      })
      expect(plain.body.toString()).toBe(SCRIPT)
      const zipped = await send('GET', '/graphiql/assets/main-1a2b.js', { 'accept-encoding': 'gzip, deflate, br' })
      expect(zipped.headers).toMatchObject({
        'content-encoding': 'gzip',
        vary: 'accept-encoding',
        'content-length': String(zipped.body.length),
      })
      expect(gunzipSync(zipped.body).toString()).toBe(SCRIPT)
      // A weak tag is the same for both encodings: a cache may answer either.
      expect(zipped.headers.etag).toMatch(/^W\//)
      expect(plain.headers.etag).toBe(zipped.headers.etag)
      for (const encodings of ['', 'gzip']) {
        const known = { 'accept-encoding': encodings, 'if-none-match': zipped.headers.etag as string }
        expect(await send('GET', '/graphiql/assets/main-1a2b.js', known)).toMatchObject({ status: 304, body: Buffer.alloc(0) })
      }
      for (const [accepted, encoding] of [
        ['gzip;q=0', undefined],
        ['gzip;q=0.5', 'gzip'],
        ['*', 'gzip'],
        ['identity, gzip;q=0.5', undefined],
        ['not-gzip', undefined],
      ] as const) {
        const { headers } = await send('GET', '/graphiql/assets/main-1a2b.js', { 'accept-encoding': accepted })
        expect([accepted, headers['content-encoding']]).toEqual([accepted, encoding])
      }
    })

    it.each([
      ['/graphql', ''],
      ['/graphiql/assets/main-1a2b.js', ''],
      ['/graphiql/assets/main-1a2b.js', 'gzip'],
      ['/graphiql/nothing', ''],
    ])('HEAD %s has the headers of GET and no body, with Accept-Encoding: %s', async (path, encodings) => {
      const sent = { accept: BROWSER, 'accept-encoding': encodings }
      const get = await send('GET', path, sent)
      const head = await send('HEAD', path, sent)
      const { date: _getDate, ...expected } = get.headers
      expect(head).toMatchObject({ status: get.status, body: Buffer.alloc(0), headers: expected })
    })

    it.each([
      '/graphiql/nothing',
      '/graphiql/index.html',
      '/graphiql/assets',
      '/graphiql/assets/',
      '/graphiql/assets/main-1a2b.js.gz',
      '/graphiql/assets/../index.html',
      '/graphiql/assets/..%2f..%2fsecret.txt',
      '/graphiql/assets/..%5c..%5csecret.txt',
      '/graphiql/assets//etc/passwd',
      '/graphiql/__proto__',
    ])('answers 404 in plain text to %s', async (path) => {
      const { status, headers, body } = await send('GET', path)
      expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'text/plain; charset=utf-8' })
      expect(body.toString()).toMatch(/^GraphiQL has no file \/graphiql/)
    })

    it.each(['/graphiql/assets/../../secret.txt', '/graphiql/assets/%2e%2e/%2e%2e/secret.txt', '/graphiql/../../secret.txt'])(
      'reads nothing outside its folder: %s',
      async (path) => {
        const { status, body } = await send('GET', path)
        expect(status).toBe(404)
        expect(body.toString()).not.toBe('secret')
      },
    )

    it.each(['/graphiqlx', '/', '/other'])('does not answer %s', async (path) => {
      expect((await send('GET', path, { accept: BROWSER })).body.toString()).not.toContain('GraphiQL')
    })
  })
})

describe('the configuration of the page of a gateway', () => {
  const account = { site: { user: 'editor', password: 'xkcd-secret' } }
  const apiKeys = ['some-key-0123456789']
  const jwt = { jwtIssuer: 'https://id.example.org', jwtAudience: 'lms', jwtKey: 'a-secret-of-more-than-32-characters' }
  const site = { users: [], embedded: false, explain: false, signIn: ['password', 'bearer'], maxCalls: 300 }

  it.each([
    ['a site', {}, site],
    [
      'a site with a budget and explanations',
      { limits: { maxCalls: 7 }, observe: { explainFor: ['callers'] } },
      { ...site, maxCalls: 7, explain: true },
    ],
    ['a site, with API keys', { access: { apiKeys } }, { ...site, signIn: ['password', 'bearer', 'apiKey'] }],
    ['an open service account', { ...account, access: { open: true } }, { ...site, signIn: [] }],
    ['a service account with keys', { ...account, access: { apiKeys } }, { ...site, signIn: ['apiKey'] }],
    ['a service account with tokens', { ...account, access: { ...jwt, apiKeys } }, { ...site, signIn: ['bearer', 'apiKey'] }],
    ['the embedded LMS', { tuning: { users } }, { ...site, users, embedded: true }],
    [
      'the embedded LMS with an account',
      { ...account, access: { open: true }, tuning: { users } },
      { ...site, embedded: true, signIn: [] },
    ],
  ] as [string, TunedOptions, object][])('in front of %s', async (_, options, expected) => {
    const gateway = create(merged({ site: { url: 'http://127.0.0.1:9' } }, options))
    const answer = await gateway.fetch('http://127.0.0.1/graphiql/config.json')
    const text = await answer.text()
    expect(JSON.parse(text)).toEqual(expected)
    for (const secret of [account.site.user, account.site.password, jwt.jwtKey, ...apiKeys]) expect(text).not.toContain(secret)
    await gateway.close()
  })
})
