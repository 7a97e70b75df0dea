import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { basic } from '../../src/upstream/credentials.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { type Handler, json } from '../support/site.js'
import { type Asked, Recorded } from './asking.js'

// Credentials that the site rejects: how many it is asked about, and who is kept out by them.

let recorded: Recorded
beforeEach(() => start({}))
afterEach(() => recorded.close())

const RIGHT = [basic('ann', 'right'), basic('ben', 'right'), 'Bearer right']

/** A site that rejects wrong credentials wherever they are shown, as WordPress does. */
const site: Handler = ({ url = '', headers: { authorization } }, response) => {
  if (authorization !== undefined && !RIGHT.includes(authorization))
    return json(response, { code: 'incorrect_password', message: 'Wrong password.', data: { status: 401 } }, { status: 401 })
  const id = Number(/\/(\d+)(?:\?|$)/.exec(url)?.[1])
  json(response, { id, title: { rendered: `Title ${id}` } })
}

async function start(options: TunedOptions): Promise<void> {
  recorded = await Recorded.start(merged({ protection: { retries: 0 }, observe: { metrics: 'open' } }, options))
  recorded.site.handler = site
}

let next = 0
const ask = (authorization: string, headers: Record<string, string> = {}): Promise<Asked> =>
  recorded.ask({ authorization, ...headers }, `{ course(id: ${++next}) { title } }`)
/** `ok`, or the code of the error. */
const outcome = ({ errors }: Asked): string => errors[0]?.extensions.code ?? 'ok'
/** Tries passwords one after the other. */
async function guess(count: number, name = 'ann', headers: Record<string, string> = {}): Promise<string[]> {
  const outcomes: string[] = []
  for (let at = 0; at < count; at++) outcomes.push(outcome(await ask(basic(name, `guess ${++next}`), headers)))
  return outcomes
}
const WRONG = Array<string>(10).fill('UNAUTHENTICATED')

describe('wrong passwords of a user from one address', () => {
  it('are refused with 429 after ten in a minute, without asking the site', async () => {
    expect(await guess(10)).toEqual(WRONG)
    const { status, headers, errors } = await ask(basic('ann', 'another guess'))
    expect([status, errors]).toEqual([
      429,
      [
        {
          message: 'The site has rejected too many credentials like these.',
          extensions: { code: 'RATE_LIMITED', retryAfter: Number(headers.get('retry-after')) },
        },
      ],
    ])
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(6)
    expect(recorded.site.requests).toHaveLength(10)
    const metrics = await (await fetch(`${recorded.gateway.url}/metrics`)).text()
    expect(metrics).toContain('lms_rate_limited_total{limit="credentials"} 1\n')
  })

  it('do not stop the password that the site has accepted before', async () => {
    expect(outcome(await ask(RIGHT[0] as string))).toBe('ok')
    expect((await guess(12)).slice(10)).toEqual(['RATE_LIMITED', 'RATE_LIMITED'])
    for (let at = 0; at < 20; at++) expect(outcome(await ask(RIGHT[0] as string))).toBe('ok')
    expect(await guess(1)).toEqual(['RATE_LIMITED'])
  })

  it('stop a new right password for a few seconds only', async () => {
    await guess(10)
    const { headers } = await ask(RIGHT[0] as string)
    await sleep(Number(headers.get('retry-after')) * 1_000)
    expect(outcome(await ask(RIGHT[0] as string))).toBe('ok')
  })

  it('do not stop other users there, nor the same user elsewhere', async () => {
    await recorded.close()
    await start({ http: { trustedProxies: ['127.0.0.1'] } })
    const [school, home] = [{ 'x-forwarded-for': '203.0.113.1' }, { 'x-forwarded-for': '203.0.113.2' }]
    expect((await guess(11, 'ann', school)).at(-1)).toBe('RATE_LIMITED')
    expect(outcome(await ask(RIGHT[1] as string, school))).toBe('ok')
    expect(outcome(await ask(RIGHT[0] as string, home))).toBe('ok')
    expect(outcome(await ask('Bearer right', school))).toBe('ok')
  })

  it('count whatever the spelling of the name is', async () => {
    for (const name of ['ann', 'Ann', 'ANN', 'aNN', 'anN']) await guess(2, name)
    expect(await guess(1, 'AnN')).toEqual(['RATE_LIMITED'])
  })

  it('are not checked at the same time either', async () => {
    recorded.site.handler = (...exchange) => setTimeout(() => site(...exchange), 200)
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, at) => ask(basic('ann', `${at}`)).then(outcome)))
    expect(outcomes.filter((each) => each === 'UNAUTHENTICATED')).toHaveLength(10)
    expect(recorded.site.requests).toHaveLength(10)
  })

  it('count once per operation, however many calls it makes', async () => {
    const query = `{ ${[1, 2, 3, 4].map((id) => `q${id}: question(id: ${id}) { title }`).join(' ')} }`
    for (let at = 0; at < 10; at++) expect((await recorded.ask({ authorization: basic('ann', `${at}`) }, query)).status).toBe(200)
    expect(await guess(1)).toEqual(['RATE_LIMITED'])
  })

  it('count when their client does not wait for the answer', async () => {
    recorded.site.handler = () => {}
    for (let at = 1; at <= 10; at++) {
      const left = new AbortController()
      const asked = recorded.gateway.post(
        { query: `{ course(id: ${at}) { title } }` },
        { authorization: basic('ann', `${at}`) },
        { signal: left.signal },
      )
      await expect.poll(() => recorded.site.requests.length).toBe(at)
      left.abort()
      await expect(asked).rejects.toThrow()
      await expect.poll(() => recorded.site.open).toBe(0)
    }
    recorded.site.handler = site
    expect(await guess(1)).toEqual(['RATE_LIMITED'])
  })

  it('count for nobody when the address is that of a proxy that is not trusted', async () => {
    expect(await guess(12, 'ann', { 'x-forwarded-for': '203.0.113.1' })).toEqual([...WRONG, 'UNAUTHENTICATED', 'UNAUTHENTICATED'])
  })
})

it('right credentials that nobody has used before run many operations at the same time', async () => {
  recorded.site.handler = (...exchange) => setTimeout(() => site(...exchange), 50)
  const outcomes = await Promise.all(Array.from({ length: 60 }, () => ask(RIGHT[0] as string).then(outcome)))
  expect(new Set(outcomes)).toEqual(new Set(['ok']))
})

it('tokens that have expired do not stop others of their address', async () => {
  for (let at = 0; at < 50; at++) expect(outcome(await ask(`Bearer expired-${at}`))).toBe('UNAUTHENTICATED')
  expect(outcome(await ask('Bearer right'))).toBe('ok')
})
