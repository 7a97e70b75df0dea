import { EventEmitter } from 'node:events'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { type CacheEvents, ReadCache } from '../../../src/upstream/cache/read-cache.js'
import { LocalVersions } from '../../../src/upstream/cache/tag-versions.js'
import { StaleNotes } from '../../../src/upstream/call-scope.js'
import type { Protection } from '../../../src/upstream/transport/protection.js'
import { type CallOptions, callScope } from '../../support/call-scope.js'
import { json } from '../../support/site.js'
import { as, ProtectedSetup, until, within } from '../transport/setup.js'

let setup: ProtectedSetup
let cache: ReadCache
afterEach(() => setup.close())

interface Started extends Partial<Protection> {
  readonly staleIfError?: number
  readonly entries?: number
  readonly bytes?: number
}

const start = async (
  { staleIfError = 60, entries = 1_000, bytes = 1_000_000, ...protection }: Started = {},
  maxInFlight = 4,
): Promise<void> => {
  setup = await ProtectedSetup.start({ retries: 0, breakerThreshold: 100, ...protection }, { maxInFlight, timeout: 100 })
  const versions = new LocalVersions(1_000)
  cache = new ReadCache({
    ...{ transport: setup.transport, versions, secondsOf: () => 0, callerSeconds: 0, staleWhileRevalidate: 0, staleIfError },
    ...{ entries, bytes, shares: false, secrets: [], events: new EventEmitter<CacheEvents>() },
  })
  well()
}

const soon = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Makes the site answer with the path and the number of requests so far. */
const well = (): void => {
  setup.site.handler = (request, response) => json(response, [request.url, setup.site.requests.length])
}
const fails = (status = 500): void => setup.answers((response) => json(response, {}, { status }))

/** A read whose answer depends on records of the list only. */
const read = (path: string, more: CallOptions) =>
  cache.get({ method: 'GET', route: 'v1/list', path }, { type: undefined, tags: ['list'] }, callScope(more), undefined)

/** A write to the list. */
const write = () =>
  cache.write(
    () => ['list'],
    () => setup.post('/other'),
  )

/** The outcome for an operation that accepts stale responses. */
async function ask(path = '/x', more: CallOptions = {}) {
  const stale = new StaleNotes()
  const outcome = await setup.outcome(read(path, { stale, ...more }))
  return { outcome, routes: [...stale.routes], age: stale.age }
}
const got = async (path = '/x', more: CallOptions = {}) => (await ask(path, more)).outcome

describe('a stale response is used', () => {
  it.each<[string, () => void]>([
    ['500', () => fails()],
    ['503', () => fails(503)],
    ['a connection that breaks', () => setup.answers((response) => response.socket?.destroy())],
    ['silence', () => setup.answers(() => {})],
  ])('for %s', async (_, trouble) => {
    await start()
    expect(await ask()).toEqual({ outcome: ['/x', 1], routes: [], age: 0 })
    expect(await got()).toEqual(['/x', 2])
    trouble()
    expect(await ask()).toEqual({ outcome: ['/x', 2], routes: ['v1/list'], age: 0 })
    well()
    expect(await ask()).toEqual({ outcome: ['/x', 4], routes: [], age: 0 })
  })

  it('while the circuit breaker is open', async () => {
    await start({ breakerThreshold: 50, breakerCalls: 2, breakerCooldown: 5_000 })
    await got()
    fails()
    await got('/y')
    await got('/z')
    const seen = setup.site.requests.length
    expect([await got(), setup.site.requests.length]).toEqual([['/x', 1], seen])
  })

  it('when the queue is full, and when the deadline of the operation has passed', async () => {
    await start({ maxQueue: 0 }, 1)
    await got()
    setup.answers(() => {})
    const busy = got('/busy')
    await until(() => setup.site.open === 1)
    expect(await got()).toEqual(['/x', 1])
    expect(await busy).toBe('UPSTREAM_TIMEOUT')
    const { deadline } = within(150)
    expect(await got('/x', { deadline })).toEqual(['/x', 1])
    // Whatever this operation asks for after that is not sent at all.
    expect([await got('/x', { deadline }), setup.site.paths.filter((path) => path === '/x').length]).toEqual([['/x', 1], 2])
  })

  it('with its totals, decoded, any number of times', async () => {
    await start()
    setup.answers((response) => response.writeHead(200, { 'content-encoding': 'gzip', 'x-wp-total': '7' }).end(gzipSync('["packed"]')))
    await got()
    fails()
    for (let i = 0; i < 3; i++) {
      const { body, headers } = await read('/x', { stale: new StaleNotes() })
      expect([body, headers['x-wp-total']]).toEqual([['packed'], '7'])
    }
  })

  it('and reports the age of the oldest and its routes', async () => {
    await start()
    await got('/old')
    await soon(1_050)
    await got('/new')
    fails()
    const stale = new StaleNotes()
    await Promise.all(['/new', '/old'].map((path) => read(path, { stale })))
    expect([stale.age, [...stale.routes]]).toEqual([1, ['v1/list']])
  })
})

describe('a stale response is not used', () => {
  it.each([400, 401, 403, 404, 429])('for a %i, which is an answer of the site', async (status) => {
    await start()
    await got()
    fails(status)
    expect(await got()).toMatch(/^[A-Z_]+$/)
  })

  it('for a body that is not JSON, nor for a client that has disconnected', async () => {
    await start()
    await got()
    setup.answers((response) => response.end('<html>'))
    expect(await got()).toBe('UPSTREAM_INVALID_RESPONSE')
    expect(await got('/x', within(undefined, AbortSignal.abort()))).toBe('REQUEST_CANCELLED')
  })

  it('unless the settings and the operation allow it', async () => {
    await start({ staleIfError: 0 })
    await got()
    fails()
    expect(await got()).toBe('UPSTREAM_UNAVAILABLE')
    await setup.close()
    await start()
    await got()
    fails()
    expect(await setup.outcome(read('/x', {}))).toBe('UPSTREAM_UNAVAILABLE')
  })

  it('for callers with credentials, nor are their responses kept', async () => {
    await start()
    await got('/mine', as('Basic a'))
    await got('/open')
    fails()
    expect(await got('/mine', as('Basic a'))).toBe('UPSTREAM_UNAVAILABLE')
    expect(await got('/mine')).toBe('UPSTREAM_UNAVAILABLE')
    expect(await got('/open', as('Basic a'))).toBe('UPSTREAM_UNAVAILABLE')
    expect(await got('/open')).toEqual(['/open', 2])
  })

  it('if the request had a content password', async () => {
    await start()
    await got('/x?password=open')
    await got('/x?a=1&password=open')
    fails()
    expect([await got('/x?password=open'), await got('/x?a=1&password=open')]).toEqual(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'])
  })

  it('for another path, nor when it is too old', async () => {
    await start({ staleIfError: 1 })
    await got('/x?a=1')
    fails()
    expect(await got('/x?a=2')).toBe('UPSTREAM_UNAVAILABLE')
    expect(await got('/x?a=1')).toEqual(['/x?a=1', 1])
    await soon(1_100)
    expect(await got('/x?a=1')).toBe('UPSTREAM_UNAVAILABLE')
  })

  it.each<[string, number]>([
    ['was well', 200],
    ['failed', 500],
  ])('after a write that %s', async (_, status) => {
    await start()
    await got()
    fails(status)
    await setup.outcome(write())
    fails()
    expect(await got()).toBe('UPSTREAM_UNAVAILABLE')
  })

  it('if it was in flight during a write', async () => {
    await start()
    const answers: (() => void)[] = []
    setup.site.handler = (request, response) => answers.push(() => json(response, [request.method]))
    const reading = got()
    await until(() => answers.length === 1)
    const writing = setup.outcome(write())
    await until(() => answers.length === 2)
    const second = got('/y')
    await until(() => answers.length === 3)
    for (const place of [2, 1, 0]) {
      answers[place]?.()
      await (place === 2 ? second : place === 1 ? writing : reading)
    }
    fails()
    expect([await got(), await got('/y')]).toEqual(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'])
  })
})

describe('stale responses are kept', () => {
  const kept = async (paths: readonly string[]): Promise<string[]> => {
    fails()
    const found: string[] = []
    for (const path of paths) if (typeof (await got(path)) !== 'string') found.push(path)
    return found
  }

  it('in a bounded number, and the least recently used are evicted first', async () => {
    await start({ entries: 3 })
    for (const path of ['/a', '/b', '/c', '/a', '/d']) await got(path)
    expect(await kept(['/a', '/b', '/c', '/d'])).toEqual(['/a', '/c', '/d'])
  })

  it('in bounded bytes, paths included', async () => {
    // Each answer counts with 1,000 bytes and twice its size.
    await start({ bytes: 5_000 })
    const size = 300
    setup.site.handler = (request, response) => json(response, ['x'.repeat(request.url === '/huge' ? 2_000 : size)])
    for (const path of ['/a', '/b', '/c', '/d', '/huge']) await got(path)
    expect(await kept(['/a', '/b', '/c', '/d', '/huge'])).toEqual(['/b', '/c', '/d'])
    // The older version of a response that became too large is dropped too.
    setup.site.handler = (_, response) => json(response, ['x'.repeat(2_000)])
    await got('/b')
    expect(await kept(['/b', '/c', '/d'])).toEqual(['/c', '/d'])
  })
})
