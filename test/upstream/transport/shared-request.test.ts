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
})
