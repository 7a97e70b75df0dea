import {
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  parse,
  parseConstValue,
  print,
  printSchema,
  visit,
} from 'graphql'
import { marksOf } from '../../model/marks.js'

/** The directive that Relay, Apollo's clients and graphql-codegen (with graphql-sock) support. */
const DEFINITION = `
"""
The field is null only beside its own error, at these list levels: 0 is the field itself, 1 its items.
"""
directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION
`

/**
 * Prints the schema with `@semanticNonNull` on the fields that are null only beside an error, for clients that handle errors and treat
 * such fields as non-null.
 */
export function semanticSdl(graph: GraphQLSchema): string {
  const marked = visit(parse(printSchema(lexicographicSortSchema(graph))), {
    [Kind.OBJECT_TYPE_DEFINITION]: (node) => ({ ...node, fields: node.fields?.map((field) => withMark(graph, node.name.value, field)) }),
    [Kind.INTERFACE_TYPE_DEFINITION]: (node) => ({ ...node, fields: node.fields?.map((field) => withMark(graph, node.name.value, field)) }),
  })
  return print({ ...marked, definitions: [...parse(DEFINITION).definitions, ...marked.definitions] })
}

function withMark(graph: GraphQLSchema, typeName: string, field: FieldDefinitionNode): FieldDefinitionNode {
  const type = graph.getType(typeName)
  const config = isObjectType(type) || isInterfaceType(type) ? type.getFields()[field.name.value] : undefined
  const levels = config && marksOf(config).semanticNonNull
  return levels ? { ...field, directives: [...(field.directives ?? []), directive(levels)] } : field
}

const directive = (levels: readonly number[]): ConstDirectiveNode => ({
  kind: Kind.DIRECTIVE,
  name: { kind: Kind.NAME, value: 'semanticNonNull' },
  arguments:
    levels.length === 1 && levels[0] === 0
      ? []
      : [{ kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'levels' }, value: parseConstValue(`[${levels.join(', ')}]`) }],
})
