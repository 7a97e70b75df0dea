import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { ProtectionOptions } from '../../../src/upstream/transport/protection.js'
import type { TransportOptions } from '../../../src/upstream/transport/transport.js'
import { json } from '../../support/site.js'
import { PATIENCE } from '../../support/world.js'
import { failure, Guarded, until, within } from './setup.js'

const COOLDOWN = 150

let guarded: Guarded
afterEach(() => guarded.close())

const start = async (protection: ProtectionOptions = {}, options: Partial<TransportOptions> = {}): Promise<void> => {
  guarded = await Guarded.to({ retries: 0, breakerCalls: 10, breakerCooldown: COOLDOWN, ...protection }, options)
}

const soon = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const status =
  (code: number) =>
  (response: ServerResponse): void =>
    json(response, {}, { status: code })

/** Asks one after the other, each for something else. */
async function ask(count: number): Promise<unknown[]> {
  const outcomes: unknown[] = []
  for (let i = 0; i < count; i++) outcomes.push(await guarded.outcome(guarded.get(`/${guarded.site.requests.length}/${i}`)))
  return outcomes
}

/** Lets the site fail until it is left alone. */
async function suspend(): Promise<void> {
  guarded.answers(status(500))
  await ask(10)
  expect((await failure(guarded.get('/last'))).name).toBe('SuspendedError')
  guarded.site.requests.length = 0
}

describe('a site that fails too often', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['500', status(500)],
    ['503', status(503)],
    ['a connection that breaks', (response) => response.socket?.destroy()],
    ['silence', () => {}],
  ])('is left alone, and refused at once: %s', async (_, trouble) => {
    await start({}, { timeout: 100, maxInFlight: 10 })
    guarded.answers(trouble)
    await Promise.all(Array.from({ length: 6 }, (_, i) => guarded.outcome(guarded.get(`/${i}`))))
    const since = performance.now()
    const [read, write] = [await failure(guarded.get()), await failure(guarded.post())]
    expect(performance.now() - since).toBeLessThan(50 * PATIENCE)
    for (const { code, message, retryAfter, upstream } of [read, write])
      expect([code, message, retryAfter, upstream]).toEqual([
        'UPSTREAM_UNAVAILABLE',
        'The site fails too often, and is left alone for a while.',
        1,
        undefined,
      ])
    expect(guarded.site.requests).toHaveLength(6)
  })

  it('is not one where half of the calls are well', async () => {
    await start()
    guarded.answers((response, count) => (count % 2 === 0 ? status(500)(response) : json(response, [])))
    await ask(40)
    expect(guarded.site.requests).toHaveLength(40)
  })

  it('is one where more than half of the last calls are not, whatever was before', async () => {
    await start()
    await ask(40)
    guarded.answers(status(500))
    await ask(20)
    expect(guarded.site.requests).toHaveLength(40 + 6)
  })

  it.each([400, 401, 403, 404, 429, 301])('is none that answers %i', async (code) => {
    await start()
    guarded.answers(status(code))
    await ask(30)
    expect(guarded.site.requests).toHaveLength(30)
  })

  it('is none that talks nonsense, or whose clients leave', async () => {
    await start()
    guarded.answers((response) => response.end('<html>'))
    await ask(15)
    guarded.answers(() => {})
    for (let i = 0; i < 15; i++) {
      const leaver = new AbortController()
      const left = guarded.outcome(guarded.get(`/leave/${i}`, within(undefined, leaver.signal)))
      await until(() => guarded.site.requests.length === 16 + i)
      leaver.abort()
      expect(await left).toBe('REQUEST_CANCELLED')
    }
    guarded.answers((response) => json(response, ['well']))
    expect(await ask(1)).toEqual([['well']])
  })

  it('can be called for ever', async () => {
    await start({ breakerThreshold: 100 })
    guarded.answers(status(500))
    await ask(50)
    expect(guarded.site.requests).toHaveLength(50)
  })

  it('answers nobody who waits for a turn', async () => {
    await start({}, { maxInFlight: 1 })
    guarded.answers(status(500))
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, i) => guarded.outcome(guarded.get(`/${i}`))))
    expect([new Set(outcomes), guarded.site.requests.length < 12]).toEqual([new Set(['UPSTREAM_UNAVAILABLE']), true])
  })
})

describe('reads and writes', () => {
  const failsWrites = (): void => {
    guarded.site.handler = ({ method }, response) => (method === 'GET' ? json(response, ['well']) : status(500)(response))
  }
  const write = async (count: number): Promise<unknown[]> => {
    const outcomes: unknown[] = []
    for (let i = 0; i < count; i++) outcomes.push(await guarded.outcome(guarded.post(`/write/${i}`)))
    return outcomes
  }

  it('are counted apart: failed writes stop writes alone', async () => {
    await start()
    failsWrites()
    await write(10)
    const seen = guarded.site.requests.length
    expect((await failure(guarded.post())).name).toBe('SuspendedError')
    expect(guarded.site.requests).toHaveLength(seen)
    expect(await ask(20)).toEqual(Array.from({ length: 20 }, () => ['well']))
    await soon(COOLDOWN + 20)
    guarded.answers((response) => json(response, ['well']))
    expect(await write(2)).toEqual([['well'], ['well']])
  })

  it('are counted apart: reads that are well do not hide failed writes', async () => {
    await start()
    failsWrites()
    for (let i = 0; i < 10; i++) {
      await ask(5)
      await write(1)
    }
    expect(await write(1)).toEqual(['UPSTREAM_UNAVAILABLE'])
    expect((await failure(guarded.post())).name).toBe('SuspendedError')
  })

  it('stop together when reads fail, and a write then tries nothing for reads', async () => {
    await start()
    await suspend()
    expect((await failure(guarded.post())).name).toBe('SuspendedError')
    await soon(COOLDOWN + 20)
    guarded.site.handler = ({ method }, response) => (method === 'GET' ? json(response, ['well']) : status(500)(response))
    expect(await write(1)).toEqual(['UPSTREAM_UNAVAILABLE'])
    expect(await ask(2)).toEqual([['well'], ['well']])
  })
})

describe('a site that is left alone', () => {
  it('is tried by one call after the cool-down, and called again when that is well', async () => {
    await start()
    await suspend()
    await soon(COOLDOWN + 20)
    const held: ServerResponse[] = []
    guarded.answers((response) => held.push(response))
    const trial = guarded.outcome(guarded.get('/trial'))
    await until(() => held.length === 1)
    expect(await ask(5)).toEqual(Array.from({ length: 5 }, () => 'UPSTREAM_UNAVAILABLE'))
    expect(guarded.site.paths).toEqual(['/trial'])
    guarded.answers((response) => json(response, ['well']))
    json(held[0] as ServerResponse, ['tried'])
    expect(await trial).toEqual(['tried'])
    expect(await ask(3)).toEqual([['well'], ['well'], ['well']])
  })

  it.each([404, 429])('is well when the trial answers %i', async (code) => {
    await start()
    await suspend()
    await soon(COOLDOWN + 20)
    guarded.answers(status(code))
    await ask(3)
    expect(guarded.site.requests).toHaveLength(3)
  })

  it('is left alone for as long again when the trial fails', async () => {
    await start()
    await suspend()
    for (let round = 1; round <= 3; round++) {
      await soon(COOLDOWN + 20)
      await ask(5)
      expect(guarded.site.requests).toHaveLength(round)
    }
  })

  it('is so too when the client of the trial leaves, and the next one tries it', async () => {
    await start()
    await suspend()
    await soon(COOLDOWN + 20)
    guarded.answers(() => {})
    const leaver = new AbortController()
    const left = guarded.outcome(guarded.get('/trial', within(undefined, leaver.signal)))
    await until(() => guarded.site.requests.length === 1)
    leaver.abort()
    expect(await left).toBe('REQUEST_CANCELLED')
    guarded.answers((response) => json(response, ['well']))
    expect(await ask(1)).toEqual(['UPSTREAM_UNAVAILABLE'])
    await soon(COOLDOWN + 20)
    expect(await ask(2)).toEqual([['well'], ['well']])
  })

  it('is not held to be well by calls that began before', async () => {
    await start({}, { maxInFlight: 20 })
    const held: ServerResponse[] = []
    guarded.answers((response) => held.push(response))
    const early = guarded.outcome(guarded.get('/early'))
    await until(() => held.length === 1)
    await suspend()
    json(held[0] as ServerResponse, ['late'])
    expect(await early).toEqual(['late'])
    expect(await ask(2)).toEqual(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'])
  })

  it('is left alone for no longer because of calls that began before', async () => {
    await start({}, { maxInFlight: 20 })
    const held: ServerResponse[] = []
    guarded.answers((response) => held.push(response))
    const early = guarded.outcome(guarded.get('/early'))
    await until(() => held.length === 1)
    await suspend()
    await soon(COOLDOWN + 20)
    status(500)(held[0] as ServerResponse)
    expect(await early).toBe('UPSTREAM_UNAVAILABLE')
    guarded.answers((response) => json(response, ['well']))
    expect(await ask(1)).toEqual([['well']])
  })

  it('is not asked again by reads that wait to be sent again', async () => {
    await start({ retries: 3, breakerCooldown: 5_000 })
    guarded.answers(status(503))
    await Promise.all(Array.from({ length: 8 }, (_, i) => guarded.outcome(guarded.get(`/${i}`))))
    await soon(300)
    const seen = guarded.site.requests.length
    expect(seen).toBeLessThan(20)
    await soon(300)
    expect(guarded.site.requests).toHaveLength(seen)
  })
})
