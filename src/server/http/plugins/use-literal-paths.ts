import { type ASTNode, type DocumentNode, GraphQLError, Kind, type ValueNode, visit } from 'graphql'
import type { Plugin } from 'graphql-yoga'

/** Says of a literal that is not taken which argument, or field of an input, it is for: `input.date`, `where.author.in[0]`. */
export const useLiteralPaths = (): Plugin => ({
  onValidate({ params: { documentAST } }) {
    return ({ valid, result, setResult }) => {
      if (!valid) setResult(withPaths(documentAST, result as GraphQLError[]))
    }
  },
})

function withPaths(document: DocumentNode, errors: readonly GraphQLError[]): GraphQLError[] {
  const paths = pathsIn(document)
  return errors.map((error) => {
    const path = error.nodes?.[0] && paths.get(error.nodes[0])
    if (path === undefined) return error
    const { nodes = [], message, extensions } = error
    return new GraphQLError(`\`${path}\`: ${message}`, { nodes, extensions })
  })
}

/** The path of each value, and of each field of an input object, from the argument or variable it is for. */
function pathsIn(document: DocumentNode): ReadonlyMap<ASTNode, string> {
  const paths = new Map<ASTNode, string>()
  const walk = (value: ValueNode, path: string): void => {
    paths.set(value, path)
    if (value.kind === Kind.LIST) for (const [place, item] of value.values.entries()) walk(item, `${path}[${place}]`)
    if (value.kind !== Kind.OBJECT) return
    for (const field of value.fields) {
      paths.set(field, `${path}.${field.name.value}`)
      walk(field.value, `${path}.${field.name.value}`)
    }
  }
  visit(document, {
    Argument: ({ name, value }) => walk(value, name.value),
    VariableDefinition: ({ variable, defaultValue }) => defaultValue && walk(defaultValue, `$${variable.name.value}`),
  })
  return paths
}
