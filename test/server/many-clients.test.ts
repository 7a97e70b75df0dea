import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { basic } from '../../src/upstream/credentials.js'
import { Command } from '../support/command.js'
import { FakeSite, json } from '../support/site.js'

// More clients than a gateway remembers. It runs in a process of its own, which collects its garbage when it gets a signal.

const ADDRESSES = 200_000
const OPERATIONS = 20_000
/** Clients of one kind that are remembered. */
const KEPT = 20_000
/** Most bytes that the limits may take. */
const MOST = 20_000_000
/** Requests that are sent without waiting. */
const AHEAD = 64

const COLLECTS = ['--expose-gc', '--import', "data:text/javascript,process.on('SIGUSR2', () => gc())"]
const addressOf = (number: number): string => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
const COURSE = JSON.stringify({ query: '{ course(id: 1) { title } }' })
const TYPENAME = JSON.stringify({ query: '{ __typename }' })

let site: FakeSite
let gateway: Command
let client: Client
const start = async (...flags: string[]): Promise<void> => {
  site = await FakeSite.start((_, response) =>
    json(response, { code: 'incorrect_password', message: 'No.', data: { status: 401 } }, { status: 401 }),
  )
  const always = ['--port', '0', '--trusted-proxies', '127.0.0.1', '--metrics', 'open', '--log-level', 'error']
  gateway = new Command(['--upstream', site.url, ...always, ...flags], { NODE_ENV: 'production' }, COLLECTS)
  client = new Client(await gateway.address(), { pipelining: AHEAD })
}
afterEach(async () => {
  await client.close()
  await gateway.stop()
  await site.close()
})

async function send(address: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  const { statusCode, body: answer } = await client.request({
    path: '/graphql',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers },
    body,
  })
  await answer.dump()
  return statusCode
}

/** Sends so many requests, and counts their statuses. */
async function all(count: number, request: (number: number) => Promise<number>): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) {
      const status = await request(next++)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: AHEAD }, lane))
  return statuses
}

/** Bytes on the heap without garbage. */
async function heap(): Promise<number> {
  let used = Number.POSITIVE_INFINITY
  for (let times = 0; times < 3; times++) {
    gateway.child.kill('SIGUSR2')
    await sleep(300)
    const { body } = await client.request({ path: '/metrics', method: 'GET' })
    used = Math.min(used, Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(await body.text())?.[1]))
  }
  return used
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

describe('the limits of clients', { timeout: 300_000 }, () => {
  it(`take little memory for ${ADDRESSES} addresses, and forget no client whose share is not full`, async () => {
    await start('--operations-per-minute', '1')
    const firstAt = performance.now()
    const before = await heap()
    const statuses = await all(ADDRESSES, (number) => send(addressOf(number), TYPENAME))
    const took = (await heap()) - before
    console.log(`${ADDRESSES} addresses: ${megabytes(took)}`)
    expect(took).toBeLessThan(MOST)
    // Those that find no place share one share.
    expect(statuses.get(200)).toBeGreaterThanOrEqual(KEPT - 1)
    expect((statuses.get(200) ?? 0) + (statuses.get(429) ?? 0)).toBe(ADDRESSES)
    // They have not displaced the clients before them, which wait for a minute from their own operation on.
    const again = await all(100, (number) => send(addressOf(number), TYPENAME))
    if (performance.now() - firstAt < 50_000) expect([...again]).toEqual([[429, 100]])
  })

  it(`take little memory for ${OPERATIONS} operations with wrong credentials, and no more for further ones`, async () => {
    await start()
    const guess = (from: number) =>
      all(OPERATIONS, (number) => send(addressOf(from + number), COURSE, { authorization: basic(`user-${from + number}`, 'wrong') }))
    const before = await heap()
    expect([...(await guess(0))]).toEqual([[200, OPERATIONS]])
    const between = await heap()
    await guess(OPERATIONS)
    const after = await heap()
    console.log(
      `${OPERATIONS} operations with wrong credentials: ${megabytes(between - before)}, as many again: ${megabytes(after - between)}`,
    )
    // With what other caches keep of credentials.
    expect(between - before).toBeLessThan(3 * MOST)
    expect(after - between).toBeLessThan(MOST / 2)
  })
})
