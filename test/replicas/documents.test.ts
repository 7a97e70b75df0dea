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
const asked = (text: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(text).digest('hex') } },
})

/** Two gateways with a cache in one Redis, which holds 20 MB and drops what was used least recently. */
async function start() {
  const site = await FakeSite.start((_, response) => json(response, [{ slug: 'free', name: 'Free' }]))
  closing.push(() => site.close())
  const redis = await RedisServer.start('--maxmemory', '20mb', '--maxmemory-policy', 'allkeys-lru')
  closing.push(() => redis.close())
  const options = { site: { url: site.url }, redis: { url: redis.url }, cache: { maxAge: 3_600 }, observe: { metrics: 'open' } }
  const gateways = [await serve(options), await serve(options)] as const
  for (const gateway of gateways) closing.push(() => gateway.close())
  for (const { url } of gateways) await expect.poll(async () => (await fetch(`${url}/metrics`)).text()).toContain('lms_redis_up 1')
  return { site, redis, gateways }
}

/** The data, or the code of the error. */
async function answerOf({ post }: Served, request: object): Promise<unknown> {
  const { data, errors } = (await (await post(request)).json()) as any
  return errors ? errors[0].extensions.code : data
}

const DATA = { priceTypes: [{ name: 'Free' }] }

describe.skipIf(WITHOUT_REDIS !== undefined && process.env.CI !== 'true')('documents that strangers send with their hashes', () => {
  it('write nothing to Redis, and evict nothing from it', async () => {
    const {
      site,
      redis,
      gateways: [one, two],
    } = await start()
    expect(await answerOf(one, { query: QUERY })).toEqual(DATA)
    const keysOf = (): string[] => redis.cli('KEYS', '*').split('\n').sort()
    // The answer is written after it was sent, and the name of the site when Redis answers.
    for (const key of [/^lms:\{.+\}:epoch$/, /^lms:\{.+\}:a:/, /^lms:site$/])
      await expect.poll(keysOf).toContainEqual(expect.stringMatching(key))
    const kept = keysOf()
    const calls = site.paths.length
    const documents = Array.from({ length: 400 }, (_, i) => `{ __typename } #${i} ${'x'.repeat(95_000)}`)
    for (const query of documents)
      expect(await answerOf(one, { query, ...asked(query) }), query.slice(0, 20)).toEqual({ __typename: 'Query' })
    const last = documents.at(-1) as string
    expect(await answerOf(one, asked(last))).toEqual({ __typename: 'Query' })
    const added = keysOf().filter((key) => !kept.includes(key))
    const evicted = Number(/evicted_keys:(\d+)/.exec(redis.cli('INFO', 'stats'))?.[1])
    expect({ added: added.length, left: kept.filter((key) => !keysOf().includes(key)), evicted }).toEqual({
      added: 0,
      left: [],
      evicted: 0,
    })
    // The other gateway still has the answer of the cache.
    expect([await answerOf(two, { query: QUERY }), site.paths.length - calls]).toEqual([DATA, 0])
  })

  it('are known to the gateway that they were sent to; another one asks for the text, which clients then send', async () => {
    const {
      gateways: [one, two],
    } = await start()
    expect(await answerOf(one, { query: QUERY, ...asked(QUERY) })).toEqual(DATA)
    expect(await answerOf(one, asked(QUERY))).toEqual(DATA)
    expect(await answerOf(two, asked(QUERY))).toBe('PERSISTED_QUERY_NOT_FOUND')
    expect(await answerOf(two, { query: QUERY, ...asked(QUERY) })).toEqual(DATA)
    expect(await answerOf(two, asked(QUERY))).toEqual(DATA)
  })
})
