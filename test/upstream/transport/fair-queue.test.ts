import { afterEach, describe, expect, it, vi } from 'vitest'
import type { BusyError } from '../../../src/upstream/errors.js'
import { FairQueue, type QueueBounds } from '../../../src/upstream/transport/fair-queue.js'
import type { CredentialStatus, QueuedRequest, QueueKey } from '../../../src/upstream/transport/queue-nodes.js'
import { Random } from '../../support/random.js'
import { collectAll, collectYoung, oldMegabytes } from '../../support/young.js'

const soon = (milliseconds = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** A limiter with all places taken, and who has entered since. */
class Crowd {
  readonly entered: string[] = []
  readonly refused: string[] = []
  readonly limiter: FairQueue

  constructor(
    readonly limit = 1,
    bounds?: QueueBounds,
    standingOf?: (turn: QueueKey) => CredentialStatus,
  ) {
    this.limiter = new FairQueue({ limit, bounds, standingOf })
    for (let i = 0; i < limit; i++) this.queue('first', 'first', {})
    expect(this.entered.splice(0)).toHaveLength(limit)
  }

  guest(name: string, caller: string, operation: object, stays = true): QueuedRequest {
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

  /** A call of a caller whom the gateway has not verified. */
  queueUnverified(name: string, { caller = name, operation = {}, ...turn }: Partial<QueueKey>): BusyError | undefined {
    return this.limiter.admit({ ...this.guest(name, caller, operation), turn: { caller, operation, principal: '', ...turn } })
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
    const limiter = new FairQueue({ limit })
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

  it('has room for so many, of them so many of one caller; when it is full the longest line gives way', async () => {
    const crowd = new Crowd(1, { ...bounds, timeout: 5_000 })
    const ask = (name: string): string => crowd.queue(name, name[0] as string, {})?.message ?? 'waits'
    const [own, all] = ['You have too many queued REST calls.', 'Too many REST calls wait for the site.']
    const answers = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1'].map(ask)
    // Nothing gives way to a line that would then be as long as the longest.
    expect(answers).toEqual(['waits', 'waits', 'waits', own, 'waits', 'waits', all, 'waits'])
    expect(crowd.refused).toEqual([`a3: ${all}`])
    await crowd.release(1)
    expect(crowd.entered).toEqual(['a1'])
    expect([ask('a5'), ask('c2')]).toEqual(['waits', all])
    await crowd.release(6)
    expect(crowd.entered).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a5'])
  })

  it('refuses by the same errors again and again, without a stack', () => {
    const crowd = new Crowd(1, { ...bounds, length: 1, timeout: 5_000 })
    crowd.queue('a', 'x', {})
    const [one, other] = [crowd.queue('b', 'x', {}), crowd.limiter.refusal({ caller: 'y', operation: {} })]
    expect(one).toBe(other)
    expect([one?.code, one?.retryAfter, one?.stack?.split('\n').length]).toEqual(['UPSTREAM_BUSY', 1, 1])
  })

  it('tells without any change whether it would refuse', () => {
    const crowd = new Crowd(1, { length: 3, perCaller: 2, timeout: 5_000 })
    const refusal = (caller: string): string | undefined => crowd.limiter.refusal({ caller, operation: {} })?.message
    for (let i = 1; i <= 2; i++) crowd.queue(`a${i}`, 'a', {})
    expect([refusal('a'), refusal('b')]).toEqual(['You have too many queued REST calls.', undefined])
    crowd.queue('b1', 'b', {})
    expect([refusal('b'), refusal('c'), crowd.refused]).toEqual(['Too many REST calls wait for the site.', undefined, []])
  })

  it('takes no more of a caller than could be served in four times the longest wait', async () => {
    const crowd = new Crowd(2, { length: 1_000, perCaller: 1_000, timeout: 1_000 })
    for (let i = 0; i < 200; i++) crowd.queue('x', 'x', {})
    // Each place is held for 100 milliseconds.
    for (let i = 0; i < 200; i++) await crowd.release(1, 100)
    let count = 0
    while (!crowd.queue('y', 'y', {})) count++
    expect(count).toBeGreaterThanOrEqual(80)
    expect(count).toBeLessThan(90)
    expect(crowd.queue('z', 'z', {})).toBeUndefined()
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
    const crowd = new Crowd(2, { length: 10, perCaller: 10, timeout: 1_000_000 })
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

describe('callers nobody has verified', () => {
  it('share one line, which is no longer for many of them, and whose addresses take turns', async () => {
    const crowd = new Crowd()
    for (let i = 1; i <= 6; i++) crowd.queueUnverified(`flood${i}`, { address: 'far' })
    crowd.queueUnverified('near1', { caller: '', address: 'near' })
    crowd.queueUnverified('near2', { caller: '', address: 'near' })
    for (let i = 1; i <= 4; i++) crowd.queue(`own${i}`, 'own', {})
    await crowd.release(8)
    expect(crowd.entered).toEqual(['flood1', 'own1', 'near1', 'own2', 'flood2', 'own3', 'near2', 'own4'])
  })

  it('take turns by caller and then by operation where they have one address', async () => {
    const crowd = new Crowd()
    for (const caller of ['a', 'b']) for (let i = 1; i <= 3; i++) crowd.queueUnverified(`${caller}${i}`, { caller, operation: {} })
    crowd.queueUnverified('late', {})
    await crowd.release(7)
    expect(crowd.entered).toEqual(['a1', 'b1', 'late', 'a2', 'b2', 'a3', 'b3'])
  })

  it('have a line of their own as soon as the site has verified them', async () => {
    const crowd = new Crowd(1, undefined, ({ caller }) => (caller === 'known' ? 'proven' : 'unknown'))
    for (let i = 1; i <= 4; i++) crowd.queueUnverified(`made${i}`, { address: `${i}` })
    for (let i = 1; i <= 2; i++) crowd.queueUnverified(`known${i}`, { caller: 'known' })
    await crowd.release(6)
    expect(crowd.entered).toEqual(['made1', 'known1', 'made2', 'known2', 'made3', 'made4'])
  })

  it('are one caller at an address where the site does not know their credentials', async () => {
    const crowd = new Crowd(1, undefined, ({ caller }) => (caller === '' ? 'unknown' : 'wrong'))
    for (let i = 1; i <= 3; i++) for (const caller of ['a', 'b', 'c']) crowd.queueUnverified(`${caller}${i}`, { caller })
    for (let i = 1; i <= 3; i++) crowd.queueUnverified(`reader${i}`, { caller: '' })
    await crowd.release(6)
    expect(crowd.entered.filter((name) => name.startsWith('reader'))).toEqual(['reader1', 'reader2', 'reader3'])
  })

  it('give way together to a verified caller, and among each other by address, caller and operation', () => {
    const crowd = new Crowd(1, { length: 6, perCaller: 10, timeout: 5_000 })
    const big = {}
    crowd.queueUnverified('b1', { caller: 'b', address: 'far' })
    for (let i = 1; i <= 3; i++) crowd.queueUnverified(`a${i}`, { caller: 'a', address: 'far', operation: big })
    crowd.queueUnverified('a4', { caller: 'a', address: 'far' })
    crowd.queueUnverified('near1', { address: 'near' })
    expect(crowd.queue('verified1', 'v', {})).toBeUndefined()
    expect(crowd.queueUnverified('near2', { address: 'near' })).toBeUndefined()
    expect(crowd.queueUnverified('a5', { caller: 'a', address: 'far', operation: big })?.code).toBe('UPSTREAM_BUSY')
    expect(crowd.queueUnverified('c1', { caller: 'c', address: 'far' })).toBeUndefined()
    expect(crowd.refused.map((text) => text.split(':')[0])).toEqual(['a3', 'a2', 'a4'])
  })
})

describe('a line that is new', () => {
  it('is served before those that had a turn, but not again before they had theirs', async () => {
    const crowd = new Crowd()
    for (const caller of ['a', 'b', 'c']) for (let i = 1; i <= 9; i++) crowd.queue(`${caller}${i}`, caller, {})
    await crowd.release(4)
    crowd.queue('new1', 'new', {})
    await crowd.release(1)
    crowd.queue('new2', 'new', {})
    await crowd.release(4)
    expect(crowd.entered).toEqual(['a1', 'b1', 'c1', 'a2', 'new1', 'b2', 'c2', 'a3', 'new2'])
  })

  it('finds a place kept for it when more waits than can be served in time', async () => {
    const crowd = new Crowd(2, { length: 100, perCaller: 100, timeout: 1_000 })
    for (let i = 1; i <= 40; i++) crowd.queueUnverified(`many${i}`, { caller: 'many' })
    // Two places that are held for 40 seconds.
    await crowd.release(1, 40_000)
    expect(crowd.entered).toEqual(['many1'])
    await crowd.release(1, 40_000)
    // The other place is kept.
    expect(crowd.entered).toEqual(['many1'])
    for (const name of ['new1', 'new2']) crowd.queueUnverified(name, {})
    await Promise.resolve()
    expect(crowd.entered).toEqual(['many1', 'new1'])
    await crowd.release(1, 40_000)
    expect(crowd.entered).toEqual(['many1', 'new1', 'new2'])
    for (let i = 0; i < 2; i++) await crowd.release(1, 40_000)
    expect(crowd.entered).toEqual(['many1', 'new1', 'new2', 'many2'])
  })

  it('is not so often new that others have no turn', async () => {
    const crowd = new Crowd()
    for (let i = 1; i <= 3; i++) crowd.queue(`old${i}`, 'old', {})
    await crowd.release(1)
    for (let i = 1; i <= 12; i++) crowd.queue(`new${i}`, `new${i}`, {})
    await crowd.release(11)
    expect(crowd.entered.flatMap((name, at) => (name.startsWith('old') ? [at] : []))).toEqual([0, 4, 9])
  })
})

describe('beside 3,000 calls per second of callers with made-up credentials, for a site that does 13', () => {
  afterEach(() => vi.useRealTimers())

  const SERVICE = 300
  /** Milliseconds of the clock of the test. */
  const LASTS = 30_000

  it.each([
    ['whom the site does not know', 'wrong'],
    ['of whom nothing is known', 'unknown'],
  ] as const)('%s, every call of others is served in less than twice the time', async (_, standing) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
    const limiter = new FairQueue({
      limit: 4,
      bounds: { length: 10_000, perCaller: 5_000, timeout: 10_000 },
      standingOf: ({ caller }) => (caller.startsWith('known') ? 'proven' : caller.startsWith('made up') ? standing : 'unknown'),
    })
    const send = (turn: QueueKey, done: (outcome: 'served' | 'refused') => void): void => {
      const request: QueuedRequest = {
        turn,
        enter: () => {
          setTimeout(() => {
            limiter.release(SERVICE)
            done('served')
          }, SERVICE)
          return true
        },
        refuse: () => done('refused'),
      }
      if (limiter.admit(request)) done('refused')
    }
    const strangers = { served: 0, refused: 0 }
    let requests = 0
    setInterval(() => {
      const turn = { caller: `made up ${requests++ % 3}`, principal: '', address: 'far', operation: {} }
      for (let i = 0; i < 50; i++) send(turn, (outcome) => strangers[outcome]++)
    }, 1_000 / 60)
    const outcomes: { name: string; outcome: string; took: number }[] = []
    const read = (name: string, caller: string, address: string): void => {
      const since = performance.now()
      send({ caller, address, principal: '', operation: {} }, (outcome) => {
        const took = performance.now() - since
        outcomes.push({ name, outcome, took })
        // Not in step with the site.
        setTimeout(read, 700 - (took % 137), name, caller, address)
      })
    }
    setTimeout(() => {
      read('a known caller', 'known 1', 'near')
      read('a known caller at the address of the strangers', 'known 2', 'far')
      read('an anonymous caller', '', 'near')
      read('an anonymous caller at the address of the strangers', '', 'far')
    }, 5_000)
    await vi.advanceTimersByTimeAsync(LASTS)
    const times = outcomes.map(({ took }) => took).sort((a, b) => a - b)
    const p99 = times[Math.floor(times.length * 0.99)] as number
    console.log(
      `${times.length} reads, p50 ${times[times.length >> 1]?.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; strangers: ${JSON.stringify(strangers)}`,
    )
    expect(outcomes.filter(({ outcome }) => outcome !== 'served')).toEqual([])
    expect(times.length).toBeGreaterThan(80)
    expect(p99).toBeLessThan(2 * SERVICE)
    // The site has as much to do as it can.
    expect(strangers.served).toBeGreaterThan(150)
  })
})

it('loses no call and serves none twice, whatever comes and goes', async () => {
  const random = new Random(7)
  for (let round = 0; round < 200; round++) {
    const [entered, ended] = [new Set<number>(), new Set<number>()]
    const end = (id: number): void => {
      expect(ended.has(id)).toBe(false)
      ended.add(id)
    }
    const limiter = new FairQueue({
      limit: 2,
      bounds: { length: 12, perCaller: 6, timeout: 60_000 },
      standingOf: ({ caller }) => (caller === '1' ? 'proven' : caller === '2' ? 'wrong' : 'unknown'),
    })
    const operations = Array.from({ length: 6 }, () => ({}))
    const waiting = new Map<number, QueuedRequest>()
    let held = 0
    for (let id = 0; id < 120; id++) {
      const kind = random.int(0, 9)
      if (kind < 6) {
        const caller = `${random.int(0, 3)}`
        const address = `${random.int(0, 2)}`
        const operation = operations[random.int(0, 5)] as object
        const request: QueuedRequest = {
          turn: random.chance(0.3) ? { caller, operation } : { caller, operation, address, principal: '' },
          enter: () => {
            end(id)
            entered.add(id)
            waiting.delete(id)
            held++
            return true
          },
          refuse: () => {
            end(id)
            waiting.delete(id)
          },
        }
        waiting.set(id, request)
        const foreseen = limiter.refusal(request.turn)
        const refusal = limiter.admit(request)
        expect(refusal === undefined).toBe(foreseen === undefined)
        if (refusal) {
          end(id)
          waiting.delete(id)
        }
        expect(waiting.size).toBeLessThanOrEqual(12)
      } else if (kind < 8 && held > 0) {
        held--
        limiter.release(1)
        await Promise.resolve()
      } else {
        const [left] = [...waiting].slice(random.int(0, 11))
        if (!left) continue
        limiter.withdraw(left[1])
        waiting.delete(left[0])
        end(left[0])
      }
    }
    while (held > 0) {
      held--
      limiter.release(1)
      await Promise.resolve()
    }
    expect(waiting.size).toBe(0)
  }
})

it('keeps nothing alive of who has gone, though its tables grow old', () => {
  const limiter = new FairQueue({ limit: 1 })
  const guest = (): QueuedRequest => {
    const weight = Array.from({ length: 250 }, (_, index) => index)
    return { turn: { caller: 'one', operation: {} }, enter: () => weight.length > 0, refuse: () => {} }
  }
  const waiting: QueuedRequest[] = []
  collectAll()
  const before = oldMegabytes()
  limiter.admit(guest())
  for (let i = 0; i < 20_000; i++) {
    waiting.push(guest())
    limiter.admit(waiting.at(-1) as QueuedRequest)
    if (waiting.length > 16) limiter.withdraw(waiting.shift() as QueuedRequest)
    if (i % 500 === 0) collectYoung()
  }
  const grown = oldMegabytes() - before
  console.log(`20,000 guests of 2 KB each, 16 at a time: ${grown.toFixed(1)} MB outlived them`)
  expect(grown).toBeLessThan(8)
})
