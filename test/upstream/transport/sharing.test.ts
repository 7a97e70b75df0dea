import { describe, expect, it } from 'vitest'
import { ANONYMOUS, Credentials } from '../../../src/upstream/credentials.js'
import * as errors from '../../../src/upstream/errors.js'
import { failure, transportSetup, until } from './setup.js'

const setup = transportSetup()
const { calls, get, hold, raw, transportTo } = setup

describe('identical reads', () => {
  const as = (authorization: string) => ({ credentials: new Credentials({ authorization }) })
  const a = as('Basic a')

  it('share one call while it is in flight', async () => {
    const { answer } = hold()
    const transport = transportTo()
    const asked = [get(transport, '/x', a), get(transport, '/x', { ...a, operation: {} })]
    await until(() => setup.site.requests.length === 1)
    asked.push(get(transport, '/x', a))
    answer()
    const [first, second, third] = await Promise.all(asked)
    expect(second).toBe(first)
    expect(third).toBe(first)
    expect(calls).toHaveLength(1)
    raw('["new"]')
    expect((await get(transport, '/x', a)).body).toEqual(['new'])
  })

  it('are not shared between credentials or paths, nor when sharing is off', async () => {
    const { answer } = hold()
    const transport = transportTo({ maxInFlight: 10 })
    const asked = [a, as('Basic b'), { credentials: ANONYMOUS }, as('basic a')].map((who) => get(transport, '/x', who))
    asked.push(get(transport, '/x?', a))
    const unshared = transportTo({ share: false })
    asked.push(get(unshared, '/x', a), get(unshared, '/x', a))
    await until(() => setup.site.requests.length === asked.length)
    answer()
    await Promise.all(asked)
    expect(setup.site.requests.map(({ headers }) => headers.authorization ?? 'none').sort()).toEqual(
      ['Basic a', 'Basic a', 'Basic a', 'Basic a', 'Basic b', 'basic a', 'none'].sort(),
    )
  })

  it('fail together', async () => {
    raw('{"code":"rest_forbidden","message":"No."}', 'application/json', 403)
    const transport = transportTo()
    const [first, second] = await Promise.all([failure(get(transport)), failure(get(transport))])
    expect([first.message, second.message, setup.site.requests.length]).toEqual(['No.', 'No.', 1])
  })

  it('continue when one of two clients disconnects, and end when the last one does', async () => {
    const { answer } = hold(['for who stayed'])
    const transport = transportTo()
    const [leaver, stayer] = [new AbortController(), new AbortController()]
    const left = failure(get(transport, '/x', { ...a, signal: leaver.signal }))
    const stayed = get(transport, '/x', { ...a, signal: stayer.signal })
    await until(() => setup.site.requests.length === 1)
    leaver.abort()
    expect(await left).toBeInstanceOf(errors.CancelledError)
    expect(setup.site.open).toBe(1)
    answer()
    expect((await stayed).body).toEqual(['for who stayed'])

    hold()
    const both = [leaver, stayer].map(() => new AbortController())
    const leaving = both.map(({ signal }) => failure(get(transport, '/y', { ...a, signal })))
    await until(() => setup.site.open === 1)
    for (const each of both) each.abort()
    expect((await Promise.all(leaving)).map(({ extensions }) => extensions.code)).toEqual(['REQUEST_CANCELLED', 'REQUEST_CANCELLED'])
    await until(() => setup.site.open === 0)
  })

  it('continue for a client without a deadline', async () => {
    const { answer } = hold()
    const transport = transportTo()
    const leaver = new AbortController()
    const left = failure(get(transport, '/x', { ...a, signal: leaver.signal }))
    const stayed = get(transport, '/x', a)
    await until(() => setup.site.requests.length === 1)
    leaver.abort()
    await left
    answer()
    expect((await stayed).status).toBe(200)
  })

  it('are not joined after they were cancelled, and do not end the sharing of later ones', async () => {
    const { answer } = hold()
    const transport = transportTo()
    const leaver = new AbortController()
    const left = failure(get(transport, '/x', { ...a, signal: leaver.signal }))
    await until(() => setup.site.requests.length === 1)
    leaver.abort()
    const after = get(transport, '/x', a)
    await left
    await until(() => setup.site.requests.length === 2)
    const joined = get(transport, '/x', a)
    answer()
    expect((await after).body).toEqual(['held'])
    expect(await joined).toBe(await after)
    expect(setup.site.requests).toHaveLength(2)
  })

  it('are not sent when all clients disconnect while they are queued', async () => {
    const { answer } = hold()
    const transport = transportTo({ maxInFlight: 1 })
    const first = get(transport, '/first')
    const leaver = new AbortController()
    const left = failure(get(transport, '/second', { signal: leaver.signal }))
    const third = get(transport, '/third')
    await until(() => setup.site.requests.length === 1)
    leaver.abort()
    expect(await left).toBeInstanceOf(errors.CancelledError)
    answer()
    await first
    await until(() => setup.site.requests.length === 2)
    answer()
    await third
    expect(setup.site.paths).toEqual(['/first', '/third'])
    expect(calls.map(({ path }) => path)).toEqual(['/first', '/third'])
  })

  it('are not sent for a client that has already disconnected', async () => {
    expect(await failure(get(transportTo(), '/x', { signal: AbortSignal.abort() }))).toBeInstanceOf(errors.CancelledError)
    expect([setup.site.requests.length, calls.length]).toEqual([0, 0])
  })
})
