import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { CallObserver } from '../../../src/upstream/call-scope.js'
import { USER_AGENT } from '../../../src/upstream/call-scope.js'
import { Credentials } from '../../../src/upstream/credentials.js'
import * as errors from '../../../src/upstream/errors.js'
import { PROTECTION } from '../../../src/upstream/transport/protection.js'
import type { Call, TransportEvents } from '../../../src/upstream/transport/transport.js'
import { callScope } from '../../support/call-scope.js'
import { json } from '../../support/site.js'
import { failure, transportSetup, until } from './setup.js'

const setup = transportSetup()
const { answerWith, calls, get, hold, raw, transportTo } = setup

describe('the transport', () => {
  it("sends path, Accept and the caller's Authorization, and nothing else of the caller", async () => {
    answerWith((response) => json(response, [1], { headers: { 'x-wp-total': '1' } }))
    const transport = transportTo()
    const answer = await get(transport, '/list?a=1,2', { credentials: new Credentials({ authorization: 'Basic abc' }) })
    expect(answer).toMatchObject({ status: 200, body: [1], headers: { 'x-wp-total': '1' } })
    await get(transport, '/other')
    const [first, second] = setup.site.requests
    expect([first?.method, first?.url]).toEqual(['GET', '/list?a=1,2'])
    expect(first?.headers).toEqual({
      accept: 'application/json',
      authorization: 'Basic abc',
      connection: 'keep-alive',
      host: new URL(setup.site.url).host,
      'user-agent': USER_AGENT,
    })
    expect(second?.headers.authorization).toBeUndefined()
  })

  it('reports each call with route, path, status and size', async () => {
    raw('[1,2,3]')
    await get()
    raw('<h1>', 'text/html', 503)
    await failure(get(transportTo(), '/list'))
    expect(calls).toMatchObject([
      { route: 'v1/list', path: '/list?a=1', status: 200, bytes: 7 },
      { route: 'v1/list', path: '/list', status: 503, bytes: 4 },
    ])
    for (const { startedAt, duration } of calls) expect([startedAt > 0, duration >= 0 && duration < 5_000]).toEqual([true, true])
  })

  it('sends the id of the client request, and counts its calls', async () => {
    const transport = transportTo({ share: false })
    const sent: string[] = []
    const counterOf = (name: string) => ({ sent: () => void sent.push(name) })
    await get(transport, '/x', { requestId: 'mine', counter: counterOf('mine') })
    await get(transport, '/x', { requestId: 'mine', counter: counterOf('mine') })
    await get(transport, '/x', { counter: counterOf('yours') })
    expect(setup.site.requests.map(({ headers }) => headers['x-request-id'])).toEqual(['mine', 'mine', undefined])
    expect('x-request-id' in (setup.site.requests[2]?.headers ?? {})).toBe(false)
    expect(calls.map(({ requestId }) => requestId)).toEqual(['mine', 'mine', undefined])
    expect(sent).toEqual(['mine', 'mine', 'yours'])
  })

  it('tells watchers the outcome, and whether the request was already in flight', async () => {
    const { answer } = hold()
    const transport = transportTo({ events: new EventEmitter<TransportEvents>() })
    const seen: unknown[] = []
    const watcher = (name: string) => ({
      joined: () => seen.push(`${name} joined`),
      cached: () => {},
      ended: ({ status, bytes }: Pick<Call, 'status' | 'bytes'>) => seen.push([name, status, bytes]),
      failed: () => seen.push(`${name} failed`),
    })
    const ask = (name: string) => transport.get('v1/list', '/x', callScope({ since: 0 }), watcher(name))
    const asked = [ask('first'), get(transport, '/x'), ask('second')]
    expect(seen).toEqual(['second joined'])
    await until(() => setup.site.requests.length === 1)
    answer()
    await Promise.all(asked)
    expect(seen.slice(1)).toEqual([
      ['first', 200, 8],
      ['second', 200, 8],
    ])
  })

  it('tells watchers of each attempt when its headers arrived, if they did', async () => {
    answerWith((response) => {
      if (setup.site.requests.length > 1) response.socket?.destroy()
      else json(response, {}, { status: 503 })
    })
    const attempts: [number, boolean | undefined][] = []
    const watcher = {
      joined: () => {},
      cached: () => {},
      ended: ({ status, startedAt, duration }: Call, answeredAt: number | undefined) =>
        attempts.push([status, answeredAt === undefined ? undefined : answeredAt > startedAt && answeredAt <= startedAt + duration]),
      failed: () => {},
    }
    const transport = transportTo({ protection: { ...PROTECTION, retries: 1 } })
    await failure(transport.get('v1/list', '/x', callScope(), watcher as CallObserver))
    expect(attempts).toEqual([
      [503, true],
      [0, undefined],
    ])
  })

  it('keeps a request in the queue no longer than the queue timeout', async () => {
    const { answer } = hold()
    const transport = transportTo({ maxInFlight: 1, protection: { ...PROTECTION, queueTimeout: 30 } })
    const first = get(transport, '/first')
    const second = await failure(get(transport, '/second'))
    expect([second.code, second]).toEqual(['UPSTREAM_BUSY', expect.any(errors.BusyError)])
    await until(() => setup.site.requests.length === 1)
    answer()
    await first
    expect(setup.site.paths).toEqual(['/first'])
  })

  it('completes requests before it closes connections, and sends none after that', async () => {
    const { answer } = hold()
    const transport = transportTo()
    const asked = get(transport)
    await until(() => setup.site.requests.length === 1)
    setup.transports.pop()
    const closed = transport.close()
    answer()
    expect((await asked).body).toEqual(['held'])
    await closed
    expect(await failure(get(transport, '/late'))).toBeInstanceOf(errors.CancelledError)
    expect(setup.site.paths).toEqual(['/list?a=1'])
  })

  it('never has more in flight than allowed, and reuses its connections', async () => {
    answerWith((response) => setTimeout(() => json(response, []), 5))
    const transport = transportTo({ maxInFlight: 3 })
    await Promise.all(Array.from({ length: 30 }, (_, i) => get(transport, `/${i}`)))
    expect([setup.site.requests.length, setup.site.most]).toEqual([30, 3])
    expect(new Set(setup.site.requests.map(({ socket }) => socket)).size).toBeLessThanOrEqual(3)
  })
})
