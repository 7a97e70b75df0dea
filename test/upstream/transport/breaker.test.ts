import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { Protection } from '../../../src/upstream/transport/protection.js'
import type { TransportOptions } from '../../../src/upstream/transport/transport.js'
import { json } from '../../support/site.js'
import { PATIENCE } from '../../support/world.js'
import { failure, ProtectedSetup, until, within } from './setup.js'

const COOLDOWN = 150

let setup: ProtectedSetup
afterEach(() => setup.close())

const start = async (protection: Partial<Protection> = {}, options: Partial<TransportOptions> = {}): Promise<void> => {
  setup = await ProtectedSetup.start({ retries: 0, breakerCalls: 10, breakerCooldown: COOLDOWN, ...protection }, options)
}

const soon = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const status =
  (code: number) =>
  (response: ServerResponse): void =>
    json(response, {}, { status: code })

/** Sends requests for different paths, one after the other. */
async function ask(count: number): Promise<unknown[]> {
  const outcomes: unknown[] = []
  for (let i = 0; i < count; i++) outcomes.push(await setup.outcome(setup.get(`/${setup.site.requests.length}/${i}`)))
  return outcomes
}

/** Makes the site fail until the circuit breaker opens. */
async function suspend(): Promise<void> {
  setup.answers(status(500))
  await ask(10)
  expect((await failure(setup.get('/last'))).name).toBe('SuspendedError')
  setup.site.requests.length = 0
}

describe('the circuit breaker', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['500', status(500)],
    ['503', status(503)],
    ['a connection that breaks', (response) => response.socket?.destroy()],
    ['silence', () => {}],
  ])('opens after failures, and calls are refused at once: %s', async (_, trouble) => {
    await start({}, { timeout: 100, maxInFlight: 10 })
    setup.answers(trouble)
    await Promise.all(Array.from({ length: 6 }, (_, i) => setup.outcome(setup.get(`/${i}`))))
    const since = performance.now()
    const [read, write] = [await failure(setup.get()), await failure(setup.post())]
    expect(performance.now() - since).toBeLessThan(50 * PATIENCE)
    for (const { code, message, retryAfter, upstream } of [read, write])
      expect([code, message, retryAfter, upstream]).toEqual([
        'UPSTREAM_UNAVAILABLE',
        'The site failed too often: no REST calls are made for a short time.',
        1,
        undefined,
      ])
    expect(setup.site.requests).toHaveLength(6)
  })

  it('stays closed when half of the calls succeed', async () => {
    await start()
    setup.answers((response, count) => (count % 2 === 0 ? status(500)(response) : json(response, [])))
    await ask(40)
    expect(setup.site.requests).toHaveLength(40)
  })

  it('opens when more than half of the last calls fail, whatever came before', async () => {
    await start()
    await ask(40)
    setup.answers(status(500))
    await ask(20)
    expect(setup.site.requests).toHaveLength(40 + 6)
  })

  it.each([400, 401, 403, 404, 429, 301])('does not count %i as a failure', async (code) => {
    await start()
    setup.answers(status(code))
    await ask(30)
    expect(setup.site.requests).toHaveLength(30)
  })

  it('does not count bodies that are not JSON, nor requests that clients cancel', async () => {
    await start()
    setup.answers((response) => response.end('<html>'))
    await ask(15)
    setup.answers(() => {})
    for (let i = 0; i < 15; i++) {
      const leaver = new AbortController()
      const left = setup.outcome(setup.get(`/leave/${i}`, within(undefined, leaver.signal)))
      await until(() => setup.site.requests.length === 16 + i)
      leaver.abort()
      expect(await left).toBe('REQUEST_CANCELLED')
    }
    setup.answers((response) => json(response, ['well']))
    expect(await ask(1)).toEqual([['well']])
  })

  it('stays closed for a site that succeeds', async () => {
    await start({ breakerThreshold: 100 })
    setup.answers(status(500))
    await ask(50)
    expect(setup.site.requests).toHaveLength(50)
  })

  it('refuses requests in the queue when it opens', async () => {
    await start({}, { maxInFlight: 1 })
    setup.answers(status(500))
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, i) => setup.outcome(setup.get(`/${i}`))))
    expect([new Set(outcomes), setup.site.requests.length < 12]).toEqual([new Set(['UPSTREAM_UNAVAILABLE']), true])
  })
})

describe('reads and writes', () => {
  const failsWrites = (): void => {
    setup.site.handler = ({ method }, response) => (method === 'GET' ? json(response, ['well']) : status(500)(response))
  }
  const write = async (count: number): Promise<unknown[]> => {
    const outcomes: unknown[] = []
    for (let i = 0; i < count; i++) outcomes.push(await setup.outcome(setup.post(`/write/${i}`)))
    return outcomes
  }

  it('are counted separately: failed writes stop only writes', async () => {
    await start()
    failsWrites()
    await write(10)
    const seen = setup.site.requests.length
    expect((await failure(setup.post())).name).toBe('SuspendedError')
    expect(setup.site.requests).toHaveLength(seen)
    expect(await ask(20)).toEqual(Array.from({ length: 20 }, () => ['well']))
    await soon(COOLDOWN + 20)
    setup.answers((response) => json(response, ['well']))
    expect(await write(2)).toEqual([['well'], ['well']])
  })

  it('are counted separately: successful reads do not hide failed writes', async () => {
    await start()
    failsWrites()
    for (let i = 0; i < 10; i++) {
      await ask(5)
      await write(1)
    }
    expect(await write(1)).toEqual(['UPSTREAM_UNAVAILABLE'])
    expect((await failure(setup.post())).name).toBe('SuspendedError')
  })

  it('stop together when reads fail, and a write is no trial for reads', async () => {
    await start()
    await suspend()
    expect((await failure(setup.post())).name).toBe('SuspendedError')
    await soon(COOLDOWN + 20)
    setup.site.handler = ({ method }, response) => (method === 'GET' ? json(response, ['well']) : status(500)(response))
    expect(await write(1)).toEqual(['UPSTREAM_UNAVAILABLE'])
    expect(await ask(2)).toEqual([['well'], ['well']])
  })
})

describe('an open circuit breaker', () => {
  it('lets one trial call through after the cool-down, and closes when it succeeds', async () => {
    await start()
    await suspend()
    await soon(COOLDOWN + 20)
    const held: ServerResponse[] = []
    setup.answers((response) => held.push(response))
    const trial = setup.outcome(setup.get('/trial'))
    await until(() => held.length === 1)
    expect(await ask(5)).toEqual(Array.from({ length: 5 }, () => 'UPSTREAM_UNAVAILABLE'))
    expect(setup.site.paths).toEqual(['/trial'])
    setup.answers((response) => json(response, ['well']))
    json(held[0] as ServerResponse, ['tried'])
    expect(await trial).toEqual(['tried'])
    expect(await ask(3)).toEqual([['well'], ['well'], ['well']])
  })

  it.each([404, 429])('closes when the trial is answered with %i', async (code) => {
    await start()
    await suspend()
    await soon(COOLDOWN + 20)
    setup.answers(status(code))
    await ask(3)
    expect(setup.site.requests).toHaveLength(3)
  })

  it('stays open for another cool-down when the trial fails', async () => {
    await start()
    await suspend()
    for (let round = 1; round <= 3; round++) {
      await soon(COOLDOWN + 20)
      await ask(5)
      expect(setup.site.requests).toHaveLength(round)
    }
  })

  it('makes the next call the trial when the client of the trial disconnects', async () => {
    await start()
    await suspend()
    await soon(COOLDOWN + 20)
    setup.answers(() => {})
    const leaver = new AbortController()
    const left = setup.outcome(setup.get('/trial', within(undefined, leaver.signal)))
    await until(() => setup.site.requests.length === 1)
    leaver.abort()
    expect(await left).toBe('REQUEST_CANCELLED')
    setup.answers((response) => json(response, ['well']))
    expect(await ask(1)).toEqual(['UPSTREAM_UNAVAILABLE'])
    await soon(COOLDOWN + 20)
    expect(await ask(2)).toEqual([['well'], ['well']])
  })

  it('is not closed by calls that began before it opened', async () => {
    await start({}, { maxInFlight: 20 })
    const held: ServerResponse[] = []
    setup.answers((response) => held.push(response))
    const early = setup.outcome(setup.get('/early'))
    await until(() => held.length === 1)
    await suspend()
    json(held[0] as ServerResponse, ['late'])
    expect(await early).toEqual(['late'])
    expect(await ask(2)).toEqual(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'])
  })

  it('does not stay open longer because of calls that began before it opened', async () => {
    await start({}, { maxInFlight: 20 })
    const held: ServerResponse[] = []
    setup.answers((response) => held.push(response))
    const early = setup.outcome(setup.get('/early'))
    await until(() => held.length === 1)
    await suspend()
    await soon(COOLDOWN + 20)
    status(500)(held[0] as ServerResponse)
    expect(await early).toBe('UPSTREAM_UNAVAILABLE')
    setup.answers((response) => json(response, ['well']))
    expect(await ask(1)).toEqual([['well']])
  })

  it('sends no retries of reads that wait', async () => {
    await start({ retries: 3, breakerCooldown: 5_000 })
    setup.answers(status(503))
    await Promise.all(Array.from({ length: 8 }, (_, i) => setup.outcome(setup.get(`/${i}`))))
    await soon(300)
    const seen = setup.site.requests.length
    expect(seen).toBeLessThan(20)
    await soon(300)
    expect(setup.site.requests).toHaveLength(seen)
  })
})
