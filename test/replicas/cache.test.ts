import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { Command } from '../support/command.js'
import { Random } from '../support/random.js'
import { CuttablePath, RedisServer, WITHOUT_REDIS } from '../support/redis-server.js'
import { SOAK } from '../support/world.js'
import { MixedLoad, type Seen } from './mixed-load.js'
import { VersionedSite } from './versioned-site.js'

// Three gateways with the cache in one Redis: no answer is older than an acknowledged write, whatever happens to Redis.

const OPERATIONS = SOAK ? 1_000_000 : 20_000
const SECRET = 'the same secret of all gateways.'
const NEW_SECRET = 'a new secret of all the gateways'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const flagsFor = (site: VersionedSite): string[] => [
  ...['--upstream', site.url, '--port', '0', '--max-in-flight', '8', '--log-level', 'error'],
  ...['--cache', '3600', '--cache-for-callers', '3600'],
]

interface Replica {
  readonly redis: string
  readonly secret?: string
}

async function startReplicas(site: VersionedSite, replicas: readonly Replica[], ...flags: readonly string[]): Promise<readonly string[]> {
  const commands = replicas.map(
    ({ redis, secret = SECRET }) => new Command([...flagsFor(site), ...flags], { REDIS_URL: redis, CACHE_SECRET: secret }),
  )
  closing.push(() => Promise.all(commands.map((command) => command.stop('SIGKILL'))))
  return Promise.all(commands.map((command) => command.address()))
}

const troubles = ({ stale, foreign, failed }: Seen) => ({
  stale: stale.slice(0, 5),
  foreign: foreign.slice(0, 5),
  failed: failed.slice(0, 5),
})
const NONE = { stale: [], foreign: [], failed: [] }

/** Waits until a part of the operations has run. */
async function reached(load: MixedLoad, share: number): Promise<void> {
  while (load.progress < OPERATIONS * share) await sleep(5)
}

describe.skipIf(WITHOUT_REDIS !== undefined && process.env.CI !== 'true')('three gateways with one Redis', () => {
  it('show nothing older than an acknowledged write, while Redis is killed, comes back, and is cut off', async () => {
    const site = await VersionedSite.start(40, 10, 3)
    closing.push(() => site.close())
    const redis = await RedisServer.start()
    closing.push(() => redis.close())
    const path = await CuttablePath.to(redis.port)
    closing.push(() => path.close())
    const load = new MixedLoad(
      site,
      await startReplicas(site, [{ redis: redis.url }, { redis: redis.url }, { redis: path.url }]),
      new Random(23),
    )
    closing.push(() => load.close())
    const running = load.run({ operations: OPERATIONS, lanes: 32, writes: 0.05, signedIn: 0.2 })
    const events: string[] = []
    const refused = (): number => load.seen.refused.CACHE_UNAVAILABLE ?? 0
    await reached(load, 0.2)
    // A snapshot that becomes old.
    redis.cli('SAVE')
    await reached(load, 0.35)
    await redis.kill()
    await reached(load, 0.38)
    await redis.begin()
    events.push(`back from a snapshot after ${refused()} refused writes`)
    await reached(load, 0.5)
    path.cut()
    await reached(load, 0.6)
    path.mend()
    events.push(`one replica cut off until ${refused()} refused writes`)
    await reached(load, 0.7)
    await redis.kill()
    redis.forget()
    await reached(load, 0.73)
    await redis.begin()
    events.push(`back empty after ${refused()} refused writes`)
    await reached(load, 0.85)
    redis.cli('FLUSHALL')
    const seen = await running
    const { reads, writes } = await site.counts()
    console.log(
      `${seen.reads} reads and ${seen.writes} writes (${JSON.stringify(seen.refused)} refused), ${seen.compared} records, ${seen.written} of them written before: ${seen.stale.length} older than an acknowledged write, ${seen.foreign.length} foreign; ${reads} reads and ${writes} writes of the site; ${events.join('; ')}`,
    )
    expect(troubles(seen)).toEqual(NONE)
    // Each of the troubles was met.
    expect(refused()).toBeGreaterThan(3)
    expect(Object.keys(seen.refused)).toEqual(['CACHE_UNAVAILABLE'])
    expect(seen.written).toBeGreaterThan(OPERATIONS / 2)
    expect(reads).toBeLessThan(seen.reads)
  })

  it('show nothing older than an acknowledged write, and nothing of other callers, while their cache secret is replaced', {
    timeout: 120_000,
  }, async () => {
    const site = await VersionedSite.start(40, 10, 3)
    closing.push(() => site.close())
    const redis = await RedisServer.start()
    closing.push(() => redis.close())
    const secrets = [SECRET, `${NEW_SECRET},${SECRET}`, NEW_SECRET]
    const urls = await startReplicas(
      site,
      secrets.map((secret) => ({ redis: redis.url, secret })),
      '--metrics',
    )
    const load = new MixedLoad(site, urls, new Random(26))
    closing.push(() => load.close())
    const seen = await load.run({ operations: OPERATIONS, lanes: 16, writes: 0.01, signedIn: 0.8 })
    const [former, both, next] = await Promise.all(urls.map((url) => cacheResults([url])))
    console.log(
      `${seen.reads} reads and ${seen.writes} writes by replicas with other secrets: ${seen.stale.length} older than an acknowledged write, ${seen.foreign.length} foreign; reads by the former secret ${JSON.stringify(former)}, by both ${JSON.stringify(both)}, by the new one ${JSON.stringify(next)}`,
    )
    expect(troubles(seen)).toEqual(NONE)
    expect(seen.refused).toEqual({})
    expect(both?.shared_hit).toBeGreaterThan(Math.max(former?.shared_hit ?? 0, next?.shared_hit ?? 0))
  })

  it('answer most reads of a mix with few writes without the site', async () => {
    const site = await VersionedSite.start(40, 10, 3)
    closing.push(() => site.close())
    const redis = await RedisServer.start()
    closing.push(() => redis.close())
    const urls = await startReplicas(site, Array(3).fill({ redis: redis.url }))
    const load = new MixedLoad(site, urls, new Random(24))
    closing.push(() => load.close())
    const seen = await load.run({ operations: OPERATIONS, lanes: 16, writes: 0.002, signedIn: 0.1 })
    const { reads } = await site.counts()
    // Without a cache, each of these reads takes one or two calls.
    console.log(
      `${seen.reads} reads, ${seen.writes} writes: ${reads} calls of the site, ${((reads / seen.reads) * 100).toFixed(1)} calls for 100 reads`,
    )
    expect(troubles(seen)).toEqual(NONE)
    expect(reads).toBeLessThan(seen.reads * 0.2)
  })

  it.each([
    ['a tenth', 0.1],
    ['half', 0.5],
  ])(
    'answer at least 85 of 100 reads from the cache when one operation in 500 changes the title of a course and %s of the callers are signed in',
    async (_, signedIn) => {
      const site = await VersionedSite.start(40, 10, 3)
      closing.push(() => site.close())
      const redis = await RedisServer.start()
      closing.push(() => redis.close())
      const urls = await startReplicas(site, Array(3).fill({ redis: redis.url }), '--metrics')
      const load = new MixedLoad(site, urls, new Random(25))
      closing.push(() => load.close())
      const seen = await load.run({ operations: OPERATIONS, lanes: 16, writes: 0.002, signedIn, onlyTitles: true })
      const results = await cacheResults(urls)
      const kept = (results.hit ?? 0) + (results.shared_hit ?? 0)
      const all = Object.values(results).reduce((sum, each) => sum + each, 0)
      console.log(
        `${seen.reads} reads, ${signedIn * 100} % of them signed in, ${seen.writes} writes of titles: ${((kept / all) * 100).toFixed(1)} % of ${all} REST reads from the cache (${JSON.stringify(results)})`,
      )
      expect(troubles(seen)).toEqual(NONE)
      expect(seen.refused).toEqual({})
      expect(kept / all).toBeGreaterThan(0.85)
    },
  )
})

/** How the reads of several gateways were answered, by result. */
async function cacheResults(urls: readonly string[]): Promise<Record<string, number>> {
  const results: Record<string, number> = {}
  for (const url of urls)
    for (const [, result = '', count] of (await (await fetch(`${url}/metrics`)).text()).matchAll(
      /^lms_cache_reads_total\{.*result="(\w+)".*\} (\d+)$/gm,
    ))
      results[result] = (results[result] ?? 0) + Number(count)
  return results
}
