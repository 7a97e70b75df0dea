import { type FieldNode, type GraphQLResolveInfo, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import type { Edge } from '../../src/model/edge.js'
import type { PlannedEdge, Selection } from '../../src/plan/plan.js'
import { Planner } from '../../src/plan/planner.js'
import { Shape } from '../../src/upstream/codec/records.js'
import { EDGES, MARKS, planned, schema, typeOf, viewShape } from '../operations/part-graph.js'
import { byVersion, coerced } from '../support/graphql-version.js'

// The columns and edges that a plan has for an operation.

/** A selection in short: its columns, and what follows from them by the field. */
function brief({ columns, edges }: Selection, shape = new Shape('', {})): unknown {
  return [
    shape.list(columns).join(' '),
    ...(edges.length > 0 ? [Object.fromEntries(edges.map((edge) => [edge.field.name, follows(edge)]))] : []),
  ]
}
function follows({ children, rowData: side, rows, total, next }: PlannedEdge): unknown {
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
  ])('has the columns of a list: %s', (fields, wanted) => {
    expect(brief(planned(`{ thing(id: 1) { parts { ${fields} } } }`).root)).toEqual(['', { thing: { Thing: ['', { parts: wanted }] } }])
  })

  it('finds its edges by node, and has its own document', () => {
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

  it('has one edge for each parent type of a node', () => {
    const { byNode } = planned('{ any(ids: [1]) { ... on Node { databaseId } ... on Thing { kin { title } } } }')
    expect([...byNode.values()].map((edges) => edges.map(({ edge }) => edge.id))).toEqual([['Thing.kin'], ['Query.any']])
  })

  it('has the selections of payloads of a mutation', () => {
    const { payloads, root } = planned('mutation { a: save { thing { title } } plain }')
    expect([...payloads].map(([{ alias }, selection]) => [alias?.value, brief(selection)])).toEqual([['a', ['']]])
    expect(root.edges).toEqual([])
    expect(planned('{ thing(id: 1) { title } }').payloads.size).toBe(0)
  })

  it('depends on the values of the directives', () => {
    const planner = new Planner(schema)
    const document = parse('query A($x: Boolean!, $id: Int) { thing(id: $id) { title @include(if: $x) raw } } query B { plain }')
    const plan = (x: boolean, id = 1, name = 'A') => planner.make(document, name, coerced(schema, document, { x, id }, name))
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

  it('of one field is one edge deep', () => {
    const query = parse('{ thing(id: 1) { title part { label thing { raw } } ...F } } fragment F on Thing { kin { title } }')
    const [operation, fragment] = query.definitions as any[]
    const info = {
      parentType: typeOf('Query'),
      fieldName: 'thing',
      fragments: { F: fragment },
      variableValues: byVersion({}, { sources: {}, coerced: {} }),
      fieldNodes: operation.selectionSet.selections as FieldNode[],
    }
    const found = new Planner(schema).look(EDGES['Query.thing'] as Edge, info as unknown as GraphQLResolveInfo)
    expect(follows(found)).toEqual({ Thing: ['title partId kinIds'] })
  })
})
