import {
  buildSchema,
  type FieldNode,
  GraphQLInt,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  type OperationDefinitionNode,
  parse,
  valueFromASTUntyped,
  versionInfo,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { argumentsOf, variablesOf } from '../../src/plan/values.js'
import { valuesIn, variablesFrom } from '../support/graphql-version.js'

const schema = buildSchema(`
  input Where { id: ID, names: [String!] }
  enum Order { UP DOWN }
  type Query {
    field(id: ID, count: Int = 3, name: String!, order: Order = UP, where: Where): String
  }
`)

const operationOf = (text: string) => parse(text).definitions[0] as OperationDefinitionNode

const TYPES = ['ID', 'ID!', 'Int', 'Int!', 'Int = 7', 'Float', 'String', 'String!', 'Boolean', 'Order', '[ID!]', 'Where']
const VALUES: readonly unknown[] = [
  undefined,
  null,
  '',
  'x',
  1,
  -0,
  1.5,
  2 ** 31,
  Number.NaN,
  true,
  'UP',
  ['x'],
  { id: 1 },
  { constructor: 'x' },
]

describe('variables', () => {
  it('are those of graphql-js, for every type and value', () => {
    let unchanged = 0
    for (const name of ['v', 'constructor'])
      for (const type of TYPES)
        for (const value of VALUES) {
          const operation = operationOf(`query ($${name}: ${type}, $other: ID) { __typename }`)
          const given = value === undefined ? {} : { [name]: value }
          const expected = valuesIn(variablesFrom(getVariableValues(schema, operation.variableDefinitions ?? [], given)))
          expect(variablesOf(schema, operation, given), `${type} ${JSON.stringify(value)}`).toEqual(expected)
          if (expected && value !== undefined && expected[name] === value) unchanged++
        }
    console.log(`${unchanged} of ${2 * TYPES.length * VALUES.length} values are taken over unchanged`)
    expect(unchanged).toBeGreaterThan(30)
  })
})

const ARGUMENTS = [
  'name: "x"',
  '',
  'name: null',
  'name: $v',
  'name: "x", id: $v',
  'name: "x", id: 5, count: 4',
  'name: "x", count: $v',
  'name: "x", count: null',
  'name: "x", count: "wrong"',
  'name: "x", order: DOWN',
  'name: "x", order: $v',
  'name: "x", where: { id: $v }',
  'name: "x", where: { names: ["a", $v] }',
  'name: "x", where: { names: ["a"] }',
  'name: "x", where: $v',
]

describe('arguments', () => {
  it('are those of graphql-js, or fail as there', () => {
    const field = schema.getQueryType()?.getFields().field
    if (!field) throw new Error('The schema has the field.')
    const outcome = (of: () => object) => {
      try {
        return { ...of() }
      } catch (error) {
        return String(error)
      }
    }
    let failed = 0
    for (const name of ['v', 'constructor'])
      for (const text of ARGUMENTS) {
        const operation = operationOf(`query ($${name}: String) { field${text && `(${text.replaceAll('$v', `$${name}`)})`} }`)
        const node = operation.selectionSet.selections[0] as FieldNode
        for (const given of [{}, { [name]: null }, { [name]: 'UP' }]) {
          const variables = variablesFrom(getVariableValues(schema, operation.variableDefinitions ?? [], given))
          const expected = outcome(() => getArgumentValues(field, node, variables))
          if (typeof expected === 'string') failed++
          expect(
            outcome(() => argumentsOf(field, node, given)),
            text,
          ).toEqual(expected)
        }
      }
    console.log(`${failed} of ${2 * ARGUMENTS.length * 3} arguments are wrong`)
    expect(failed).toBeGreaterThan(10)
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
    const operation = operationOf(text)
    const variables = variablesOf(own, operation, given)
    const field = own.getQueryType()?.getFields().field
    expect({
      ...argumentsOf(field as NonNullable<typeof field>, operation.selectionSet.selections[0] as FieldNode, variables ?? {}),
    }).toEqual(expected)
  })
})
