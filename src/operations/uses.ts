import type { ASTNode, DocumentNode, GraphQLSchema, GraphQLType } from 'graphql'
import * as graphql from 'graphql'
import { isObject } from '../maps.js'

const { getNamedType, Kind } = graphql

/** A part of the graph that a document uses: its schema coordinate, such as `Course.title` or `Query.courses(first:)`, and the node with it. */
export interface Use {
  readonly coordinate: string
  readonly node: ASTNode
}

/**
 * What a document uses of a graph: fields, arguments, directives, enum values, input fields, and the types of its operations, fragments, variables
 * and input objects. The given values of variables count for the definitions of these. What the graph does not have is left out.
 */
export function usesIn(document: DocumentNode, schema: GraphQLSchema, variables: Readonly<Record<string, unknown>> | null = null): Use[] {
  const uses: Use[] = []
  const info = new graphql.TypeInfo(schema)
  const enter = (node: ASTNode): void => {
    const given = node.kind === Kind.VARIABLE_DEFINITION ? usesOf(variables?.[node.variable.name.value], info.getInputType()) : []
    for (const coordinate of [coordinateOf(node, info), ...given]) if (coordinate) uses.push({ coordinate, node })
  }
  graphql.visit(document, graphql.visitWithTypeInfo(info, { enter }))
  return uses
}

function coordinateOf(node: ASTNode, info: graphql.TypeInfo): string | null | undefined {
  const field =
    info.getFieldDef()?.name.startsWith('__') === false ? `${info.getParentType()?.name}.${info.getFieldDef()?.name}` : undefined
  const directive = info.getDirective() && `@${info.getDirective()?.name}`
  const input = getNamedType(info.getInputType())?.name
  switch (node.kind) {
    case Kind.OPERATION_DEFINITION:
    case Kind.FRAGMENT_DEFINITION:
    case Kind.INLINE_FRAGMENT:
      return getNamedType(info.getType())?.name
    case Kind.FIELD:
      return field
    case Kind.DIRECTIVE:
      return directive
    case Kind.ARGUMENT:
      return info.getArgument() && `${directive ?? field}(${node.name.value}:)`
    case Kind.VARIABLE_DEFINITION:
    case Kind.OBJECT:
      return input
    case Kind.OBJECT_FIELD:
      return info.getInputType() && `${getNamedType(info.getParentInputType())?.name}.${node.name.value}`
    case Kind.ENUM:
      return info.getEnumValue() && `${input}.${node.value}`
  }
}

/** The input types, input fields and enum values in the value of a variable. */
function usesOf(value: unknown, given: GraphQLType | null | undefined): string[] {
  const type = getNamedType(given)
  if (Array.isArray(value)) return value.flatMap((item) => usesOf(item, type))
  if (graphql.isEnumType(type)) return typeof value === 'string' && type.getValue(value) ? [`${type.name}.${value}`] : []
  if (!graphql.isInputObjectType(type) || !isObject(value)) return []
  const fields = Object.entries(type.getFields()).filter(([name]) => Object.hasOwn(value, name))
  return [type.name, ...fields.flatMap(([name, field]) => [`${type.name}.${name}`, ...usesOf(value[name], field.type)])]
}
