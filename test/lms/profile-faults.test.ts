import { describe, expect, it } from 'vitest'
import { Chance } from '../../src/lms/faults/chance.js'
import { type Ask, type Raw, Switched } from './quirks.js'

const site = new Switched()
const PATH = 'v2/price-types/free'
const JSON_TYPE = 'application/json; charset=UTF-8'
const HTML_TYPE = 'text/html; charset=UTF-8'

const accept = { headers: { accept: 'application/json' } }
const seen = ({ status, headers }: Raw): unknown[] => [status, headers.get('content-type'), headers.get('retry-after')]

/** The response to a request with a fault. Checks that the next response is regular. */
async function struck(fault: string, options = '', init?: RequestInit): Promise<Raw> {
  const ask = await site.set({ switches: { [fault]: `next:1${options}` } })
  const answer = await ask(PATH, 'admin', init)
  const next = await ask(PATH)
  expect([next.status, next.headers.get('content-type'), next.body.slug]).toEqual([200, JSON_TYPE, 'free'])
  return answer
}

describe('faults that replace the response', () => {
  it('maintenance: 503 as HTML or JSON, with Retry-After', async () => {
    const html = await struck('maintenance')
    expect([...seen(html), html.text.startsWith('<!DOCTYPE html>')]).toEqual([503, HTML_TYPE, '600', true])
    const json = await struck('maintenance', '+retryAfter:3', accept)
    expect([...seen(json), json.body.code]).toEqual([503, JSON_TYPE, '3', 'wp_die'])
  })

  it('rateLimited: 429 with and without Retry-After', async () => {
    expect(seen(await struck('rateLimited', '', accept))).toEqual([429, HTML_TYPE, null])
    expect(seen(await struck('rateLimited', '+retryAfter:7'))).toEqual([429, HTML_TYPE, '7'])
  })

  it('fatalHtml and fatalJson: 500 of a fatal error', async () => {
    const html = await struck('fatalHtml', '', accept)
    expect([...seen(html), html.text.includes('critical error')]).toEqual([500, HTML_TYPE, null, true])
    const json = await struck('fatalJson')
    expect([...seen(json), json.body.code]).toEqual([500, JSON_TYPE, null, 'internal_server_error'])
    expect(json.body.message).toMatch(/^<p>/)
  })

  it('empty200 and errorUnder200: 200 without the record', async () => {
    const empty = await struck('empty200')
    expect([...seen(empty), empty.text]).toEqual([200, JSON_TYPE, null, ''])
    const error = await struck('errorUnder200')
    expect([...seen(error), error.body.data.status]).toEqual([200, JSON_TYPE, null, 500])
  })

  it('redirectHttps, redirectHost and redirectSlash: 301 to another address', async () => {
    const to = async (fault: string): Promise<string | null> => (await struck(fault)).headers.get('location')
    const path = `/lms/${PATH}`
    expect(await to('redirectHttps')).toBe(`${site.url.replace('http:', 'https:')}${path}`)
    expect(await to('redirectHost')).toBe(`${site.url.replace('127.0.0.1', 'localhost')}${path}`)
    expect(await to('redirectSlash')).toBe(`${site.url}${path}/`)
    const ask = await site.set({ switches: { redirectSlash: true } })
    expect([(await ask(PATH)).status, (await ask(`${PATH}/`)).status]).toEqual([301, 200])
  })
})

describe('faults that change the response', () => {
  it('phpWarning: HTML before the complete JSON', async () => {
    const answer = await struck('phpWarning')
    const { text } = answer
    expect([...seen(answer), text.startsWith('<br />\n<b>Warning</b>')]).toEqual([200, JSON_TYPE, null, true])
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ slug: 'free' })
  })

  it('bom: a byte order mark before the JSON', async () => {
    const { text } = await struck('bom')
    expect([text.charCodeAt(0), JSON.parse(text.slice(1)).slug]).toEqual([0xfeff, 'free'])
  })

  it('wrongContentType: JSON as HTML', async () => {
    const answer = await struck('wrongContentType')
    expect([...seen(answer), answer.body.slug]).toEqual([200, HTML_TYPE, null, 'free'])
  })

  it('invalidGzip: JSON with `Content-Encoding: gzip`', async () => {
    await expect(struck('invalidGzip')).rejects.toThrow('terminated')
  })

  it('cutOff: half of the body, then the end of the connection', async () => {
    await expect(struck('cutOff')).rejects.toThrow('terminated')
    const ask = await site.set()
    const whole = await ask(PATH)
    await site.set({ switches: { cutOff: true } })
    const response = await fetch(`${site.url}/lms/${PATH}`)
    expect(Number(response.headers.get('content-length'))).toBe(whole.text.length)
    const chunks: Uint8Array[] = []
    await expect(
      (async () => {
        for await (const chunk of response.body!) chunks.push(chunk)
      })(),
    ).rejects.toThrow()
    const part = Buffer.concat(chunks).toString()
    expect([whole.text.startsWith(part), part.length]).toEqual([true, Math.floor(whole.text.length / 2)])
  })

  it('apply several at once', async () => {
    const { text } = await (await site.set({ switches: { bom: true, phpWarning: true, wrongContentType: true } }))(PATH)
    expect(text).toMatch(/^<br \/>[\s\S]*\uFEFF\{/)
  })

  it('also apply to error responses, and in every profile', async () => {
    const ask = await site.set({ profile: 'learndash', switches: { bom: true } })
    const answer = await ask('v1/groups', 'anonymous')
    expect([answer.status, answer.text.charCodeAt(0)]).toEqual([401, 0xfeff])
  })
})

describe('a fault is limited', () => {
  const statuses = async (ask: Ask, count: number, path = PATH, init?: RequestInit): Promise<number[]> => {
    const found: number[] = []
    for (let turn = 0; turn < count; turn++) found.push((await ask(path, 'admin', init)).status)
    return found
  }

  it('to a number of requests', async () => {
    expect(await statuses(await site.set({ switches: { fatalHtml: 'next:2' } }), 4)).toEqual([500, 500, 200, 200])
  })

  it('to a route, with methods and wildcards', async () => {
    const ask = await site.set({ switches: { fatalHtml: 'route:GET */sfwd-courses*include=' } })
    expect(await statuses(ask, 2, 'v1/sfwd-courses?per_page=1&include=10001')).toEqual([500, 500])
    expect(await statuses(ask, 1, 'v1/sfwd-courses?per_page=1')).toEqual([200])
    const writes = await site.set({ switches: { maintenance: 'route:PATCH+next:1' } })
    expect(await statuses(writes, 1, 'v1/groups/77')).toEqual([404])
    expect(await statuses(writes, 2, 'v1/groups/77', { method: 'PATCH' })).toEqual([503, 404])
  })

  it('to a share of requests, the same ones at every start', async () => {
    const run = async (): Promise<number[]> => statuses(await site.set({ switches: { fatalHtml: 'chance:0.3' } }), 100)
    const first = await run()
    const share = first.filter((status) => status === 500).length / 100
    expect([share > 0.15, share < 0.45]).toEqual([true, true])
    expect(await run()).toEqual(first)
  })

  it('and reported to `onCall`', async () => {
    const ask = await site.set({ switches: { rateLimited: true } })
    site.calls.length = 0
    const { text } = await ask(PATH)
    expect(site.calls).toMatchObject([{ status: 429, bytes: text.length, user: null }])
  })
})

describe('the speed of a site', () => {
  /** Durations of calls in the LMS, sorted. */
  const durations = (): number[] => site.calls.map(({ duration }) => duration).sort((a, b) => a - b)

  it('latency: half of the delays are longer than the median, and one of twenty is longer than p95', () => {
    const chance = new Chance()
    const delays = Array.from({ length: 20_000 }, () => chance.delay({ median: 80, p95: 300 })).sort((a, b) => a - b)
    expect(Math.abs(delays[10_000]! - 80)).toBeLessThan(4)
    expect(Math.abs(delays[19_000]! - 300)).toBeLessThan(20)
    expect(delays[0]).toBeGreaterThan(0)
  })

  it('latency: responses are delayed', async () => {
    const ask = await site.set({ switches: { latency: 'median:60+p95:60' } })
    site.calls.length = 0
    await Promise.all(Array.from({ length: 20 }, () => ask(PATH)))
    expect(durations()[0]).toBeGreaterThan(55)
  })

  it('workers: other requests wait in the order of arrival', async () => {
    const ask = await site.set({ switches: { workers: 2, latency: { median: 60, p95: 60 } } })
    site.calls.length = 0
    const order: number[] = []
    const start = performance.now()
    const asked = Array.from({ length: 6 }, async (_, place) => {
      await new Promise((resolve) => setTimeout(resolve, place * 5))
      await ask(`${PATH}?place=${place}`)
      order.push(place)
    })
    await Promise.all(asked)
    expect(performance.now() - start).toBeGreaterThan(175)
    const ended = site.calls.map(({ url }) => Number(url.at(-1)))
    expect([ended.slice(0, 2).sort(), ended.slice(2, 4).sort(), ended.slice(4).sort()]).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ])
    expect(order).toHaveLength(6)
    expect(durations().at(-1)).toBeGreaterThan(140)
  })

  it('workers: a higher limit starts waiting requests at once', async () => {
    const ask = await site.set({ switches: { workers: 1, latency: { median: 150, p95: 150 } } })
    const start = performance.now()
    const asked = Array.from({ length: 4 }, () => ask(PATH))
    await new Promise((resolve) => setTimeout(resolve, 40))
    await site.set({ switches: { latency: { median: 150, p95: 150 } } })
    await Promise.all(asked)
    expect(performance.now() - start).toBeLessThan(4 * 150)
  })
})
