import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  type InlineFragmentNode,
  isAbstractType,
  isCompositeType,
  isObjectType,
  isUnionType,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
  type SelectionSetNode,
  Source,
  TypeNameMetaFieldDef,
} from 'graphql'

/** A document that could be parsed, with its text and the schema that it is for. */
export interface Parsed {
  readonly schema: GraphQLSchema
  readonly text: string
  readonly document: DocumentNode
}

/** What fields are ticked in: an operation or a fragment of the document, or an operation that is not in it yet. */
export type Definition = OperationDefinitionNode | FragmentDefinitionNode
export type Target = Definition | OperationTypeNode.QUERY | OperationTypeNode.MUTATION

/** The selections at one path of an operation. Those of fragments belong to the fragment. */
export interface Scope {
  readonly type: GraphQLCompositeType
  readonly own: readonly SelectionSetNode[]
  readonly fromFragments: readonly FragmentSelections[]
}

/** Selections of a fragment, with the names of the fragments that lead to them. */
interface FragmentSelections {
  readonly set: SelectionSetNode
  readonly through: readonly string[]
}

/** A field that can be selected in a scope, or a type with fields of its own: `... on Type`. */
export interface Entry {
  /** Unique in its scope: the response key of a selected field, the name of another one, or `... on Type`. */
  readonly key: string
  readonly name: string
  /** Undefined for a type. */
  readonly field: GraphQLField<unknown, unknown> | undefined
  /** The nodes that select it in the operation itself. */
  readonly own: readonly (FieldNode | InlineFragmentNode)[]
  /** Names of the fragments that select it. */
  readonly fragments: readonly string[]
  /** Undefined for fields without a selection set. */
  readonly inside: Scope | undefined
}

/** Parses a document. Returns undefined for a syntax error; a document without definitions is not one. */
export function parseText(schema: GraphQLSchema, text: string): Parsed | undefined {
  try {
    const isEmpty = new Lexer(new Source(text)).lookahead().kind === '<EOF>'
    return { schema, text, document: isEmpty ? { kind: Kind.DOCUMENT, definitions: [] } : parse(text) }
  } catch {
    return undefined
  }
}

/** The operations and fragments of a document. */
export const definitionsOf = ({ document }: Parsed): Definition[] =>
  document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION || each.kind === Kind.FRAGMENT_DEFINITION)

/** The scope at the top of an operation or a fragment. Undefined when the schema does not have its type. */
export function rootScope({ schema }: Parsed, target: Target): Scope | undefined {
  if (typeof target === 'string') {
    const root = schema.getRootType(target)
    return root ? { type: root, own: [], fromFragments: [] } : undefined
  }
  const type =
    target.kind === Kind.FRAGMENT_DEFINITION ? schema.getType(target.typeCondition.name.value) : schema.getRootType(target.operation)
  return type && isCompositeType(type) ? { type, own: [target.selectionSet], fromFragments: [] } : undefined
}

/** The fields and types that can be selected in a scope, in the order of the schema. A field with several aliases is in it several times. */
export function entriesOf(parsed: Parsed, scope: Scope): Entry[] {
  const found = collect(parsed, scope)
  const fields = isUnionType(scope.type) ? [] : Object.values(scope.type.getFields())
  const known = isAbstractType(scope.type) || found.some(({ name }) => name === '__typename') ? [TypeNameMetaFieldDef, ...fields] : fields
  return [
    ...known.flatMap((field): Entry[] => {
      const { name } = field
      const type = getNamedType(field.type)
      const selected = found.filter((each) => each.kind === Kind.FIELD && each.name === name)
      const key = found.some((each) => each.key === name) ? `+${name}` : name
      const shown = selected.length > 0 ? selected : [unselected(Kind.FIELD, key, name)]
      return shown.map((each) => entryOf(each, field, isCompositeType(type) ? type : undefined))
    }),
    ...narrower(parsed.schema, scope.type).map((type): Entry => {
      const key = `... on ${type.name}`
      return entryOf(found.find((each) => each.key === key) ?? unselected(Kind.INLINE_FRAGMENT, key, type.name), undefined, type)
    }),
  ]
}

/** The entries of a path. Undefined when one of them is not there. */
export function follow(parsed: Parsed, target: Target, path: readonly string[]): Entry[] | undefined {
  const entries: Entry[] = []
  let scope = rootScope(parsed, target)
  for (const key of path) {
    const entry: Entry | undefined = scope && entriesOf(parsed, scope).find((each) => each.key === key)
    if (!entry) return undefined
    entries.push(entry)
    scope = entry.inside
  }
  return entries
}

/** The nodes that select the same thing in one scope. */
interface Selected {
  readonly kind: Kind.FIELD | Kind.INLINE_FRAGMENT
  readonly key: string
  readonly name: string
  readonly own: (FieldNode | InlineFragmentNode)[]
  readonly fromFragments: { set: SelectionSetNode | undefined; through: readonly string[] }[]
}

const unselected = (kind: Selected['kind'], key: string, name: string): Selected => ({ kind, key, name, own: [], fromFragments: [] })

const entryOf = ({ key, name, own, fromFragments }: Selected, field: Entry['field'], type: GraphQLCompositeType | undefined): Entry => ({
  key,
  name,
  field,
  own,
  fragments: [...new Set(fromFragments.flatMap(({ through }) => through.slice(0, 1)))],
  inside: type && {
    type,
    own: own.flatMap(({ selectionSet }) => selectionSet ?? []),
    fromFragments: fromFragments.flatMap(({ set, through }) => (set ? { set, through } : [])),
  },
})

/** What is selected in a scope, also in fragments on its type or on a wider one. */
function collect({ schema, document }: Parsed, { type, own, fromFragments }: Scope): Selected[] {
  const found = new Map<string, Selected>()
  const fragments = new Map(
    document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  )
  const covers = (name: string): boolean => {
    const wider = schema.getType(name)
    return name === type.name || (isAbstractType(wider) && !isUnionType(type) && schema.isSubType(wider, type))
  }
  const add = (kind: Selected['kind'], key: string, name: string): Selected => {
    const known = found.get(key) ?? unselected(kind, key, name)
    found.set(key, known)
    return known
  }
  const visit = (set: SelectionSetNode, through: readonly string[]): void => {
    const put = (found: Selected, node: FieldNode | InlineFragmentNode): void => {
      if (through.length === 0) found.own.push(node)
      else found.fromFragments.push({ set: node.selectionSet, through })
    }
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        put(add(Kind.FIELD, selection.alias?.value ?? selection.name.value, selection.name.value), selection)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const on = selection.typeCondition?.name.value ?? type.name
        if (covers(on)) visit(selection.selectionSet, through)
        else put(add(Kind.INLINE_FRAGMENT, `... on ${on}`, on), selection)
      } else {
        const name = selection.name.value
        const definition = fragments.get(name)
        // A fragment that leads to itself is an error, which the editor shows.
        if (!definition || through.includes(name)) continue
        const on = definition.typeCondition.name.value
        const further = [...through, name]
        if (covers(on)) visit(definition.selectionSet, further)
        else add(Kind.INLINE_FRAGMENT, `... on ${on}`, on).fromFragments.push({ set: definition.selectionSet, through: further })
      }
    }
  }
  for (const set of own) visit(set, [])
  for (const { set, through } of fromFragments) visit(set, through)
  return [...found.values()]
}

/** The interfaces and object types that objects of an abstract type can have, interfaces first. */
function narrower(schema: GraphQLSchema, type: GraphQLCompositeType): GraphQLCompositeType[] {
  if (isObjectType(type)) return []
  const possible = schema.getPossibleTypes(type)
  const interfaces = new Set(possible.flatMap((each) => each.getInterfaces()))
  const others = [...interfaces].filter((each) => each !== type && (isUnionType(type) || !schema.isSubType(each, type)))
  const byName = (a: GraphQLCompositeType, b: GraphQLCompositeType): number => (a.name < b.name ? -1 : 1)
  return [...others.sort(byName), ...[...possible].sort(byName)]
}
