import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'libsql'
import { afterEach, describe, expect, it } from 'vitest'
import type { GatewayOptions } from '../../src/index.js'
import { SECRET, signed } from '../support/hooks.js'
import { merged } from '../support/merged.js'
import { serve } from '../support/served.js'
import { FakeSite, json } from '../support/site.js'
import { World } from '../support/world.js'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(options: Partial<GatewayOptions> = {}): Promise<World> {
  const world = await World.start(
    merged({ cache: { maxAge: 60 }, observe: { explainFor: ['everybody'] }, tuning: { explainOthersFor: ['everybody'] } }, options),
  )
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
    const other = await start({ observe: { explainFor: [] } })
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

describe('a change', () => {
  /** A school whose data change without the gateway, and the webhook to which such changes are reported. */
  async function startChanging() {
    const folder = mkdtempSync(join(tmpdir(), 'lms-cache-'))
    closing.push(async () => rmSync(folder, { recursive: true }))
    const data = join(folder, 'school.sqlite')
    const world = await World.start({ cache: { maxAge: 60, forCallers: 60 }, hooks: { secret: SECRET } }, { data })
    closing.push(() => world.close())
    const report = async (change: object): Promise<void> => {
      const body = JSON.stringify(change)
      expect((await fetch(`${world.gateway.url}/hooks/site`, { method: 'POST', headers: signed(body), body })).status).toBe(204)
    }
    const sql = (text: string, ...values: (string | number)[]): void => {
      const db = new Database(data)
      db.prepare(text).run(...values)
      db.close()
    }
    return { world, report, sql }
  }

  /** Routes of some calls, without queries. */
  const routesOf = (calls: readonly string[]): string[] => calls.map((path) => path.replace(/\?.*/, '').replace('/lms/', '')).sort()

  const SHOWN = {
    classes: '{ courses(first: 2) { nodes { classList } } groups(first: 2) { nodes { classList } } }',
    texts: '{ courses(first: 2) { nodes { content } } courses2: courses(first: 3) { nodes { materials } } }',
    titles: '{ courses(first: 2) { nodes { title categoryIds } } groups(first: 2) { nodes { title } } }',
    lessons: '{ lesson(id: LESSON) { classList } group(id: GROUP) { courses(first: 1) { nodes { content } } } }',
  }

  it.each([
    [
      'of a term drops what shows class names',
      { type: 'term', id: 1, kind: 'updated' },
      { classes: ['v1/groups', 'v1/sfwd-courses'], texts: [], titles: [], lessons: ['v2/sfwd-lessons/LESSON'] },
    ],
    [
      'of a block drops what shows texts',
      { type: 'block', id: 1, kind: 'updated' },
      { classes: [], texts: ['v1/sfwd-courses', 'v1/sfwd-courses'], titles: [], lessons: ['v2/groups/GROUP/courses'] },
    ],
    [
      'of a term drops all when the term was deleted',
      { type: 'term', id: 1, kind: 'deleted' },
      {
        classes: ['v1/groups', 'v1/sfwd-courses'],
        texts: ['v1/sfwd-courses', 'v1/sfwd-courses'],
        titles: ['v1/groups', 'v1/sfwd-courses'],
        lessons: ['v1/groups/GROUP', 'v2/groups/GROUP/courses', 'v2/sfwd-lessons/LESSON'],
      },
    ],
  ])('%s, and nothing else', async (_, change, expected) => {
    const { world, report, sql } = await startChanging()
    const [{ id: course }] = JSON.parse((await world.ask('v1/sfwd-courses?per_page=1')).text)
    const [{ id: group }] = JSON.parse((await world.ask('v1/groups?per_page=1')).text)
    const [{ id: lesson }] = JSON.parse((await world.ask(`v2/sfwd-lessons?per_page=1&course=${course}`)).text)
    const named = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('LESSON', `${lesson}`).replaceAll('GROUP', `${group}`))
    const queries = Object.entries(named(SHOWN))
    for (const [, query] of queries) expect((await world.query(query, { as: 'admin' })).errors).toEqual([])
    for (const [, query] of queries) expect((await world.query(query, { as: 'admin' })).calls).toEqual([])
    sql("UPDATE terms SET slug = slug || '-renamed'")
    sql("UPDATE courses SET content = content || ' of the block'")
    await report(change)
    const routes: Record<string, string[]> = {}
    for (const [name, query] of queries) {
      const { calls, data } = await world.query(query, { as: 'admin' })
      routes[name] = routesOf(calls)
      if (name === 'classes' && calls.length > 0) expect(JSON.stringify(data)).toContain('-renamed')
      if (name === 'texts' && calls.length > 0) expect(JSON.stringify(data)).toContain(' of the block')
    }
    expect(routes).toEqual(named(expected))
  })

  describe('of a course or a group', () => {
    const OTHERS = '{ lessons(first: 3, where: { course: COURSE }) { nodes { title } } course(id: OTHER) { title } priceTypes { name } }'
    const input = (fields: string): string => `mutation { result: update(input: { id: ID, ${fields} }) { __typename } }`
    const MUTATIONS = [
      ['Course', 'title: "New", content: "New", materials: "New", featuredMediaId: null', true],
      ['Course', 'title: "New", prerequisiteEnabled: false', false],
      ['Course', 'status: DRAFT', false],
      ['Course', 'slug: "new-slug"', false],
      ['Group', 'title: "New", content: "New"', true],
      ['Group', 'title: "New", status: DRAFT', false],
    ] as const

    it.each(MUTATIONS)('by update%s with %s keeps what callers with credentials see of others: %s', async (type, fields, isKept) => {
      const { world } = await startChanging()
      const courses = JSON.parse((await world.ask('v1/sfwd-courses?per_page=2')).text)
      const [group] = JSON.parse((await world.ask('v1/groups?per_page=1')).text)
      const query = OTHERS.replace('COURSE', courses[0].id).replace('OTHER', courses[1].id)
      const before = await world.query(query, { as: 'admin' })
      expect((await world.query(query, { as: 'admin' })).calls).toEqual([])
      const record = type === 'Course' ? courses[0] : group
      const mutation = input(fields).replace('update', `update${type}`).replace('ID', record.id)
      const written = await world.query(mutation, { as: 'admin' })
      expect(written.data).toEqual({ result: { __typename: `Update${type}Success` } })
      const after = await world.query(query, { as: 'admin' })
      expect(after.calls).toEqual(isKept ? [] : before.calls)
      // The record itself and its lists are read again in any case.
      const own = `{ ${type.toLowerCase()}(id: ${record.id}) { title } ${type.toLowerCase()}s(first: 1) { totalCount } }`
      expect(routesOf((await world.query(own, { as: 'admin' })).calls)).toHaveLength(2)
    })

    it.each([
      [{ type: 'course', columns: ['title', 'content'] }, true],
      [{ type: 'course', columns: [] }, true],
      [{ type: 'group', columns: ['title', 'excerpt'] }, true],
      [{ type: 'lesson', columns: ['title', 'meta'] }, true],
      [{ type: 'course', columns: ['title', 'meta'] }, false],
      [{ type: 'course', columns: ['title', 'status'] }, false],
      [{ type: 'lesson', columns: ['is_sample'] }, false],
      [{ type: 'course' }, false],
      [{ type: 'group' }, false],
      [{ type: 'lesson' }, false],
      [{ type: 'question' }, true],
    ])('reported as %j keeps what callers with credentials see of others: %s', async (change, isKept) => {
      const { world, report } = await startChanging()
      const [{ id }] = JSON.parse((await world.ask('v1/sfwd-courses?per_page=1')).text)
      const [quiz] = JSON.parse((await world.ask('v1/sfwd-quiz?per_page=1')).text)
      const query = `{ course(id: ${id}) { title } quiz(id: ${quiz.id}) { title } }`
      const before = await world.query(query, { as: 'learner' })
      expect(before.calls).toHaveLength(2)
      await report({ ...change, id: 99_999, kind: 'updated' })
      expect((await world.query(query, { as: 'learner' })).calls).toEqual(isKept ? [] : before.calls)
    })
  })
})

describe('an answer of the site', () => {
  const world = async (options: Partial<GatewayOptions> = {}) => {
    const site = await FakeSite.start()
    closing.push(() => site.close())
    const gateway = await serve(merged({ site: { url: site.url }, cache: { maxAge: 60 }, protection: { retries: 0 } }, options))
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
