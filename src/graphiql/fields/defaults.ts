import {
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
} from 'graphql'
import type { Written } from './text.js'

/** Values of scalars to begin with. */
const SCALARS: Readonly<Record<string, string>> = {
  Boolean: 'false',
  DateTime: '"2026-01-01T00:00:00Z"',
  Float: '1',
  ID: '"1"',
  Int: '1',
  JSONObject: '{}',
  LocalDate: '"2026-01-01"',
  LocalDateTime: '"2026-01-01T00:00:00"',
  URL: '"https://example.org"',
}

/** What is selected in an object at first: its id, else its first field without arguments; in a connection, that of its nodes. */
export function defaultSelection(type: GraphQLCompositeType, around: readonly GraphQLCompositeType[] = []): Written[] {
  if (isUnionType(type) || around.includes(type)) return [{ head: '__typename', inner: [] }]
  const { nodes, id, ...others } = type.getFields()
  const known = [nodes, id, ...Object.values(others)].filter((field) => field !== undefined)
  const fields = known.filter(({ args, deprecationReason }) => !args.some(isRequiredArgument) && deprecationReason == null)
  const field = fields.find((each) => each === nodes) ?? fields.find((each) => isLeafType(getNamedType(each.type))) ?? fields[0]
  if (!field) return [{ head: '__typename', inner: [] }]
  const of = getNamedType(field.type)
  return [{ head: field.name, inner: isCompositeType(of) ? defaultSelection(of, [...around, type]) : [] }]
}

/** The required arguments of a field, with values to begin with. */
export function requiredArguments(field: GraphQLField<unknown, unknown>): string {
  const required = field.args.filter(isRequiredArgument).map(({ name, type }) => `${name}: ${placeholder(type)}`)
  return required.length > 0 ? `(${required.join(', ')})` : ''
}

/** A value to begin with. */
export function placeholder(type: GraphQLInputType, around: readonly GraphQLInputType[] = []): string {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return around.includes(getNamedType(nullable)) ? '[]' : `[${placeholder(nullable.ofType, around)}]`
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name ?? 'null'
  if (!isInputObjectType(nullable)) return SCALARS[nullable.name] ?? '""'
  const members = Object.values(nullable.getFields())
  const required = nullable.isOneOf ? members.slice(0, 1) : members.filter(isRequiredInputField)
  if (required.length === 0) return '{}'
  return `{ ${required.map((each) => `${each.name}: ${placeholder(each.type, [...around, nullable])}`).join(', ')} }`
}
