import { describe, expect, it } from 'vitest'
import type { BusyError } from '../../src/rest/errors.js'
import { type Guest, Limiter, type QueueBounds } from '../../src/rest/limiter.js'
import { collectAll, collectYoung, oldMegabytes } from '../support/young.js'

const soon = (milliseconds = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** A limiter with all places taken, and who has entered since. */
class Crowd {
  readonly entered: string[] = []
  readonly refused: string[] = []
  readonly limiter: Limiter

  constructor(
    readonly limit = 1,
    bounds?: QueueBounds,
  ) {
    this.limiter = new Limiter(limit, bounds)
    for (let i = 0; i < limit; i++) this.queue('first', 'first', {})
    expect(this.entered.splice(0)).toHaveLength(limit)
  }

  guest(name: string, caller: string, operation: object, stays = true): Guest {
    return {
      turn: { caller, operation },
      enter: () => {
        this.entered.push(name)
        return stays
      },
      refuse: ({ message }) => this.refused.push(`${name}: ${message}`),
    }
  }

  queue(name: string, caller: string, operation: object): BusyError | undefined {
    return this.limiter.admit(this.guest(name, caller, operation))
  }

  async release(count: number, duration = 0): Promise<void> {
    for (let i = 0; i < count; i++) {
      this.limiter.release(duration)
      await Promise.resolve()
    }
  }
}

describe('turns', () => {
  it('come at once while there is room, and then as places are given back', async () => {
    const crowd = new Crowd(3)
    crowd.queue('a', 'x', {})
    await soon(5)
    expect(crowd.entered).toEqual([])
    await crowd.release(1)
    expect(crowd.entered).toEqual(['a'])
    await crowd.release(3)
    for (const name of ['b', 'c', 'd', 'e']) crowd.queue(name, 'x', {})
    expect(crowd.entered).toEqual(['a', 'b', 'c', 'd'])
  })

  it('take callers in turn, however many calls each waits for', async () => {
    const crowd = new Crowd()
    const [big, small, other] = [{}, {}, {}]
    for (let i = 1; i <= 4; i++) crowd.queue(`big${i}`, 'big', big)
    for (let i = 1; i <= 2; i++) crowd.queue(`small${i}`, 'small', small)
    crowd.queue('other1', 'other', other)
    await crowd.release(7)
    expect(crowd.entered).toEqual(['big1', 'small1', 'other1', 'big2', 'small2', 'big3', 'big4'])
  })

  it('take operations of one caller in turn, each in order of arrival', async () => {
    const crowd = new Crowd()
    const [one, two] = [{}, {}]
    for (let i = 1; i <= 3; i++) crowd.queue(`one${i}`, 'me', one)
    for (let i = 1; i <= 2; i++) crowd.queue(`two${i}`, 'me', two)
    crowd.queue('you1', 'you', {})
    await crowd.release(6)
    expect(crowd.entered).toEqual(['one1', 'you1', 'two1', 'one2', 'two2', 'one3'])
  })

  it('are no more for a caller with many operations than for one with few', async () => {
    const crowd = new Crowd()
    for (let i = 1; i <= 5; i++) crowd.queue(`many${i}`, 'many', {})
    const calm = {}
    for (let i = 1; i <= 3; i++) crowd.queue(`calm${i}`, 'calm', calm)
    await crowd.release(6)
    expect(crowd.entered).toEqual(['many1', 'calm1', 'many2', 'calm2', 'many3', 'calm3'])
  })

  it('go past who takes none, and are not given to who has withdrawn', async () => {
    const crowd = new Crowd()
    const gone = crowd.guest('gone', 'x', {})
    crowd.limiter.admit(gone)
    crowd.limiter.admit(crowd.guest('idle', 'x', {}, false))
    crowd.queue('last', 'x', {})
    crowd.limiter.withdraw(gone)
    crowd.limiter.withdraw(gone)
    await crowd.release(1)
    expect(crowd.entered).toEqual(['idle', 'last'])
  })

  it('are not taken by who comes between a place and who waits for it', async () => {
    const crowd = new Crowd()
    crowd.queue('early', 'x', {})
    crowd.limiter.release(0)
    crowd.queue('late', 'y', {})
    expect(crowd.entered).toEqual([])
    await Promise.resolve()
    expect(crowd.entered).toEqual(['early'])
  })

  it.each([1, 2, 7])('are never more than %i at a time, and everybody has one', async (limit) => {
    const limiter = new Limiter(limit)
    let [now, most, done] = [0, 0, 0]
    const operations = Array.from({ length: 5 }, () => ({}))
    const work = (i: number): Promise<void> =>
      new Promise((resolve) => {
        const enter = (): boolean => {
          most = Math.max(most, ++now)
          void soon((done % 3) + 1).then(() => {
            now--
            done++
            limiter.release(1)
            resolve()
          })
          return true
        }
        limiter.admit({ turn: { caller: `caller${i % 3}`, operation: operations[i % 5] as object }, enter, refuse: () => {} })
      })
    await Promise.all(Array.from({ length: 60 }, (_, i) => work(i)))
    expect([most, done]).toEqual([limit, 60])
  })
})

describe('the queue', () => {
  const bounds = { length: 5, perCaller: 3, timeout: 50 }

  it('has room for so many, of them so many of one caller; others are refused at once', async () => {
    const crowd = new Crowd(1, { ...bounds, timeout: 5_000 })
    const ask = (name: string): string => crowd.queue(name, name[0] as string, {})?.message ?? 'waits'
    const [own, all] = ['Too many REST calls of yours wait for the site.', 'Too many REST calls wait for the site.']
    const answers = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1'].map(ask)
    expect(answers).toEqual(['waits', 'waits', 'waits', own, 'waits', 'waits', all, all])
    await crowd.release(1)
    expect(crowd.entered).toEqual(['a1'])
    expect([ask('a5'), ask('c2')]).toEqual(['waits', all])
    await crowd.release(6)
    expect(crowd.entered).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a5'])
  })

  it('makes room when somebody withdraws', () => {
    const crowd = new Crowd(1, { ...bounds, length: 1 })
    const guest = crowd.guest('a', 'x', {})
    crowd.limiter.admit(guest)
    expect(crowd.queue('b', 'y', {})?.code).toBe('UPSTREAM_BUSY')
    crowd.limiter.withdraw(guest)
    expect(crowd.queue('c', 'y', {})).toBeUndefined()
  })

  it('can have no room at all', async () => {
    const crowd = new Crowd(1, { ...bounds, length: 0 })
    expect(crowd.queue('a', 'x', {})?.code).toBe('UPSTREAM_BUSY')
    await crowd.release(1)
    expect(crowd.queue('b', 'x', {})).toBeUndefined()
    expect(crowd.entered).toEqual(['b'])
  })

  it('is left by who has waited for too long, and by nobody else', async () => {
    const crowd = new Crowd(1, bounds)
    crowd.queue('early', 'x', {})
    await soon(30)
    crowd.queue('late', 'y', {})
    await soon(35)
    expect(crowd.refused).toEqual(['early: The REST call has waited for its turn for too long.'])
    await crowd.release(1)
    expect(crowd.entered).toEqual(['late'])
    // The clock starts anew for who comes later.
    crowd.queue('later', 'x', {})
    await soon(70)
    expect(crowd.refused.slice(1)).toEqual(['later: The REST call has waited for its turn for too long.'])
  })

  it('says when to try again, by how long places are held', async () => {
    const crowd = new Crowd(2, { length: 10, perCaller: 10, timeout: 5_000 })
    const ask = (): number | undefined => crowd.queue('x', 'x', {})?.retryAfter
    while (ask() === undefined);
    expect(ask()).toBe(1)
    for (let i = 0; i < 200; i++) {
      await crowd.release(1, 4_000)
      crowd.queue('x', 'x', {})
    }
    // Ten who wait for two places that are held for four seconds each.
    expect(ask()).toBe(20)
    for (let i = 0; i < 200; i++) {
      await crowd.release(1, 400_000)
      crowd.queue('x', 'x', {})
    }
    expect(ask()).toBe(60)
  })
})

it('keeps nothing alive of who has gone, though its tables grow old', () => {
  const limiter = new Limiter(1)
  const guest = (): Guest => {
    const weight = Array.from({ length: 250 }, (_, index) => index)
    return { turn: { caller: 'one', operation: {} }, enter: () => weight.length > 0, refuse: () => {} }
  }
  const waiting: Guest[] = []
  collectAll()
  const before = oldMegabytes()
  limiter.admit(guest())
  for (let i = 0; i < 20_000; i++) {
    waiting.push(guest())
    limiter.admit(waiting.at(-1) as Guest)
    if (waiting.length > 16) limiter.withdraw(waiting.shift() as Guest)
    if (i % 500 === 0) collectYoung()
  }
  const grown = oldMegabytes() - before
  console.log(`20,000 guests of 2 KB each, 16 at a time: ${grown.toFixed(1)} MB outlived them`)
  expect(grown).toBeLessThan(8)
})
