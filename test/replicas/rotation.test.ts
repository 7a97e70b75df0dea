import { afterEach, describe, expect, it } from 'vitest'
import { startLms } from '../../src/lms/index.js'
import { RedisServer, WITHOUT_REDIS } from '../support/redis-server.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { authorizationOf, type Login } from '../support/world.js'

// Gateways whose cache secret is replaced one after the other, in front of the embedded LMS, with one Redis.

const FORMER = 'the former secret of all gateways'
const NEW = 'the new secret of all the gateways'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function startRedis(): Promise<RedisServer> {
  const redis = await RedisServer.start()
  closing.push(() => redis.close())
  return redis
}

async function gatewayWith(secret: string | readonly string[], upstream: string, { url }: RedisServer): Promise<Served> {
  const cache = { maxAge: 3_600, forCallers: 3_600, secret }
  const gateway = await serve({ site: { url: upstream, preset: 'learndash' }, redis: { url }, cache, observe: { metrics: 'open' } })
  closing.push(() => gateway.close())
  const metrics = async () => (await fetch(`${gateway.url}/metrics`)).text()
  await expect.poll(metrics).toContain('lms_redis_up 1')
  return gateway
}

/** Three gateways, the second of which has both secrets, and the REST calls of courses that reach the LMS. */
async function start() {
  const calls: string[] = []
  const lms = await startLms({
    profile: 'learndash',
    onCall: ({ url }) => void (url.includes('sfwd-courses') && calls.push(url)),
  })
  closing.push(() => lms.close())
  const redis = await startRedis()
  const upstream = `${lms.url.replace(/\/wp-json$/, '')}/wp-json`
  const former = await gatewayWith(FORMER, upstream, redis)
  const both = await gatewayWith([NEW, FORMER], upstream, redis)
  const next = await gatewayWith(NEW, upstream, redis)
  const { data } = await ask(former, '{ courses(first: 2) { nodes { databaseId } } }')
  const ids = data.courses.nodes.map(({ databaseId }: { databaseId: number }) => databaseId) as [number, number]
  /** The title of a course, and the number of REST calls that it took. */
  const read = async (gateway: Served, id: number, as?: Login): Promise<[title: string | undefined, calls: number]> => {
    const before = calls.length
    return [await titleOf(gateway, id, as), calls.length - before]
  }
  return { former, both, next, ids, read, redis }
}

async function ask({ post }: Served, query: string, as: Login = 'admin'): Promise<any> {
  return (await post({ query }, { authorization: authorizationOf(as) })).json()
}

const titleOf = async (gateway: Served, id: number, as?: Login): Promise<string | undefined> =>
  (await ask(gateway, `{ course(id: ${id}) { title } }`, as)).data?.course?.title

const rename = async (gateway: Served, id: number, title: string): Promise<void> => {
  const { data } = await ask(gateway, `mutation { updateCourse(input: { id: ${id}, title: "${title}" }) { __typename } }`)
  expect(data.updateCourse.__typename).toBe('UpdateCourseSuccess')
}

describe.skipIf(WITHOUT_REDIS !== undefined && process.env.CI !== 'true')('a gateway with two cache secrets', () => {
  it('uses what gateways with either secret have shared, and keeps it', async () => {
    const { former, both, next, ids, read, redis } = await start()
    const [title] = await read(former, ids[0])
    const [other] = await read(next, ids[1])
    await redis.shares(3)
    expect([await read(both, ids[0]), await read(both, ids[1])]).toEqual([
      [title, 0],
      [other, 0],
    ])
    expect(await read(both, ids[0])).toEqual([title, 0])
    const metrics = await (await fetch(`${both.url}/metrics`)).text()
    const results = Array.from(metrics.matchAll(/^lms_cache_reads_total\{.*result="(\w+)".*\} ([1-9]\d*)$/gm), ([, result, count]) => [
      result,
      count,
    ])
    expect(results.toSorted()).toEqual([
      ['hit', '1'],
      ['shared_hit', '2'],
    ])
  })

  it('shares under its first secret only', async () => {
    const { former, both, next, ids, read, redis } = await start()
    const [title] = await read(both, ids[0])
    await redis.shares(2)
    expect(await read(next, ids[0])).toEqual([title, 0])
    expect(await read(former, ids[0])).toEqual([title, 1])
  })

  it('shows other callers nothing of what it finds', async () => {
    const { former, both, ids, read, redis } = await start()
    const [title] = await read(former, ids[0])
    await redis.shares(2)
    expect(await read(both, ids[0])).toEqual([title, 0])
    // The site shows courses to administrators only.
    expect(await read(both, ids[0], 'leader')).toEqual([undefined, expect.toSatisfy((calls) => calls > 0)])
  })

  it('shows no answer of before a change, whichever gateway has made it', async () => {
    const { former, both, next, ids, read, redis } = await start()
    const [id] = ids
    for (const [index, gateway] of [former, both, next].entries()) {
      redis.cli('FLUSHALL')
      await read(former, id)
      await redis.shares(1)
      expect((await read(both, id))[1]).toBe(0)
      await rename(gateway, id, `Title ${index}`)
      for (const each of [both, former, next]) expect((await read(each, id))[0]).toBe(`Title ${index}`)
    }
  })

  it('drops all answers for credentials that the site rejects, also in a gateway with the former secret', async () => {
    const site = await FakeSite.start((request, response) => {
      if (request.url?.includes('/9'))
        json(response, { code: 'incorrect_password', message: 'No.', data: { status: 401 } }, { status: 401 })
      else json(response, { id: 7, title: { rendered: 'Seven' } })
    })
    closing.push(() => site.close())
    const redis = await startRedis()
    const former = await gatewayWith(FORMER, site.url, redis)
    const both = await gatewayWith([NEW, FORMER], site.url, redis)
    const reads = () => site.paths.filter((path) => path.includes('sfwd-courses/7')).length
    expect(await titleOf(former, 7)).toBe('Seven')
    await redis.shares(1)
    expect([await titleOf(both, 7), await titleOf(former, 7), reads()]).toEqual(['Seven', 'Seven', 1])
    expect(await titleOf(both, 9)).toBe(undefined)
    await expect.poll(async () => [await titleOf(both, 7), reads()]).toEqual(['Seven', 2])
    expect([await titleOf(former, 7), reads()]).toEqual(['Seven', 3])
  })
})

describe.skipIf(WITHOUT_REDIS !== undefined && process.env.CI !== 'true')('gateways without a common cache secret', () => {
  it('share nothing for callers with credentials', async () => {
    const { former, next, ids, read, redis } = await start()
    const [title] = await read(former, ids[0])
    await redis.shares(2)
    expect(await read(next, ids[0])).toEqual([title, 1])
  })
})
