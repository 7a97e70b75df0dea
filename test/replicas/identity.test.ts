import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { startLms } from '../../src/lms/index.js'
import { KeptLog, SECRET, signed } from '../support/hooks.js'
import { merged, type TunedOptions } from '../support/merged.js'
import { RedisServer, WITHOUT_REDIS } from '../support/redis-server.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { authorizationOf } from '../support/world.js'

// Gateways share the data of one site, however its address is written in their settings, and never those of two sites.

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function startRedis(): Promise<RedisServer> {
  const redis = await RedisServer.start()
  closing.push(() => redis.close())
  return redis
}

type Gateway = Served & { readonly log: KeptLog; readonly warnings: () => Record<string, unknown>[] }

async function start(server: RedisServer, upstream: string, more: TunedOptions = {}, siteId?: string): Promise<Gateway> {
  const log = new KeptLog()
  const redis = { url: server.url, ...(siteId !== undefined && { siteId }) }
  const options = merged(
    { site: { url: upstream }, redis, cache: { maxAge: 3_600 }, hooks: { secret: SECRET }, observe: { metrics: 'open' }, log },
    more,
  )
  const gateway = await serve(options)
  closing.push(() => gateway.close())
  await expect.poll(async () => (await fetch(`${gateway.url}/metrics`)).text()).toContain('lms_redis_up 1')
  const warnings = () => log.lines.filter(({ level, msg }) => level === 'warn' && msg.includes('siteId'))
  return Object.assign(gateway, { log, warnings })
}

async function ask({ post }: Served, query: string, as?: 'admin'): Promise<any> {
  return (await post({ query }, as && { authorization: authorizationOf(as) })).json()
}

const titleOf = async (gateway: Served, id = 7, as?: 'admin'): Promise<unknown> => {
  const { data, errors } = await ask(gateway, `{ course(id: ${id}) { title } }`, as)
  return data?.course?.title ?? errors[0].extensions.code
}

const rename = async (gateway: Served, title: string, id = 7): Promise<string> => {
  const { data } = await ask(
    gateway,
    `mutation { updateCourse(input: { id: ${id}, title: "${title}" }) { __typename ... on LmsError { code } } }`,
    'admin',
  )
  return data.updateCourse.code ?? data.updateCourse.__typename
}

/** A kind of site that says its address, and that shows courses to administrators only. */
const LEARNDASH = {
  site: { preset: 'learndash' },
  cache: { maxAge: 3_600, forCallers: 3_600, secret: 'the same secret of all gateways.' },
} as const

/** A site with one course, and an index that a test may change. */
async function startSite(title: string, home?: string, port?: number) {
  const site = await FakeSite.start(undefined, '127.0.0.1', port)
  closing.push(() => site.close())
  const state = { title, index: { status: 200, body: (home === undefined ? {} : { home, url: home }) as object } }
  site.handler = ({ method, url = '' }, response) => {
    if (/^\/(wp-json\/)?\?_fields=home,url$/.test(url)) return void json(response, state.index.body, { status: state.index.status })
    if (method === 'POST') state.title = 'renamed'
    json(response, { id: 7, title: { rendered: state.title } })
  }
  const reads = () => site.requests.filter(({ method, url }) => method === 'GET' && url?.includes('sfwd-courses')).length
  return { site, state, reads }
}

const withoutRedis = WITHOUT_REDIS !== undefined && process.env.CI !== 'true'

describe.skipIf(withoutRedis)('gateways with one Redis', () => {
  describe('in front of a site that says its address', () => {
    it.each([
      ['localhost', (port: string) => `http://localhost:${port}/wp-json`],
      ['upper case', (port: string) => `HTTP://LOCALHOST:${port}/wp-json`],
      ['a slash at the end', (port: string) => `http://127.0.0.1:${port}/wp-json/`],
    ])('share its data when one of them has %s in the address', async (_, spelled) => {
      const calls: string[] = []
      const lms = await startLms({ profile: 'learndash', onCall: ({ url }) => void calls.push(url) })
      closing.push(() => lms.close())
      const redis = await startRedis()
      const one = await start(redis, `${lms.url.replace(/\/wp-json$/, '')}/wp-json`, LEARNDASH)
      const two = await start(redis, spelled(new URL(lms.url).port), LEARNDASH)
      const { data } = await ask(one, '{ courses(first: 1) { nodes { databaseId title } } }', 'admin')
      const [{ databaseId, title }] = data.courses.nodes
      const before = await titleOf(one, databaseId, 'admin')
      await redis.shares(2)
      calls.length = 0
      expect([before, await titleOf(two, databaseId, 'admin')]).toEqual([title, title])
      // The answer of the first one is used by the second one.
      expect(calls).toEqual([])
      expect(await rename(one, 'Renamed', databaseId)).toBe('UpdateCourseSuccess')
      expect(await titleOf(two, databaseId, 'admin')).toBe('Renamed')
      expect([...one.warnings(), ...two.warnings()]).toEqual([])
    })

    it('share it when the address of the site has changed meanwhile', async () => {
      const { site, state } = await startSite('old', 'https://old.example.org')
      const redis = await startRedis()
      const one = await start(redis, site.url)
      expect(await titleOf(one)).toBe('old')
      state.index.body = { home: 'https://new.example.org/' }
      const two = await start(redis, site.url)
      expect(await titleOf(two)).toBe('old')
      const questions = () => site.paths.filter((path) => path.includes('_fields=home')).length
      // The first gateway asks again when it sees that the second one has another name.
      await expect.poll(questions, { timeout: 30_000 }).toBeGreaterThan(3)
      expect(await titleOf(one)).toBe('old')
      expect(await rename(two, 'x')).toBe('UpdateCourseSuccess')
      expect(await titleOf(one)).toBe('renamed')
    })
  })

  describe('in front of a site that does not say its address', () => {
    it.each([404, 403, 200])('share its data when its address is written in the same way, and warn when it is not (%s)', async (status) => {
      const { site, state, reads } = await startSite('old')
      state.index = { status, body: status === 200 ? {} : { code: 'rest_no_route', message: 'None.', data: { status } } }
      const redis = await startRedis()
      const one = await start(redis, site.url)
      const two = await start(redis, `${site.url.replace('http', 'HTTP')}/`)
      expect(await titleOf(one)).toBe('old')
      await redis.shares(1)
      expect([await titleOf(two), reads()]).toEqual(['old', 1])
      const spelled = site.url.replace('127.0.0.1', 'localhost')
      const other = await start(redis, spelled)
      expect([await titleOf(other), reads()]).toEqual(['old', 2])
      const all = () => [one, two, other].flatMap((gateway) => gateway.warnings())
      await expect.poll(all, { timeout: 30_000 }).not.toEqual([])
      for (const warning of all()) expect([warning.site, warning.other].sort()).toEqual([site.url, spelled])
      expect([one, two].flatMap((gateway) => gateway.warnings()).length).toBeLessThanOrEqual(2)
    })

    it('share its data under the name of the setting, without asking it', async () => {
      const { site, state, reads } = await startSite('old')
      state.index.status = 500
      const redis = await startRedis()
      const one = await start(redis, site.url, {}, 'the school')
      const two = await start(redis, site.url.replace('127.0.0.1', 'localhost'), {}, 'the school')
      expect(await titleOf(one)).toBe('old')
      await redis.shares(1)
      expect([await titleOf(two), reads()]).toEqual(['old', 1])
      expect(await rename(two, 'x')).toBe('UpdateCourseSuccess')
      expect(await titleOf(one)).toBe('renamed')
      expect(site.paths.filter((path) => path.includes('_fields=home'))).toEqual([])
      expect([...one.warnings(), ...two.warnings()]).toEqual([])
    })
  })

  it('never show data of another site that has the same address', async () => {
    const first = await startSite('first', 'https://first.example.org')
    const redis = await startRedis()
    const one = await start(redis, first.site.url)
    expect(await titleOf(one)).toBe('first')
    await first.site.close()
    const second = await startSite('second', 'https://second.example.org', Number(new URL(first.site.url).port))
    const two = await start(redis, second.site.url)
    expect(await titleOf(two)).toBe('second')
    await expect.poll(() => [...one.warnings(), ...two.warnings()], { timeout: 30_000 }).not.toEqual([])
  })

  it('share nothing and make no change while the site does not answer, and do not wait for it', async () => {
    const { site, state, reads } = await startSite('old', 'https://school.example.org')
    const redis = await startRedis()
    const one = await start(redis, site.url)
    expect([await titleOf(one), await titleOf(one), reads()]).toEqual(['old', 'old', 1])
    state.index.status = 503
    const two = await start(redis, site.url.replace('127.0.0.1', 'localhost'), { protection: { retries: 0 } })
    expect([await titleOf(two), await titleOf(two), reads()]).toEqual(['old', 'old', 3])
    expect(await rename(two, 'x')).toBe('CACHE_UNAVAILABLE')
    const body = JSON.stringify({ type: 'course', id: 7, kind: 'updated' })
    const deliver = async () => (await fetch(`${two.url}/hooks/site`, { method: 'POST', headers: signed(body), body })).status
    expect(await deliver()).toBe(503)
    expect(two.warnings()).toHaveLength(1)
    state.index.status = 200
    await expect.poll(() => rename(two, 'x'), { timeout: 20_000 }).toBe('UpdateCourseSuccess')
    expect(await titleOf(one)).toBe('renamed')
  })

  it('answer while the site keeps them waiting for its address', async () => {
    const { site, reads } = await startSite('old', 'https://school.example.org')
    const { handler } = site
    site.handler = (request, response) => (request.url?.includes('_fields=home') ? undefined : handler(request, response))
    const one = await start(await startRedis(), site.url)
    const answered = await Promise.race([titleOf(one), sleep(10_000, 'too late')])
    expect([answered, reads()]).toEqual(['old', 1])
  })
})
