import { buildSchema, type GraphQLObjectType, parse } from 'graphql'
import { BadInputError, batchByIds, columns as c, type ListRoute } from '../../src/kit.js'
import type { Edge, KeyEdge, ListEdge } from '../../src/model/edge.js'
import type { Entity } from '../../src/model/entity.js'
import type { FieldMark, TypeMark, Write } from '../../src/model/marks.js'
import type { Plan } from '../../src/plan/plan.js'
import { Planner } from '../../src/plan/planner.js'
import { Shape } from '../../src/upstream/codec/records.js'
import { coerced } from '../support/graphql-version.js'

// A small graph of things, their parts and their owners, in front of a made-up site.

export const schema = buildSchema(`
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

export const thingShape = new Shape('Thing', {
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
export const viewShape = new Shape('View', {
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

export const listRoute = (path: ListRoute['path']): ListRoute => ({ path, window: 'offset', filters: {}, orders: {} })
export const Thing: Entity = { name: 'Thing', shape: thingShape, key: 'databaseId', byKey: batchByIds(listRoute('v1/things')) }
export const Part: Entity = { name: 'Part', shape: partShape, key: 'databaseId', byKey: batchByIds(listRoute('v1/parts')) }
const Person: Entity = { name: 'Person', shape: new Shape('Person', {}), key: 'databaseId' }

const key = (
  id: string,
  entities: readonly Entity[],
  needs: readonly string[],
  targets: KeyEdge<any>['targets'],
  prepare = (args: object): unknown => args,
): KeyEdge<any> => ({
  ...{ kind: 'key', id, needs, parse: prepare, targets },
  entities: () => entities,
})
const to = (entity: Entity, of: unknown) => (of ? { entity, key: of as number } : null)
const ofParts: ListEdge = {
  ...{ kind: 'list', id: 'Thing.parts', needs: [], entity: Part, route: listRoute('v1/things/:id/parts'), shape: listed },
  rowData: { field: 'view', shape: viewShape },
  parse: ({ first, odd }) => ({
    query: odd ? { odd: 1 } : {},
    window: { start: 0, end: null, first: (first as number) ?? 10, last: null },
  }),
  scope: ({ databaseId }) => {
    if (databaseId === 13) throw new BadInputError('Not this one.')
    return { params: { id: databaseId as number } }
  },
}

export const EDGES: Readonly<Record<string, Edge>> = {
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
export const MARKS: Readonly<Record<string, TypeMark>> = {
  Thing: { entity: Thing, shape: thingShape },
  Part: { entity: Part, shape: partShape },
  Person: { entity: Person, shape: Person.shape },
  View: { shape: viewShape },
  PartConnection: { role: 'connection' },
  PartEdge: { role: 'edge' },
}
export const typeOf = (name: string) => schema.getType(name) as GraphQLObjectType
const mark = (on: { extensions: object }, lms: TypeMark | FieldMark): void => void Object.assign(on, { extensions: { lms } })
for (const [name, lms] of Object.entries(MARKS)) mark(typeOf(name), lms)
for (const [id, edge] of Object.entries(EDGES)) mark(typeOf(id.split('.')[0] as string).getFields()[id.split('.')[1] as string]!, { edge })
mark(typeOf('Mutation').getFields().save!, { payload: 'Saved', write: {} as Write })

export function planned(query: string, variables = {}, name?: string): Plan {
  const document = parse(query)
  return new Planner(schema).make(document, name, coerced(schema, document, variables, name)) as Plan
}
