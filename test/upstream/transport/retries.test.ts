import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { ProtectionOptions } from '../../../src/upstream/transport/protection.js'
import type { TransportOptions } from '../../../src/upstream/transport/transport.js'
import { json } from '../../support/site.js'
import { failure, Guarded, until, within } from './setup.js'

let guarded: Guarded
afterEach(() => guarded.close())

const start = async (protection: ProtectionOptions = {}, options: Partial<TransportOptions> = {}): Promise<Guarded> => {
  guarded = await Guarded.to({ breakerThreshold: 100, ...protection }, options)
  return guarded
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

/** The site is in trouble so many times, and then well. */
const troubled = (times: number, trouble: (response: ServerResponse) => void): void =>
  guarded.answers((response, count) => (count <= times ? trouble(response) : json(response, ['well'])))

const PASSING: [string, (response: ServerResponse) => void][] = [
  ['a connection that breaks', reset],
  ['an answer that breaks off', cutOff],
  ['429', status(429)],
  ['502', status(502)],
  ['503', status(503)],
  ['504', status(504)],
]

describe('a read', () => {
  it.each(PASSING)('is sent again after %s', async (_, trouble) => {
    await start()
    troubled(2, trouble)
    expect((await guarded.get()).body).toEqual(['well'])
    expect([guarded.site.requests.length, guarded.calls.length]).toEqual([3, 3])
  })

  it('is sent again when the site was not there', async () => {
    await start()
    const { site } = guarded
    await site.pause()
    const asked = guarded.get()
    await until(() => guarded.calls.length === 1)
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
  ])('is not sent again after %s', async (_, code, trouble) => {
    await start({}, { timeout: 300 })
    troubled(1, trouble)
    expect(await guarded.outcome()).toBe(code)
    expect(guarded.site.requests).toHaveLength(1)
  })

  it.each([0, 1, 3])('is sent again %i times at most', async (retries) => {
    await start({ retries })
    troubled(9, status(503))
    expect(await guarded.outcome()).toBe('UPSTREAM_UNAVAILABLE')
    expect(guarded.site.requests).toHaveLength(retries + 1)
  })

  it('waits for as long as the site asks for', async () => {
    await start()
    troubled(1, status(429, { 'retry-after': '1' }))
    const since = performance.now()
    expect((await guarded.get()).body).toEqual(['well'])
    expect(performance.now() - since).toBeGreaterThanOrEqual(1_000)
  })

  it.each([
    ['seconds', '6', 6],
    ['a date', new Date(Date.now() + 3_600_000).toUTCString(), 3_600],
    ['more than a day', '999999999', 86_400],
  ])('is not sent again where it asks for more, in %s, and says for how much', async (_, header, seconds) => {
    await start()
    troubled(1, status(503, { 'retry-after': header }))
    const { code, extensions } = await failure(guarded.get())
    expect([code, guarded.site.requests.length]).toEqual(['UPSTREAM_UNAVAILABLE', 1])
    expect(Math.abs((extensions.retryAfter as number) - seconds)).toBeLessThan(60)
  })

  it('takes what is no `Retry-After` for none', async () => {
    await start()
    troubled(1, status(503, { 'retry-after': 'soon' }))
    expect((await guarded.get()).body).toEqual(['well'])
  })

  it('holds no place while it waits, and is shared by those who ask for the same', async () => {
    await start({}, { maxInFlight: 1 })
    troubled(1, status(429, { 'retry-after': '1' }))
    const first = guarded.get('/a')
    await until(() => guarded.calls.length === 1)
    const [second, other] = [guarded.get('/a'), guarded.get('/b')]
    expect((await other).body).toEqual(['well'])
    expect(guarded.calls).toHaveLength(2)
    expect(await first).toBe(await second)
    expect(guarded.site.paths).toEqual(['/a', '/b', '/a'])
  })

  it('is not sent again when everybody has left meanwhile', async () => {
    await start()
    troubled(1, status(429, { 'retry-after': '1' }))
    const leaver = new AbortController()
    const left = failure(guarded.get('/a', within(undefined, leaver.signal)))
    await until(() => guarded.calls.length === 1)
    leaver.abort()
    expect((await left).code).toBe('REQUEST_CANCELLED')
    await new Promise((resolve) => setTimeout(resolve, 1_300))
    expect(guarded.site.requests).toHaveLength(1)
  })

  it('is not sent again when nobody would wait for so long', async () => {
    await start()
    troubled(1, status(429, { 'retry-after': '1' }))
    const [short, long] = [guarded.outcome(guarded.get('/a', within(500))), guarded.get('/b', within(5_000))]
    expect(await short).toBe('UPSTREAM_RATE_LIMITED')
    expect((await long).body).toEqual(['well'])
    guarded.site.requests.length = 0
    troubled(1, status(429, { 'retry-after': '1' }))
    const both = [guarded.outcome(guarded.get('/c', within(500))), guarded.outcome(guarded.get('/c', within(5_000)))]
    expect(await Promise.all(both)).toEqual(['UPSTREAM_TIMEOUT', ['well']])
  })

  it('keeps what the site has said when there is no room for it any more', async () => {
    await start({ maxQueue: 0 }, { maxInFlight: 1 })
    troubled(1, status(429, { 'retry-after': '1' }))
    const asked = failure(guarded.get('/a'))
    await until(() => guarded.calls.length === 1)
    const held: ServerResponse[] = []
    guarded.answers((response) => held.push(response))
    const other = guarded.outcome(guarded.get('/b'))
    expect((await asked).code).toBe('UPSTREAM_RATE_LIMITED')
    await until(() => held.length === 1)
    json(held[0] as ServerResponse, ['b'])
    expect(await other).toEqual(['b'])
  })
})

describe('retries', () => {
  it('are no more than the budget allows: ten, and one for each ten calls', async () => {
    await start({ retries: 5, maxRetryDelay: 20 })
    troubled(Infinity, status(502))
    const ask = (round: number) => Promise.all(Array.from({ length: 50 }, (_, i) => guarded.outcome(guarded.get(`/${round}/${i}`))))
    for (let round = 0; round < 4; round++) await ask(round)
    expect(guarded.site.requests.length).toBeGreaterThan(220)
    expect(guarded.site.requests.length).toBeLessThanOrEqual(200 + 10 + 20)
  })

  it('are none where the budget is', async () => {
    await start({ retryBudget: 0 })
    troubled(1, status(502))
    expect(await guarded.outcome()).toBe('UPSTREAM_UNAVAILABLE')
  })
})

it.each(PASSING)('a write is sent once, whatever happens: %s', async (_, trouble) => {
  await start()
  troubled(1, trouble)
  const error = await failure(guarded.post())
  expect(error.code).toMatch(/^UPSTREAM_(UNAVAILABLE|RATE_LIMITED)$/)
  if (error.code === 'UPSTREAM_UNAVAILABLE') expect(error.message).toContain('It is not known whether the change was made')
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(guarded.site.requests).toHaveLength(1)
})
