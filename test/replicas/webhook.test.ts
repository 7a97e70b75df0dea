import { afterEach, describe, expect, it } from 'vitest'
import { SECRET, signed } from '../support/hooks.js'
import { RedisServer, WITHOUT_REDIS } from '../support/redis-server.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Two gateways with a cache in one Redis, and a site whose course changes without them. */
async function start() {
  const site = await FakeSite.start()
  let title = 'old'
  site.handler = (_, response) => json(response, { id: 7, title: { rendered: title } })
  closing.push(() => site.close())
  const redis = await RedisServer.start()
  closing.push(() => redis.close())
  const options = { site: { url: site.url }, redis: { url: redis.url }, cache: { maxAge: 3_600 }, hooks: { secret: SECRET } }
  const gateways = await Promise.all([1, 2].map(() => serve({ ...options, observe: { metrics: 'open' } })))
  for (const gateway of gateways) closing.push(() => gateway.close())
  for (const { url } of gateways) await expect.poll(async () => (await fetch(`${url}/metrics`)).text()).toContain('lms_redis_up 1')
  const titles = () =>
    Promise.all(
      gateways.map(async ({ post }) => ((await (await post({ query: '{ course(id: 7) { title } }' })).json()) as any).data.course.title),
    )
  const deliver = async ({ url }: Served, headers: Record<string, string>, body: string): Promise<number> =>
    (await fetch(`${url}/hooks/site`, { method: 'POST', headers, body })).status
  const change = (): void => {
    title = 'new'
  }
  return { site, redis, gateways: gateways as [Served, Served], titles, deliver, change }
}

const BODY = JSON.stringify({ type: 'course', id: 7, kind: 'updated' })

describe.skipIf(WITHOUT_REDIS !== undefined && process.env.CI !== 'true')('a change that the site reports to one gateway', () => {
  it('is shown by all of them when that has answered', async () => {
    const { site, gateways, titles, deliver, change } = await start()
    for (let times = 0; times < 3; times++) expect(await titles()).toEqual(['old', 'old'])
    // Each of them may have asked the site for its address, and read before the other had shared.
    expect(site.paths.filter((path) => path.includes('sfwd-courses')).length).toBeLessThanOrEqual(2)
    const before = site.requests.length
    change()
    expect(await titles()).toEqual(['old', 'old'])
    expect(
      await deliver(
        gateways[0],
        signed(JSON.stringify({ type: 'course', id: 8, kind: 'updated' })),
        JSON.stringify({ type: 'course', id: 8, kind: 'updated' }),
      ),
    ).toBe(204)
    expect(await deliver(gateways[0], signed(BODY), BODY)).toBe(204)
    expect(await titles()).toEqual(['new', 'new'])
    expect(site.requests.length).toBeGreaterThan(before)
  })

  it('is accepted once by all of them together', async () => {
    const { gateways, deliver } = await start()
    const headers = signed(BODY)
    expect([await deliver(gateways[0], headers, BODY), await deliver(gateways[1], headers, BODY)]).toEqual([204, 409])
  })

  it('is not accepted while the others cannot be told, and may be sent again', async () => {
    const { redis, gateways, titles, deliver, change } = await start()
    await titles()
    await redis.kill()
    const headers = signed(BODY)
    expect(await deliver(gateways[0], headers, BODY)).toBe(503)
    change()
    expect(await titles()).toEqual(['new', 'new'])
    await redis.begin()
    await expect.poll(() => deliver(gateways[0], headers, BODY)).toBe(204)
  })
})
