import { describe, expect, it } from 'vitest'
import { Limiter } from '../../src/rest/limiter.js'

/** A limiter with one place taken; `let in` order is kept. */
function crowd(limit = 1) {
  const limiter = new Limiter(limit)
  const entered: string[] = []
  for (let i = 0; i < limit; i++) expect(limiter.acquire({ caller: 'first', operation: {} })).toBeUndefined()
  const queue = (name: string, caller: string, operation: object) => {
    void limiter.acquire({ caller, operation })?.then(() => entered.push(name))
  }
  const releaseAll = async (count: number) => {
    for (let i = 0; i < count; i++) {
      limiter.release()
      await Promise.resolve()
    }
  }
  return { limiter, entered, queue, releaseAll }
}

describe('Limiter', () => {
  it('lets in at once while there is room, and then nobody', async () => {
    const { limiter, entered, queue, releaseAll } = crowd(3)
    expect(limiter.inFlight).toBe(3)
    queue('a', 'x', {})
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect([entered, limiter.inFlight]).toEqual([[], 3])
    await releaseAll(1)
    expect([entered, limiter.inFlight]).toEqual([['a'], 3])
    await releaseAll(3)
    expect(limiter.inFlight).toBe(0)
  })

  it('takes callers in turn, however many calls each waits for', async () => {
    const { entered, queue, releaseAll } = crowd()
    const [big, small, other] = [{}, {}, {}]
    for (let i = 1; i <= 4; i++) queue(`big${i}`, 'big', big)
    for (let i = 1; i <= 2; i++) queue(`small${i}`, 'small', small)
    queue('other1', 'other', other)
    await releaseAll(7)
    expect(entered).toEqual(['big1', 'small1', 'other1', 'big2', 'small2', 'big3', 'big4'])
  })

  it('takes operations of one caller in turn, each in order of arrival', async () => {
    const { entered, queue, releaseAll } = crowd()
    const [one, two] = [{}, {}]
    for (let i = 1; i <= 3; i++) queue(`one${i}`, 'me', one)
    for (let i = 1; i <= 2; i++) queue(`two${i}`, 'me', two)
    queue('you1', 'you', {})
    await releaseAll(6)
    expect(entered).toEqual(['one1', 'you1', 'two1', 'one2', 'two2', 'one3'])
  })

  it('a caller with many operations gets no more turns than one with few', async () => {
    const { entered, queue, releaseAll } = crowd()
    for (let i = 1; i <= 5; i++) queue(`many${i}`, 'many', {})
    const calm = {}
    for (let i = 1; i <= 3; i++) queue(`calm${i}`, 'calm', calm)
    await releaseAll(6)
    expect(entered).toEqual(['many1', 'calm1', 'many2', 'calm2', 'many3', 'calm3'])
  })

  it.each([1, 2, 7])('never holds more than its limit of %i, and lets everybody in', async (limit) => {
    const limiter = new Limiter(limit)
    let [now, most, done] = [0, 0, 0]
    const work = async (caller: string, operation: object) => {
      const place = limiter.acquire({ caller, operation })
      if (place) await place
      most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, (done % 3) + 1))
      now--
      done++
      limiter.release()
    }
    const operations = Array.from({ length: 5 }, () => ({}))
    await Promise.all(Array.from({ length: 60 }, (_, i) => work(`caller${i % 3}`, operations[i % 5] as object)))
    expect([most, done, limiter.inFlight]).toEqual([limit, 60, 0])
  })
})
