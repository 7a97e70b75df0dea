import { expect, it } from 'vitest'
import type { LmsError } from '../../../src/upstream/errors.js'
import type { Protection } from '../../../src/upstream/transport/protection.js'
import { json } from '../../support/site.js'
import { ProtectedSetup } from './setup.js'

// Answers of the proxy that limits the calls of several gateways. `test/deploy/egress.test.ts` has the real one.

const REFUSED = { status: 503, headers: { 'x-lms-egress': 'queue_timeout', 'retry-after': '1' } }
const NOT_SENT = { code: 'egress_not_sent', message: 'The call was not sent to the site.' }

interface Setup extends AsyncDisposable {
  readonly proxy: ProtectedSetup
  readonly refusals: string[]
  readonly openings: string[]
}

async function start(protection: Partial<Protection>): Promise<Setup> {
  const refusals: string[] = []
  const openings: string[] = []
  const proxy = await ProtectedSetup.start(protection, { share: false })
  proxy.events.on('callRefused', (reason) => refusals.push(reason)).on('breakerOpened', (calls) => openings.push(calls))
  return { proxy, refusals, openings, [Symbol.asyncDispose]: () => proxy.close() }
}

const errorOf = (asked: Promise<unknown>): Promise<LmsError> =>
  asked.then(
    () => Promise.reject(new Error('It was answered.')),
    (error) => error,
  )

it('is busy, counts as a refusal, and does not open the circuit breaker', async () => {
  await using setup = await start({ retries: 0, breakerCalls: 4 })
  const { proxy, refusals, openings } = setup
  proxy.answers((response) => json(response, NOT_SENT, REFUSED))
  for (let i = 0; i < 10; i++) {
    const { code, extensions } = await errorOf(proxy.get())
    expect([code, extensions]).toEqual(['UPSTREAM_BUSY', { code: 'UPSTREAM_BUSY', retryAfter: 1 }])
  }
  expect(proxy.calls.map(({ status, reason }) => `${status} ${reason}`)).toEqual(Array(10).fill('0 UPSTREAM_BUSY'))
  expect([refusals, openings]).toEqual([Array(10).fill('egress'), []])
  // Nor did the refusals count as successes: the first failures of the site open it.
  proxy.answers((response) => json(response, {}, { status: 500 }))
  for (let i = 0; i < 2; i++) await errorOf(proxy.get())
  expect(openings).toEqual(['reads'])
})

it('keeps the circuit breaker open when the probe did not reach the site', async () => {
  await using setup = await start({ retries: 0, breakerCalls: 1, breakerCooldown: 30 })
  const { proxy, openings } = setup
  proxy.answers((response, count) => (count === 1 ? json(response, {}, { status: 500 }) : json(response, NOT_SENT, REFUSED)))
  await errorOf(proxy.get())
  await expect.poll(() => proxy.outcome()).toBe('UPSTREAM_BUSY')
  expect(await proxy.outcome()).toBe('UPSTREAM_UNAVAILABLE')
  expect(openings).toEqual(['reads', 'reads'])
})

it('has a read tried again after the delay, and never a write, which was certainly not made', async () => {
  await using setup = await start({ retries: 1, maxRetryDelay: 1_000 })
  const { proxy } = setup
  proxy.answers((response, count) =>
    count === 1 ? json(response, NOT_SENT, { ...REFUSED, headers: { 'x-lms-egress': '', 'retry-after': '0' } }) : json(response, [1]),
  )
  expect(await proxy.outcome()).toEqual([1])
  proxy.answers((response) => json(response, NOT_SENT, { ...REFUSED, headers: { 'x-lms-egress': 'queue_full' } }))
  const { code, message, extensions } = await errorOf(proxy.post())
  expect([code, message]).toEqual(['UPSTREAM_BUSY', 'Too many REST calls of all gateways are queued for the site.'])
  expect(extensions.retryAfter).toBe(1)
  expect(proxy.site.requests).toHaveLength(3)
})

it('is a failure of the site without the header, or with another status', async () => {
  await using setup = await start({ retries: 0, breakerThreshold: 100 })
  const { proxy, refusals } = setup
  for (const options of [{ status: 503 }, { ...REFUSED, status: 502 }]) {
    proxy.answers((response) => json(response, NOT_SENT, options))
    const { code, extensions } = await errorOf(proxy.get())
    expect([code, extensions.upstream]).toEqual(['UPSTREAM_UNAVAILABLE', { status: options.status, code: 'egress_not_sent' }])
  }
  const { message } = await errorOf(proxy.post())
  expect(message).toContain('The change may have been made')
  expect(refusals).toEqual([])
})
