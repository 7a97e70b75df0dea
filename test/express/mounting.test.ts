import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions, type OperationEvent } from '../../src/index.js'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { exchange, piecesOf } from '../server/raw.js'
import { SECRET, signed } from '../support/hooks.js'
import { merged } from '../support/merged.js'
import { authorizationOf } from '../support/world.js'

const QUERY = '{ courses(first: 1) { nodes { databaseId } } }'
const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8'

let lms: RunningLms
const closers: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  lms = await startLms()
})
afterAll(async () => {
  for (const close of closers.reverse()) await close()
  await lms.close()
})

/** Starts an app around a gateway. */
async function start(app: (gateway: Gateway) => RequestListener, options: Partial<GatewayOptions> = {}): Promise<string> {
  const gateway = createGateway(merged({ site: { url: lms.url }, observe: { metrics: true } }, options))
  const server = createServer(app(gateway))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(async () => {
    server.close()
    server.closeAllConnections()
    await gateway.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const post = (url: string, body: string | object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  })

const statusOf = async (url: string, init?: RequestInit): Promise<number> => {
  const response = await fetch(url, init)
  await response.arrayBuffer()
  return response.status
}

describe.each<[string, (gateway: Gateway) => RequestListener, string, string | undefined]>([
  ['by itself', (gateway) => gateway.handle, '/graphql', undefined],
  ['by itself, with a path', (gateway) => gateway.handle, '/api/lms', '/api/lms'],
  ['by itself, at the root', (gateway) => gateway.handle, '/', '/'],
  ['mounted at the default path', (gateway) => express().use('/graphql', gateway.handle), '/graphql', undefined],
  ['mounted by Express', (gateway) => express().use('/api/lms', gateway.handle), '/api/lms', undefined],
  ['mounted by Express, with a path', (gateway) => express().use('/api/lms', gateway.handle), '/api/lms', '/api/lms'],
  ['mounted below a router', (gateway) => express().use('/api', express.Router().use('/lms', gateway.handle)), '/api/lms', undefined],
  ['in Express without a mount', (gateway) => express().use(gateway.handle), '/graphql', undefined],
])('a gateway %s', (_, app, path, option) => {
  let origin: string
  let url: string
  const events: OperationEvent[] = []
  beforeAll(async () => {
    origin = await start(app, { http: { path: option }, on: { operation: (event) => events.push(event) } })
    url = `${origin}${path}`
  })
  const prefix = path === '/' ? '' : path

  it('answers operations on both paths, and logs them', async () => {
    events.length = 0
    for (const accept of ['application/json', 'multipart/mixed']) {
      const response = await post(url, { query: QUERY }, { accept })
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"databaseId":')])
    }
    expect(await statusOf(`${url}?query=${encodeURIComponent(QUERY)}`)).toBe(200)
    await expect.poll(() => events.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok'])
  })

  it('links the files of the page so that browsers find them', async () => {
    const page = await fetch(url, { headers: { accept: BROWSER } })
    const links = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => new URL(link as string, url))
    expect(links.length).toBeGreaterThan(3)
    const made = ['config', 'operations'].map((name) => `${prefix}/graphiql/${name}.json`)
    expect(links.map(({ pathname }) => pathname).filter((pathname) => made.includes(pathname))).toEqual(made)
    for (const { href, pathname } of links) {
      expect(pathname.startsWith(`${prefix}/graphiql/assets/`)).toBe(!made.includes(pathname))
      expect(await statusOf(href)).toBe(200)
    }
    const away = await fetch(`${origin}${prefix}/graphiql`, { redirect: 'manual' })
    expect([away.status, away.headers.get('location')]).toEqual([302, path])
  })

  it('has health and metrics below the path', async () => {
    for (const below of ['/health/live', '/health/ready']) expect(await statusOf(`${origin}${prefix}${below}`)).toBe(200)
    // Proxies may pass everything below the default path.
    for (const below of ['/metrics', '/health/site'])
      expect(await statusOf(`${origin}${prefix}${below}`)).toBe(path === '/graphql' ? 404 : 200)
  })

  it.each(['/none', '/graphiql/none.js', '/health/none', '/none/health/live', '/none/graphql', '/assets/none.js'])(
    'answers 404 for %s',
    async (below) => {
      expect(await statusOf(`${origin}${prefix}${below}`)).toBe(404)
      expect((await post(`${origin}${prefix}${below}`, { query: QUERY })).status).toBe(404)
    },
  )

  it.skipIf(path === '/graphql' || path === '/')('answers nothing at the default path', async () => {
    for (const other of ['/graphql', '/health/live', '/metrics', '/graphiql/config.json', `${path}x`])
      expect([other, await statusOf(`${origin}${other}`)]).toEqual([other, 404])
  })
})

it('serves health and metrics beside the default path, too', async () => {
  const origin = await start((gateway) => gateway.handle)
  for (const path of ['/health/live', '/health/site', '/metrics', '/graphiql/config.json', '/graphql/health/live'])
    expect([path, await statusOf(`${origin}${path}`)]).toEqual([path, 200])
  // The address ends like that of the health of the process.
  const response = await fetch(`${origin}/graphql?query=/health/live`, { headers: { accept: 'application/json' } })
  expect(await response.text()).toContain('Syntax Error')
})

it('escapes a path in the page', async () => {
  const origin = await start((gateway) => express().use('/:school', gateway.handle))
  const page = await (await fetch(`${origin}/a&quot;b'c%22%3E`, { headers: { accept: BROWSER } })).text()
  expect(page).toContain(`src="./a&amp;quot;b'c%22%3E/graphiql/assets/`)
})

it('refuses whole addresses in the first line when a framework keeps them', async () => {
  const origin = await start((gateway) => express().use(gateway.handle))
  const path = `http://example.org/graphql?query=${encodeURIComponent(QUERY)}`
  const answer = String(await exchange(origin, piecesOf({ method: 'GET', path })))
  expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*The address must be a path\./)
})

describe('a path that URL parsers change', () => {
  const HOSTS = {
    'a socket': (gateway: Gateway): RequestListener => gateway.handle,
    Express: (gateway: Gateway): RequestListener => express().use('/graphql', gateway.handle).use(gateway.handle),
  }
  const PATHS = [
    '/graphql/../metrics',
    '/graphql/%2e%2e/metrics',
    '/graphql/%2E%2e%2fmetrics',
    '/graphql/..%2Fmetrics',
    '/graphql/.%2E/metrics',
    '/graphql/..\\metrics',
    '/graphql/..%5cmetrics',
    '/graphql\\..\\metrics',
    '/graphql/../hooks/site',
    '/graphql/../graphql',
    '/graphql/.',
    '/graphql/./',
    '/graphql/%2e',
    '/graphql/..',
    '/..',
    '/../graphql',
    '/graphql#/../metrics',
    '//graphql',
    '//example.org/graphql',
    '/graphql/\tmetrics',
    'http://gateway.test/graphql/../metrics',
    'http://gateway.test/graphql/%2E%2E/metrics',
    'http://gateway.test//graphql',
    'http://gateway.test\\metrics',
    'HTTP://gateway.test/graphql/..\\metrics',
  ]

  describe.each(Object.keys(HOSTS) as (keyof typeof HOSTS)[])('by %s', (name) => {
    let origin: string
    beforeAll(async () => {
      origin = await start(HOSTS[name], { observe: { metrics: 'open' }, hooks: { secret: 'x'.repeat(32) } })
    })
    const status = async (method: string, path: string): Promise<string> =>
      String(
        await exchange(
          origin,
          piecesOf({
            method,
            path,
            ...(method === 'POST' && { body: JSON.stringify({ query: QUERY }), headers: { 'content-type': 'application/json' } }),
          }),
        ),
      ).slice(9, 12)

    it.each(PATHS)('is 400: %s', async (path) => {
      for (const method of ['GET', 'POST']) expect([method, path, await status(method, path)]).toEqual([method, path, '400'])
    })

    it('is no other path, and no query', async () => {
      for (const path of [
        '/graphql?query={__typename}&a=/../b\\c/%2e%2e/d',
        '/graphql/?query={__typename}&x=..',
        '/metrics',
        '/metrics?x=/../y',
      ])
        expect([path, await status('GET', path)]).toEqual([path, '200'])
      for (const path of ['/graphql/a..b', '/graphql/...', '/graphql/..a', '/graphql/a%2Fb', '/graphql//metrics', '/graphql/health/site'])
        expect([path, await status('GET', path)]).toEqual([path, '404'])
      if (name === 'Express') return
      for (const path of ['http://gateway.test/graphql?query={__typename}&a=/../b', 'http://gateway.test/metrics'])
        expect([path, await status('GET', path)]).toEqual([path, '200'])
    })
  })
})

describe('a body that was read before', () => {
  const PARSERS = {
    'express.json()': express.json({ limit: '1mb' }),
    'express.text()': express.text({ type: '*/*', limit: '1mb' }),
    'express.raw()': express.raw({ type: '*/*', limit: '1mb' }),
  } as const

  describe.each(Object.keys(PARSERS) as (keyof typeof PARSERS)[])('by %s', (name) => {
    let url: string
    beforeAll(async () => {
      url = `${await start((gateway) => express().use(PARSERS[name]).use('/graphql', gateway.handle))}/graphql`
    })

    it.each(['application/json', 'multipart/mixed'])('is taken from the request, for an answer in %s', async (accept) => {
      const query = 'query ($id: ID!) { course(id: $id) { databaseId } }'
      const response = await post(url, { query, variables: { id: '10001' } }, { accept })
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('{"data":{"course":{"databaseId":10001}}}')])
    })

    it.each(['application/json', 'multipart/mixed'])('is taken from requests without a length, for an answer in %s', async (accept) => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(JSON.stringify({ query: QUERY })))
          controller.close()
        },
      })
      const headers = { 'content-type': 'application/json', accept }
      const response = await fetch(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"databaseId":')])
    })

    it('keeps the credentials of its caller', async () => {
      const query = '{ question(id: 500001) { databaseId } }'
      const [admin, anonymous] = await Promise.all([
        post(url, { query }, { authorization: authorizationOf('admin') }),
        post(url, { query }),
      ])
      expect((await admin.json()).data.question).toEqual({ databaseId: 500_001 })
      expect((await anonymous.json()).data.question).toBeNull()
    })

    it.each(['application/json', 'multipart/mixed'])('is refused over the limit of the gateway, for an answer in %s', async (accept) => {
      const response = await post(url, { query: `${QUERY} # ${'x'.repeat(200_000)}` }, { accept })
      expect([response.status, (await response.json()).errors[0].extensions.code]).toEqual([413, 'BODY_TOO_LARGE'])
    })

    it.each([
      ['a list', '[]', 400],
      ['an empty object', '{}', 400],
    ])('is refused when it is %s', async (_, body, status) => {
      for (const accept of ['application/json', 'multipart/mixed']) expect((await post(url, body, { accept })).status).toBe(status)
    })
  })

  it('is refused with a reason when the request does not have it', async () => {
    const drained = async (gateway: Gateway, request: Parameters<RequestListener>[0], response: Parameters<RequestListener>[1]) => {
      for await (const _ of request);
      gateway.handle(request, response)
    }
    const url = `${await start((gateway) => (request, response) => void drained(gateway, request, response))}/graphql`
    for (const accept of ['application/json', 'multipart/mixed']) {
      const response = await post(url, { query: QUERY }, { accept })
      const message = 'The body was read before the request was passed to the gateway, and it is not in `request.body`.'
      expect([response.status, (await response.json()).errors[0]]).toEqual([400, { message, extensions: { code: 'BAD_REQUEST' } }])
    }
  })

  it('is not asked for when the parser leaves it alone', async () => {
    const url = `${await start((gateway) =>
      express()
        .use(express.json({ type: 'application/vnd.x+json' }))
        .use('/graphql', gateway.handle),
    )}/graphql`
    expect((await post(url, { query: QUERY })).status).toBe(200)
  })
})

describe('the route of the webhook', () => {
  it.each<[string, (gateway: Gateway) => RequestListener, string, string]>([
    ['where Express mounts it', ({ handle }) => express().use('/api/lms', handle), '/api/lms/hooks/site', '/hooks/site'],
    // What comes last in Express answers 404 itself.
    ['behind a parser that keeps the bytes', ({ handle }) => express().use(express.raw({ type: '*/*' }), handle), '/hooks/site', '/x'],
  ])('is %s', async (_, app, right, wrong) => {
    const origin = await start(app, { hooks: { secret: SECRET } })
    for (const [index, path] of [right, `${right}?x=1`, wrong].entries()) {
      // A body that no other delivery has.
      const body = JSON.stringify({ type: 'course', id: index + 1, kind: 'updated' })
      expect([path, await statusOf(`${origin}${path}`, { method: 'POST', headers: signed(body), body })]).toEqual([
        path,
        path === wrong ? 404 : 204,
      ])
    }
  })
})
