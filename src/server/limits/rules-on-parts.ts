import {
  type ASTVisitor,
  type DirectiveNode,
  GraphQLError,
  getNullableType,
  isListType,
  Kind,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
} from 'graphql'

/** The validation rules on `@defer` and `@stream` that graphql-js lacks. graphql-js 17 has its own. */
export const RULES_ON_PARTS: readonly ValidationRule[] = specifiedRules.some(({ name }) => name === 'StreamDirectiveOnListFieldRule')
  ? []
  : [PartsRule]

/** `@defer` and `@stream` do not stand at the root of a mutation, `@stream` stands on lists, and their labels are texts that occur once. */
function PartsRule(context: ValidationContext): ASTVisitor {
  const labels = new Set<string>()
  return {
    Directive(node: DirectiveNode) {
      const name = node.name.value
      if (name !== 'defer' && name !== 'stream') return
      const wrong = (message: string): void => context.reportError(new GraphQLError(`\`@${name}\` ${message}.`, { nodes: node }))
      const field = context.getFieldDef()
      if (context.getParentType() === context.getSchema().getMutationType()) wrong('cannot be used at the root of a mutation')
      if (name === 'stream' && field && !isListType(getNullableType(field.type))) wrong(`needs a list, which \`${field.name}\` is not`)
      const label = node.arguments?.find((argument) => argument.name.value === 'label')?.value
      if (!label) return
      if (label.kind !== Kind.STRING) wrong('needs a label that is a text, not a variable')
      else if (labels.has(label.value)) wrong(`has the label \`${label.value}\`, which occurs twice`)
      else labels.add(label.value)
    },
  }
}
