import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningLms, startLms } from '../../src/lms/index.js'
import { CASES, type Case, GATEWAYS, KEY } from '../server/error-cases.js'
import { exchange, piecesOf, type Raw, type Reply, repliesIn } from '../server/raw.js'
import { REQUESTS } from '../server/requests.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { BEHIND_PROXY, type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { CANDID, SOAK } from '../support/world.js'

// The short path answers to the letter what Yoga's pipeline does, whatever it is sent: status, headers, body, and calls to the site.

/** Gateways that must not differ. */
const WAYS = {
  short: { tuning: { shortPath: true, compile: true } },
  yoga: { tuning: { shortPath: false, compile: true } },
  'short, not compiled': { tuning: { shortPath: true, compile: false } },
  'yoga, not compiled': { tuning: { shortPath: false, compile: false } },
} as const
type WayName = keyof typeof WAYS

let lms: RunningLms
let site: FakeSite
beforeAll(async () => {
  lms = await startLms()
  site = await FakeSite.start()
})
afterAll(async () => {
  const statuses = [...counted.statuses].sort().map(([status, count]) => `${status} ${count}`)
  console.log(
    `${counted.requests} requests, each sent to ${Object.keys(WAYS).length} gateways: ${statuses.join(', ')}; ${counted.characters} characters`,
  )
  await site.close()
  await lms.close()
})

interface Seen {
  readonly replies: readonly Reply[]
  /** REST calls, sorted. */
  readonly calls: readonly string[]
  readonly faults: readonly string[]
}

/** The same gateway each way. */
class Ways {
  private readonly gateways = new Map<WayName, { gateway: Served; calls: string[]; faults: string[] }>()

  static async start(options: TunedOptions): Promise<Ways> {
    const ways = new Ways()
    for (const [name, way] of Object.entries(WAYS) as [WayName, (typeof WAYS)[WayName]][]) {
      const calls: string[] = []
      const faults: string[] = []
      const gateway = await serve(
        merged(
          BEHIND_PROXY,
          {
            on: {
              call: ({ method, path }) => calls.push(`${method} ${path}`),
              fault: (fault) => faults.push(String(fault)),
            },
          },
          options,
          way,
        ),
      )
      ways.gateways.set(name, { gateway, calls, faults })
    }
    return ways
  }

  /** What becomes of some doing with each of them, one after the other. */
  async each(act: (url: string) => Promise<readonly Reply[]>): Promise<Map<WayName, Seen>> {
    const seen = new Map<WayName, Seen>()
    for (const [name, { gateway, calls, faults }] of this.gateways) {
      calls.length = faults.length = 0
      const replies = await act(gateway.url)
      seen.set(name, { replies, calls: [...calls].sort(), faults: [...faults] })
    }
    return seen
  }

  async close(): Promise<void> {
    for (const { gateway } of this.gateways.values()) await gateway.close()
  }
}

/** Over all tests. */
const counted = { requests: 0, statuses: new Map<string, number>(), characters: 0 }

/** What is run is known when it comes the third time, and needs fewer checks then. */
const KNOWN = 3

/** Nothing is kept of what was not run. */
const roundsFor = ({ replies }: Seen): number => (SOAK || replies.some(({ body }) => body.includes('"data":')) ? KNOWN : 1)

/** Does something each way, several times over where that may make a difference. */
async function alike(ways: Ways, act: (url: string) => Promise<readonly Reply[]>, rounds?: number): Promise<Seen> {
  let first: Seen | undefined
  for (let times = 1; times <= (rounds ?? (first ? roundsFor(first) : 1)); times++) {
    const seen = await ways.each(act)
    const expected = seen.get('yoga, not compiled') as Seen
    for (const [name, each] of seen) expect(each, `${name}, the ${times}. time`).toEqual(expected)
    for (const { status, body } of expected.replies) {
      counted.statuses.set(status.slice(9, 12), (counted.statuses.get(status.slice(9, 12)) ?? 0) + 1)
      counted.characters += body.length
    }
    counted.requests++
    first ??= expected
    expect(expected.replies, `the ${times}. time`).toEqual(first.replies)
  }
  return first as Seen
}

/** Each request without an id gets one of its own. */
const MADE = /^(x-request-id: )[\da-f]{8}-[\da-f-]{27}$/
const withoutIds = (replies: readonly Reply[]): Reply[] =>
  replies.map((reply) => ({ ...reply, headers: reply.headers.map((each) => each.replace(MADE, '$1made')) }))

const send = (pieces: readonly Buffer[]) => async (url: string) => withoutIds(repliesIn(await exchange(url, pieces)))

describe('in front of an LMS', () => {
  let ways: Ways
  beforeAll(async () => {
    ways = await Ways.start({ site: { url: lms.url }, limits: { maxBodyBytes: 40_000 } })
  })
  afterAll(() => ways.close())

  it.each(REQUESTS)('%s is answered alike', async (_, raw) => {
    const { replies } = await alike(ways, send(piecesOf(raw)))
    expect(replies).toHaveLength(replies[0]?.status.includes(' 100 ') ? 2 : 1)
  })

  it.each(REQUESTS.filter((_, place) => place % (SOAK ? 1 : 10) === 0))('%s has its id in its answer', async (_, raw) => {
    const id = 'given-by/the.client:1'
    const { replies } = await alike(ways, send(piecesOf({ ...raw, headers: { ...raw.headers, 'x-request-id': id } })), 1)
    expect(replies.at(-1)?.headers).toContain(`x-request-id: ${id}`)
  })

  it('requests in one connection are answered alike, in their order', async () => {
    const kept = (body: string, headers: Raw['headers'] = {}): Raw => ({
      headers: { 'content-type': 'application/json', accept: 'application/json', connection: 'keep-alive', ...headers },
      body,
    })
    const bodies = ['{"query":"{ course(id: 10002) { title } }"}', 'NONSENSE', '{"query":"{ nothing }"}', '{"query":"{ __typename }"}']
    const together = Buffer.concat(
      [...bodies, ...bodies].flatMap((body) => piecesOf(kept(body))).concat(piecesOf(kept(bodies[0] as string, { connection: 'close' }))),
    )
    const { replies } = await alike(ways, send([together]))
    expect(replies).toHaveLength(9)
    expect(replies[0]?.body).toBe(replies[8]?.body)
  })
})

describe('with authentication', () => {
  const DOORS: readonly (readonly [string, TunedOptions])[] = [
    ['with keys', { access: { apiKeys: [KEY] } }],
    ['that is open, with an account', { site: { user: 'admin', password: 'admin-demo' }, access: { open: true, apiKeys: [KEY] } }],
  ]

  it.each(DOORS)('%s requests are answered alike', { timeout: 120_000 }, async (_, options) => {
    const ways = await Ways.start(merged({ site: { url: lms.url }, limits: { maxBodyBytes: 40_000 } }, options))
    for (const [place, [, raw]] of REQUESTS.entries()) {
      const key = [undefined, KEY, `${KEY}x`][place % 3]
      if (place % (SOAK ? 2 : 8) === 1)
        await alike(ways, send(piecesOf({ ...raw, headers: { ...raw.headers, ...(key && { 'x-api-key': key }) } })))
    }
    await ways.close()
  })
})

describe('errors', () => {
  const OWN_SITE: readonly string[] = ['site', 'broken', 'suspended']
  /** What these say hangs on what is under way at the moment, so that two that are asked one after the other may differ. */
  const OF_THE_MOMENT: readonly string[] = ['hurried', 'busy', 'full']

  /** Bodies that come bit by bit are sent among the attacks, on both paths. */
  type Whole = Case & { readonly ask: string | RequestInit }
  const isWhole = (each: Case): each is Whole => typeof each.ask !== 'function'

  const MEDIA_TYPES = ['application/json', 'application/graphql-response+json']

  /** One case, asked for as JSON. What a refusal tells of time differs. */
  const ask =
    ({ ask, site: handler, before }: Whole, accept: string) =>
    async (url: string): Promise<Reply[]> => {
      if (handler) site.handler = handler
      const post = (raw: Raw) => exchange(url, piecesOf(raw))
      const sooner = before && post({ headers: { 'content-type': 'application/json' }, body: '{"query":"{ quiz(id: 1) { title } }"}' })
      if (before === 'over') await sooner
      else if (before) await expect.poll(() => site.open).toBe(1)
      const { body, headers, ...others } = typeof ask === 'string' ? { body: JSON.stringify({ query: ask }), headers: {} } : ask
      const all = { 'content-type': 'application/json', accept, ...(headers as Record<string, string>) }
      const replies = repliesIn(await post({ ...(others as Raw), body: body as string, headers: all }))
      await sooner
      const told = withoutIds(replies)
      return told.map((reply) => ({
        ...reply,
        headers: reply.headers.map((each) => each.replace(/^(retry-after: )\d+$/, '$1some')),
        body: reply.body.replace(/("retryAfter":)\d+/, '$1"some"'),
      }))
    }

  const kinds = (Object.keys(GATEWAYS) as (keyof typeof GATEWAYS)[]).filter((on) => !OF_THE_MOMENT.includes(on))
  it.each(kinds)('of all kinds are reported alike: %s', { timeout: 120_000 }, async (on) => {
    const cases = Object.values(CASES).flatMap((each) => each.filter(isWhole).filter((each) => each.on === on))
    const candid = on === 'unreachable' ? CANDID : {}
    const ways = await Ways.start(merged({ site: { url: OWN_SITE.includes(on) ? site.url : lms.url } }, candid, GATEWAYS[on]))
    for (const [place, each] of cases.entries())
      for (const accept of SOAK ? MEDIA_TYPES : [MEDIA_TYPES[place % 2] as string]) {
        const { replies } = await alike(ways, ask(each, accept), KNOWN)
        expect(replies.map(({ body }) => body).join(), each.how).toContain('"code":')
      }
    await ways.close()
  })
})

describe('clients that leave', () => {
  /** Sends bytes and goes away without an answer as soon as `when` says so. */
  const leave =
    (pieces: readonly Buffer[], when: () => Promise<unknown>) =>
    async (url: string): Promise<Reply[]> => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => {})
      for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve))
      await when()
      socket.destroy()
      await expect.poll(() => site.open).toBe(0)
      // Whoever comes then is served.
      const held = site.handler
      site.handler = (_, response) => json(response, { id: 10_001, title: { rendered: 'There' } })
      const replies = await send(piecesOf({ headers: { 'content-type': 'application/json' }, body: BODY }))(url)
      site.handler = held
      return replies
    }
  const BODY = '{"query":"{ course(id: 10001) { title } }"}'
  const whole = piecesOf({ headers: { 'content-type': 'application/json' }, body: BODY })

  it.each<[string, readonly Buffer[], () => Promise<unknown>]>([
    ['in the middle of the headers', [(whole[0] as Buffer).subarray(0, 40)], async () => {}],
    ['in the middle of the body', [(whole[0] as Buffer).subarray(0, -10)], async () => {}],
    [
      'in the middle of a chunk',
      piecesOf({ headers: { 'content-type': 'application/json' }, body: [BODY, ' '] }).slice(0, 2),
      async () => {},
    ],
    ['before the answer', whole, () => expect.poll(() => site.open).toBe(1)],
  ])('%s end their calls, and affect no other client', async (_, pieces, when) => {
    const ways = await Ways.start({ site: { url: site.url } })
    site.handler = () => {}
    const { replies, faults } = await alike(ways, leave(pieces, when))
    expect(replies.map(({ body }) => body)).toEqual(['{"data":{"course":{"title":"There"}}}'])
    expect(faults).toEqual([])
    await ways.close()
  })
})
