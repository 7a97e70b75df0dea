import { describe, expect, it } from 'vitest'
import { type LmsError, TimeoutError, UnavailableError } from '../../../src/upstream/errors.js'
import { Deadline } from '../../../src/upstream/transport/deadline.js'
import { SharedRequest } from '../../../src/upstream/transport/shared-request.js'

class Counted extends SharedRequest<string> {
  ends = 0
  abandons = 0

  protected override onEnd(): void {
    this.ends++
  }
  protected override onAbandon(): void {
    this.abandons++
  }
  protected override errorForCancelled(reason: LmsError): LmsError {
    return reason
  }
  answer(value: string): void {
    this.resolve(value)
  }
  fail(): void {
    this.reject(new UnavailableError('broken off'))
  }
  get seen(): [ends: number, abandons: number, abandoned: boolean] {
    return [this.ends, this.abandons, this.abandoned]
  }
}

const outcome = (promise: Promise<string>): Promise<string> => promise.catch((error: LmsError) => error.code)

describe('SharedCall', () => {
  it('answers all that joined, and ends once', async () => {
    const call = new Counted()
    const waiting = [call.join(undefined), call.join(new Deadline())]
    call.answer('answer')
    expect(await Promise.all(waiting)).toEqual(['answer', 'answer'])
    expect(call.seen).toEqual([1, 0, false])
  })

  it('ends once when all have left, even if the response arrives later', async () => {
    const call = new Counted()
    const [first, second] = [new Deadline(), new Deadline()]
    const waiting = [outcome(call.join(first)), outcome(call.join(second))]
    first.cancel()
    expect(call.seen).toEqual([0, 0, false])
    second.cancel()
    expect(call.seen).toEqual([1, 1, true])
    call.fail()
    expect(await Promise.all(waiting)).toEqual(['REQUEST_CANCELLED', 'REQUEST_CANCELLED'])
    // A second end would end the sharing of the next call.
    expect(call.ends).toBe(1)
  })

  it('lets one operation join twice, and leave both at once', async () => {
    const call = new Counted()
    const deadline = new Deadline()
    const waiting = [outcome(call.join(deadline)), outcome(call.join(deadline))]
    deadline.cancel()
    expect(await Promise.all(waiting)).toEqual(['REQUEST_CANCELLED', 'REQUEST_CANCELLED'])
    expect(call.abandons).toBe(1)
  })

  it('is left by operations whose deadline has passed, each with its own reason', async () => {
    const call = new Counted()
    const [short, long, gone] = [new Deadline(20), new Deadline(5_000), new AbortController()]
    const waiting = [call.join(short), call.join(long), call.join(new Deadline(5_000, gone.signal))].map(outcome)
    gone.abort()
    expect(await waiting[0]).toBe('UPSTREAM_TIMEOUT')
    expect([short.ended, short.ended?.message]).toEqual([expect.any(TimeoutError), 'The operation timed out after 20 milliseconds.'])
    call.answer('late')
    expect(await Promise.all(waiting)).toEqual(['UPSTREAM_TIMEOUT', 'late', 'REQUEST_CANCELLED'])
    expect([long.ended, call.seen]).toEqual([undefined, [1, 0, false]])
    long.close()
  })
})

describe('Deadline', () => {
  it('has passed from the start for a client that has disconnected', () => {
    expect(new Deadline(undefined, AbortSignal.abort()).ended?.code).toBe('REQUEST_CANCELLED')
  })

  it('keeps its first reason, and runs no timer once it is closed', async () => {
    const deadline = new Deadline(10)
    deadline.close()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(deadline.ended).toBeUndefined()
    deadline.cancel()
    deadline.end(new TimeoutError('late'))
    expect(deadline.ended?.code).toBe('REQUEST_CANCELLED')
  })

  it('ends when its own time is up, whatever others with the same timeout do', async () => {
    const started = performance.now()
    const opened = [new Deadline(40), new Deadline(40)]
    await new Promise((resolve) => setTimeout(resolve, 20))
    const laterStarted = performance.now() - started
    const later = new Deadline(40)
    opened[0]?.close()
    const ended = async (deadline: Deadline): Promise<number> => {
      await new Promise<void>((resolve) => deadline.add({ cancel: () => resolve() }))
      return performance.now() - started
    }
    // The deadline that starts while others end.
    const last = ended(opened[1] as Deadline).then(async (at) => [at, await ended(new Deadline(40))])
    const [second, third, [, fourth]] = await Promise.all([ended(opened[1] as Deadline), ended(later), last])
    expect(opened.map((each) => each.ended?.code)).toEqual([undefined, 'UPSTREAM_TIMEOUT'])
    expect([second >= 40, third >= laterStarted + 40, (fourth as number) >= 80]).toEqual([true, true, true])
    expect(fourth).toBeLessThan(1_000)
  })

  it('starts its timer again after a pause', async () => {
    for (const _ of [1, 2]) {
      const deadline = new Deadline(15)
      await new Promise<void>((resolve) => deadline.add({ cancel: () => resolve() }))
      expect(deadline.ended?.message).toBe('The operation timed out after 15 milliseconds.')
    }
  })

  it('cancels all that wait, except those that have left', () => {
    const deadline = new Deadline()
    const reached: number[] = []
    const waiters = [0, 1, 2, 3].map((place) => ({ cancel: () => void reached.push(place) }))
    for (const waiter of waiters) deadline.add(waiter)
    deadline.delete(waiters[0] as (typeof waiters)[number])
    deadline.delete(waiters[2] as (typeof waiters)[number])
    deadline.cancel()
    expect(reached).toEqual([1, 3])
  })
})
