import { afterEach, describe, expect, it } from 'vitest'
import { PROTECTION } from '../../src/options/protection.js'
import type { Log } from '../../src/server/log/levels.js'
import { basic } from '../../src/upstream/credentials.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { type Handler, json } from '../support/site.js'
import { type Asked, Recorded } from './asking.js'
import { AUDIENCE, ISSUER, makeSigner, sign } from './issuer.js'
import { exchange, piecesOf, repliesIn } from './raw.js'

// What one client may use per minute, and what it is told when that is used up.

let recorded: Recorded
afterEach(() => recorded.close())

const lines: { readonly fields: Readonly<Record<string, unknown>>; readonly message: string }[] = []
const keep = (fields: object, message: string): void => void lines.push({ fields: fields as Record<string, unknown>, message })
const log: Log = { debug: () => {}, info: () => {}, warn: keep, error: keep }

const KEY = 'a-key-of-16-characters'
const OTHER_KEY = 'another-key-of-16-characters'
const knownUsers = ['ann', 'ben']

/** A site with courses and price types that everybody may read, and users who are known by the password `right`. */
const site: Handler = (request, response) => {
  const authorization = request.headers.authorization
  const isKnown = knownUsers.some((name) => authorization === basic(name, 'right'))
  const url = request.url ?? ''
  if (url.includes('/users/me'))
    return isKnown
      ? json(response, { id: 7, name: 'Somebody' })
      : json(response, { code: 'rest_not_logged_in', message: 'No.', data: { status: 401 } }, { status: 401 })
  if (url.includes('price-types')) return json(response, [{ slug: 'free', name: 'Free' }])
  const id = Number(/\/(\d+)(?:\?|$)/.exec(url)?.[1])
  json(response, { id, _id: id, title: { rendered: `Title ${id}` } })
}

async function start(options: TunedOptions): Promise<void> {
  lines.length = 0
  recorded = await Recorded.start(merged({ protection: { retries: 0 }, log, observe: { metrics: 'open' } }, options))
  recorded.site.handler = site
}

/** Options of a service account, whose callers have keys or tokens. */
const account = (): TunedOptions => ({
  site: { user: 'service', password: 'secret' },
  access: { apiKeys: [KEY, OTHER_KEY], open: true, jwtKey: signer.pem, jwtIssuer: ISSUER, jwtAudience: AUDIENCE },
})
const signer = await makeSigner('main')

const CHEAP = '{ __typename }'
const course = (id: number): string => `{ course(id: ${id}) { title } }`
/** Asks one after the other. */
async function times(count: number, headers: Record<string, string> = {}, query: string | ((at: number) => string) = CHEAP) {
  const answers: Asked[] = []
  for (let at = 0; at < count; at++) answers.push(await recorded.ask(headers, typeof query === 'string' ? query : query(at)))
  return answers
}
const statuses = (answers: readonly Asked[]): number[] => answers.map(({ status }) => status)
const metric = async (limit: string): Promise<number> => {
  const text = await (await fetch(`${recorded.gateway.url}/metrics`)).text()
  return Number(new RegExp(`^lms_rate_limited_total\\{limit="${limit}"\\} (\\d+)$`, 'm').exec(text)?.[1])
}

describe('operations', () => {
  const three = { limits: { operationsPerMinute: 3 } }

  it('beyond those of a minute are refused with 429, before their body is read', async () => {
    await start(three)
    expect(statuses(await times(3))).toEqual([200, 200, 200])
    const { status, headers, text } = await recorded.ask({}, CHEAP)
    expect([status, headers.get('retry-after'), headers.get('cache-control'), headers.get('content-type')]).toEqual([
      429,
      expect.stringMatching(/^(19|20)$/),
      'no-store',
      'application/json',
    ])
    const retryAfter = Number(headers.get('retry-after'))
    expect(JSON.parse(text)).toEqual({
      errors: [
        {
          message: 'Too many operations; one client may have 3 per minute (`operationsPerMinute`).',
          extensions: { code: 'RATE_LIMITED', retryAfter, limit: 'operationsPerMinute', most: 3 },
        },
      ],
    })
    // The answer comes although the body does not.
    const head = { headers: { 'content-type': 'application/json', 'content-length': '100' } }
    const [unfinished] = repliesIn(await exchange(recorded.gateway.url, piecesOf(head)))
    expect(unfinished?.status).toContain('429')
    expect(await metric('operationsPerMinute')).toBe(2)
  })

  it('by GET and for parts are counted, too, and pages, health and metrics are not', async () => {
    await start(three)
    const get = (path: string, accept = 'application/json') =>
      fetch(`${recorded.gateway.url}${path}`, { headers: { accept } }).then(async (response) => {
        await response.text()
        return response.status
      })
    const query = `/graphql?query=${encodeURIComponent(CHEAP)}`
    for (let at = 0; at < 5; at++) expect([await get('/health/live'), await get('/metrics')]).toEqual([200, 200])
    expect([await get(query), await get(query, 'multipart/mixed'), await get(query), await get(query)]).toEqual([200, 200, 200, 429])
    expect(statuses(await times(1, { accept: 'text/event-stream' }))).toEqual([429])
  })

  it('of verified callers have shares of their own, by key and by token', async () => {
    await start(merged(account(), { limits: { operationsPerMinute: 2 } }))
    const tokens = await Promise.all([7, 8].map((subject) => sign(signer, { sub: `${subject}` })))
    const clients = [{ 'x-api-key': KEY }, { 'x-api-key': OTHER_KEY }, ...tokens.map((token) => ({ authorization: `Bearer ${token}` })), {}]
    for (const client of clients) expect(statuses(await times(3, client))).toEqual([200, 200, 429])
    expect(await metric('operationsPerMinute')).toBe(5)
  })

  it('with credentials that nobody has confirmed share those of their address', async () => {
    await start(three)
    const answers = []
    for (const name of ['ann', 'ben', 'eve', 'mallory']) answers.push(...(await times(1, { authorization: basic(name, 'right') })))
    expect(statuses(answers)).toEqual([200, 200, 200, 429])
    expect(statuses(await times(1))).toEqual([429])
  })

  it('are refused for a caller with an API key by that key, whatever credentials come with it', async () => {
    await start(merged({ access: { apiKeys: [KEY, OTHER_KEY] } }, three))
    const ask = (key: string, name: string) => times(1, { 'x-api-key': key, authorization: basic(name, 'x') })
    const answers = []
    for (const name of ['a', 'b', 'c', 'd']) answers.push(...(await ask(KEY, name)))
    expect(statuses(answers)).toEqual([200, 200, 200, 429])
    expect(statuses(await ask(OTHER_KEY, 'a'))).toEqual([200])
  })

  it('are refused by address, which a trusted proxy names', async () => {
    await start(merged({ http: { trustedProxies: ['127.0.0.1'] } }, three))
    const from = (address: string) => ({ 'x-forwarded-for': address })
    expect(statuses(await times(4, from('203.0.113.1')))).toEqual([200, 200, 200, 429])
    expect(statuses(await times(4, from('203.0.113.2')))).toEqual([200, 200, 200, 429])
    // One network of IPv6 is one client.
    const networks = ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:3::3', '2001:db8:1:2::4', '2001:db8:1:3::1']
    const answers = []
    for (const each of networks) answers.push(...(await times(1, from(each))))
    expect(statuses(answers)).toEqual([200, 200, 200, 429, 200])
  })

  it('by a private proxy that is not trusted are not limited by address, which one warning says', async () => {
    await start(three)
    expect(statuses(await times(8, { 'x-forwarded-for': '203.0.113.1' })).every((status) => status === 200)).toBe(true)
    expect(lines).toEqual([
      {
        fields: { address: '127.0.0.1' },
        message:
          'a proxy passes on requests of clients, which have no limits by address: name it in `--trusted-proxies` (`TRUSTED_PROXIES`)',
      },
    ])
    // Without the header it is an address like others.
    expect(statuses(await times(4))).toEqual([200, 200, 200, 429])
    expect(statuses(await times(4, { 'x-forwarded-for': 'unknown' })).at(-1)).toBe(429)
  })

  it('that are refused are logged once in ten seconds, with their client', async () => {
    await start(three)
    await times(8)
    expect(lines).toEqual([
      {
        fields: { requestId: expect.any(String), limit: 'operationsPerMinute', client: '127.0.0.1', caller: 'anonymous', requests: 1 },
        message: 'client limited',
      },
    ])
  })

  it('have no limit at 0', async () => {
    await start({ limits: { operationsPerMinute: 0, callsPerMinute: 0, documentCostPerMinute: 0 } })
    expect(new Set(statuses(await times(30, {}, (at) => `${CHEAP} # ${at}`)))).toEqual(new Set([200]))
  })
})

describe('REST calls', () => {
  it('are taken when they are sent, and when none are left, operations are refused', async () => {
    await start({ limits: { callsPerMinute: 4 } })
    const many = `{ ${[1, 2, 3].map((id) => `q${id}: question(id: ${id}) { title }`).join(' ')} }`
    expect((await recorded.ask({}, many)).status).toBe(200)
    // The operation that uses the last one is answered as a whole.
    expect((await recorded.ask({}, many.replaceAll('(id: ', '(id: 1'))).status).toBe(200)
    expect(recorded.site.requests).toHaveLength(6)
    const { status, errors } = await recorded.ask({}, CHEAP)
    expect([status, errors[0]?.message, errors[0]?.extensions]).toEqual([
      429,
      'Too many REST calls; one client may have 4 per minute (`callsPerMinute`).',
      { code: 'RATE_LIMITED', retryAfter: expect.any(Number), limit: 'callsPerMinute', most: 4 },
    ])
    expect(errors[0]?.extensions.retryAfter).toBeGreaterThan(30)
    expect(await metric('callsPerMinute')).toBe(1)
  })

  it('that nobody sends, because an identical one is in flight, cost nothing', async () => {
    await start({ limits: { callsPerMinute: 5 }, protection: { maxInFlight: 1 } })
    recorded.site.handler = (...exchange) => setTimeout(() => site(...exchange), 50)
    const answers = await Promise.all(Array.from({ length: 10 }, () => recorded.ask({}, course(1))))
    expect(new Set(statuses(answers))).toEqual(new Set([200]))
    expect(recorded.site.requests.length).toBeLessThan(5)
    expect((await recorded.ask({}, course(2))).status).toBe(200)
  })

  it('of one minute keep nobody out for more than a minute', async () => {
    await start({ limits: { callsPerMinute: 1 } })
    const many = `{ ${Array.from({ length: 40 }, (_, id) => `q${id}: question(id: ${id + 1}) { title }`).join(' ')} }`
    await Promise.all([recorded.ask({}, many), recorded.ask({}, many.replaceAll('(id: ', '(id: 1'))])
    const { headers } = await recorded.ask({}, CHEAP)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })

  it('of a caller whose credentials the site has confirmed are not those of the address', async () => {
    await start({ limits: { callsPerMinute: 100 } })
    const ann = { authorization: basic('ann', 'right') }
    const eve = { authorization: basic('eve', 'wrong') }
    const answers = await times(60, ann, (at) => course(at + 1))
    expect(new Set(statuses(answers))).toEqual(new Set([200]))
    // When half was used up, the gateway asked the site who that is.
    expect(recorded.site.paths.filter((path) => path.includes('/users/me')).length).toBeGreaterThan(0)
    let status = 200
    for (let at = 1_000; status === 200; at++) ({ status } = await recorded.ask(eve, course(at)))
    expect([status, ...statuses(await times(1, { authorization: basic('ann', 'wrong') }))]).toEqual([429, 429])
    expect(new Set(statuses(await times(60, ann, (at) => course(at + 2_000))))).toEqual(new Set([200]))
  })
})

describe('new documents', () => {
  const titles = (count: number, at: number): string =>
    `{ course(id: 1) { ${Array.from({ length: count }, (_, each) => `a${each}: title`).join(' ')} } } # ${at}`

  it('cost their characters and selections, and those that have run or are trusted cost nothing', async () => {
    const trusted = titles(200, -1)
    await start({ limits: { documentCostPerMinute: 100_000 }, http: { operations: new Map([['trusted', trusted]]) } })
    // 101 selections of 300 each, and 1,300 characters.
    expect(statuses(await times(4, {}, (at) => titles(100, at)))).toEqual([200, 200, 200, 200])
    const { status, headers, errors } = await recorded.ask({}, titles(100, 5))
    expect([status, headers.get('retry-after')]).toEqual([429, String(errors[0]?.extensions.retryAfter)])
    expect([errors[0]?.message, errors[0]?.extensions]).toEqual([
      'Too many characters of new documents; one client may have 100000 per minute (`documentCostPerMinute`).',
      { code: 'RATE_LIMITED', retryAfter: expect.any(Number), limit: 'documentCostPerMinute', most: 100_000 },
    ])
    // Once run, twice run, and trusted.
    expect(statuses(await times(3, {}, titles(100, 1)))).toEqual([200, 200, 200])
    expect(statuses(await times(3, {}, trusted))).toEqual([200, 200, 200])
    expect(await metric('documentCostPerMinute')).toBe(1)
  })

  it('that are wrong cost what they take', async () => {
    await start({ limits: { documentCostPerMinute: 1_000 } })
    const answers = await times(12, { accept: 'application/graphql-response+json' }, (at) => `{ wrong ${' '.repeat(100)} # ${at}`)
    expect([statuses(answers)[0], statuses(answers).at(-1)]).toEqual([400, 429])
    expect(statuses(await times(1, {}, CHEAP))).toEqual([429])
  })

  it.each(['application/json', 'application/graphql-response+json'])('are refused with 429 to clients of %s', async (accept) => {
    await start({ limits: { documentCostPerMinute: 10 } })
    const answers = await times(2, { accept }, (at) => `${CHEAP} # ${at}`)
    expect(statuses(answers)).toEqual([200, 429])
    const url = `${recorded.gateway.url}/graphql?query=${encodeURIComponent(`${CHEAP} # 3`)}`
    expect((await fetch(url, { headers: { accept } })).status).toBe(429)
  })
})

describe('in production', () => {
  it('a front end that starts cold may send 200 documents of 2 KB at once', async () => {
    await start(merged(account(), { production: true }))
    const fields = ['id', 'title', 'slug', 'status', 'link', 'menuOrder', 'dateGmt', 'modifiedGmt', 'content']
    const document = (at: number): string => {
      const courses = Array.from({ length: 6 }, (_, each) => `c${each}: course(id: ${each + 1}) { ${fields.join(' ')} }`)
      const text = `query Page${at} { ${courses.join(' ')} }`
      return `${text}\n# ${'x'.repeat(2_000 - text.length)}`
    }
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => recorded.ask({ 'x-api-key': KEY }, document(at))))
    expect(new Set(statuses(answers))).toEqual(new Set([200]))
  })

  it('500 visitors behind one address may make 10 REST calls each', async () => {
    await start({ production: true, protection: { maxInFlight: PROTECTION.maxInFlight.default } })
    const at = Array.from({ length: 10 }, (_, each) => each)
    // Questions are read one by one.
    const query = `query (${at.map((each) => `$q${each}: ID!`).join()}) { ${at.map((each) => `q${each}: question(id: $q${each}) { title }`).join(' ')} }`
    const visit = (visitor: number) =>
      recorded.gateway.post({ query, variables: Object.fromEntries(at.map((each) => [`q${each}`, `${visitor * 10 + each + 1}`])) })
    for (let from = 0; from < 500; from += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, each) => visit(from + each)))
      for (const each of answers) expect([each.status, ((await each.json()) as { errors?: unknown }).errors]).toEqual([200, undefined])
    }
    expect(recorded.site.requests).toHaveLength(5_000)
  })
})
