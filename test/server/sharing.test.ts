import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { basic } from '../../src/upstream/credentials.js'
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
  gateway = await serve({ site: { url: site.url }, protection: { maxInFlight: 2 * CALLERS }, cache: { maxAge: 1 } })
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

/** The number of reads of a gateway that shared a call. */
const sharedBy = async ({ url }: Served): Promise<number> =>
  Number(/^lms_rest_shared_reads_total (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])

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

describe('a read that begins after a write of another gateway', () => {
  /** Holds the first read of the list, with the data from before the write, until `answer`. */
  const world = async () => {
    let title = 'old'
    let answer = (): void => {}
    const held = new Promise<void>((resolve) => {
      site.handler = (request, response) => {
        const row = { slug: 'free', name: title }
        if (request.method === 'POST') {
          title = 'new'
          json(response, { id: 7, title: { rendered: title } })
        } else if (title === 'old') {
          answer = () => json(response, [row])
          resolve()
        } else json(response, [row])
      }
    })
    const [writer, reader] = [
      await serve({ site: { url: site.url } }),
      await serve({ site: { url: site.url }, observe: { metrics: true } }),
    ]
    const read = async () => ((await (await reader.post({ query: '{ priceTypes { name } }' })).json()) as any).data.priceTypes[0].name
    const first = read()
    await held
    await writer.post({ query: 'mutation { updateCourse(input: { id: 7, title: "new" }) { __typename } }' })
    const second = read()
    await expect.poll(async () => site.requests.length + (await sharedBy(reader))).toBe(3)
    answer()
    const names = [await first, await second]
    await Promise.all([writer.close(), reader.close()])
    return names
  }

  it('does not share a call that was sent before', async () => {
    expect(await world()).toEqual(['old', 'new'])
  })
})

it('reads of operations that start while a call waits in the queue share it', async () => {
  const answers: (() => void)[] = []
  site.handler = (request, response) => answers.push(() => json(response, { id: 7, title: { rendered: String(request.url) } }))
  const narrow = await serve({ site: { url: site.url }, protection: { maxInFlight: 1 }, observe: { metrics: true } })
  const read = (id: number) => narrow.post({ query: `{ course(id: ${id}) { title } }` })
  const busy = read(1)
  await expect.poll(() => answers.length).toBe(1)
  const queued = [read(2), read(2), read(2)]
  await expect.poll(() => sharedBy(narrow)).toBe(2)
  answers[0]?.()
  await expect.poll(() => answers.length).toBe(2)
  answers[1]?.()
  await Promise.all([busy, ...queued])
  expect(site.paths.map((path) => path.replace(/\?.*/, ''))).toEqual(['/lms/v1/sfwd-courses/1', '/lms/v1/sfwd-courses/2'])
  await narrow.close()
})
