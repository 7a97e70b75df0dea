import { buildSchema, type FieldNode, type GraphQLObjectType, type GraphQLResolveInfo, parse } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Pricer } from '../../src/engine/cost/price.js'
import {
  type Edge,
  type Entity,
  type FieldMark,
  type KeyEdge,
  type ListEdge,
  ROOT,
  type TypeMark,
  type Write,
} from '../../src/engine/edges.js'
import { Fetcher } from '../../src/engine/fetch/fetcher.js'
import { Connection } from '../../src/engine/fetch/listing.js'
import { Operation } from '../../src/engine/fetch/operation.js'
import type { KeyStep, ListStep } from '../../src/engine/fetch/steps.js'
import type { Plan, PlannedEdge, Selection } from '../../src/engine/plan.js'
import { Planner } from '../../src/engine/prepare/planner.js'
import { Client, type Row } from '../../src/upstream/client.js'
import * as c from '../../src/upstream/codec/columns.js'
import { Projections, Shape } from '../../src/upstream/codec/records.js'
import { BadInputError } from '../../src/upstream/errors.js'
import { type ListRoute, postByKey } from '../../src/upstream/routes.js'
import { ANONYMOUS } from '../../src/upstream/session.js'
import { CapabilityCache } from '../../src/upstream/site/capabilities.js'
import { defineSite, type Site } from '../../src/upstream/site/site.js'
import { Transport } from '../../src/upstream/transport/transport.js'
import { FakeSite, json } from '../support/site.js'

// A small graph of things, their parts and their owners, in front of a made-up site: what is planned, and what is asked in which wave.

const schema = buildSchema(`
  interface Node { databaseId: Int }
  type Thing implements Node { databaseId: Int title: String raw: String partId: Int part(good: Boolean = true): Part twin: Part owner: Person kin: [Thing] parts(first: Int, odd: Boolean): PartConnection }
  type Part implements Node { databaseId: Int label: String weight: Int note: String secret: String thingId: Int thing: Thing }
  type Person { databaseId: Int part: Part }
  type PartConnection { nodes: [Part] edges: [PartEdge] pageInfo: PageInfo totalCount: Int }
  type PartEdge { cursor: String node: Part view: View }
  type View { label: String weight: Int note: String secret: String thing: Thing part: Part }
  type PageInfo { hasNextPage: Boolean hasPreviousPage: Boolean startCursor: String endCursor: String }
  type Query { thing(id: Int): Thing any(ids: [Int]): [Node] plain: String parts(first: Int): PartConnection }
  type Saved { thing: Thing }
  type Mutation { save: Saved plain: String }
`)

const thingShape = new Shape('Thing', {
  title: c.text('title', 'Title.'),
  raw: c.text('raw', 'Raw.', { editOnly: true }),
  partId: c.reference('part', 'Part.'),
  ownerId: c.reference('owner', 'Owner.'),
  kinIds: c.references('kin', 'Kin.'),
})
const partShape = new Shape('Part', {
  label: c.text('label', 'Label.'),
  weight: c.integer('weight', 'Weight.'),
  note: c.text('note', 'Note.'),
  secret: c.text('secret', 'Secret.', { editOnly: true }),
  thingId: c.reference('thing', 'Thing.'),
})
const viewShape = new Shape('View', {
  label: c.text('label', 'Label.'),
  weight: c.integer('v_weight', 'Weight.'),
  note: c.text('note', 'Note.'),
  secret: c.text('secret', 'Secret.', { editOnly: true }),
  thingId: c.reference('thing', 'Thing.'),
})
/** The list of parts: its notes are read by id. */
const listed = new Shape(
  'ListedPart',
  Object.fromEntries(Object.entries(partShape.columns).filter(([name]) => name !== 'note')),
  Object.keys(partShape.columns),
)

const listRoute = (path: ListRoute['path']): ListRoute => ({ path, window: 'offset', filters: {}, orders: {} })
const Thing: Entity = { name: 'Thing', shape: thingShape, key: 'databaseId', byKey: postByKey(listRoute('v1/things')) }
const Part: Entity = { name: 'Part', shape: partShape, key: 'databaseId', byKey: postByKey(listRoute('v1/parts')) }
const Person: Entity = { name: 'Person', shape: new Shape('Person', {}), key: 'databaseId' }

const key = (
  id: string,
  entities: readonly Entity[],
  needs: readonly string[],
  targets: KeyEdge<any>['targets'],
  prepare = (args: object): unknown => args,
): KeyEdge<any> => ({
  ...{ kind: 'key', id, needs, prepare, targets },
  entities: () => entities,
})
const to = (entity: Entity, of: unknown) => (of ? { entity, key: of as number } : null)
const ofParts: ListEdge = {
  ...{ kind: 'list', id: 'Thing.parts', needs: [], entity: Part, route: listRoute('v1/things/:id/parts'), shape: listed },
  side: { field: 'view', shape: viewShape },
  prepare: ({ first, odd }) => ({
    query: odd ? { odd: 1 } : {},
    window: { start: 0, end: null, first: (first as number) ?? 10, last: null },
  }),
  scope: ({ databaseId }) => {
    if (databaseId === 13) throw new BadInputError('Not this one.')
    return { params: { id: databaseId as number } }
  },
}

const EDGES: Readonly<Record<string, Edge>> = {
  'Query.thing': key('Query.thing', [Thing], [], (_, { id }) => to(Thing, id)),
  'Query.any': key('Query.any', [Thing, Part], [], (_, { ids }) => ids.map((id: number) => to(id % 2 ? Part : Thing, id))),
  'Query.parts': { ...ofParts, id: 'Query.parts', route: listRoute('v1/all'), shape: partShape, scope: () => ({ params: {} }) },
  'Thing.part': key(
    'Thing.part',
    [Part],
    ['partId'],
    ({ partId }) => to(Part, partId),
    (args: { good?: boolean }) => {
      if (args.good === false) throw new BadInputError('Not good.')
      return args
    },
  ),
  'Thing.twin': key('Thing.twin', [Part], [], ({ databaseId }) => to(Part, databaseId)),
  'Thing.owner': key('Thing.owner', [Person], ['ownerId'], ({ ownerId, databaseId }) => {
    if (databaseId === 13) throw new BadInputError('Nobody.')
    return to(Person, ownerId)
  }),
  'Thing.kin': key('Thing.kin', [Thing], ['kinIds'], ({ kinIds }) => (kinIds as number[] | null)?.map((id) => to(Thing, id)) ?? []),
  'Thing.parts': ofParts,
  'Part.thing': key('Part.thing', [Thing], ['thingId'], ({ thingId }) => to(Thing, thingId)),
  'Person.part': key('Person.part', [Part], [], ({ databaseId }) => to(Part, databaseId)),
  'View.thing': key('View.thing', [Thing], ['thingId'], ({ thingId }) => to(Thing, thingId)),
  'View.part': key('View.part', [Part], ['note'], ({ databaseId, note }) => to(Part, note === '' ? null : (databaseId as number) + 50)),
}
const MARKS: Readonly<Record<string, TypeMark>> = {
  Thing: { entity: Thing, shape: thingShape },
  Part: { entity: Part, shape: partShape },
  Person: { entity: Person, shape: Person.shape },
  View: { shape: viewShape },
  PartConnection: { role: 'connection' },
  PartEdge: { role: 'edge' },
}
const typeOf = (name: string) => schema.getType(name) as GraphQLObjectType
const mark = (on: { extensions: object }, lms: TypeMark | FieldMark): void => void Object.assign(on, { extensions: { lms } })
for (const [name, lms] of Object.entries(MARKS)) mark(typeOf(name), lms)
for (const [id, edge] of Object.entries(EDGES)) mark(typeOf(id.split('.')[0] as string).getFields()[id.split('.')[1] as string]!, { edge })
mark(typeOf('Mutation').getFields().save!, { payload: 'Saved', write: {} as Write })

const planned = (query: string, variables = {}, name?: string): Plan => new Planner(schema).make(parse(query), name, variables) as Plan

/** A selection in short: its columns, and what follows from them by the field. */
function brief({ columns, edges }: Selection, shape = new Shape('', {})): unknown {
  return [
    shape.list(columns).join(' '),
    ...(edges.length > 0 ? [Object.fromEntries(edges.map((edge) => [edge.field.name, follows(edge)]))] : []),
  ]
}
function follows({ children, side, rows, total, next }: PlannedEdge): unknown {
  const records = [...children].map(([type, selection]) => [type, brief(selection, MARKS[type]?.shape)])
  return {
    ...Object.fromEntries(records),
    ...(side ? { side: brief(side, viewShape) } : {}),
    ...(rows ? {} : { rows }),
    ...(total ? { total } : {}),
    ...(next ? { next } : {}),
  }
}

describe('a plan', () => {
  it.each<[string, unknown]>([
    ['{ thing(id: 1) { title databaseId } }', { thing: { Thing: ['title'] } }],
    [
      '{ thing(id: 1) { part { label } twin { weight } } }',
      { thing: { Thing: ['partId', { part: { Part: ['label'] }, twin: { Part: ['weight'] } }] } },
    ],
    ['{ any(ids: [1]) { databaseId ... on Thing { title } ... on Part { label } } }', { any: { Thing: ['title'], Part: ['label'] } }],
    ['{ any(ids: [1]) { ... on Node { ... on Part { weight } } } }', { any: { Thing: [''], Part: ['weight'] } }],
    ['{ thing(id: 1) { ... on Part { label } ... on Thing { title } } }', { thing: { Thing: ['title'] } }],
    ['{ thing(id: 1) { ...F } } fragment F on Node { ... on Thing { raw } }', { thing: { Thing: ['raw'] } }],
    ['{ thing(id: 1) { ...F ...G } } fragment F on Thing { raw } fragment G on Saved { thing { title } }', { thing: { Thing: ['raw'] } }],
  ])('has the columns and edges of %s', (query, wanted) => {
    expect(brief(planned(query).root)).toEqual(['', wanted])
  })

  it.each<[string, unknown]>([
    ['nodes { label }', { Part: ['label'] }],
    ['edges { node { label } } nodes { weight }', { Part: ['label weight'] }],
    ['edges { cursor }', { Part: [''] }],
    ['totalCount', { Part: [''], rows: false, total: true }],
    ['pageInfo { hasNextPage }', { Part: [''], rows: false, next: true }],
    ['pageInfo { hasPreviousPage }', { Part: [''], rows: false, total: true }],
    ['pageInfo { endCursor }', { Part: [''] }],
    ['pageInfo { startCursor }', { Part: [''] }],
    ['pageInfo { __typename }', { Part: [''], rows: false }],
    ['pageInfo { endCursor hasNextPage }', { Part: [''], next: true }],
    ['nodes { label } pageInfo { __typename }', { Part: ['label'] }],
    ['totalCount pageInfo { endCursor }', { Part: [''], total: true }],
    ['__typename', { Part: [''], rows: false }],
    ['nodes { label } totalCount', { Part: ['label'], total: true }],
    ['edges { view { weight } }', { Part: [''], side: ['weight'] }],
    ['edges { node { label } view { label secret } }', { Part: ['label secret'], side: ['label secret'] }],
    [
      'edges { view { thing { title } } node { thing { raw } } }',
      { Part: ['thingId', { thing: { Thing: ['raw'] } }], side: ['thingId', { thing: { Thing: ['title'] } }] },
    ],
  ])('looks through a list: %s', (fields, wanted) => {
    expect(brief(planned(`{ thing(id: 1) { parts { ${fields} } } }`).root)).toEqual(['', { thing: { Thing: ['', { parts: wanted }] } }])
  })

  it('knows its edges by their nodes, and its own document', () => {
    const { byNode, document, operation, root } = planned(
      'query A { plain } query B($y: Boolean!) { thing(id: 1) { title @skip(if: $y) part { label } } }',
      { y: true },
      'B',
    )
    const [edge] = root.edges as [PlannedEdge]
    expect([operation.name?.value, document.definitions]).toEqual(['B', [operation]])
    expect(byNode.get(edge.node)).toEqual([edge])
    expect([...byNode.values()].flat().map(({ field }) => field.name)).toEqual(['part', 'thing'])
    expect(brief(root)).toEqual(['', { thing: { Thing: ['partId', { part: { Part: ['label'] } }] } }])
  })

  it('has one edge for each type a node stands on', () => {
    const { byNode } = planned('{ any(ids: [1]) { ... on Node { databaseId } ... on Thing { kin { title } } } }')
    expect([...byNode.values()].map((edges) => edges.map(({ edge }) => edge.id))).toEqual([['Thing.kin'], ['Query.any']])
  })

  it('has what is wanted of the successes of a mutation', () => {
    const { payloads, root } = planned('mutation { a: save { thing { title } } plain }')
    expect([...payloads].map(([{ alias }, selection]) => [alias?.value, brief(selection)])).toEqual([['a', ['']]])
    expect(root.edges).toEqual([])
    expect(planned('{ thing(id: 1) { title } }').payloads.size).toBe(0)
  })

  it('is made for the values of the directives', () => {
    const planner = new Planner(schema)
    const document = parse('query A($x: Boolean!, $id: Int) { thing(id: $id) { title @include(if: $x) raw } } query B { plain }')
    const plan = (x: boolean, id = 1, name = 'A') => planner.make(document, name, { x, id })
    expect([brief(plan(true)!.root), brief(plan(false)!.root)]).toEqual([
      ['', { thing: { Thing: ['title raw'] } }],
      ['', { thing: { Thing: ['raw'] } }],
    ])
    expect([
      planner.make(document, null, {}),
      planner.make(document, 'C', {}),
      planner.make(parse('subscription { x }'), null, {}),
    ]).toEqual([undefined, undefined, undefined])
  })

  it('of one field looks one edge deep', () => {
    const query = parse('{ thing(id: 1) { title part { label thing { raw } } ...F } } fragment F on Thing { kin { title } }')
    const [operation, fragment] = query.definitions as any[]
    const info = {
      parentType: typeOf('Query'),
      fieldName: 'thing',
      fragments: { F: fragment },
      variableValues: {},
      fieldNodes: operation.selectionSet.selections as FieldNode[],
    }
    const found = new Planner(schema).look(EDGES['Query.thing'] as Edge, info as unknown as GraphQLResolveInfo)
    expect(follows(found)).toEqual({ Thing: ['title partId kinIds'] })
  })
})

let site: FakeSite
let transport: Transport
/** Paths of each wave: what is asked before anything of it is answered. */
let waves: string[][]
let rows: Readonly<Record<string, readonly Row[]>>
const pending: { path: string; answer: () => void }[] = []
let timer: NodeJS.Timeout | undefined
/** Calls that were sent, and those that have arrived. */
const tally = { calls: 0 }
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
  const client = new Client(defineSite(site.url, names), transport)
  const upstream = {
    client,
    projections: new Projections(client.site),
    capabilities: new CapabilityCache(),
    limits: { rows: 1_000 },
    pricer: new Pricer(client.site, 10),
    maxCalls: 10_000,
  }
  const operation = new Operation(upstream, { credentials: ANONYMOUS, caller: '', operation: {}, tally })
  const filled = new Fetcher(operation, variables)
  await filled.run([plan.root], [ROOT])
  const edgeOf = (id: string, place = 0) => [...plan.byNode.values()].flat().filter(({ edge }) => edge.id === id)[place] as PlannedEdge
  return { plan, operation, filled, stepOf: (id: string, place?: number) => filled.stepOf(edgeOf(id, place)) }
}

describe('what a plan fetches', () => {
  it.each<[string, string[][]]>([
    ['{ plain }', []],
    ['{ thing(id: 1) { title } }', [['things/1?_filter=id,title']]],
    ['{ thing { title } }', []],
    ['{ a: thing(id: 1) { title } b: thing(id: 1) { partId } c: thing(id: 2) { title } }', [['things?_filter=id,part,title&include=1,2']]],
    // From what is known of it, and from its columns.
    [
      '{ thing(id: 1) { twin { label } part { label } } }',
      [['parts/1?_filter=id,label', 'things/1?_filter=id,part'], ['parts/21?_filter=id,label']],
    ],
    [
      '{ thing(id: 1) { kin { part { label } } } }',
      [['things/1?_filter=id,kin,part'], ['things?_filter=id,part&include=2,3'], ['parts?_filter=id,label&include=22,23']],
    ],
    // One that has no route of its own.
    ['{ thing(id: 1) { owner { databaseId part { label } } } }', [['things/1?_filter=id,owner'], ['parts/31?_filter=id,label']]],
    ['{ thing(id: 13) { owner { part { label } } title } }', [['things/13?_filter=id,owner,title']]],
    // Both are of one wave, and of one batch.
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
    // Arguments that are wrong are left to the executor.
    [
      '{ thing(id: 1) { a: part(good: false) { label } b: part { weight } } }',
      [['things/1?_filter=id,part'], ['parts/21?_filter=id,weight']],
    ],
  ])('by keys: %s', async (query, wanted) => {
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
    // What is wanted of a record further down is read with it, and not read again while it is under way.
    [
      'parts(first: 2) { nodes { thing { parts(first: 1) { nodes { thing { title } } } } } }',
      [
        ['things/1/parts?per_page=2&_filter=id,thing', 'things/1?_filter=id,title'],
        ['things/3/parts?per_page=1&_filter=id,thing', 'things/3?_filter=id,title'],
      ],
    ],
    // What the list does not carry is read by id, and what follows from that after it.
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
    // The same list once, for all who want it.
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
  ])('by lists: %s', async (fields, wanted) => {
    await fill(`{ thing(id: 1) { ${fields} } }`)
    expect(waves).toEqual(wanted.map((wave) => wave.sort()))
  })

  it('in one wave and batch, though some are reached by their keys and others through a list', async () => {
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
  ])('after columns the list lacks on a site: %s', async (fields, wanted) => {
    await fill(`{ thing(id: 1) { parts { ${fields} } } }`, {}, { lacking: { ListedPart: ['thingId'], View: ['thingId'] } })
    expect(waves.slice(1)).toEqual(wanted)
  })

  it('where a list has no scope, is not that list', async () => {
    const { stepOf } = await fill('{ thing(id: 13) { parts { nodes { label } } title } }')
    expect(waves).toEqual([['things/13?_filter=id,title']])
    expect((stepOf('Thing.parts') as ListStep).group.listOf({ databaseId: 13 })).toBeUndefined()
  })

  it('is found by the edge and its parent', async () => {
    const { stepOf, operation } = await fill('{ thing(id: 1) { title kin { title } part { label } } any(ids: [2, 5, 99]) { databaseId } }')
    const [root, kin, part, any] = ['Query.thing', 'Thing.kin', 'Thing.part', 'Query.any'].map((id) => stepOf(id) as KeyStep) as [
      KeyStep,
      KeyStep,
      KeyStep,
      KeyStep,
    ]
    const first = operation.store({ entity: Thing, key: 1 }).entry(1)
    expect(root.foundFrom(ROOT)).toBe(first)
    expect((kin.foundFrom(first.record) as unknown as { record: Row }[]).map(({ record }) => record.title)).toEqual(['T2', 'T3'])
    expect(part.foundFrom(first.record)).toMatchObject({ record: { label: 'L21' } })
    expect(part.foundFrom({ databaseId: 1 })).toBeUndefined()
    expect((any.foundFrom(ROOT) as unknown as { key: number }[]).map(({ key }) => key)).toEqual([2, 5, 99])
    expect([thingShape.list(root.columnsOf(Thing)), root.columnsOf(Part)]).toEqual([['title', 'partId', 'kinIds'], 0n])
    expect(stepOf('Thing.parts')).toBeUndefined()
  })

  it('is not found where some of it was not fetched', async () => {
    const { stepOf, operation } = await fill('{ thing(id: 1) { title } }')
    const store = operation.store({ entity: Thing, key: 1 })
    expect((stepOf('Query.thing') as KeyStep).foundFrom(ROOT)).toBe(store.entry(1))
    const other = await fill('{ thing(id: 99) { title } }')
    expect((other.stepOf('Query.thing') as KeyStep).foundFrom(ROOT)).toMatchObject({ state: 'missing' })
    const none = await fill('{ thing { title } }')
    expect((none.stepOf('Query.thing') as KeyStep).foundFrom(ROOT)).toBeNull()
  })

  it('of a list is a connection with its side', async () => {
    const { stepOf, operation } = await fill(
      '{ thing(id: 1) { parts(first: 1) { totalCount edges { cursor node { label } view { weight note label } } pageInfo { hasNextPage } } } }',
    )
    const list = (stepOf('Thing.parts') as ListStep).group.listOf({ databaseId: 1 }) as Connection
    expect(list).toBeInstanceOf(Connection)
    expect([list.totalCount, list.pageInfo]).toEqual([
      2,
      { hasNextPage: true, hasPreviousPage: false, startCursor: 'b2Zmc2V0OjA', endCursor: 'b2Zmc2V0OjA' },
    ])
    const record = operation.store({ entity: Part, key: 2 }).entry(2).record
    const [edge] = list.edges as [{ node: unknown; cursor: string; view: Row }]
    expect([list.nodes, edge.node, edge.cursor]).toEqual([[record], record, 'b2Zmc2V0OjA'])
    expect([edge.view.weight, edge.view.note, edge.view.label, edge.view.databaseId, record.weight]).toEqual([-2, 'n2', 'L2', 2, undefined])
  })
})
