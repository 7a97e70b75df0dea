import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { basic } from '../../src/upstream/session.js'
import { type Served, serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'

const CALLERS = 100
const QUERY = '{ course(id: 7) { title prerequisites { title } } priceTypes { name } }'

let site: FakeSite
let gateway: Served
/** Most requests for one address at a time, over all credentials. */
let most: number
const open = new Map<string, number>()

beforeAll(async () => {
  site = await FakeSite.start(async (request, response) => {
    const path = request.url as string
    const count = (open.get(path) ?? 0) + 1
    open.set(path, count)
    most = Math.max(most, count)
    await sleep(30)
    open.set(path, count - 1)
    if (path.includes('price-types')) json(response, [{ slug: 'free', name: 'Free' }])
    else if (path.includes('include='))
      json(
        response,
        [8, 9].map((id) => ({ id, title: { rendered: `Course ${id}` } })),
      )
    else json(response, { id: 7, title: { rendered: String(request.headers.authorization ?? 'nobody') }, course_prerequisite: [8, 9] })
  })
  gateway = await serve({ upstream: site.url, maxInFlight: 2 * CALLERS, shareInFlight: true })
})
beforeEach(() => {
  most = 0
  site.requests.length = 0
})
afterAll(async () => {
  await gateway.close()
  await site.close()
})

const ask = async (headers: Record<string, string> = {}) => (await gateway.post({ query: QUERY }, headers)).json() as Promise<any>

describe('callers with the same operation at the same time', () => {
  it('share one call when they are anonymous', async () => {
    const answers = await Promise.all(Array.from({ length: CALLERS }, () => ask()))
    for (const { data, errors } of answers) expect([data?.course.title, errors]).toEqual(['nobody', undefined])
    expect(most).toBe(1)
    expect(site.requests.length).toBeLessThan(CALLERS)
    console.log(
      `${CALLERS} anonymous callers, ${3 * CALLERS} reads: ${site.requests.length} calls, at most ${most} of an address at a time`,
    )
  })

  it('have calls of their own when their credentials differ', async () => {
    const credentials = Array.from({ length: CALLERS }, (_, caller) => basic(`caller${caller}`, 'secret'))
    const answers = await Promise.all(credentials.map((authorization) => ask({ authorization })))
    expect(answers.map(({ data }) => data.course.title)).toEqual(credentials)
    expect(site.requests).toHaveLength(3 * CALLERS)
    for (const authorization of credentials)
      expect(site.requests.filter(({ headers }) => headers.authorization === authorization)).toHaveLength(3)
  })
})
