import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { Command, UNLIMITED_FLAGS } from '../support/command.js'
import { FakeSite, json } from '../support/site.js'
import { PATIENCE, SOAK } from '../support/world.js'

// A site with four workers that takes wrong credentials for none, as WordPress does, and strangers who send it far more than it can do under
// credentials they have made up. The gateway runs in a process of its own, with the heap of a small machine.

/** Milliseconds the site takes for a call. */
const SERVICE = 300
/** Requests per second of the strangers, and REST calls of each. */
const REQUESTS = SOAK ? 60 : 12
const CALLS = 50
/** Milliseconds for which it goes on; and before it is measured, since the queue is to be full by then. */
const LASTS = SOAK ? 30_000 : 6_000
const FILLS = SOAK ? 8_000 : 3_000
/** The short run fills a smaller queue. */
const FLAGS = SOAK ? [] : ['--max-queue', '1000']
/** One read of each reader in so many milliseconds. */
const PAUSE = 800

const NUMBERS = Array.from({ length: CALLS }, (_, at) => at)
/** Questions are read one by one. */
const QUESTIONS = `query (${NUMBERS.map((at) => `$q${at}: ID!`).join()}) { ${NUMBERS.map((at) => `q${at}: question(id: $q${at}) { title }`).join(' ')} }`

interface Reader {
  readonly name: string
  readonly from: string
  readonly authorization?: string
}

const basic = (login: string): string => `Basic ${Buffer.from(`${login}:x`).toString('base64')}`
/** The site knows logins that begin with `user`. */
const isKnown = ({ headers }: IncomingMessage): boolean =>
  Buffer.from((headers.authorization ?? '').slice(6), 'base64')
    .toString()
    .startsWith('user')

/** Everybody may read courses and questions. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  setTimeout(() => {
    if (request.url?.includes('/users/me')) {
      if (isKnown(request)) json(response, { id: 7 })
      else json(response, { code: 'rest_not_logged_in', message: 'No.', data: { status: 401 } }, { status: 401 })
      return
    }
    const id = Number(/\/(\d+)(?:\?|$)/.exec(request.url as string)?.[1])
    json(response, { id, question_id: id, title: { rendered: `Title ${id}` } })
  }, SERVICE)
}

/** Most that a few readers waited for, and what they were refused. */
interface Reading {
  readonly times: number[]
  readonly failures: string[]
}

class Flood {
  readonly pools = new Map<string, Pool>()
  private next = 0
  readonly statuses = new Map<string, number>()

  private constructor(
    readonly site: FakeSite,
    readonly gateway: Command,
    private readonly address: string,
  ) {}

  static async start(...flags: string[]): Promise<Flood> {
    const site = await FakeSite.start(answer)
    const gateway = new Command(
      ['--upstream', site.url, '--port', '0', '--log-level', 'error', ...UNLIMITED_FLAGS, ...flags],
      { NODE_ENV: 'production' },
      ['--max-old-space-size=512', '--max-semi-space-size=16'],
    )
    return new Flood(site, gateway, await gateway.address())
  }

  /** Sends an operation from an address of this machine. */
  async send({ name, from, authorization }: Reader, query: string, variables: object): Promise<{ status: number; body: any }> {
    let pool = this.pools.get(name)
    if (!pool) {
      pool = new Pool(this.address, { connections: 2_000, pipelining: 1, localAddress: from })
      this.pools.set(name, pool)
    }
    const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) }
    const { statusCode, body } = await pool.request({
      path: '/graphql',
      method: 'POST',
      headers,
      body: JSON.stringify({ query, variables }),
    })
    return { status: statusCode, body: await body.json() }
  }

  /** Each reader reads something new again and again. */
  async read(readers: readonly Reader[], until: number): Promise<ReadonlyMap<string, Reading>> {
    const readings = new Map<string, Reading>()
    const run = async (reader: Reader, number: number): Promise<void> => {
      const reading: Reading = { times: [], failures: [] }
      readings.set(reader.name, reading)
      await sleep((number / readers.length) * PAUSE)
      while (performance.now() < until) {
        const [id, since] = [++this.next, performance.now()]
        const { status, body } = await this.send(reader, 'query ($id: ID!) { course(id: $id) { title } }', { id })
        const took = performance.now() - since
        reading.times.push(took)
        if (body.data?.course?.title !== `Title ${id}`) reading.failures.push(`${status} ${body.errors?.[0]?.extensions.code}`)
        if (took < PAUSE) await sleep(PAUSE - took)
      }
    }
    await Promise.all(readers.map(run))
    return readings
  }

  /** Strangers from one address, each with credentials of their own making. */
  async flood(credentials: (request: number) => string, from: string, until: number): Promise<void> {
    const asked: Promise<unknown>[] = []
    const since = performance.now()
    for (let request = 0; performance.now() < until; request++) {
      await sleep(Math.max(0, since + (request * 1_000) / REQUESTS - performance.now()))
      const variables = Object.fromEntries(NUMBERS.map((at) => [`q${at}`, 100_000 + request * CALLS + at]))
      const sent = this.send({ name: 'strangers', from, authorization: credentials(request) }, QUESTIONS, variables)
      asked.push(
        sent.then(
          ({ status }) => this.statuses.set(`${status}`, (this.statuses.get(`${status}`) ?? 0) + 1),
          () => {},
        ),
      )
    }
    await Promise.race([Promise.all(asked), sleep(1_000)])
  }

  /** Seconds of CPU the gateway has had. */
  get cpu(): number {
    const [, user, system] = /\) \S(?: \S+){10} (\d+) (\d+)/.exec(readFileSync(`/proc/${this.gateway.child.pid}/stat`, 'utf8')) ?? []
    return (Number(user) + Number(system)) / 100
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.destroy()))
    await this.gateway.stop('SIGKILL')
    await this.site.close()
  }
}

const at = (share: number, times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0

let flood: Flood
afterEach(() => flood.close())

/** Reads alone, then beside strangers. */
async function compare(readers: readonly Reader[], credentials: (request: number) => string): Promise<void> {
  flood = await Flood.start(...FLAGS)
  await flood.read(readers, performance.now() + 1_500)
  const alone = await flood.read(readers, performance.now() + LASTS)
  const filled = performance.now() + FILLS
  const flooding = flood.flood(credentials, '127.0.0.1', filled + LASTS)
  await flood.read(readers, filled)
  const beside = await flood.read(readers, filled + LASTS)
  await flooding
  for (const { name } of readers) {
    const [calm, busy] = [alone.get(name) as Reading, beside.get(name) as Reading]
    console.log(
      `${name}: ${calm.times.length} reads alone, p50 ${at(0.5, calm.times).toFixed(0)} ms, p99 ${at(0.99, calm.times).toFixed(0)} ms; ` +
        `${busy.times.length} beside strangers, p50 ${at(0.5, busy.times).toFixed(0)} ms, p99 ${at(0.99, busy.times).toFixed(0)} ms, ${busy.failures.length} failed ${[...new Set(busy.failures)]}`,
    )
  }
  console.log(`CPU of the gateway: ${flood.cpu.toFixed(1)} s`)
  console.log(`strangers: ${[...flood.statuses].map(([status, count]) => `${count} answered ${status}`).join(', ')}`)
  for (const { name } of readers) {
    const [calm, busy] = [alone.get(name) as Reading, beside.get(name) as Reading]
    expect(busy.failures, name).toEqual([])
    expect(busy.times.length, name).toBeGreaterThan(0)
    expect(at(0.99, busy.times), name).toBeLessThan(2 * Math.max(at(0.99, calm.times), SERVICE) * PATIENCE)
  }
  expect(flood.site.most).toBe(4)
}

describe('during a flood of callers with made-up credentials', () => {
  const ELSEWHERE = '127.0.0.2'

  it('every read of other callers is answered, in less than twice the time', { retry: 2, timeout: 180_000 }, async () => {
    await compare(
      [
        { name: 'a known user', from: ELSEWHERE, authorization: basic('user1') },
        { name: 'a known user at the address of the strangers', from: '127.0.0.1', authorization: basic('user2') },
        { name: 'an anonymous reader', from: ELSEWHERE },
        { name: 'an anonymous reader at the address of the strangers', from: '127.0.0.1' },
      ],
      (request) => basic(`made up ${request % 3}`),
    )
  })
})
