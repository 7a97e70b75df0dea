import {
  type ASTNode,
  type DirectiveNode,
  type FieldNode,
  type FragmentSpreadNode,
  type GraphQLSchema,
  getNullableType,
  type InlineFragmentNode,
  isListType,
  Kind,
  parse,
  parseConstValue,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { Random } from '../support/random.js'

/** Puts `@defer` on fragments, `@stream` on lists, and fields into deferred fragments. */
export function withParts(query: string, schema: GraphQLSchema, random: Random): string {
  const types = new TypeInfo(schema)
  let labels = 0
  const directive = (name: string, more: Readonly<Record<string, number>> = {}): DirectiveNode => {
    const args: Readonly<Record<string, unknown>> = {
      ...more,
      ...(random.chance(0.4) && { label: `L${++labels}` }),
      ...(random.chance(0.1) && { if: random.chance(0.7) }),
    }
    return {
      kind: Kind.DIRECTIVE,
      name: { kind: Kind.NAME, value: name },
      arguments: Object.entries(args).map(([name, value]) => ({
        kind: Kind.ARGUMENT,
        name: { kind: Kind.NAME, value: name },
        value: parseConstValue(JSON.stringify(value)),
      })),
    }
  }
  const defer = <N extends InlineFragmentNode | FragmentSpreadNode>(node: N): N | undefined =>
    random.chance(0.5) ? { ...node, directives: [...(node.directives ?? []), directive('defer')] } : undefined
  const leaveField = (node: FieldNode): ASTNode | undefined => {
    if (isListType(getNullableType(types.getType())) && random.chance(0.3))
      return { ...node, directives: [...(node.directives ?? []), directive('stream', { initialCount: random.int(0, 3) })] }
    if (!random.chance(node.selectionSet ? 0.25 : 0.03)) return undefined
    return { kind: Kind.INLINE_FRAGMENT, directives: [directive('defer')], selectionSet: { kind: Kind.SELECTION_SET, selections: [node] } }
  }
  return print(
    visit(parse(query), visitWithTypeInfo(types, { Field: { leave: leaveField }, InlineFragment: defer, FragmentSpread: defer })),
  )
}
