import { readFileSync } from 'node:fs'
import { format } from 'node:util'
import { InMemoryCache, type PossibleTypesMap } from '@apollo/client'
import type { Client } from '@urql/core'
import {
  type ASTNode,
  buildSchema,
  type DocumentNode,
  type FieldNode,
  type GraphQLNamedType,
  isAbstractType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  parse,
  printSchema,
  visit,
} from 'graphql'
import * as documents from 'lms-graphql/documents'
import { introspection, keys, possibleTypes, scalars, typeDefs } from 'lms-graphql/schema'
import { afterAll, beforeAll, describe, expect, it, type MockInstance, vi } from 'vitest'
import { globalId } from '../support/global-id.js'
import { WITH_WORDPRESS } from '../support/profile.js'
import { authorizationOf, World } from '../support/world.js'
import * as apollo from './recipes/apollo.js'
import * as urql from './recipes/urql.js'

const graph = buildSchema(typeDefs)
const types = Object.values(graph.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
const namesOf = (which: (type: GraphQLNamedType) => boolean): string[] =>
  types
    .filter(which)
    .map(({ name }) => name)
    .sort()

describe('lms-graphql/schema', () => {
  it('exports the graph as text and as introspection', () => {
    expect(
      printSchema(graph) === printSchema(buildSchema(readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8'))),
    ).toBe(true)
    expect(introspection.__schema.types.map(({ name }) => name)).toContain('GroupCourseConnection')
  })

  it('imports nothing, so that frontends and build tools load no gateway with it', () => {
    const lines = readFileSync(new URL(import.meta.resolve('lms-graphql/schema')), 'utf8')
      .trimEnd()
      .split('\n')
    expect(lines.map((line) => line.split(' = ')[0])).toEqual(
      ['typeDefs', 'semanticTypeDefs', 'introspection', 'scalars', 'possibleTypes', 'keys'].map((name) => `export const ${name}`),
    )
  })

  it('has the type of every scalar', () => {
    expect(Object.keys(scalars).sort()).toEqual(namesOf((type) => isScalarType(type) && !isSpecifiedScalarType(type)))
    expect(scalars.DateTime).toEqual({ input: 'string', output: 'string' })
    expect(scalars.JSONObject).toEqual({ input: 'Record<string, unknown>', output: 'Record<string, unknown>' })
  })

  it('has the object types of every interface and union', () => {
    expect(Object.keys(possibleTypes).sort()).toEqual(namesOf(isAbstractType))
    for (const [name, of] of Object.entries(possibleTypes)) {
      const type = graph.getType(name)
      expect(isAbstractType(type) && graph.getPossibleTypes(type).map((each) => each.name)).toEqual(of)
    }
    // Compiles without a cast.
    const given: PossibleTypesMap = possibleTypes
    expect(new InMemoryCache({ possibleTypes: given }).policies.fragmentMatches).toBeTypeOf('function')
  })

  it('has a key for every type without id', () => {
    const keyless = namesOf((type) => isObjectType(type) && !type.getFields().id && type.name !== 'Query' && type.name !== 'Mutation')
    expect(Object.keys(keys).sort()).toEqual(keyless)
    expect(keyless).toContain('GroupCourse')
    for (const key of Object.values(keys)) expect(key()).toBe(null)
  })
})

/** Operations with all kinds of objects that queries show. Every record is selected with its id. */
const WIDE: readonly (readonly [DocumentNode, object])[] = [
  [documents.GroupsAndCoursesDocument, {}],
  [documents.LearnerDashboardDocument, {}],
  [documents.CatalogueDocument, { search: null }],
  [documents.CoursePageDocument, { id: '10001' }],
  [documents.GroupOverviewDocument, { group: '1009', learner: '3' }],
  [documents.ProgressTableDocument, { first: '3', second: '4' }],
  [documents.QuizReviewDocument, { one: '500001', two: '500002', three: '500003' }],
  [documents.SearchDocument, { text: 'first' }],
  [documents.NodesDocument, { ids: [globalId('Course', 10001), globalId('Group', 1001), globalId('PriceType', 'open')] }],
  [
    parse(`{
      groups(first: 3) {
        totalCount
        pageInfo { hasNextPage }
        nodes { id title links { rel href } curies { name } author { id } parent { id title } }
        edges { cursor node { id courses(first: 3) {
          nodes { id title priceType { id name } }
          edges { groupCourse { title links { rel } curies { href } priceType { id slug } prerequisites { id } } node { id slug } }
        } } }
      }
      priceTypes { id slug name }
    }`),
    {},
  ],
  [
    parse(`query ($id: ID!) {
      course(id: $id) {
        id date link links { href } priceType { id description } progress(user: 3) { id status links { rel } }
        lessons(first: 2) { nodes { id quizzes(first: 1, course: $id) { nodes { id } edges { cursor } } } }
        quizzes(first: 2) { edges { node { id title } } }
      }
    }`),
    { id: '10001' },
  ],
  [parse('{ user(id: 3) { id courseProgress(first: 3) { edges { cursor node { id status course { id title } } } } } }'), {}],
  [parse('{ question(id: 500001) { id title answers { answer correct } quiz { id } } lessons(first: 2) { nodes { id title } } }'), {}],
]

/** The document with `__typename` in every selection. */
const withTypenames = (document: DocumentNode): DocumentNode =>
  visit(document, {
    SelectionSet: (node, _key, parent) =>
      (parent as ASTNode).kind === Kind.OPERATION_DEFINITION ? undefined : { ...node, selections: [TYPENAME, ...node.selections] },
  })

const TYPENAME: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }

/** The names of all types in a response. */
function typenamesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found
  for (const [key, member] of Object.entries(value)) {
    if (key === '__typename') found.add(member as string)
    else typenamesIn(member, found)
  }
  return found
}

describe('in caches', () => {
  let world: World
  let warn: MockInstance
  beforeAll(async () => {
    world = await World.start({}, {}, WITH_WORDPRESS)
    warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  })
  afterAll(async () => {
    warn.mockRestore()
    await world.close()
  })
  const warnings = (): string[] => warn.mock.calls.splice(0).map((parts) => format(...parts))

  describe('urql', () => {
    let client: Client
    beforeAll(() => {
      client = urql.connect(`${world.gateway.url}/graphql`, authorizationOf('admin'))
    })

    it('keeps everything that operations show, without a warning', async () => {
      const seen = new Set<string>()
      for (const [document, variables] of WIDE) {
        const { data, error } = await client.query(withTypenames(document), variables).toPromise()
        expect(error).toBe(undefined)
        typenamesIn(data, seen)
        const calls = world.calls.length
        // Complete without a request: nothing was lost in the cache.
        const kept = await client.query(withTypenames(document), variables, { requestPolicy: 'cache-only' }).toPromise()
        expect(kept.data).toEqual(data)
        expect(world.calls).toHaveLength(calls)
      }
      expect([...seen]).toEqual(expect.arrayContaining(['GroupCourse', 'GroupCourseEdge', 'RestLink', 'RestCurie', 'Answer', 'PriceType']))
      expect(warnings()).toEqual([])
    })

    it('runs mutations and their failures without a warning', async () => {
      const document = parse(`mutation ($input: AddCoursesToGroupInput!, $course: UpdateCourseInput!) {
        addCoursesToGroup(input: $input) {
          ... on AddCoursesToGroupSuccess { additions { courseId added course { id title } } group { id courses(first: 1) { edges { groupCourse { title } } } } }
          ... on LmsError { code message }
        }
        updateCourse(input: $course) {
          ... on InvalidInputError { fields { field message } }
          ... on LmsError { code message }
        }
      }`)
      const input = { id: '1015', courseIds: ['10001'] }
      const { data, error } = await client
        .mutation(withTypenames(document), { input, course: { id: '10001', featuredMediaId: -1 } })
        .toPromise()
      expect(error).toBe(undefined)
      expect([...typenamesIn(data)]).toEqual(expect.arrayContaining(['AddCoursesToGroupSuccess', 'CourseAddition', 'InvalidField']))
      expect(warnings()).toEqual([])
    })

    it('warns about a record without its id, which the cache cannot update', async () => {
      await client.query(parse('{ lesson(id: 100001) { title course { slug } } }'), {}).toPromise()
      expect(warnings()).toEqual([expect.stringContaining('`Lesson`'), expect.stringContaining('`Course`')])
    })
  })

  it('Apollo Client matches fragments on interfaces and unions', async () => {
    const client = apollo.connect(`${world.gateway.url}/graphql`, authorizationOf('admin'))
    for (const [query, variables] of WIDE) {
      const { data } = await client.query<any>({ query, variables })
      const kept = client.readQuery<any>({ query, variables })
      expect(kept).toEqual(data)
      if (query === (documents.SearchDocument as DocumentNode)) expect(kept.courses.nodes[0]).toMatchObject({ title: expect.any(String) })
    }
    expect(warnings()).toEqual([])
  })
})
