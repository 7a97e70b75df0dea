import { describe, expect, it, vi } from 'vitest'
import { SharedCall } from '../../src/rest/shared-call.js'

function shared() {
  const ended = vi.fn()
  const call = new SharedCall<string>(() => new Error('cancelled'), ended)
  const abandoned = vi.fn()
  call.onAbandon = abandoned
  return { call, ended, abandoned }
}

const outcome = (promise: Promise<string>): Promise<string> => promise.catch((error: Error) => error.message)

describe('SharedCall', () => {
  it('answers everybody, and has ended once', async () => {
    const { call, ended, abandoned } = shared()
    const waiting = [call.join(undefined), call.join(new AbortController().signal)]
    call.resolve('answer')
    expect(await Promise.all(waiting)).toEqual(['answer', 'answer'])
    expect([ended.mock.calls.length, abandoned.mock.calls.length, call.abandoned]).toEqual([1, 0, false])
  })

  it('ends once when everybody left, also when its own end comes in later', async () => {
    const { call, ended, abandoned } = shared()
    const [first, second] = [new AbortController(), new AbortController()]
    const waiting = [outcome(call.join(first.signal)), outcome(call.join(second.signal))]
    first.abort()
    expect([ended.mock.calls.length, call.abandoned]).toEqual([0, false])
    second.abort()
    expect([ended.mock.calls.length, abandoned.mock.calls.length, call.abandoned]).toEqual([1, 1, true])
    call.reject(new Error('broken off'))
    expect(await Promise.all(waiting)).toEqual(['cancelled', 'cancelled'])
    // A second end would end the sharing of the call that has taken its place.
    expect(ended).toHaveBeenCalledTimes(1)
  })

  it('lets one caller wait twice under one signal, and leave both waits at once', async () => {
    const { call, abandoned } = shared()
    const { signal, abort } = ((controller) => ({ signal: controller.signal, abort: () => controller.abort() }))(new AbortController())
    const waiting = [outcome(call.join(signal)), outcome(call.join(signal))]
    abort()
    expect(await Promise.all(waiting)).toEqual(['cancelled', 'cancelled'])
    expect(abandoned).toHaveBeenCalledTimes(1)
  })
})
