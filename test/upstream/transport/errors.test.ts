import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { basic, Credentials } from '../../../src/upstream/credentials.js'
import * as errors from '../../../src/upstream/errors.js'
import type { TransportEvents } from '../../../src/upstream/transport/transport.js'
import type { CallOptions } from '../../support/call-scope.js'
import { FakeSite, json } from '../../support/site.js'
import { failure, transportSetup } from './setup.js'

const setup = transportSetup()
const { answerWith, calls, get, raw, transportTo } = setup

describe('errors', () => {
  it.each([
    [400, errors.RejectedError, 'UPSTREAM_REJECTED'],
    [401, errors.UnauthenticatedError, 'UNAUTHENTICATED'],
    [403, errors.ForbiddenError, 'FORBIDDEN'],
    [404, errors.NotFoundError, 'NOT_FOUND'],
    [409, errors.ConflictError, 'CONFLICT'],
    [410, errors.NotFoundError, 'NOT_FOUND'],
    [429, errors.RateLimitedError, 'UPSTREAM_RATE_LIMITED'],
    [500, errors.UnavailableError, 'UPSTREAM_UNAVAILABLE'],
    [501, errors.UnavailableError, 'UPSTREAM_UNAVAILABLE'],
    [503, errors.UnavailableError, 'UPSTREAM_UNAVAILABLE'],
    [301, errors.InvalidResponseError, 'UPSTREAM_INVALID_RESPONSE'],
  ])('have a class for the status %i', async (status, Class, code) => {
    const message = 'Sorry, <b>no</b>: see https://example.org/secret?x=1 for more.'
    answerWith((response) =>
      json(response, { code: 'rest_oh_no', message, data: { status } }, { status, headers: { location: '/elsewhere' } }),
    )
    const error = await failure(get())
    expect(error).toBeInstanceOf(Class)
    expect(error.extensions).toEqual({ code, upstream: { status, code: 'rest_oh_no' } })
    // Messages of 5xx responses are for the operators of the site.
    expect(error.message).toBe(status < 500 ? 'Sorry, no: see … for more.' : `The site answered ${status} for v1/list.`)
    expect(setup.site.requests).toHaveLength(1)
  })

  it.each([
    ['rest_already_trashed', 410],
    ['rest_post_exists', 400],
    ['rest_trash_not_supported', 501],
  ])('recognise a record in the wrong state by the code %s', async (code, status) => {
    answerWith((response) => json(response, { code, message: 'Not now.', data: { status } }, { status }))
    const error = await failure(get())
    expect([error.name, error.message, error.extensions.code]).toEqual(['ConflictError', 'Not now.', 'CONFLICT'])
  })

  it('keep the codes and messages of parameters, the messages as plain text of bounded length', async () => {
    const params = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`p${i}`, `&lt;i&gt;no&lt;/i&gt; ${i}`]))
    const details = { p7: { code: 'rest_invalid_type', message: 'other' }, p8: { code: 8 }, p9: 'no detail' }
    const data = { status: 400, params, details }
    answerWith((response) => json(response, { code: 'rest_invalid_param', message: 'x', data }, { status: 400 }))
    const error = (await failure(get())) as errors.RejectedError
    expect(Object.keys(error.params)).toHaveLength(100)
    expect([6, 7, 8, 9].map((number) => error.params[`p${number}`])).toEqual([
      { code: null, message: 'no 6' },
      { code: 'rest_invalid_type', message: 'no 7' },
      { code: null, message: 'no 8' },
      { code: null, message: 'no 9' },
    ])
  })

  it.each([403, 429, 500, 503])('show nothing of an HTML body with the status %i', async (status) => {
    raw('<html><script>secret()</script></html>', 'text/html', status)
    const error = await failure(get())
    expect([error.message, error.upstream]).toEqual([`The site answered ${status} for v1/list.`, { status, code: null }])
  })

  it('cut long messages, and ignore codes and messages that are not texts', async () => {
    answerWith((response) => json(response, { code: 'c'.repeat(500), message: 'm'.repeat(5_000) }, { status: 400 }))
    const long = await failure(get())
    expect([long.message.length, long.upstream?.code]).toEqual([300, null])
    answerWith((response) => json(response, { code: 5, message: { a: 1 } }, { status: 400 }))
    const odd = await failure(get(transportTo(), '/odd'))
    expect([odd.message, odd.upstream?.code]).toEqual(['The site answered 400 for v1/list.', null])
  })

  it('of a listener are reported, and the call succeeds', async () => {
    raw('["well"]')
    const faults: unknown[] = []
    const events = new EventEmitter<TransportEvents>()
    events.on('fault', (fault) => faults.push(fault))
    events.on('call', () => {
      throw new Error('listener')
    })
    const answer = await get(transportTo({ events }))
    expect([answer.body, faults]).toEqual([['well'], [new Error('listener')]])
  })

  it('of the service account are reported to the operator, and hidden from the caller', async () => {
    const told: unknown[] = []
    const events = new EventEmitter<TransportEvents>()
    events.on('accountRefused', ({ message }, requestId) => told.push([message, requestId]))
    const transport = transportTo({ hasAccount: true, events })
    const refused = async (status: number, more: CallOptions = {}): Promise<errors.LmsError> => {
      answerWith((response) => json(response, { code: 'rest_no', message: 'No.', data: { status } }, { status }))
      return failure(get(transport, `/${status}`, { requestId: 'mine', ...more }))
    }
    const credentials = new Credentials({ authorization: basic('lms', 'secret') })
    const [unknown, forbidden] = [await refused(401, { credentials }), await refused(403, { credentials })]
    expect([unknown, unknown.message]).toEqual([expect.any(errors.UnavailableError), 'The site refuses the account of the gateway.'])
    expect(unknown.upstream).toEqual({ status: 401, code: 'rest_no' })
    expect(forbidden).toBeInstanceOf(errors.ForbiddenError)
    expect(told).toEqual([['No.', 'mine']])
    // A read without the account says nothing of it.
    expect(await refused(401)).toBeInstanceOf(errors.UnauthenticatedError)
    expect(told).toHaveLength(1)
  })

  it('distinguish a site that cannot be reached from one that is too slow', async () => {
    const { url } = setup.site
    await setup.site.close()
    const refused = await failure(get(transportTo({ origin: url })))
    expect(refused).toBeInstanceOf(errors.UnavailableError)
    expect([refused.message, refused.extensions]).toEqual(['The site could not be reached for v1/list.', { code: 'UPSTREAM_UNAVAILABLE' }])
    expect(calls).toMatchObject([{ status: 0, bytes: 0 }])
    setup.site = await FakeSite.start(() => {})
    const silent = await failure(get(transportTo({ timeout: 100 })))
    expect(silent).toBeInstanceOf(errors.TimeoutError)
    expect([silent.message, silent.extensions]).toEqual(['The site did not answer v1/list in time.', { code: 'UPSTREAM_TIMEOUT' }])
  })

  it('include a timeout for a body that stops before its end', async () => {
    answerWith((response) => response.writeHead(200).write('[1,'))
    expect(await failure(get(transportTo({ timeout: 100 })))).toBeInstanceOf(errors.TimeoutError)
  })

  it('free the connection of the failed request', async () => {
    const transport = transportTo({ maxInFlight: 1, timeout: 100, maxBytes: 100 })
    const bad = [
      () => raw('x'),
      () => raw('1'.repeat(5_000)),
      () => raw('{}', 'application/json', 500),
      () => answerWith((response) => response.destroy()),
      () => answerWith(() => {}),
    ]
    for (const [i, how] of bad.entries()) {
      how()
      await failure(get(transport, `/${i}`))
    }
    raw('["well"]')
    expect((await get(transport, '/last')).body).toEqual(['well'])
  })
})
