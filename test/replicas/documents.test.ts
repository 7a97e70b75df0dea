import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { RedisServer, WITHOUT_REDIS } from '../support/redis-server.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const QUERY = '{ priceTypes { name } }'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const asked = (text: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: sha256(text) } } })

async function start(count: number) {
  const site = await FakeSite.start((_, response) => json(response, [{ slug: 'free', name: 'Free' }]))
  closing.push(() => site.close())
  const redis = await RedisServer.start()
  closing.push(() => redis.close())
  const gateways = await Promise.all(
    Array.from({ length: count }, () => serve({ upstream: site.url, redis: { url: redis.url }, metrics: true, metricsOpen: true })),
  )
  for (const gateway of gateways) closing.push(() => gateway.close())
  for (const { url } of gateways) await expect.poll(async () => (await fetch(`${url}/metrics`)).text()).toContain('lms_redis_up 1')
  return { redis, gateways }
}

/** The data, or the code of the error. */
async function answerOf({ post }: Served, request: object): Promise<unknown> {
  const { data, errors } = (await (await post(request)).json()) as any
  return errors ? errors[0].extensions.code : data
}
const commandsOf = (redis: RedisServer): number => Number(/total_commands_processed:(\d+)/.exec(redis.cli('INFO', 'stats'))?.[1])

const DATA = { priceTypes: [{ name: 'Free' }] }

describe.skipIf(WITHOUT_REDIS !== undefined && process.env.CI !== 'true')('a document that one gateway has stored', () => {
  it('is known to others, and is asked for once', async () => {
    const { redis, gateways } = await start(2)
    const [one, two] = gateways as [Served, Served]
    expect(await answerOf(two, asked(QUERY))).toBe('PERSISTED_QUERY_NOT_FOUND')
    expect(await answerOf(one, { query: QUERY, ...asked(QUERY) })).toEqual(DATA)
    expect(await answerOf(two, asked(QUERY))).toEqual(DATA)
    const before = commandsOf(redis)
    for (let times = 0; times < 5; times++) expect(await answerOf(two, asked(QUERY))).toEqual(DATA)
    // The commands of `redis-cli` itself.
    expect(commandsOf(redis) - before).toBeLessThanOrEqual(2)
  })

  it('is not run when its text is not that of its hash', async () => {
    const { redis, gateways } = await start(1)
    redis.cli('SET', `lms:document:${sha256(QUERY)}`, '{ __typename }')
    expect(await answerOf(gateways[0] as Served, asked(QUERY))).toBe('PERSISTED_QUERY_NOT_FOUND')
  })

  it('is sent again while Redis is away', async () => {
    const { redis, gateways } = await start(2)
    const [one, two] = gateways as [Served, Served]
    await answerOf(one, { query: QUERY, ...asked(QUERY) })
    await redis.kill()
    expect(await answerOf(two, asked(QUERY))).toBe('PERSISTED_QUERY_NOT_FOUND')
    expect(await answerOf(two, { query: QUERY, ...asked(QUERY) })).toEqual(DATA)
    expect(await answerOf(two, asked(QUERY))).toEqual(DATA)
    expect(await answerOf(one, asked(QUERY))).toEqual(DATA)
  })
})
