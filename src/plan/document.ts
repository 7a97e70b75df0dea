import { GraphQLDeferDirective, GraphQLStreamDirective } from '@graphql-tools/utils'
import {
  BREAK,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  visit,
} from 'graphql'
import { directiveValues } from './graphql-js.js'

type Variables = Readonly<Record<string, unknown>>
type Fragments = Readonly<Record<string, FragmentDefinitionNode>>

/** The directives that are decided when an operation is planned, and those with which clients ask for an answer in parts. */
const DECIDED = ['skip', 'include']
const OF_PARTS = ['defer', 'stream']

/** Returns the operation of a request, or nothing when the name is unknown or missing and the document has several. */
export function operationOf(document: DocumentNode, name: string | null | undefined): OperationDefinitionNode | undefined {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  return name ? operations.find((operation) => operation.name?.value === name) : operations.length === 1 ? operations[0] : undefined
}

/** Whether a selection is included, by `@skip` and `@include`. */
function included(node: SelectionNode, variables: Variables): boolean {
  if (!node.directives?.length) return true
  if (directiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false
  return directiveValues(GraphQLIncludeDirective, node, variables)?.if !== false
}

/** Whether a fragment is sent after the rest of the response, by `@defer`. */
export function isDeferred(fragment: InlineFragmentNode, variables: Variables): boolean {
  const defer = directiveValues(GraphQLDeferDirective, fragment, variables)
  return defer !== undefined && defer.if !== false
}

/** Whether a document uses `@defer` or `@stream`. */
export function inParts(document: DocumentNode): boolean {
  let found = false
  visit(document, {
    Directive: ({ name }) => {
      found ||= OF_PARTS.includes(name.value)
      return found ? BREAK : undefined
    },
  })
  return found
}

/** Returns an error when an argument of `@defer` or `@stream` is wrong, which executors do not check or do not report as an error of the request. */
export function wrongPart(parts: readonly SelectionNode[], variables: Variables): GraphQLError | undefined {
  for (const node of parts) {
    try {
      directiveValues(GraphQLDeferDirective, node, variables)
      const { if: isOn = false, initialCount = 0 } = directiveValues(GraphQLStreamDirective, node, variables) ?? {}
      if (isOn && (initialCount === null || (initialCount as number) < 0))
        return new GraphQLError(`\`initialCount\` of \`@stream\` is ${initialCount}; it must be 0 or more.`, { nodes: node })
    } catch (error) {
      return error as GraphQLError
    }
  }
  return undefined
}

/** Returns the names of the variables that `@skip` and `@include` use anywhere in a document. */
export function switches(document: DocumentNode): string[] {
  const names = new Set<string>()
  const visitSet = (set: SelectionSetNode | undefined): void => {
    for (const node of set?.selections ?? []) {
      for (const directive of node.directives ?? []) {
        if (!DECIDED.includes(directive.name.value)) continue
        for (const { value } of directive.arguments ?? []) if (value.kind === Kind.VARIABLE) names.add(value.name.value)
      }
      if (node.kind !== Kind.FRAGMENT_SPREAD) visitSet(node.selectionSet)
    }
  }
  for (const definition of document.definitions) if ('selectionSet' in definition) visitSet(definition.selectionSet)
  return [...names].sort()
}

/** How an operation is copied. */
interface Copying {
  readonly fragments: Fragments
  readonly variables: Variables
  /** Names of the directives that copies do not have. */
  readonly without: readonly string[]
  /** The selections with `@defer` or `@stream`. */
  readonly parts: SelectionNode[]
  /** The number of copied selections. */
  size: number
}

/**
 * Copies one operation into a document of its own: without `@skip` and `@include`, with named fragments inlined. Every node is new, so that
 * a field node identifies one place of the response. Copies for whole answers have no `@defer` and `@stream`; `parts` are the selections that had
 * one. `size` is the number of selections. Returns nothing for an operation with an unknown fragment.
 */
export function ownDocument(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
  keepsParts: boolean,
): { readonly document: DocumentNode; readonly size: number; readonly parts: readonly SelectionNode[] } | undefined {
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null)
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition
  const parts: SelectionNode[] = []
  const copying = { fragments, variables, without: keepsParts ? DECIDED : [...DECIDED, ...OF_PARTS], parts, size: 0 }
  const selectionSet = copySet(operation.selectionSet, copying)
  if (!selectionSet) return undefined
  return { document: { kind: Kind.DOCUMENT, definitions: [{ ...operation, selectionSet }] }, size: copying.size, parts }
}

function copySet(set: SelectionSetNode, copying: Copying): SelectionSetNode | undefined {
  const selections: SelectionNode[] = []
  for (const node of set.selections) {
    if (!included(node, copying.variables)) continue
    copying.size++
    const copy = copyOf(node, copying)
    if (!copy) return undefined
    selections.push(copy)
  }
  return { ...set, selections }
}

function copyOf(node: SelectionNode, copying: Copying): SelectionNode | undefined {
  const directives = (node.directives ?? []).filter(({ name }) => !copying.without.includes(name.value))
  if (node.directives?.some(({ name }) => OF_PARTS.includes(name.value))) copying.parts.push(node)
  const source = node.kind === Kind.FRAGMENT_SPREAD ? copying.fragments[node.name.value] : node
  if (!source) return undefined
  if (source.kind === Kind.FIELD && !source.selectionSet) return { ...source, directives }
  const selectionSet = copySet(source.selectionSet as SelectionSetNode, copying)
  if (!selectionSet) return undefined
  if (source.kind === Kind.FIELD) return { ...source, directives, selectionSet }
  const { typeCondition, loc } = source
  return {
    kind: Kind.INLINE_FRAGMENT,
    directives,
    selectionSet,
    ...(typeCondition ? { typeCondition } : {}),
    ...(loc ? { loc } : {}),
  } as SelectionNode
}

/** Whether the arguments of a field hold a variable. */
export const holdsVariables = ({ arguments: given = [] }: FieldNode): boolean => given.some(({ value }) => isVariable(value))

function isVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(isVariable)
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => isVariable(field.value))
  return value.kind === Kind.VARIABLE
}

/** What the selections of an operation refer to. */
export interface Selected {
  readonly schema: GraphQLSchema
  readonly fragments: Fragments
  readonly variables: Variables
  /** Whether the caller is restricted. */
  readonly restricted?: boolean
}

/** Returns the fields selected on an object type, in order. Fields with equal response keys are not merged. Fragments for which `leaveOut` returns true are skipped. */
export function fieldsOf(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  { schema, fragments, variables }: Selected,
  leaveOut?: (fragment: InlineFragmentNode) => boolean,
): FieldNode[] {
  const fields: FieldNode[] = []
  const spread = new Set<string>()
  const applies = (name: string): boolean => {
    if (name === type.name) return true
    const condition = schema.getType(name)
    return condition !== undefined && isAbstractType(condition) && schema.isSubType(condition, type)
  }
  const visitSet = (set: SelectionSetNode | undefined): void => {
    for (const node of set?.selections ?? []) {
      if (!included(node, variables)) continue
      if (node.kind === Kind.FIELD) fields.push(node)
      else if (node.kind === Kind.INLINE_FRAGMENT) {
        if (node.typeCondition && !applies(node.typeCondition.name.value)) continue
        if (!leaveOut?.(node)) visitSet(node.selectionSet)
      } else if (!spread.has(node.name.value)) {
        spread.add(node.name.value)
        const fragment = fragments[node.name.value]
        if (fragment && applies(fragment.typeCondition.name.value)) visitSet(fragment.selectionSet)
      }
    }
  }
  for (const node of nodes) visitSet(node.selectionSet)
  return fields
}
