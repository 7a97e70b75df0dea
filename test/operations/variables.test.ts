import {
  type FieldNode,
  GraphQLInt,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  type OperationDefinitionNode,
  parse,
  valueFromASTUntyped,
  versionInfo,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { argumentValues, variableValues } from '../../src/plan/graphql-js.js'
import { byVersion } from '../support/graphql-version.js'
import { World } from '../support/world.js'

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.close())

const outcome = async (query: string, variables: Record<string, unknown> = {}) => {
  const { status, data, errors, calls } = await world.query(query, { variables })
  return { status, data, errors: errors.map(({ message, path, extensions }) => ({ message, path, code: extensions.code })), calls }
}

const LIST = (args: string) => `courses${args} { nodes { databaseId } pageInfo { hasNextPage } }`

const MAP = (args: string) => `courses(first: 20) { nodes { prerequisiteMap${args} { isComplete nodes { courseId } } } }`

describe('variables', () => {
  it.each<[title: string, query: string, variables: Record<string, unknown>, literal: string]>([
    ['an id', 'query ($v: ID) { course(id: $v) { title } }', { v: '10002' }, '{ course(id: "10002") { title } }'],
    ['a number for an id', 'query ($v: ID!) { course(id: $v) { title } }', { v: 10002 }, '{ course(id: "10002") { title } }'],
    ['a number', `query ($v: Int) { ${LIST('(first: $v)')} }`, { v: 3 }, `{ ${LIST('(first: 3)')} }`],
    ['the number 0', `query ($v: Int) { ${LIST('(first: $v)')} }`, { v: 0 }, `{ ${LIST('(first: 0)')} }`],
    ['null', `query ($v: Int) { ${LIST('(first: 2, offset: $v)')} }`, { v: null }, `{ ${LIST('(first: 2, offset: null)')} }`],
    ['the default of a variable', `query ($v: Int = 3) { ${LIST('(first: $v)')} }`, {}, `{ ${LIST('(first: 3)')} }`],
    ['a value despite a default', `query ($v: Int = 3) { ${LIST('(first: $v)')} }`, { v: 2 }, `{ ${LIST('(first: 2)')} }`],
    ['null despite a default', `query ($v: Int = 3) { ${LIST('(first: 2, offset: $v)')} }`, { v: null }, `{ ${LIST('(first: 2)')} }`],
    ['none, for an argument without a default', `query ($v: Int) { ${LIST('(first: $v)')} }`, {}, `{ ${LIST('')} }`],
    ['none, for an argument with a default', `query ($v: Int) { ${MAP('(maxDepth: $v)')} }`, {}, `{ ${MAP('(maxDepth: 5)')} }`],
    ['one, for an argument with a default', `query ($v: Int) { ${MAP('(maxDepth: $v)')} }`, { v: 1 }, `{ ${MAP('(maxDepth: 1)')} }`],
    ['none, named as what each object has', `query ($constructor: Int) { ${LIST('(first: $constructor)')} }`, {}, `{ ${LIST('')} }`],
    [
      'one named as what each object has',
      `query ($constructor: Int) { ${LIST('(first: $constructor)')} }`,
      { constructor: 2 },
      `{ ${LIST('(first: 2)')} }`,
    ],
    [
      'an object',
      `query ($v: CourseWhere) { ${LIST('(where: $v)')} }`,
      { v: { id: { in: [10003, '10001'] } } },
      `{ ${LIST('(where: { id: { in: [10003, 10001] } })')} }`,
    ],
    [
      'an item within a list within an object',
      `query ($v: ID!, $w: ID!) { ${LIST('(where: { id: { in: [$v, "10002", $w] } })')} }`,
      { v: '10003', w: 10001 },
      `{ ${LIST('(where: { id: { in: [10003, 10002, 10001] } })')} }`,
    ],
    [
      'one item for a list',
      `query ($v: [ID!]) { ${LIST('(where: { id: { in: $v } })')} }`,
      { v: '10001' },
      `{ ${LIST('(where: { id: { in: ["10001"] } })')} }`,
    ],
    [
      'none, for a key of an object',
      `query ($v: [ID!]) { ${LIST('(first: 2, where: { id: { notIn: $v } })')} }`,
      {},
      `{ ${LIST('(first: 2, where: { id: {} })')} }`,
    ],
    [
      'a value of an enumeration',
      `query ($v: OrderDirection!) { ${LIST('(first: 3, orderBy: { field: ID, direction: $v })')} }`,
      { v: 'DESC' },
      `{ ${LIST('(first: 3, orderBy: { field: ID, direction: DESC })')} }`,
    ],
    [
      'an argument below a list',
      'query ($v: Int) { courses(first: 2) { nodes { lessons(first: $v) { nodes { title } } } } }',
      { v: 2 },
      '{ courses(first: 2) { nodes { lessons(first: 2) { nodes { title } } } } }',
    ],
  ])('have the response and the REST calls of literals: %s', async (_, query, variables, literal) => {
    const expected = await outcome(literal)
    expect(expected).toMatchObject({ status: 200, errors: [] })
    expect(await outcome(query, variables)).toEqual(expected)
    // The second time, the operation is prepared.
    expect(await outcome(query, variables)).toEqual(expected)
  })

  it.each<[title: string, query: string, variables: Record<string, unknown>, with16: string, with17: string]>([
    [
      'a fraction for an id',
      'query ($v: ID) { course(id: $v) { title } }',
      { v: 1.5 },
      'Variable "$v" got invalid value 1.5; ID cannot represent value: 1.5',
      'Variable "$v" has invalid value: ID cannot represent value: 1.5',
    ],
    [
      'a text for a number',
      `query ($v: Int) { ${LIST('(first: $v)')} }`,
      { v: '3' },
      'Variable "$v" got invalid value "3"; Int cannot represent non-integer value: "3"',
      'Variable "$v" has invalid value: Int cannot represent non-integer value: "3"',
    ],
    [
      'none for a required one',
      'query ($v: ID!) { course(id: $v) { title } }',
      {},
      'Variable "$v" of required type "ID!" was not provided.',
      'Variable "$v" has invalid value: Expected a value of non-null type "ID!" to be provided.',
    ],
    [
      'null for a required one',
      'query ($v: ID!) { course(id: $v) { title } }',
      { v: null },
      'Variable "$v" of non-null type "ID!" must not be null.',
      'Variable "$v" has invalid value: Expected value of non-null type "ID!" not to be null.',
    ],
    [
      'an unknown value of an enumeration',
      `query ($v: OrderDirection!) { ${LIST('(orderBy: { field: ID, direction: $v })')} }`,
      { v: 'UP' },
      'Variable "$v" got invalid value "UP"; Value "UP" does not exist in "OrderDirection" enum.',
      'Variable "$v" has invalid value: Value "UP" does not exist in "OrderDirection" enum.',
    ],
    [
      'a number for a text within a list',
      `query ($v: CourseWhere) { ${LIST('(where: $v)')} }`,
      { v: { slug: ['a', 1] } },
      'Variable "$v" got invalid value 1 at "v.slug[1]"; String cannot represent a non string value: 1',
      'Variable "$v" has invalid value at .slug[1]: String cannot represent a non string value: 1',
    ],
  ])('are refused before any call, with the reason of graphql-js: %s', async (_, query, variables, with16, with17) => {
    const { status, errors, calls } = await outcome(query, variables)
    expect([status, calls]).toEqual([400, []])
    expect(errors).toEqual([{ message: byVersion(with16, with17), path: undefined, code: 'BAD_USER_INPUT' }])
  })
})

describe.runIf(versionInfo.major >= 17)('what programs define as graphql-js 17 asks for it', () => {
  /** A scalar without functions for graphql-js 16: it reads literals only, and `default` of arguments instead of `defaultValue`. */
  const Any = new GraphQLScalarType({
    name: 'Any',
    coerceInputValue: (value: unknown) => ({ value }),
    coerceInputLiteral: (node: Parameters<typeof valueFromASTUntyped>[0]) => ({ literal: valueFromASTUntyped(node) }),
  } as object as { name: string })
  const args = { any: { type: Any }, count: { type: GraphQLInt, default: { value: 3 } } }
  const own = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { field: { type: GraphQLInt, args } } }) })

  it.each([
    ['{ field }', {}, { count: 3 }],
    ['{ field(any: "x", count: 4) }', {}, { any: { literal: 'x' }, count: 4 }],
    [
      'query ($v: String, $n: Int) { field(any: { text: $v, list: [$n] }) }',
      { v: 'x', n: 5 },
      { any: { literal: { text: 'x', list: [5] } }, count: 3 },
    ],
    ['query ($v: Any) { field(any: $v) }', { v: 1 }, { any: { value: 1 }, count: 3 }],
    ['query ($v: Any) { field(any: { of: $v }) }', { v: 1 }, { any: { literal: { of: 1 } }, count: 3 }],
  ])('is coerced by its own functions: %s', (text, given, expected) => {
    const operation = parse(text).definitions[0] as OperationDefinitionNode
    const variables = variableValues(own, operation, given)
    const field = own.getQueryType()?.getFields().field
    expect({
      ...argumentValues(field as NonNullable<typeof field>, operation.selectionSet.selections[0] as FieldNode, variables ?? {}),
    }).toEqual(expected)
  })
})
