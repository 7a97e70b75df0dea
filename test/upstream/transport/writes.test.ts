import { describe, expect, it } from 'vitest'
import * as errors from '../../../src/upstream/errors.js'
import { Deadline } from '../../../src/upstream/transport/deadline.js'
import type { Transport } from '../../../src/upstream/transport/transport.js'
import { type CallOptions, callScope } from '../../support/call-scope.js'
import { json } from '../../support/site.js'
import { failure, transportSetup, until } from './setup.js'

const setup = transportSetup()
const { calls, get, hold, raw, transportTo } = setup

describe('writes', () => {
  const post = (transport: Transport, path = '/x', more: CallOptions = {}) =>
    transport.write('POST', 'v1/list', path, '{"a":1}', callScope(more))

  it('are sent with a JSON body, and never shared', async () => {
    const bodies: string[] = []
    setup.site.handler = (request, response) => {
      request.on('data', (chunk) => bodies.push(`${request.method} ${request.headers['content-type']} ${chunk}`))
      request.on('end', () => json(response, { id: bodies.length }))
    }
    const transport = transportTo()
    const answers = await Promise.all([post(transport), post(transport)])
    expect(answers.map(({ body }) => body)).toEqual([{ id: expect.any(Number) }, { id: expect.any(Number) }])
    expect(bodies).toEqual(['POST application/json {"a":1}', 'POST application/json {"a":1}'])
    expect(calls.map(({ method }) => method)).toEqual(['POST', 'POST'])
  })

  it('end the sharing of reads that began before the write ended', async () => {
    const { answer } = hold(['old'])
    const transport = transportTo()
    const old = get(transport, '/read')
    await until(() => setup.site.requests.length === 1)
    raw('{"id":1}')
    const writing = post(transport)
    const joined = get(transport, '/read')
    await writing
    raw('["new"]')
    const fresh = get(transport, '/read')
    const third = get(transport, '/read')
    expect([(await fresh).body, (await third).body]).toEqual([['new'], ['new']])
    answer()
    expect([(await old).body, (await joined).body]).toEqual([['old'], ['old']])
    expect(setup.site.paths).toEqual(['/read', '/x', '/read'])
    // The end of the old read must not end the sharing of the new one.
    const held = hold(['newer'])
    const [one, two] = [get(transport, '/read'), get(transport, '/read')]
    await until(() => setup.site.requests.length === 4)
    held.answer()
    await Promise.all([one, two])
    expect(setup.site.requests).toHaveLength(4)
  })

  it('are completed once they are sent, even if the client disconnects', async () => {
    const { answer } = hold({ id: 1 } as never)
    const transport = transportTo()
    const leaver = new AbortController()
    const left = failure(post(transport, '/x', { signal: leaver.signal }))
    await until(() => setup.site.open === 1)
    leaver.abort()
    expect(await left).toBeInstanceOf(errors.CancelledError)
    expect(setup.site.open).toBe(1)
    answer()
    await until(() => calls.length === 1)
    expect(calls).toMatchObject([{ method: 'POST', status: 200 }])
  })

  it('may have been done when the deadline passed, unless they were never sent', async () => {
    const { answer } = hold({ id: 1 } as never)
    const transport = transportTo({ maxInFlight: 1 })
    const message = async (asked: Promise<unknown>): Promise<unknown> => {
      const error = await failure(asked)
      return [error.code, error.message]
    }
    const hurried = () => ({ deadline: new Deadline(400) })
    const said = 'The operation timed out after 400 milliseconds.'
    const asked = [message(post(transport, '/sent', hurried())), message(post(transport, '/waits', hurried()))]
    expect(await Promise.all(asked)).toEqual([
      ['UPSTREAM_TIMEOUT', `${said} The change may have been made: check before you try again.`],
      ['UPSTREAM_TIMEOUT', said],
    ])
    answer()
    expect(await message(get(transport, '/read', hurried()))).toEqual(['UPSTREAM_TIMEOUT', said])
    expect(setup.site.paths).toEqual(['/sent', '/read'])
  })

  it('without a body have no Content-Type', async () => {
    await transportTo().write('DELETE', 'v1/list', '/x', undefined, callScope())
    expect([setup.site.requests[0]?.method, setup.site.requests[0]?.headers['content-type']]).toEqual(['DELETE', undefined])
  })

  it('are not sent when the client disconnects while they are queued, or before', async () => {
    const { answer } = hold()
    const transport = transportTo({ maxInFlight: 1 })
    const busy = get(transport, '/busy')
    const leaver = new AbortController()
    const left = failure(post(transport, '/x', { signal: leaver.signal }))
    leaver.abort()
    expect(await left).toBeInstanceOf(errors.CancelledError)
    expect(await failure(post(transport, '/y', { signal: leaver.signal }))).toBeInstanceOf(errors.CancelledError)
    await until(() => setup.site.requests.length === 1)
    answer()
    await busy
    raw('["well"]')
    await get(transport, '/last')
    expect(setup.site.paths).toEqual(['/busy', '/last'])
  })

  it.each<[string, () => void]>([
    ['a reset', () => (setup.site.handler = (request) => request.socket.destroy())],
    ['502', () => raw('{}', 'application/json', 502)],
    ['503', () => raw('{}', 'application/json', 503)],
    ['429', () => raw('{}', 'application/json', 429)],
  ])('are not retried after %s', async (_, how) => {
    how()
    await failure(post(transportTo()))
    expect(setup.site.requests).toHaveLength(1)
  })
})
