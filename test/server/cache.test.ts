import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { GatewayOptions } from '../../src/index.js'
import { serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { World } from '../support/world.js'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(options: Partial<GatewayOptions> = {}): Promise<World> {
  const world = await World.start({ cache: { maxAge: 60 }, explainFor: ['everybody'], explainOthersFor: ['everybody'], ...options })
  closing.push(() => world.close())
  return world
}

const LESSONS = '{ courses(first: 2) { nodes { databaseId title lessons(first: 2) { nodes { title } } } } }'
const edit = (id: number, title: string) => ({
  query: `mutation { updateCourse(input: { id: ${id}, title: "${title}" }) { ... on UpdateCourseSuccess { course { title } } ... on LmsError { message } } }`,
  as: 'admin' as const,
})

describe('the cache', () => {
  it('answers reads of later operations without calls', async () => {
    const world = await start()
    const first = await world.query(LESSONS)
    expect(first.calls.length).toBeGreaterThan(2)
    const second = await world.query(LESSONS)
    expect([second.data, second.calls]).toEqual([first.data, []])
  })

  it('is off by default', async () => {
    const world = await start({ cache: undefined })
    const { calls } = await world.query(LESSONS)
    expect((await world.query(LESSONS)).calls).toEqual(calls)
  })

  it('drops what a mutation changes at once, and the mutation shows its own change', async () => {
    const world = await start()
    const { data } = await world.query('{ courses(first: 2) { nodes { databaseId title } } }')
    const [{ databaseId }, other] = data.courses.nodes
    const [read, readOther] = [databaseId, other.databaseId].map((id) => `{ course(id: ${id}) { title } }`) as [string, string]
    for (const each of [read, readOther]) await world.query(each)
    const { query, as } = edit(databaseId, 'Changed')
    expect((await world.query(query, { as })).data.updateCourse.course.title).toBe('Changed')
    expect(await world.query(read)).toMatchObject({ data: { course: { title: 'Changed' } }, calls: [expect.anything()] })
    expect((await world.query('{ courses(first: 2) { nodes { databaseId title } } }')).calls).toHaveLength(1)
    // Other records stay.
    expect((await world.query(readOther)).calls).toEqual([])
  })

  it('is not shared between callers, nor used for those with credentials when `forCallers` is 0', async () => {
    const world = await start()
    const query = '{ courses(first: 2) { nodes { databaseId } } }'
    await world.query(query)
    for (const as of ['learner', 'admin'] as const) {
      expect((await world.query(query, { as })).calls).toHaveLength(1)
      expect((await world.query(query, { as })).calls).toEqual([])
    }
    const without = await start({ cache: { maxAge: 60, forCallers: 0 } })
    for (let times = 0; times < 2; times++) expect((await without.query(query, { as: 'learner' })).calls).toHaveLength(1)
    await without.query(query)
    expect((await without.query(query)).calls).toEqual([])
  })

  it('keeps neither columns for editors, nor reads with a password, nor of records that do not exist', async () => {
    const world = await start()
    const { data } = await world.query('{ courses(first: 1) { nodes { databaseId } } }')
    const id = data.courses.nodes[0].databaseId
    for (const query of [
      `{ course(id: ${id}) { titleRaw } }`,
      `{ course(id: ${id}, password: "x") { title } }`,
      '{ course(id: 99999999) { title } }',
    ]) {
      const { calls } = await world.query(query, { as: 'admin' })
      expect(calls.length).toBeGreaterThan(0)
      expect((await world.query(query, { as: 'admin' })).calls).toEqual(calls)
    }
  })

  it('keeps types for as long as their `maxAge`, and no others', async () => {
    const world = await start({ cache: { maxAge: { Course: 1 } } })
    await world.query(LESSONS)
    const { calls } = await world.query(LESSONS)
    expect(new Set(calls.map((path) => path.split('?')[0]))).toEqual(new Set(['/lms/v2/sfwd-lessons']))
    await sleep(1_050)
    expect((await world.query(LESSONS)).calls.length).toBeGreaterThan(calls.length)
  })

  it('uses an answer past that while it is read again, when it may', async () => {
    const world = await start({ cache: { maxAge: 1, staleWhileRevalidate: 60 } })
    const query = '{ courses(first: 2) { nodes { title } } }'
    await world.query(query)
    await sleep(1_050)
    await world.query(query)
    await expect.poll(() => world.calls.length).toBe(1)
    expect((await world.query(query)).calls).toEqual([])
  })

  it('is passed by with `Cache-Control: no-cache`, by callers who may have operations explained', async () => {
    const headers = { 'cache-control': 'no-cache' }
    const world = await start()
    const { calls } = await world.query(LESSONS)
    expect((await world.query(LESSONS, { headers })).calls).toEqual(calls)
    const other = await start({ explainFor: [] })
    await other.query(LESSONS)
    expect((await other.query(LESSONS, { headers })).calls).toEqual([])
  })

  it('shows in explanations which reads it answered, and how old the answers were', async () => {
    const world = await start()
    await world.query(LESSONS)
    await sleep(150)
    const response = await world.gateway.post({ query: LESSONS, extensions: { explain: 'run' } })
    const { explain } = ((await response.json()) as any).extensions
    expect(explain.actual).toMatchObject({ calls: 0, retries: 0, bytes: 0 })
    expect(explain.actual.cached).toBe(explain.calls.length)
    for (const { cached, status } of explain.calls) {
      expect(cached).toBeGreaterThanOrEqual(0.1)
      expect(status).toBeNull()
    }
  })
})

describe('an answer of the site', () => {
  const world = async (options: Partial<GatewayOptions> = {}) => {
    const site = await FakeSite.start()
    closing.push(() => site.close())
    const gateway = await serve({ upstream: site.url, cache: { maxAge: 60 }, retries: 0, ...options })
    closing.push(() => gateway.close())
    const ask = async (query: string, headers: Record<string, string> = {}) =>
      (await (await gateway.post({ query }, headers)).json()) as any
    return { site, ask }
  }
  const PRICES = '{ priceTypes { name } }'
  const CALLER = { authorization: 'Basic YTpi' }

  it('with a cookie is not kept', async () => {
    const { site, ask } = await world()
    site.handler = (_, response) => json(response, [{ slug: 'a', name: 'A' }], { headers: { 'set-cookie': 'session=1' } })
    for (let times = 0; times < 2; times++) await ask(PRICES)
    expect(site.requests).toHaveLength(2)
  })

  it('is dropped with all others of a caller whose credentials the site rejects', async () => {
    const { site, ask } = await world()
    site.handler = (request, response) =>
      request.url?.includes('price-types')
        ? json(response, [{ slug: 'a', name: 'A' }])
        : json(response, { code: 'invalid', message: 'No.', data: { status: 401 } }, { status: 401 })
    for (let times = 0; times < 2; times++) await ask(PRICES, CALLER)
    await ask(PRICES)
    expect(site.requests).toHaveLength(2)
    expect((await ask('{ course(id: 7) { title } }', CALLER)).errors[0].extensions.code).toBe('UNAUTHENTICATED')
    await ask(PRICES)
    expect(site.requests).toHaveLength(3)
    await ask(PRICES, CALLER)
    expect(site.requests).toHaveLength(4)
  })

  it('that a write overtakes is not kept', async () => {
    const { site, ask } = await world()
    const query = '{ course(id: 7) { title } }'
    let answer = (): void => {}
    const held = new Promise<void>((resolve) => {
      site.handler = (_, response) => {
        answer = () => json(response, { id: 7, title: { rendered: 'old' } })
        resolve()
      }
    })
    const reading = ask(query)
    await held
    site.handler = (_, response) => json(response, { id: 7, title: { rendered: 'new' } })
    await ask('mutation { updateCourse(input: { id: 7, title: "new" }) { __typename } }')
    answer()
    expect((await reading).data.course.title).toBe('old')
    expect((await ask(query)).data.course.title).toBe('new')
    expect((await ask(query)).data.course.title).toBe('new')
    expect(site.requests).toHaveLength(3)
  })
})
