import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { Protection } from '../../../src/upstream/transport/protection.js'
import type { TransportOptions } from '../../../src/upstream/transport/transport.js'
import { json } from '../../support/site.js'
import { failure, ProtectedSetup, until, within } from './setup.js'

let setup: ProtectedSetup
afterEach(() => setup.close())

const start = async (protection: Partial<Protection> = {}, options: Partial<TransportOptions> = {}): Promise<ProtectedSetup> => {
  setup = await ProtectedSetup.start({ breakerThreshold: 100, ...protection }, options)
  return setup
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    json(response, { code: 'odd', message: 'No.', data: { status: code } }, { status: code, headers })

const reset = (response: ServerResponse): void => {
  response.socket?.destroy()
}

const cutOff = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-length': '1000' }).write('[1,', () => response.destroy())
}

/** Makes the site fail a number of times, and then succeed. */
const troubled = (times: number, trouble: (response: ServerResponse) => void): void =>
  setup.answers((response, count) => (count <= times ? trouble(response) : json(response, ['well'])))

const PASSING: [string, (response: ServerResponse) => void][] = [
  ['a connection that breaks', reset],
  ['an answer that breaks off', cutOff],
  ['429', status(429)],
  ['502', status(502)],
  ['503', status(503)],
  ['504', status(504)],
]

describe('a read', () => {
  it.each(PASSING)('is retried after %s', async (_, trouble) => {
    await start()
    troubled(2, trouble)
    expect((await setup.get()).body).toEqual(['well'])
    expect([setup.site.requests.length, setup.calls.length]).toEqual([3, 3])
  })

  it('is retried when the site could not be reached', async () => {
    // The first retry may come before the site is back.
    await start({ retries: 9 })
    const { site } = setup
    await site.pause()
    const asked = setup.get()
    await until(() => setup.calls.length > 0)
    await site.resume()
    expect((await asked).body).toEqual([])
  })

  it.each<[string, string, (response: ServerResponse) => void]>([
    ['400', 'UPSTREAM_REJECTED', status(400)],
    ['401', 'UNAUTHENTICATED', status(401)],
    ['403', 'FORBIDDEN', status(403)],
    ['404', 'NOT_FOUND', status(404)],
    ['500', 'UPSTREAM_UNAVAILABLE', status(500)],
    ['501', 'UPSTREAM_UNAVAILABLE', status(501)],
    ['silence', 'UPSTREAM_TIMEOUT', () => {}],
    ['HTML', 'UPSTREAM_INVALID_RESPONSE', (response) => response.end('<html>')],
    ['too much', 'UPSTREAM_INVALID_RESPONSE', (response) => response.end('1'.repeat(20_000))],
    ['a redirect', 'UPSTREAM_INVALID_RESPONSE', status(302, { location: '/y' })],
  ])('is not retried after %s', async (_, code, trouble) => {
    await start({}, { timeout: 300 })
    troubled(1, trouble)
    expect(await setup.outcome()).toBe(code)
    expect(setup.site.requests).toHaveLength(1)
  })

  it.each([0, 1, 3])('is retried %i times at most', async (retries) => {
    await start({ retries })
    troubled(9, status(503))
    expect(await setup.outcome()).toBe('UPSTREAM_UNAVAILABLE')
    expect(setup.site.requests).toHaveLength(retries + 1)
  })

  it('waits for the time of `Retry-After`', async () => {
    await start()
    troubled(1, status(429, { 'retry-after': '1' }))
    const since = performance.now()
    expect((await setup.get()).body).toEqual(['well'])
    expect(performance.now() - since).toBeGreaterThanOrEqual(1_000)
  })

  it.each([
    ['seconds', '6', 6],
    ['a date', new Date(Date.now() + 3_600_000).toUTCString(), 3_600],
    ['more than a day', '999999999', 86_400],
  ])('is not retried when `Retry-After` is too long, in %s, and the error has the time', async (_, header, seconds) => {
    await start()
    troubled(1, status(503, { 'retry-after': header }))
    const { code, extensions } = await failure(setup.get())
    expect([code, setup.site.requests.length]).toEqual(['UPSTREAM_UNAVAILABLE', 1])
    expect(Math.abs((extensions.retryAfter as number) - seconds)).toBeLessThan(60)
  })

  it('ignores a `Retry-After` that is not valid', async () => {
    await start()
    troubled(1, status(503, { 'retry-after': 'soon' }))
    expect((await setup.get()).body).toEqual(['well'])
  })

  it('holds no connection while it waits, and identical reads join it', async () => {
    await start({}, { maxInFlight: 1 })
    troubled(1, status(429, { 'retry-after': '1' }))
    const first = setup.get('/a')
    await until(() => setup.calls.length === 1)
    const [second, other] = [setup.get('/a'), setup.get('/b')]
    expect((await other).body).toEqual(['well'])
    expect(setup.calls).toHaveLength(2)
    expect(await first).toBe(await second)
    expect(setup.site.paths).toEqual(['/a', '/b', '/a'])
  })

  it('is not retried when all clients have disconnected', async () => {
    await start()
    troubled(1, status(429, { 'retry-after': '1' }))
    const leaver = new AbortController()
    const left = failure(setup.get('/a', within(undefined, leaver.signal)))
    await until(() => setup.calls.length === 1)
    leaver.abort()
    expect((await left).code).toBe('REQUEST_CANCELLED')
    await new Promise((resolve) => setTimeout(resolve, 1_300))
    expect(setup.site.requests).toHaveLength(1)
  })

  it('is not retried when every deadline would pass before', async () => {
    await start()
    troubled(1, status(429, { 'retry-after': '1' }))
    const [short, long] = [setup.outcome(setup.get('/a', within(500))), setup.get('/b', within(5_000))]
    expect(await short).toBe('UPSTREAM_RATE_LIMITED')
    expect((await long).body).toEqual(['well'])
    setup.site.requests.length = 0
    troubled(1, status(429, { 'retry-after': '1' }))
    const both = [setup.outcome(setup.get('/c', within(500))), setup.outcome(setup.get('/c', within(5_000)))]
    expect(await Promise.all(both)).toEqual(['UPSTREAM_TIMEOUT', ['well']])
  })

  it('fails with the response of the site when the queue is full', async () => {
    await start({ maxQueue: 0 }, { maxInFlight: 1 })
    troubled(1, status(429, { 'retry-after': '1' }))
    const asked = failure(setup.get('/a'))
    await until(() => setup.calls.length === 1)
    const held: ServerResponse[] = []
    setup.answers((response) => held.push(response))
    const other = setup.outcome(setup.get('/b'))
    expect((await asked).code).toBe('UPSTREAM_RATE_LIMITED')
    await until(() => held.length === 1)
    json(held[0] as ServerResponse, ['b'])
    expect(await other).toEqual(['b'])
  })
})

describe('retries', () => {
  it('stay within the budget: ten, and one for each ten calls', async () => {
    await start({ retries: 5, maxRetryDelay: 20 })
    troubled(Infinity, status(502))
    const ask = (round: number) => Promise.all(Array.from({ length: 50 }, (_, i) => setup.outcome(setup.get(`/${round}/${i}`))))
    for (let round = 0; round < 4; round++) await ask(round)
    expect(setup.site.requests.length).toBeGreaterThan(220)
    expect(setup.site.requests.length).toBeLessThanOrEqual(200 + 10 + 20)
  })

  it('do not happen when the budget is zero', async () => {
    await start({ retryBudget: 0 })
    troubled(1, status(502))
    expect(await setup.outcome()).toBe('UPSTREAM_UNAVAILABLE')
  })
})

it.each(PASSING)('a write is never retried: %s', async (_, trouble) => {
  await start()
  troubled(1, trouble)
  const error = await failure(setup.post())
  expect(error.code).toMatch(/^UPSTREAM_(UNAVAILABLE|RATE_LIMITED)$/)
  if (error.code === 'UPSTREAM_UNAVAILABLE') expect(error.message).toContain('The change may have been made')
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(setup.site.requests).toHaveLength(1)
})
