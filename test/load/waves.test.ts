import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Connection } from '../../src/model/connection.js'
import { ROOT } from '../../src/model/entity.js'
import type { PlannedEdge } from '../../src/plan/plan.js'
import { Operation } from '../../src/prefetch/operation.js'
import type { KeyStep, ListStep } from '../../src/prefetch/steps.js'
import type { Row } from '../../src/upstream/client.js'
import { defineSite, type Site } from '../../src/upstream/site/site.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { Part, planned, Thing, thingShape } from '../operations/part-graph.js'
import { callScope } from '../support/call-scope.js'
import { prefetched } from '../support/prefetched.js'
import { FakeSite, json } from '../support/site.js'
import { upstreamOf } from '../support/upstream.js'

// The REST calls of a plan by wave, and the records that its steps find.

let site: FakeSite
let transport: Transport
/** Paths of each wave: calls that are sent before any of them is answered. */
let waves: string[][]
let rows: Readonly<Record<string, readonly Row[]>>
const pending: { path: string; answer: () => void }[] = []
let timer: NodeJS.Timeout | undefined
/** Calls that were sent, and those that have arrived. */
const tally = {
  calls: 0,
  sent(): void {
    this.calls++
  },
}
let arrived = 0

beforeAll(async () => {
  site = await FakeSite.start()
  transport = new Transport({ origin: site.url, maxInFlight: 50, timeout: 5_000, connectTimeout: 5_000, maxBytes: 1e6, share: false })
})
afterAll(async () => {
  await transport.close()
  await site.close()
})

beforeEach(() => {
  waves = []
  rows = {
    things: [1, 2, 3, 13].map((id) => ({ id, title: `T${id}`, raw: `r${id}`, part: id + 20, owner: id + 30, kin: id === 1 ? [2, 3] : [] })),
    parts: Array.from({ length: 60 }, (_, i) => ({
      id: i + 1,
      label: `L${i + 1}`,
      weight: i + 1,
      note: `n${i + 1}`,
      secret: `s${i + 1}`,
      thing: 3,
      v_weight: -i - 1,
    })),
  }
  site.handler = ({ url = '' }, response) => {
    const path = decodeURIComponent(url.replace('/lms/v1/', '').replace('context=view&', '').replace('per_page=100&', ''))
    const asked = new URL(url, site.url)
    const [, name = '', id, list] = asked.pathname.replace('/lms/v1', '').split('/')
    const answer = (): void => {
      if (list !== undefined || name === 'all') answerList(Number(id ?? 1), asked)
      else answerRecords()
    }
    const answerRecords = (): void => {
      const include = (id ?? asked.searchParams.get('include') ?? '').split(',').map(Number)
      const found = (rows[name] ?? []).filter((row) => include.includes(row.id as number))
      if (id === undefined) json(response, found, { headers: { 'x-wp-total': `${found.length}` } })
      else json(response, found[0] ?? { code: 'rest_post_invalid_id', message: 'No.', data: {} }, { status: found[0] ? 200 : 404 })
    }
    const answerList = (of: number, { searchParams }: URL): void => {
      const isOdd = searchParams.has('odd')
      const found = (rows.parts as Row[]).slice(of, of + 2).slice(0, Number(searchParams.get('per_page')))
      const fields = (searchParams.get('_filter') ?? '').split(',')
      const shown = found.map((row) => Object.fromEntries(Object.entries(row).filter(([field]) => fields.includes(field))))
      json(response, isOdd ? {} : shown, { headers: { 'x-wp-total': '2' }, status: isOdd ? 500 : 200 })
    }
    pending.push({ path, answer })
    arrived++
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (arrived < tally.calls) return void timer?.refresh()
      const wave = pending.splice(0)
      waves.push(wave.map((each) => each.path).sort())
      for (const each of wave) each.answer()
    }, 15)
  }
})

async function fill(query: string, variables: Record<string, unknown> = {}, names: Partial<Omit<Site, 'url'>> = {}) {
  const plan = planned(query, variables)
  const upstream = upstreamOf(defineSite(site.url, names), transport)
  const operation = new Operation(upstream, callScope({ counter: tally }))
  const { prefetch } = await prefetched(operation, plan, variables)
  const edgeOf = (id: string, place = 0) => [...plan.byNode.values()].flat().filter(({ edge }) => edge.id === id)[place] as PlannedEdge
  return { plan, operation, stepOf: (id: string, place?: number) => prefetch.stepOf(edgeOf(id, place)) }
}

describe('fetching a plan', () => {
  it.each<[string, string[][]]>([
    ['{ plain }', []],
    ['{ thing(id: 1) { title } }', [['things/1?_filter=id,title']]],
    ['{ thing { title } }', []],
    ['{ a: thing(id: 1) { title } b: thing(id: 1) { partId } c: thing(id: 2) { title } }', [['things?_filter=id,part,title&include=1,2']]],
    // From its key, and from its columns.
    [
      '{ thing(id: 1) { twin { label } part { label } } }',
      [['parts/1?_filter=id,label', 'things/1?_filter=id,part'], ['parts/21?_filter=id,label']],
    ],
    [
      '{ thing(id: 1) { kin { part { label } } } }',
      [['things/1?_filter=id,kin,part'], ['things?_filter=id,part&include=2,3'], ['parts?_filter=id,label&include=22,23']],
    ],
    // An entity without a route.
    ['{ thing(id: 1) { owner { databaseId part { label } } } }', [['things/1?_filter=id,owner'], ['parts/31?_filter=id,label']]],
    ['{ thing(id: 13) { owner { part { label } } title } }', [['things/13?_filter=id,owner,title']]],
    // Both are in one wave and one batch.
    [
      '{ a: thing(id: 1) { twin { label } } any(ids: [7]) { ... on Part { weight } } }',
      [['parts?_filter=id,label,weight&include=1,7', 'things/1?_filter=id']],
    ],
    ['{ thing(id: 1) { x: part { label } y: part { weight } } }', [['things/1?_filter=id,part'], ['parts/21?_filter=id,label,weight']]],
    ['{ thing(id: 99) { part { label } } }', [['things/99?_filter=id,part']]],
    [
      '{ any(ids: [2, 5]) { ... on Thing { title part { label } } ... on Part { weight } } }',
      [['parts/5?_filter=id,weight', 'things/2?_filter=id,part,title'], ['parts/22?_filter=id,label']],
    ],
    // Invalid arguments are left to the executor.
    [
      '{ thing(id: 1) { a: part(good: false) { label } b: part { weight } } }',
      [['things/1?_filter=id,part'], ['parts/21?_filter=id,weight']],
    ],
  ])('reads records by key: %s', async (query, wanted) => {
    await fill(query)
    expect(waves).toEqual(wanted)
  })

  it.each<[string, string[][]]>([
    ['parts(first: 2) { nodes { label } }', [['things/1?_filter=id', 'things/1/parts?per_page=2&_filter=id,label']]],
    ['parts(first: 2) { totalCount }', [['things/1?_filter=id', 'things/1/parts?per_page=1&_filter=id']]],
    [
      'parts(first: 2) { nodes { thing { title } } }',
      [['things/1?_filter=id,title', 'things/1/parts?per_page=2&_filter=id,thing'], ['things/3?_filter=id,title']],
    ],
    // Columns of deeper levels are read with a record, and not again while it is in flight.
    [
      'parts(first: 2) { nodes { thing { parts(first: 1) { nodes { thing { title } } } } } }',
      [
        ['things/1/parts?per_page=2&_filter=id,thing', 'things/1?_filter=id,title'],
        ['things/3/parts?per_page=1&_filter=id,thing', 'things/3?_filter=id,title'],
      ],
    ],
    // Columns that the list lacks are read by id, and relations from them after that.
    [
      'parts(first: 2) { nodes { note label } }',
      [['things/1?_filter=id', 'things/1/parts?per_page=2&_filter=id,label'], ['parts?_filter=id,note&include=2,3']],
    ],
    ['parts(first: 2) { edges { view { note weight } } }', [['things/1?_filter=id', 'things/1/parts?per_page=2&_filter=id,note,v_weight']]],
    [
      'parts(first: 2) { edges { view { thing { title } } } }',
      [['things/1?_filter=id,title', 'things/1/parts?per_page=2&_filter=id,thing'], ['things/3?_filter=id,title']],
    ],
    [
      'parts(first: 2) { nodes { secret } }',
      [['things/1?_filter=id', 'things/1/parts?per_page=2&_filter=id'], ['parts?context=edit&_filter=id,secret&include=2,3']],
    ],
    // The same list is read once.
    [
      'a: parts(first: 2) { nodes { label } } b: parts(first: 2) { nodes { weight } totalCount }',
      [['things/1?_filter=id', 'things/1/parts?per_page=2&_filter=id,label,weight']],
    ],
    [
      'a: parts(first: 2) { nodes { label } } b: parts(first: 1) { nodes { weight } }',
      [['things/1?_filter=id', 'things/1/parts?per_page=1&_filter=id,weight', 'things/1/parts?per_page=2&_filter=id,label']],
    ],
    // A list that fails leads nowhere.
    [
      'parts(odd: true) { nodes { thing { title } } }',
      [['things/1?_filter=id,title', 'things/1/parts?per_page=10&_filter=id,thing&odd=1']],
    ],
  ])('reads lists: %s', async (fields, wanted) => {
    await fill(`{ thing(id: 1) { ${fields} } }`)
    expect(waves).toEqual(wanted.map((wave) => wave.sort()))
  })

  it('reads records in one wave and batch, whether they are reached by key or through a list', async () => {
    await fill('{ thing(id: 1) { kin { title } parts(first: 2) { nodes { thing { title } } } } }')
    expect(waves).toEqual([
      ['things/1/parts?per_page=2&_filter=id,thing', 'things/1?_filter=id,kin,title'],
      [expect.stringMatching(/^things\?_filter=id,title&include=(2,3|3,2)$/)],
    ])
  })

  it.each<[string, string[][]]>([
    ['nodes { thing { title } weight }', [['parts?_filter=id,thing&include=2,3'], ['things/3?_filter=id,title']]],
    ['nodes { thing { title } note }', [['parts?_filter=id,note,thing&include=2,3'], ['things/3?_filter=id,title']]],
    ['edges { view { thing { title } } }', [['parts?_filter=id,thing&include=2,3'], ['things/3?_filter=id,title']]],
  ])('follows columns that the list lacks on a site: %s', async (fields, wanted) => {
    await fill(`{ thing(id: 1) { parts { ${fields} } } }`, {}, { missingColumns: ['ListedPart.thingId', 'View.thingId'] })
    expect(waves.slice(1)).toEqual(wanted)
  })

  it('omits a list without a scope', async () => {
    const { stepOf } = await fill('{ thing(id: 13) { parts { nodes { label } } title } }')
    expect(waves).toEqual([['things/13?_filter=id,title']])
    expect((stepOf('Thing.parts') as ListStep).peek({ databaseId: 13 })).toBeUndefined()
  })

  it('finds records by edge and parent', async () => {
    const { stepOf, operation } = await fill('{ thing(id: 1) { title kin { title } part { label } } any(ids: [2, 5, 99]) { databaseId } }')
    const [root, kin, part, any] = ['Query.thing', 'Thing.kin', 'Thing.part', 'Query.any'].map((id) => stepOf(id) as KeyStep) as [
      KeyStep,
      KeyStep,
      KeyStep,
      KeyStep,
    ]
    const first = operation.records.stateOf({ entity: Thing, key: 1 })
    expect(root.peek(ROOT)).toBe(first)
    expect((kin.peek(first.record) as unknown as { record: Row }[]).map(({ record }) => record.title)).toEqual(['T2', 'T3'])
    expect(part.peek(first.record)).toMatchObject({ record: { label: 'L21' } })
    expect(part.peek({ databaseId: 1, partId: 22 })).toBeUndefined()
    expect((any.peek(ROOT) as unknown as { key: number }[]).map(({ key }) => key)).toEqual([2, 5, 99])
    expect(root.layout.branches.map(({ entity, level }) => [entity, thingShape.list(level.columns)])).toEqual([
      [Thing, ['title', 'partId', 'kinIds']],
    ])
    expect(stepOf('Thing.parts')).toBeUndefined()
  })

  it('finds missing records and empty references', async () => {
    const { stepOf, operation } = await fill('{ thing(id: 1) { title } }')
    const store = operation.records.store({ entity: Thing })
    expect((stepOf('Query.thing') as KeyStep).peek(ROOT)).toBe(store.stateOf(1))
    const other = await fill('{ thing(id: 99) { title } }')
    expect((other.stepOf('Query.thing') as KeyStep).peek(ROOT)).toMatchObject({ status: 'missing' })
    const none = await fill('{ thing { title } }')
    expect((none.stepOf('Query.thing') as KeyStep).peek(ROOT)).toBeNull()
  })

  it('makes a connection of a list, with the records of its connection edges', async () => {
    const { stepOf, operation } = await fill(
      '{ thing(id: 1) { parts(first: 1) { totalCount edges { cursor node { label } view { weight note label } } pageInfo { hasNextPage } } } }',
    )
    const list = (stepOf('Thing.parts') as ListStep).peek({ databaseId: 1 }) as Connection
    expect(list).toBeInstanceOf(Connection)
    expect([list.totalCount, list.pageInfo]).toEqual([
      2,
      { hasNextPage: true, hasPreviousPage: false, startCursor: 'b2Zmc2V0OjA', endCursor: 'b2Zmc2V0OjA' },
    ])
    const record = operation.records.stateOf({ entity: Part, key: 2 }).record
    const [edge] = list.edges as [{ node: unknown; cursor: string; view: Row }]
    expect([list.nodes, edge.node, edge.cursor]).toEqual([[record], record, 'b2Zmc2V0OjA'])
    expect([edge.view.weight, edge.view.note, edge.view.label, edge.view.databaseId, record.weight]).toEqual([-2, 'n2', 'L2', 2, undefined])
  })
})
