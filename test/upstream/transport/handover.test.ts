import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { callScope } from '../../support/call-scope.js'
import { json } from '../../support/site.js'
import { failure, transportSetup, until } from './setup.js'

const setup = transportSetup()
const { get, hold, transportTo } = setup

/** The connections over which the site was asked. */
const connections = (): Set<Socket> => new Set(setup.site.requests.map(({ socket }) => socket))

describe('a connection that ends a call', () => {
  it('takes the next queued one before the answer is used', async () => {
    const transport = transportTo({ maxInFlight: 1, share: false })
    const queued: number[] = []
    const asked = [0, 1, 2, 3].map((n) =>
      get(transport, `/${n}`).then(() => {
        const { running, queued: waiting } = transport.state
        queued.push(waiting)
        return running
      }),
    )
    expect(transport.state).toMatchObject({ running: 1, queued: 3, connections: 1 })
    expect(await Promise.all(asked)).toEqual([1, 1, 1, 0])
    expect(queued).toEqual([2, 1, 0, 0])
    expect(setup.site.paths).toEqual(['/0', '/1', '/2', '/3'])
    expect(connections().size).toBe(1)
    expect(transport.state).toMatchObject({ running: 0, queued: 0, connections: 1 })
  })

  it('keeps within the limit, and gives callers and their operations turns', async () => {
    const transport = transportTo({ maxInFlight: 2, share: false })
    const { answer } = hold()
    const first = [get(transport, '/held'), get(transport, '/held')]
    await until(() => setup.site.requests.length === 2)
    const [one, two] = [{}, {}]
    const from = (caller: string, operation: object, ...names: string[]) =>
      names.map((name) => get(transport, `/${name}`, { id: caller, operation }))
    const asked = [...from('a', one, 'a1', 'a2', 'a3'), ...from('a', two, 'A1', 'A2'), ...from('b', {}, 'b1', 'b2')]
    setup.answerWith((response) => json(response, []))
    answer()
    await Promise.all([...first, ...asked])
    const paths = setup.site.paths.slice(2)
    // Both connections take calls, so that two neighbours may arrive in either order.
    const places = ['a1', 'b1', 'A1', 'b2', 'a2', 'A2', 'a3'].map((name) => paths.indexOf(`/${name}`))
    for (const [place, arrived] of places.entries()) expect(Math.abs(arrived - place)).toBeLessThanOrEqual(1)
    expect([setup.site.most, connections().size]).toEqual([2, 2])
  })

  it('skips calls that were cancelled in the queue', async () => {
    const transport = transportTo({ maxInFlight: 1 })
    const { answer } = hold()
    const running = get(transport, '/running')
    const leaver = new AbortController()
    const failures = Array.from({ length: 5 }, (_, n) =>
      failure(get(transport, `/cancelled${n}`, { signal: leaver.signal, id: `${n % 2}`, operation: {} })),
    )
    const stays = [get(transport, '/stays', { id: '0' }), get(transport, '/stays-too', { id: '1' })]
    await until(() => setup.site.requests.length === 1)
    leaver.abort()
    expect(await Promise.all(failures)).toMatchObject(Array.from({ length: 5 }, () => ({ code: 'REQUEST_CANCELLED' })))
    expect(transport.state).toMatchObject({ running: 1, queued: 2 })
    setup.answerWith((response) => json(response, []))
    answer()
    await Promise.all([running, ...stays])
    expect(setup.site.paths).toEqual(['/running', '/stays', '/stays-too'])
    expect(transport.state).toMatchObject({ running: 0, queued: 0 })
  })

  it('is not reused when the site closes it, and the next call opens another', async () => {
    const transport = transportTo({ maxInFlight: 1, share: false })
    const used = new Set<number | undefined>()
    setup.site.handler = ({ socket }, response) => {
      used.add(socket.remotePort)
      json(response, [], { headers: { connection: 'close' } })
    }
    await Promise.all([get(transport, '/0'), get(transport, '/1'), get(transport, '/2')])
    expect(setup.site.paths).toEqual(['/0', '/1', '/2'])
    expect(used.size).toBe(3)
  })
})

describe('a connection that has reached its age', () => {
  /** Reads that follow each other without a pause. */
  const load = async (transport: ReturnType<typeof transportTo>, milliseconds: number, callers = 1): Promise<void> => {
    const end = Date.now() + milliseconds
    const one = async (caller: number): Promise<void> => {
      for (let at = 0; Date.now() < end; at++) await get(transport, `/${caller}-${at}`)
    }
    await Promise.all(Array.from({ length: callers }, (_, caller) => one(caller)))
  }

  it('takes no further call, although calls are queued all the time, and is closed', async () => {
    const transport = transportTo({ maxInFlight: 1, share: false, maxConnectionAge: 200 })
    await load(transport, 900, 3)
    // Between 150 and 200 ms each.
    expect(connections().size).toBeGreaterThanOrEqual(4)
    expect(connections().size).toBeLessThanOrEqual(7)
    expect(transport.state).toMatchObject({ running: 0, queued: 0, connections: 1 })
    await until(() => [...connections()].slice(0, -1).every((socket) => socket.destroyed))
    // None is used again.
    const inOrder = setup.site.requests.map(({ socket }) => socket)
    expect(inOrder.filter((socket, at) => socket !== inOrder[at - 1])).toHaveLength(connections().size)
  })

  it('is replaced for writes too', async () => {
    const transport = transportTo({ maxInFlight: 1, maxConnectionAge: 50 })
    const write = () => transport.write('POST', 'v1/list', '/x', '{}', callScope({}))
    await write()
    await write()
    expect(connections().size).toBe(1)
    await sleep(60)
    await write()
    expect(connections().size).toBe(2)
  })

  it('ends the call that it has', async () => {
    const transport = transportTo({ maxInFlight: 1, share: false, maxConnectionAge: 50 })
    const { answer } = hold(['late'])
    const asked = [get(transport, '/held'), get(transport, '/queued')]
    await until(() => setup.site.requests.length === 1)
    await sleep(100)
    answer()
    await until(() => setup.site.requests.length === 2)
    answer()
    expect((await Promise.all(asked)).map(({ body }) => body)).toEqual([['late'], ['late']])
    expect(connections().size).toBe(2)
  })

  it('is closed once: a call after the end fails, and nothing else does', async () => {
    const transport = transportTo({ maxInFlight: 1, maxConnectionAge: 50 })
    await get(transport)
    await transport.close()
    setup.transports.length = 0
    await sleep(60)
    const rejections: unknown[] = []
    const record = (reason: unknown): void => void rejections.push(reason)
    process.on('unhandledRejection', record)
    expect((await failure(get(transport))).code).toBe('REQUEST_CANCELLED')
    await sleep(10)
    process.off('unhandledRejection', record)
    expect(rejections).toEqual([])
  })

  it('does not end at the same time as the others', async () => {
    const transport = transportTo({ maxInFlight: 8, share: false, maxConnectionAge: 400 })
    const seen = new Map<Socket, number>()
    setup.site.handler = ({ socket }, response) => {
      if (!seen.has(socket)) seen.set(socket, performance.now())
      setTimeout(() => json(response, []), 5)
    }
    await load(transport, 650, 8)
    const replaced = [...seen.values()].slice(8)
    expect(replaced.length).toBeGreaterThanOrEqual(8)
    // Within a quarter of their age.
    const first = replaced.slice(0, 8)
    expect(Math.max(...first) - Math.min(...first)).toBeGreaterThan(20)
  })
})
