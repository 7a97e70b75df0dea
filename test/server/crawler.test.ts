import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { FakeSite, json } from '../support/site.js'
import { SOAK } from '../support/world.js'

// A crawler that sends new documents of 25 KB, eight at a time, and sends on whatever it is answered. Beside it a client reads one course after
// another, from another address.

/** Milliseconds the site takes for a call, and for which each part is measured. */
const SERVICE = 20
const LASTS = SOAK ? 20_000 : 5_000
const PARTS = 4
const BEGINS = 3_000
const CRAWLER = fileURLToPath(new URL('crawler.mjs', import.meta.url))

interface Measured {
  readonly p50: number
  readonly p99: number
}

let closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.reverse()) await close()
  closing = []
})

async function post(client: Client, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const { statusCode, body: answer } = await client.request({ path: '/graphql', method: 'POST', headers, body })
  await answer.dump()
  return statusCode
}

/** The times of a client that reads one course after another. */
async function read(client: Client): Promise<Measured> {
  const times: number[] = []
  const until = performance.now() + LASTS
  for (let at = 0, now = performance.now(); now < until; at++) {
    const query = 'query ($id: ID!) { course(id: $id) { title } }'
    expect(await post(client, JSON.stringify({ query, variables: { id: String((at % 50) + 1) } }))).toBe(200)
    const ended = performance.now()
    times.push(ended - now)
    now = ended
  }
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.floor(times.length * share)] as number
  return { p50: at(0.5), p99: at(0.99) }
}

/** The best times of some parts: other programs of the machine delay single ones. */
async function best(client: Client): Promise<Measured> {
  const parts: Measured[] = []
  for (let part = 0; part < PARTS; part++) parts.push(await read(client))
  return { p50: Math.min(...parts.map(({ p50 }) => p50)), p99: Math.min(...parts.map(({ p99 }) => p99)) }
}

/** The times of the client alone and beside the crawler, and the answers to the crawler by status. */
async function beside(...flags: string[]): Promise<{ alone: Measured; crawled: Measured; statuses: Record<string, number> }> {
  const site = await FakeSite.start((_, response) => setTimeout(() => json(response, { id: 1, title: { rendered: 'Title' } }), SERVICE))
  closing.push(() => site.close())
  const gateway = new Command(['--upstream', site.url, '--port', '0', '--log-level', 'warn', ...flags], { NODE_ENV: 'production' })
  closing.push(() => gateway.stop())
  const url = await gateway.address()
  const client = new Client(url, { localAddress: '127.0.0.2' })
  closing.push(() => client.close())
  await read(client)
  const alone = await best(client)
  const crawler = new Command([url], {}, [], { script: CRAWLER })
  await crawler.address()
  // The crawler may use its share at once.
  await sleep(BEGINS)
  const crawled = await best(client)
  const { stdout } = await crawler.stop()
  return { alone, crawled, statuses: JSON.parse(stdout.split('\n')[1] as string) }
}

const shown = ({ p50, p99 }: Measured): string => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`

describe('an honest client beside a crawler', { timeout: 240_000 }, () => {
  it('waits no more than twice as long as alone, and much longer without the limit', async () => {
    const limited = await beside()
    const unlimited = await beside('--document-cost-per-minute', '0')
    console.log(
      `alone: ${shown(limited.alone)}; beside a crawler: ${shown(limited.crawled)}; without the limit: ${shown(unlimited.crawled)} (alone ${shown(unlimited.alone)})`,
    )
    console.log(`answers to the crawler: ${JSON.stringify(limited.statuses)}; without the limit: ${JSON.stringify(unlimited.statuses)}`)
    expect(limited.crawled.p50).toBeLessThan(2 * limited.alone.p50)
    expect(limited.crawled.p99).toBeLessThan(2 * limited.alone.p99)
    expect(limited.statuses[200]).toBeLessThan(20)
    expect(unlimited.crawled.p50).toBeGreaterThan(2 * unlimited.alone.p50)
  })
})
