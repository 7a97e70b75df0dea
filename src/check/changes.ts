import { type Change, diff } from '@graphql-inspector/core'
import type { GraphQLNamedType, GraphQLSchema, NameNode } from 'graphql'
import * as graphql from 'graphql'
import type { Use } from '../operations/uses.js'

/** A change of a graph that breaks operations, or a changed default. */
export interface GraphChange extends Change {
  /** What breaks by it, as schema coordinates: what has changed, or what must now have something more. */
  readonly coordinates: readonly string[]
}

export const isDefault = ({ type }: Change): boolean => /DEFAULT(_VALUE)?_CHANGED$/.test(type)

/** The changes from a released graph to a new one that break operations, and the changed defaults. */
export async function changesBetween(released: GraphQLSchema, graph: GraphQLSchema): Promise<GraphChange[]> {
  const changes: Change[] = await diff(released, graph)
  return changes
    .filter((change) => isDefault(change) || change.criticality.level === 'BREAKING')
    .map((change) => ({ ...change, coordinates: coordinatesOf(change) }))
}

function coordinatesOf(change: Change): string[] {
  const { type, path = '', meta } = change
  const [owner = '', ...members] = path.split('.')
  const parent = [owner, ...members.slice(0, -1)].join('.')
  const own = members.length > (owner.startsWith('@') ? 0 : 1) ? `${parent}(${members.at(-1)}:)` : path
  if (isDefault(change) || type.endsWith('_ADDED')) return [parent]
  if (type === 'UNION_MEMBER_REMOVED') return [meta.removedUnionMemberTypeName]
  if (/^SCHEMA_|^OBJECT_TYPE_INTERFACE_REMOVED$/.test(type)) return Object.values<string>(meta)
  const isNeeded = type !== 'FIELD_TYPE_CHANGED' && Object.values(meta).some((each) => String(each).endsWith('!'))
  return isNeeded ? [own, parent] : [own]
}

/**
 * What a change does to a use of the released graph that may stay valid. An answer of another type is an error. What variables have at run time is
 * not known: a new required input field is an error, and what they may no longer have a warning. A value that answers no longer have breaks nothing.
 */
export function effectOf(change: GraphChange, { coordinate, node }: Use, released: GraphQLSchema): 'error' | 'warning' | undefined {
  const { type, path = '', coordinates } = change
  if (node.kind === graphql.Kind.VARIABLE_DEFINITION) {
    const isInside = /^(INPUT|ENUM)_/.test(type) && valuesOf(released.getType(coordinate)).some((each) => coordinates.includes(each))
    return isInside ? (type === 'INPUT_FIELD_ADDED' ? 'error' : 'warning') : undefined
  }
  if (type === 'TYPE_KIND_CHANGED' && node.kind === graphql.Kind.FIELD) {
    const used = graphql.resolveSchemaCoordinate(released, coordinate)
    return used?.kind === 'Field' && graphql.getNamedType(used.field.type).name === path ? 'error' : undefined
  }
  if (!coordinates.includes(coordinate)) return undefined
  // Fragments on the interface select nothing of the object any more.
  if (type === 'OBJECT_TYPE_INTERFACE_REMOVED') return coordinate === path ? undefined : 'warning'
  const given: readonly { readonly name: NameNode }[] = ('arguments' in node && node.arguments) || ('fields' in node && node.fields) || []
  if (isDefault(change)) return given.some(({ name }) => path.endsWith(`.${name.value}`)) ? undefined : 'warning'
  return type === 'FIELD_TYPE_CHANGED' ? 'error' : undefined
}

/** What values of an input type can have: its input fields and enum values, and those of the types of its fields. */
function valuesOf(type: GraphQLNamedType | undefined, found = new Set<unknown>()): string[] {
  if (graphql.isEnumType(type)) return type.getValues().map(({ name }) => `${type.name}.${name}`)
  if (!graphql.isInputObjectType(type) || found.has(type)) return []
  found.add(type)
  const fields = Object.values(type.getFields())
  return [type.name, ...fields.flatMap((field) => [`${type.name}.${field.name}`, ...valuesOf(graphql.getNamedType(field.type), found)])]
}
