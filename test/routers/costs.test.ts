import { createGatewayRuntime } from '@graphql-hive/gateway-runtime'
import {
  buildSchema,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subgraphOf } from '../../src/federation/subgraph.js'
import { supergraphOf } from '../../src/federation/supergraph.js'
import { graphSchema } from '../../src/index.js'
import { authorizationOf, World } from '../support/world.js'

/** The weight of one REST call. */
const CALL = 100

/** The directives of costs as the specification of federation defines them, for the executable schema of the SDL. */
const DEFINITIONS = `
  directive @link(url: String!, import: [String]) repeatable on SCHEMA
  directive @key(fields: String!, resolvable: Boolean) repeatable on OBJECT
  directive @shareable on OBJECT
  directive @cost(weight: Int!) on OBJECT | FIELD_DEFINITION
  directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean) on FIELD_DEFINITION`

const { sdl } = subgraphOf(graphSchema())
const schema = buildSchema(`${sdl}\n${DEFINITIONS}`, { assumeValid: true })

/** The static cost of an operation, as the documentation of Apollo Router defines it. */
function staticCost(query: string): number {
  const { definitions } = parse(query)
  const operation = definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode
  const isMutation = operation.operation === 'mutation'
  const root = schema.getRootType(operation.operation) as GraphQLObjectType
  return (isMutation ? 10 : 0) + selectionCost(operation.selectionSet, root, {})
}

type Sizes = Readonly<Record<string, number>>

function selectionCost({ selections }: SelectionSetNode, type: GraphQLObjectType, sizes: Sizes): number {
  let cost = 0
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      const field = type.getFields()[selection.name.value]
      if (field) cost += fieldCost(selection, field, sizes)
    } else if (selection.kind === Kind.INLINE_FRAGMENT)
      cost += selectionCost(selection.selectionSet, onType(selection.typeCondition?.name.value, type), sizes)
  }
  return cost
}

const onType = (name: string | undefined, type: GraphQLObjectType): GraphQLObjectType => {
  const named = name === undefined ? type : schema.getType(name)
  return isObjectType(named) ? named : type
}

function fieldCost(node: FieldNode, field: GraphQLField<unknown, unknown>, sizes: Sizes): number {
  const type = getNamedType(field.type)
  const definition = field.astNode as NonNullable<typeof field.astNode>
  const own =
    directive(definition, 'cost')?.weight ?? (isObjectType(type) && type.astNode ? directive(type.astNode, 'cost')?.weight : undefined)
  const weight = (own as number | undefined) ?? (isCompositeType(type) ? 1 : 0)
  const size = directive(definition, 'listSize') as { assumedSize: number; slicingArguments?: string[]; sizedFields?: string[] } | undefined
  const args = getArgumentValues(field, node)
  const given = size?.slicingArguments?.flatMap((name) => (typeof args[name] === 'number' ? [args[name] as number] : [])) ?? []
  const rows = given.length > 0 ? Math.max(...given) : (size?.assumedSize ?? 1)
  const isSized = size?.sizedFields !== undefined
  const below = isSized ? Object.fromEntries((size.sizedFields as string[]).map((name) => [name, rows])) : {}
  const instances = sizes[node.name.value] ?? (isSized ? 1 : rows)
  const children =
    node.selectionSet && (isObjectType(type) || isAbstractType(type)) ? selectionCost(node.selectionSet, firstOf(type), below) : 0
  return instances * (weight + children)
}

const firstOf = (type: ReturnType<typeof getNamedType>): GraphQLObjectType =>
  (isAbstractType(type) ? schema.getPossibleTypes(type)[0] : type) as GraphQLObjectType

const directive = (on: { readonly directives?: readonly any[] }, name: string): Record<string, unknown> | undefined =>
  getDirectiveValues((schema as GraphQLSchema).getDirective(name) as never, on as never) as Record<string, unknown> | undefined

interface Case {
  readonly what: string
  readonly query: string
  /** Relations of a single record: each can need a call, of which the static figure has only a part. */
  readonly single: number
  /** Whether a field needs whole lists. `max` has lists of 1,000 rows there, the static figure has lists of ten. */
  readonly needsLists?: true
}

/** Single reads of records that batches leave out, which `max` of the gateway allows in addition. */
const LEFT_OUT = 10

const CASES: readonly Case[] = [
  { what: 'one course', query: '{ course(id: 10001) { title price } }', single: 0 },
  { what: 'a list of 100', query: '{ courses(first: 100) { nodes { title price } } }', single: 0 },
  { what: 'a list of 1,000', query: '{ courses(first: 1000) { nodes { title } } }', single: 0 },
  { what: 'prerequisites of 100', query: '{ courses(first: 100) { nodes { title prerequisites { title } } } }', single: 0 },
  {
    what: 'groups, courses, prerequisites, price type',
    query: '{ groups(first: 10) { nodes { title courses(first: 100) { nodes { title priceType { name } prerequisites { title } } } } } }',
    single: 0,
  },
  {
    what: 'lessons and quizzes of 50 courses',
    query: '{ courses(first: 50) { nodes { title lessons(first: 100) { nodes { title } } quizzes(first: 100) { nodes { title } } } } }',
    single: 0,
  },
  {
    what: 'one course, its price type and a lesson',
    query: '{ course(id: 10001) { priceType { name } lessons(first: 1) { nodes { title } } } }',
    single: 1,
  },
  {
    what: 'a lesson, its course and that of its quizzes',
    query: '{ lesson(id: 100001) { title course { title } quizzes { nodes { title } } } }',
    single: 1,
  },
  {
    what: 'rows with cursors',
    query: '{ lessons(first: 20) { totalCount edges { cursor node { title course { title priceType { name } } } } } }',
    single: 0,
  },
  {
    what: 'access to ten courses',
    query: '{ courses(first: 10) { nodes { title access(user: 3) { state } } } }',
    single: 0,
    needsLists: true,
  },
  {
    what: 'a mutation',
    query:
      'mutation { updateCourse(input: { id: 10003, price: "3" }) { ... on UpdateCourseSuccess { course { title priceType { name } } } } }',
    single: 1,
  },
]

describe('the costs in the SDL', () => {
  const table: string[] = []
  let world: World
  let router: ReturnType<typeof createGatewayRuntime>
  beforeAll(async () => {
    world = await World.start({ subgraph: { enabled: true }, observe: { explainFor: ['everybody'] }, limits: { maxCalls: 10_000 } })
    router = createGatewayRuntime({
      supergraph: supergraphOf(graphSchema(), { url: `${world.gateway.url}/graphql` }),
      logging: false,
      demandControl: { includeExtensionMetadata: true },
    })
    // The gateway learns that the site allows this caller batches. Until then its `max` has single reads of all records.
    const learned = await world.query(
      '{ courses(first: 20) { nodes { prerequisites { title } lessons(first: 2) { nodes { course { title } } } access(user: 3) { state } } } }',
      { as: 'admin' },
    )
    expect(learned.errors).toEqual([])
  })
  afterAll(async () => {
    console.log(['operation: max of the gateway, static cost by Apollo, static cost by Hive Gateway (in REST calls)', ...table].join('\n'))
    await router[Symbol.asyncDispose]()
    await world.close()
  })

  /** The most REST calls that the gateway expects. */
  async function estimated(query: string): Promise<{ max: number; expected: number }> {
    const response = await world.gateway.post({ query, extensions: { explain: 'plan' } }, { authorization: authorizationOf('admin') })
    const { extensions } = (await response.json()) as { extensions: { explain: { predicted: { max: number; expected: number } } } }
    return extensions.explain.predicted
  }

  /** The cost that Hive Gateway calculates, before it has the response. */
  async function costByHive(query: string): Promise<number> {
    const response = await router.fetch('http://router/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    const { extensions } = (await response.json()) as { extensions?: { cost?: { estimated: number } } }
    return extensions?.cost?.estimated ?? Number.NaN
  }

  it.each(CASES)('are near the most calls of the gateway: $what', async ({ what, query, single, needsLists }) => {
    const { max, expected } = await estimated(query)
    const [cost, byHive] = [staticCost(query) / CALL, (await costByHive(query)) / CALL]
    table.push(`${what}: ${max}, ${cost.toFixed(2)}, ${byHive.toFixed(2)}`)
    expect(max).toBeGreaterThan(0)
    // Not lower, and at most ten times as much: batches have up to 100 records, costs count ten.
    expect(cost).toBeGreaterThanOrEqual(needsLists ? expected : max - LEFT_OUT - single)
    expect(cost).toBeLessThanOrEqual(10 * max + 1)
  })

  it('are those of the declarations of the graph', () => {
    const weights = (type: string): Record<string, unknown> =>
      Object.fromEntries(
        Object.values((schema.getType(type) as GraphQLObjectType).getFields()).flatMap(({ name, astNode }) => {
          const weight = astNode ? directive(astNode, 'cost')?.weight : undefined
          return weight === undefined ? [] : [[name, weight]]
        }),
      )
    // Read in batches of all types.
    const shared = ['author', 'featuredImage', 'categories', 'tags', 'courseCategories', 'courseTags'].map((name) => [name, 10])
    expect(weights('Course')).toEqual({
      ...Object.fromEntries(shared),
      access: expect.any(Number),
      groups: 100,
      lessons: 100,
      outline: expect.any(Number),
      prerequisiteMap: expect.any(Number),
      prerequisites: 10,
      priceType: 1,
      progress: 10,
      quizzes: 100,
      users: 100,
    })
    expect(weights('User')).toEqual({ courseProgress: 100, courses: 100, nextLessons: expect.any(Number), progressIn: 100 })
    expect(weights('GroupCourse')).toEqual({ ...Object.fromEntries(shared), prerequisites: 10, priceType: 1 })
    expect(weights('UpdateCourseSuccess')).toEqual({ course: 100 })
    expect(new Set(Object.values(weights('Mutation')))).toEqual(new Set([100]))
    expect(new Set(Object.values(weights('Query')))).toEqual(new Set([100]))
  })

  it('have the size of each connection, and of nothing else that is not a list', () => {
    const sizes = [...sdl.matchAll(/: (\[?)(\w+)[!\]]*(?: @cost\(weight: \d+\))? @listSize\(([^)]*)\)/g)]
    const connections = sizes.filter(([, , type]) => type?.endsWith('Connection'))
    expect(connections.length).toBe(sdl.match(/: \w+Connection\b/g)?.length)
    for (const [, , , args] of connections)
      expect(args).toBe(
        'assumedSize: 10, slicingArguments: ["first", "last"], sizedFields: ["nodes", "edges"], requireOneSlicingArgument: false',
      )
    for (const [, bracket, type] of sizes) expect([type, bracket === '[' || type?.endsWith('Connection')]).toEqual([type, true])
  })
})
