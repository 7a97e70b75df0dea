import {
  type GraphQLSchema,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql'
import { getOrMake } from '../../upstream/maps.js'
import { type Measure, Parts } from './measure.js'

/** How much an operation asks the graph about itself: 1 is what tools ask for who want to know everything. */
export function introspection(schema: GraphQLSchema): Measure {
  const { lengths, whole } = getOrMake(MEASURED, schema, () => measured(schema))
  return {
    limit: 'maxIntrospection',
    says: 'The operation asks too often for what the graph consists of',
    of: (parts) => costOf(parts, lengths) / whole,
  }
}

const EVERYTHING = {
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
} as const

/** What is the same for all gateways of a schema. */
const MEASURED = new WeakMap<GraphQLSchema, ReturnType<typeof measured>>()

function measured(schema: GraphQLSchema): { readonly lengths: Lengths; readonly whole: number } {
  const lengths = lengthsIn(schema)
  return { lengths, whole: costOf(new Parts(parse(getIntrospectionQuery(EVERYTHING))), lengths) }
}

type Lengths = Readonly<Record<string, number>>

/** About how many there are of what introspection lists, by the field that lists it. A single type may be the largest of all. */
function lengthsIn(schema: GraphQLSchema): Lengths {
  const types = Object.values(schema.getTypeMap())
  const fielded = types.filter((type) => isObjectType(type) || isInterfaceType(type))
  const fields = fielded.flatMap((type) => Object.values(type.getFields()))
  const inputs = types.filter(isInputObjectType).flatMap((type) => Object.values(type.getFields()))
  const values = types.filter(isEnumType).flatMap((type) => type.getValues())
  const most = Math.max(...fielded.map((type) => Object.keys(type.getFields()).length))
  const each = (list: readonly unknown[], among: readonly unknown[]): number => Math.max(1, list.length / among.length)
  return {
    types: types.length,
    directives: schema.getDirectives().length,
    fields: each(fields, types),
    inputFields: each(inputs, types),
    enumValues: each(values, types),
    args: each(
      fields.flatMap(({ args }) => args),
      fields,
    ),
    __type: most / each(fields, types),
  }
}

/** How many values an operation would be answered by, of those that describe the graph. */
function costOf(parts: Parts, lengths: Lengths): number {
  const described = parts.spreading(({ selections }, ofFragment) =>
    selections.reduce((sum, node) => {
      if (node.kind === Kind.FRAGMENT_SPREAD) return sum + ofFragment(node.name.value)
      const inner = node.selectionSet ? described(node.selectionSet) : 0
      return sum + (node.kind === Kind.FIELD ? (lengths[node.name.value] ?? 1) * (1 + inner) : inner)
    }, 0),
  )
  const roots = (set: SelectionSetNode, ofFragment: (name: string) => number): number =>
    set.selections.reduce((sum, node) => {
      if (node.kind === Kind.FRAGMENT_SPREAD) return sum + ofFragment(node.name.value)
      if (node.kind === Kind.INLINE_FRAGMENT) return sum + roots(node.selectionSet, ofFragment)
      const { name, selectionSet } = node
      return /^__(schema|type)$/.test(name.value) && selectionSet ? sum + (lengths[name.value] ?? 1) * described(selectionSet) : sum
    }, 0)
  return parts.overOperations(parts.spreading(roots))
}
