import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Pricer } from '../../src/engine/cost/price.js'
import type { Entity } from '../../src/engine/edges.js'
import { Operation, type Upstream } from '../../src/engine/fetch/operation.js'
import type { RecordState } from '../../src/engine/fetch/records.js'
import { WHOLE } from '../../src/engine/fetch/records.js'
import { Client, type Query, type Row } from '../../src/upstream/client.js'
import * as c from '../../src/upstream/codec/columns.js'
import { Projections, Shape } from '../../src/upstream/codec/records.js'
import { type ByKey, idOf, type ListRoute, postByKey } from '../../src/upstream/routes.js'
import { ANONYMOUS, Credentials } from '../../src/upstream/session.js'
import { CapabilityCache } from '../../src/upstream/site/capabilities.js'
import { defineSite, type Site } from '../../src/upstream/site/site.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { FakeSite, json } from '../support/site.js'

// Records of a made-up site, read by their keys: what is asked, and what becomes of each.

const shape = new Shape('Thing', {
  title: c.text('title', 'Title.', { embed: true }),
  slug: c.text('slug', 'Slug.'),
  content: c.text('content', 'Text.', { heavy: true, guarded: 'protected' }),
  more: c.text('more', 'More text.', { heavy: true }),
  raw: c.text('raw', 'As written.', { editOnly: true }),
})

const route: ListRoute = { path: 'v1/things', window: 'offset', filters: {}, orders: {} }
const byKey = postByKey(route)
const many = byKey.many as NonNullable<ByKey['many']>
const thing = (more: Partial<ByKey> = {}, list: Partial<ListRoute> = {}): Entity => ({
  name: 'Thing',
  shape,
  key: 'databaseId',
  byKey: { ...byKey, many: { ...many, route: { ...route, ...list } }, ...more },
})

const THING = thing()

let site: FakeSite
let transport: Transport
beforeAll(async () => {
  site = await FakeSite.start()
  transport = new Transport({ origin: site.url, maxInFlight: 8, timeout: 5_000, connectTimeout: 5_000, maxBytes: 1e6, share: false })
})
afterAll(async () => {
  await transport.close()
  await site.close()
})

type Rows = Readonly<Record<number, Row | number>>

/** What the site holds, by id: rows, or the status by which it refuses one. */
let rows: Rows
/** Answers in place of the site, where it does. */
let instead: (url: URL, response: ServerResponse) => boolean
let capabilities: CapabilityCache

const record = (id: number): Row => ({ id, title: `T${id}`, slug: `s${id}`, content: `c${id}`, more: `m${id}`, raw: `r${id}` })
const refuse = (response: ServerResponse, status: number, code = 'odd', data = {}): void =>
  json(response, { code, message: 'No.', data: { status, ...data } }, { status })

beforeEach(() => {
  rows = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [i + 1, record(i + 1)]))
  instead = () => false
  capabilities = new CapabilityCache()
  site.requests.length = 0
  site.handler = answer
})

/** Answers some requests in its own way. */
function answerTo(isMeant: (url: URL) => boolean, send: (response: ServerResponse, url: URL) => void): void {
  instead = (url, response) => {
    if (isMeant(url)) send(response, url)
    return isMeant(url)
  }
}
const isBatch = ({ searchParams }: URL): boolean => searchParams.has('include')
const isEdit = ({ searchParams }: URL): boolean => searchParams.get('context') === 'edit'
const isAnyStatus = ({ searchParams }: URL): boolean => searchParams.has('status')
const isTable = ({ pathname }: URL): boolean => pathname.endsWith('/table')
const isAny = (): boolean => true

const shown = (row: Row, fields: string | null): Row =>
  fields === null ? row : Object.fromEntries(Object.entries(row).filter(([name]) => fields.split(',').includes(name)))

function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const asked = new URL(url, site.url)
  if (instead(asked, response)) return
  const fields = asked.searchParams.get('_filter')
  const id = /\/things\/(\d+)$/.exec(asked.pathname)?.[1]
  if (id !== undefined) {
    const row = rows[Number(id)]
    if (typeof row === 'object') json(response, shown(row, fields))
    else refuse(response, row ?? 404, 'rest_post_invalid_id')
    return
  }
  const include = asked.searchParams.get('include')?.split(',').map(Number)
  const [size, page] = ['per_page', 'page'].map((name) => Number(asked.searchParams.get(name) ?? 1)) as [number, number]
  const all = Object.values(rows).filter((row): row is Row => typeof row !== 'number' && (!include || include.includes(row.id as number)))
  const found = all.slice((page - 1) * size, page * size).map((row) => shown(row, fields))
  json(response, found, { headers: { 'x-wp-total': `${all.length}`, 'x-wp-totalpages': `${Math.ceil(all.length / size)}` } })
}

interface Asked {
  readonly entity?: Entity
  readonly on?: Partial<Omit<Site, 'url'>>
  readonly as?: Credentials
  readonly query?: Query
}

const EDITOR = new Credentials({ authorization: 'Basic editor' })

function operationOn({ on = {}, as = EDITOR }: Asked): Operation {
  const client = new Client(defineSite(site.url, on), transport)
  const upstream: Upstream = {
    client,
    projections: new Projections(client.site),
    capabilities,
    limits: { rows: 1_000 },
    pricer: new Pricer(client.site, 10),
    maxCalls: 10_000,
  }
  return new Operation(upstream, { credentials: as, caller: as.id, operation: {} })
}

/** What became of an entry: its record, or its state and error. */
function fate({ state, error, record }: RecordState): unknown {
  if (state !== 'present') return error ? [state, error.name, error.message] : state
  const shownAs = (value: unknown) => (value instanceof Error ? value.name : value)
  return Object.fromEntries(Object.keys(record).map((name) => [name, shownAs(record[name])]))
}

/** Paths as they were asked for, without what all lists have. */
const paths = (): string[] => site.paths.map((path) => decodeURIComponent(path).replace('/lms/v1/', ''))

/** Loads columns of records, given by key, and tells what became of each. */
async function load(wants: Readonly<Record<string, readonly string[]>>, asked: Asked = {}, operation = operationOn(asked)) {
  const { entity = THING, query } = asked
  const store = operation.store({ entity, key: 0, ...(query ? { query } : {}) })
  const keys = Object.keys(wants).map((key) => [/^\d+$/.test(key) ? Number(key) : key, wants[key] as string[]] as const)
  const entries = new Map(keys.map(([key, columns]) => [store.entry(key), shape.set(columns)]))
  site.requests.length = 0
  await operation.load(store, entries)
  return [...entries.keys()].map(fate)
}

/** The same columns of some records. */
const all = (ids: readonly number[], columns: readonly string[] = ['title']) => Object.fromEntries(ids.map((id) => [id, columns]))
const known = (...ids: number[]) => ids.map((id) => ({ databaseId: id, title: `T${id}` }))
const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1)

describe('what is read together', () => {
  it('is one record alone, or a batch of several', async () => {
    expect(await load(all([3]))).toEqual(known(3))
    expect(paths()).toEqual(['things/3?context=view&_filter=id,title'])
    expect(await load(all([1, 2, 3]))).toEqual(known(1, 2, 3))
    expect(paths()).toEqual(['things?per_page=100&context=view&_filter=id,title&include=1,2,3'])
    expect(await load({})).toEqual([])
    expect(paths()).toEqual([])
  })

  it('is what is light, whoever wants it; what is heavy is read apart', async () => {
    expect(await load({ 1: ['title'], 2: ['slug'], 3: ['title', 'content'], 4: ['content'], 5: ['more'] })).toEqual([
      { databaseId: 1, title: 'T1', slug: 's1' },
      { databaseId: 2, title: 'T2', slug: 's2' },
      { databaseId: 3, title: 'T3', content: 'c3' },
      { databaseId: 4, title: 'T4', content: 'c4' },
      { databaseId: 5, more: 'm5' },
    ])
    expect(paths().sort()).toEqual([
      'things/5?context=view&_filter=id,more',
      'things?per_page=100&context=view&_filter=content,id,title&include=3,4',
      'things?per_page=100&context=view&_filter=id,slug,title&include=1,2',
    ])
  })

  it('is never what editors see and what a password guards', async () => {
    expect(await load(all([1, 2], ['title', 'raw', 'content']))).toEqual(
      [1, 2].map((id) => ({ databaseId: id, title: `T${id}`, raw: `r${id}`, content: `c${id}` })),
    )
    expect(paths().sort()).toEqual([
      'things?per_page=100&context=edit&_filter=id,raw,title&include=1,2',
      'things?per_page=100&context=view&_filter=content,id&include=1,2',
    ])
    await load(all([1], ['raw', 'more']))
    expect(paths()).toEqual(['things/1?context=edit&_filter=id,more,raw'])
  })

  it('is only what is not there yet', async () => {
    const operation = operationOn({})
    await load(all([1, 2]), {}, operation)
    await load({ 1: ['title'], 2: ['title', 'slug'], 3: ['title', 'slug'], 4: ['title'] }, {}, operation)
    expect(paths().sort()).toEqual(['things?per_page=100&context=view&_filter=id,slug,title&include=2,3,4'])
    await load({ 2: ['title', 'slug'], 1: ['title', 'more'], 3: ['more'] }, {}, operation)
    expect(paths()).toEqual(['things?per_page=100&context=view&_filter=id,more&include=1,3'])
    await load(all([1, 2, 3, 4]), {}, operation)
    expect(paths()).toEqual([])
  })

  it('is all that one of them lacks, though others lack less', async () => {
    const operation = operationOn({})
    await load(all([1]), {}, operation)
    expect(await load(all([1, 2], ['title', 'slug']), {}, operation)).toEqual(
      [1, 2].map((id) => ({ databaseId: id, title: `T${id}`, slug: `s${id}` })),
    )
    expect(paths()).toEqual(['things?per_page=100&context=view&_filter=id,slug,title&include=1,2'])
  })

  it('is nothing of what has no route', async () => {
    const { byKey: _, ...entity } = thing()
    expect(await load(all([1, 2]), { entity })).toEqual([{ databaseId: 1 }, { databaseId: 2 }])
    const operation = operationOn({})
    const entries = new Map([[operation.store({ entity: thing(), key: 0 }).entry(1), shape.set(['title'])]])
    await operation.load(operation.store({ entity, key: 0 }), entries)
    expect(paths()).toEqual([])
  })

  it.each<[string, Asked]>([
    ['the site has no batch of them', { on: { unbatched: ['Thing'] } }],
    ['a query goes with each', { query: { password: 'x' } }],
    ['the interface has none', { entity: { ...thing(), byKey: { ...byKey, many: undefined as never } } }],
  ])('is each record alone where %s', async (_, asked) => {
    expect(await load(all([1, 2]), asked)).toEqual(known(1, 2))
    const password = asked.query ? '&password=x' : ''
    expect(paths().sort()).toEqual([1, 2].map((id) => `things/${id}?context=view&_filter=id,title${password}`))
    await load(all([1, 2]), { on: { unbatched: ['Other'] } })
    expect(paths()).toHaveLength(1)
  })

  it('is as many as go on a page, and asks in the context that is enough', async () => {
    expect(await load(all(upTo(7)), { on: { pageCap: 3, fieldFilter: null } })).toEqual(known(...upTo(7)).map(() => expect.anything()))
    expect(paths()).toEqual([
      'things?per_page=3&context=embed&include=1,2,3',
      'things?per_page=3&context=embed&include=4,5,6',
      'things?per_page=3&context=embed&include=7',
    ])
    await load(all([1, 2]), { entity: thing({ one: { path: 'v1/things/:id', contexts: false } }) })
    expect(paths()).toEqual(['things?per_page=100&_filter=id,title&include=1,2'])
  })

  it('has the same scope', async () => {
    const scopes = [{ half: 0 }, { half: 1 }]
    const scoped = thing({
      many: { route: { ...route, path: 'v1/things' }, scope: (key) => ({ ...scopes[Number(key) % 2] }), id: (key) => Number(key) },
    })
    expect(await load(all([1, 2, 3, 4, 5]), { entity: scoped })).toEqual(known(1, 2, 3, 4, 5))
    expect(paths().map((path) => /include=(.*)/.exec(path)?.[1])).toEqual(['1,3,5', '2,4'])
  })
})

describe('a single read', () => {
  const one = (row: Row | number, asked: Asked = {}, columns = ['title']) => {
    rows = { 1: row }
    return load({ 1: columns }, asked)
  }

  it.each([0, '0'])('of a record with the id %j finds none', async (id) => {
    expect(await one({ id, title: 'x' })).toEqual(['missing'])
  })

  it.each([{ title: 'x' }, { id: null, title: 'x' }, { id: 'x' }])('of no record fails: %j', async (row) => {
    expect(await one(row)).toEqual([['failed', 'InvalidResponseError', 'The answer to v1/things/:id is not a record.']])
  })

  it('of another record fails, and says what the site answered', async () => {
    const operation = operationOn({})
    rows = { 1: record(2) }
    const message = 'The answer to v1/things/:id is another record than the one asked for.'
    expect(await load(all([1]), {}, operation)).toEqual([['failed', 'InvalidResponseError', message]])
    expect(operation.store({ entity: THING, key: 0 }).entry(1).state).toBe('failed')
    const { error } = await late({ id: 'x' })
    expect(error?.upstream).toEqual({ status: 200, code: null })
    expect((await late(record(2))).error?.upstream).toEqual({ status: 200, code: null })
  })

  async function late(row: Row): Promise<RecordState> {
    rows = { 1: row }
    return operationOn({}).loadLate({ entity: thing(), key: 1 }, shape.set(['title']))
  }

  it('says that there is none, unless there is no such route', async () => {
    expect(await one(404)).toEqual(['missing'])
    expect(await one(410)).toEqual(['missing'])
    answerTo(isAny, (response) => refuse(response, 404, 'rest_no_route'))
    expect(await one(record(1))).toEqual([['failed', 'NotFoundError', 'No.']])
  })

  it('that is refused for editors is read for others, and says so where only they see', async () => {
    answerTo(isEdit, (response) => refuse(response, 403))
    expect(await one(record(1), {}, ['title', 'raw'])).toEqual([{ databaseId: 1, title: 'T1', raw: 'ForbiddenError' }])
    expect(paths()).toEqual(['things/1?context=edit&_filter=id,raw,title', 'things/1?context=view&_filter=id,title'])
    expect(await one(404, {}, ['title', 'raw'])).toEqual(['missing'])
    answerTo(isAny, (response) => refuse(response, 403))
    expect(await one(record(1))).toEqual([['failed', 'ForbiddenError', 'No.']])
    expect(paths()).toHaveLength(1)
  })

  it('that fails otherwise is not read again', async () => {
    expect(await one(500, {}, ['raw'])).toEqual([['failed', 'UnavailableError', 'The site answered 500 for v1/things/:id.']])
    expect(paths()).toHaveLength(1)
  })
})

describe('a batch', () => {
  const ids = (start: number, count: number): number[] => Array.from({ length: count }, (_, i) => start + i)
  const includes = () => paths().filter((path) => path.includes('include='))
  const singles = () => paths().filter((path) => /things\/\d+/.test(path))

  it('takes rows by their id, in any order, and ignores what nobody asked for', async () => {
    answerTo(isBatch, (response) => json(response, [record(9), { id: 'x' }, record(2), record(1)]))
    expect((await load(all([1, 2]))).map((each) => (each as Row).slug)).toEqual(['s1', 's2'].map(() => undefined))
    expect(await load(all([1, 2]))).toEqual(known(1, 2))
    expect(paths()).toHaveLength(1)
  })

  it('is read on where the site cut it, as long as pages bring something', async () => {
    answerTo(isBatch, (response, { searchParams }) => {
      const page = Number(searchParams.get('page') ?? 1)
      json(response, [record(page * 2 - 1), record(page * 2)].slice(0, page === 3 ? 1 : 2), { headers: { 'x-wp-totalpages': '3' } })
    })
    expect(await load(all(upTo(5)))).toEqual(known(...upTo(5)))
    expect(includes().map((path) => /&page=(\d)/.exec(path)?.[1])).toEqual([undefined, '2', '3'])
    expect(paths()).toHaveLength(3)
  })

  it('is read on no further than there are pages', async () => {
    delete (rows as Record<number, Row>)[2]
    expect(await load(all([1, 2, 3]))).toEqual([...known(1), 'missing', ...known(3)])
    expect(paths().map((path) => path.split('?')[0])).toEqual(['things', 'things/2'])
  })

  it('is read on without totals while pages are short and bring something', async () => {
    answerTo(isBatch, (response, { searchParams }) => {
      const page = Number(searchParams.get('page') ?? 1)
      if (page > 2) refuse(response, 400, 'rest_post_invalid_page_number')
      else json(response, page === 1 ? [record(1), record(2)] : [record(3)])
    })
    expect(await load(all([1, 2, 3, 4]))).toEqual(known(1, 2, 3, 4))
    expect(paths().map((path) => path.replace(/\?.*?(&page=\d)?$/, '$1'))).toEqual(['things', 'things&page=2', 'things&page=3', 'things/4'])
  })

  it('that brings nothing is not read on', async () => {
    answerTo(isBatch, (response) => json(response, []))
    expect(await load(all([1, 2]))).toEqual(known(1, 2))
    expect(paths().map((path) => path.split('?')[0])).toEqual(['things', 'things/1', 'things/2'])
  })

  it('whose further page fails leaves the rest of it failed', async () => {
    answerTo(isBatch, (response, { searchParams }) => {
      if (searchParams.has('page')) refuse(response, 503)
      else json(response, [record(1)])
    })
    const failed = ['failed', 'UnavailableError', 'The site answered 503 for v1/things.']
    expect(await load(all([1, 2, 3]))).toEqual([...known(1), failed, failed])
    expect(paths()).toHaveLength(2)
  })

  it('that leaves records out has ten of them looked for, in all batches of the operation', async () => {
    rows = { 1: record(1) }
    const operation = operationOn({})
    const fates = await load(all(upTo(13)), {}, operation)
    const message = 'The site left this record out of a batch, and too many others to look for each.'
    expect(fates).toEqual([...known(1), ...Array(10).fill('missing'), ...Array(2).fill(['failed', 'UnresolvedError', message])])
    expect(singles()).toHaveLength(10)
  })

  const complete = (more: Partial<ByKey> = {}) => thing({ many: { ...many, complete: true }, ...more })

  it('that hides nothing tells what is missing, if it came whole', async () => {
    rows = { 1: record(1), 2: record(2) }
    expect(await load(all(upTo(4)), { entity: complete() })).toEqual([...known(1, 2), 'missing', 'missing'])
    expect(paths()).toHaveLength(1)
    answerTo(isBatch, (response) => json(response, [record(1)], { headers: { 'x-wp-total': '2' } }))
    expect(await load(all([1, 2, 3]), { entity: complete() })).toEqual([...known(1, 2), 'missing'])
    expect(singles()).toHaveLength(2)
  })

  it.each([
    [true, {}, 0],
    [false, {}, 2],
    [true, { 'x-wp-total': '0' }, 0],
    [false, { 'x-wp-total': '0' }, 0],
  ])('that is empty may tell no total: emptyUntold %j, %j', async (emptyUntold, headers, count) => {
    rows = {}
    answerTo(isBatch, (response) => json(response, [], { headers: headers as never }))
    expect(await load(all([1, 2]), { entity: complete(), on: { emptyUntold } })).toEqual(['missing', 'missing'])
    expect(singles()).toHaveLength(count)
  })

  it('without a total is not whole because it is untold when empty', async () => {
    rows = {}
    answerTo(isBatch, (response) => json(response, [record(9)]))
    await load(all([1, 2]), { entity: complete(), on: { emptyUntold: true } })
    expect(singles()).toHaveLength(2)
    answerTo(isBatch, (response, { searchParams }) => json(response, searchParams.has('page') ? [] : [record(1)]))
    await load(all([1, 2]), { entity: complete(), on: { emptyUntold: true } })
    expect(singles()).toHaveLength(1)
  })

  it.each([
    [2, 3, 0],
    [2, 4, 2],
    [5, 5, 0],
    [5, 6, 5],
  ])('of %i records with %i strangers has the records read alone %i times, from then on', async (count, strangers, alone) => {
    const found = [...ids(10, strangers), ...(alone === 0 ? ids(1, count) : [])].map(record)
    answerTo(isBatch, (response) => json(response, found))
    expect(await load(all(ids(1, count)))).toEqual(known(...ids(1, count)))
    expect(singles()).toHaveLength(alone)
    await load(all(ids(1, count)))
    expect(includes()).toHaveLength(alone === 0 ? 1 : 0)
    expect(capabilities.allows(EDITOR, 'include on v1/things')).toBe(alone === 0)
  })

  it('that is refused for editors is read for others', async () => {
    answerTo(isEdit, (response) => refuse(response, 403))
    expect(await load(all([1, 2], ['title', 'raw']))).toEqual(
      [1, 2].map((id) => ({ databaseId: id, title: `T${id}`, raw: 'ForbiddenError' })),
    )
    expect(paths()).toHaveLength(2)
    answerTo(isAny, (response) => refuse(response, 403))
    expect(await load(all([1, 2]))).toEqual(Array(2).fill(['failed', 'ForbiddenError', 'No.']))
    // Each of them may be open.
    expect([includes().length, singles().length]).toEqual([1, 2])
  })

  it.each([
    [400, false],
    [401, true],
    [403, true],
    [404, false],
    [429, false],
    [500, false],
  ])('refused by %i has the records read alone: %j', async (status, alone) => {
    answerTo(isBatch, (response) => refuse(response, status))
    const fates = await load(all([1, 2]))
    expect(singles()).toHaveLength(alone ? 2 : 0)
    expect(fates).toEqual(alone ? known(1, 2) : Array(2).fill(['failed', expect.any(String), expect.any(String)]))
    expect(capabilities.allows(EDITOR, 'include on v1/things')).toBe(!alone)
  })

  it.each([
    [400, true],
    [403, true],
    [404, true],
    [429, false],
    [500, false],
    [503, false],
  ])('of a list that must be narrowed, refused by %i, has the records read alone: %j', async (status, alone) => {
    answerTo(isBatch, (response) => refuse(response, status))
    const fates = await load(all([1, 2]), { entity: thing({}, { narrowedBy: 'course' }) })
    expect(singles()).toHaveLength(alone ? 2 : 0)
    expect(fates).toEqual(alone ? known(1, 2) : Array(2).fill(['failed', expect.any(String), expect.any(String)]))
    expect(capabilities.allows(EDITOR, 'include on v1/things')).toBe(!alone)
    await load(all([1, 2]))
    expect(singles()).toHaveLength(alone ? 2 : 0)
  })

  it('of a list that broke off fails for all', async () => {
    answerTo(isBatch, (response) => response.destroy())
    const fates = await load(all([1, 2]), { entity: thing({}, { narrowedBy: 'course' }) })
    expect(fates).toEqual(Array(2).fill(['failed', 'UnavailableError', 'The site could not be reached for v1/things.']))
  })

  it.each([
    ['rest_user_invalid_id', complete(), 'missing'],
    ['rest_no_route', complete(), ['failed', 'NotFoundError', 'No.']],
    ['rest_user_invalid_id', thing(), ['failed', 'NotFoundError', 'No.']],
  ])('whose list does not exist: %s', async (code, entity, wanted) => {
    answerTo(isBatch, (response) => refuse(response, 404, code))
    expect(await load(all([1, 2]), { entity })).toEqual([wanted, wanted])
    expect(paths()).toHaveLength(1)
  })
})

describe('the liberty to list any status', () => {
  const entity = thing({}, { anyStatus: true })
  const any = () => paths().map((path) => path.includes('status=any'))

  it('is taken with credentials where the list has it', async () => {
    await load(all([1, 2]), { entity })
    expect(any()).toEqual([true])
    await load(all([1, 2]), { entity, as: ANONYMOUS })
    expect(any()).toEqual([false])
    await load(all([1, 2]))
    expect(any()).toEqual([false])
  })

  it('is given up where it is refused as a bad value, for that credential', async () => {
    answerTo(isAnyStatus, (response) => refuse(response, 400))
    expect(await load(all([1, 2]), { entity })).toEqual(known(1, 2))
    expect(any()).toEqual([true, false])
    expect(capabilities.allows(EDITOR, 'status=any on v1/things')).toBe(false)
    await load(all([1, 2]), { entity })
    expect(any()).toEqual([false])
    await load(all([1, 2]), { entity, as: new Credentials({ authorization: 'Basic other' }) })
    expect(any()).toEqual([true, false])
  })

  it('is not given up where the list is refused without it too', async () => {
    answerTo(isAny, (response) => refuse(response, 400))
    await load(all([1, 2]), { entity })
    expect([any(), capabilities.allows(EDITOR, 'status=any on v1/things')]).toEqual([[true, false], true])
  })

  it.each([403, 500])('is not given up where the list is refused by %i', async (status) => {
    answerTo(isAnyStatus, (response) => refuse(response, status))
    await load(all([1, 2]), { entity })
    expect([any().filter(Boolean), capabilities.allows(EDITOR, 'status=any on v1/things')]).toEqual([[true], true])
  })
})

describe('a table', () => {
  const table: ListRoute = { path: 'v1/table', window: 'offset', filters: {}, orders: {} }
  const entity = thing({ table, many: undefined as never })
  const whole = (wants: Readonly<Record<string, readonly string[]>> = { [WHOLE]: ['title'] }, operation = operationOn({})) =>
    load(wants, { entity }, operation).then((fates) => [fates, paths()] as const)

  beforeEach(() => {
    rows = { 1: record(1), 2: record(2) }
    answerTo(isTable, (response, { searchParams }) => {
      const held = [...Object.values(rows), { title: 'no id' }]
      json(
        response,
        held.map((row) => shown(row as Row, searchParams.get('_filter'))),
      )
    })
  })

  it('is read as soon as two of its rows are wanted', async () => {
    expect(await whole(all([1]))).toEqual([known(1), ['things/1?context=view&_filter=id,title']])
    expect(await whole(all([1, 2, 3]))).toEqual([[...known(1, 2), 'missing'], ['table?context=view&_filter=id,title']])
    expect((await whole())[1]).toEqual(['table?context=view&_filter=id,title'])
  })

  it('holds its rows, each of them known from then on', async () => {
    const operation = operationOn({})
    const store = operation.store({ entity, key: 0 })
    await whole(undefined, operation)
    expect(store.entry(WHOLE).rows?.map((each) => each.title)).toEqual(['T1', 'T2'])
    expect(await whole(all([1, 2, 3]), operation)).toEqual([[...known(1, 2), 'missing'], []])
    expect(await whole({ 1: ['title', 'slug'] }, operation)).toEqual([
      [{ databaseId: 1, title: 'T1', slug: 's1' }],
      ['things/1?context=view&_filter=id,slug'],
    ])
  })

  it('is read again for columns it has not shown', async () => {
    const operation = operationOn({})
    await whole(undefined, operation)
    const [fates, asked] = await whole(all([1, 2], ['title', 'slug']), operation)
    expect(asked).toEqual(['table?context=view&_filter=id,slug'])
    expect(fates).toEqual([1, 2].map((id) => ({ databaseId: id, title: `T${id}`, slug: `s${id}` })))
  })

  it('on its way is waited for by those who want no more of it', async () => {
    const operation = operationOn({})
    const [first, second] = await Promise.all([whole(undefined, operation), load(all([2]), { entity }, operation)])
    expect([first[0].length, second]).toEqual([1, known(2)])
    expect(paths()).toHaveLength(1)
    const other = operationOn({})
    await Promise.all([whole(undefined, other), load(all([2], ['slug']), { entity }, other)])
    expect(paths().sort()).toEqual(['table?context=view&_filter=id,title', 'things/2?context=view&_filter=id,slug'])
  })

  it('that fails fails for all who want it', async () => {
    answerTo(isTable, (response) => refuse(response, 500))
    const failed = ['failed', 'UnavailableError', 'The site answered 500 for v1/table.']
    expect(await whole(all([1, 2]))).toEqual([[failed, failed], ['table?context=view&_filter=id,title']])
    expect((await whole())[0]).toEqual([failed])
  })

  it('names rows by their key', () => expect([idOf({ id: 5 }), idOf({})]).toEqual([5, null]))
})
