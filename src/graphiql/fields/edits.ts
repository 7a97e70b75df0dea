import {
  type ArgumentNode,
  type ASTNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  type SelectionNode,
  type SelectionSetNode,
  TokenKind,
  validate,
  visit,
} from 'graphql'
import { defaultSelection, requiredArguments } from './defaults.js'
import { type Entry, follow, type Parsed, parseText, type Target } from './scope.js'
import {
  addOperation,
  addSelectionSet,
  appendSelection,
  applyEdits,
  type Edit,
  indentOf,
  insert,
  rangeOf,
  removal,
  unite,
  type Written,
} from './text.js'

/** Edits of a document, and where the field is afterwards. */
export interface Change {
  readonly edits: readonly Edit[]
  readonly path: readonly string[]
}

/** How many aliases are tried for a field whose name is taken. */
const ALIASES = 50

/**
 * Selects a field, with the fields on the way to it that are not selected yet. Undefined when it is selected already, and when it is inside
 * a field of a fragment.
 */
export function tick(parsed: Parsed, target: Target, path: readonly string[]): Change | undefined {
  const entries = follow(parsed, target, path)
  if (!entries) return undefined
  const missing = entries.slice(entries.findLastIndex(({ own }) => own.length > 0) + 1)
  const parent = entries[entries.length - missing.length - 1]
  if (missing.length === 0 || missing.some(({ fragments }) => fragments.length > 0)) return undefined
  const first = missing.find(({ field }) => field)
  const errors = conflicts(parsed)
  for (let number = 1; number <= ALIASES; number++) {
    const alias = first && number > 1 ? `${first.name}${number}` : undefined
    const edit = put(parsed, target, parent, write(missing, first, alias))
    const changed = parseText(parsed.schema, applyEdits(parsed.text, [edit]))
    if (!changed || conflicts(changed) > errors) continue
    const at = path.length - missing.length + (first ? missing.indexOf(first) : 0)
    return { edits: [edit], path: first ? path.with(at, alias ?? first.name) : path }
  }
  return undefined
}

/**
 * Removes a field or a type from the selections, with everything that would be left without selections or unused: the fields around it,
 * variables and fragments. The last selection of a named operation becomes `__typename`. Undefined when nothing is to be removed.
 */
export function untick(parsed: Parsed, target: Target, path: readonly string[]): Change | undefined {
  const entry = follow(parsed, target, path)?.at(-1)
  if (!entry || entry.own.length === 0 || typeof target === 'string') return undefined
  const gone = new Set<ASTNode>(entry.own)
  const edits: Edit[] = []
  if (sweep(target.selectionSet, gone)) {
    if (target.kind === Kind.OPERATION_DEFINITION && !target.name && !target.variableDefinitions?.length) {
      gone.add(target)
    } else {
      const [kept] = target.selectionSet.selections as readonly [SelectionNode]
      edits.push({ ...rangeOf(kept), text: '__typename' })
    }
  }
  const kept = edits.length > 0 ? target.selectionSet.selections[0] : undefined
  const removed = [...removals(parsed, gone)].filter(({ node }) => node !== kept).map(({ edit }) => edit)
  // The alias goes with the field.
  return { edits: [...edits, ...unite(removed)], path: entry.field ? path.with(-1, entry.name) : path }
}

/** Sets an argument of a field, wherever the field is selected, or removes it. The value is GraphQL. */
export function setArgument(parsed: Parsed, { own }: Entry, name: string, value: string | undefined): Edit[] {
  const edits: Edit[] = []
  const gone = new Set<ASTNode>()
  for (const node of own) {
    if (node.kind !== Kind.FIELD) continue
    const given = node.arguments?.find((each) => each.name.value === name)
    if (given) gone.add(given)
    if (value === undefined) continue
    edits.push(given ? { ...rangeOf(given.value), text: value } : addArgument(parsed.text, node, `${name}: ${value}`))
  }
  const removed = [...removals(parsed, gone)].filter(({ node }) => value === undefined || !gone.has(node)).map(({ edit }) => edit)
  return [...edits, ...unite(removed)]
}

function addArgument(text: string, field: FieldNode, argument: string): Edit {
  const last = field.arguments?.at(-1)
  if (!last) return insert(text, rangeOf(field.name).end, `(${argument})`)
  const { start, end } = rangeOf(last)
  const indent = indentOf(text, start)
  return insert(text, end, indent === undefined ? `, ${argument}` : `\n${indent}${argument}`)
}

function conflicts({ schema, document }: Parsed): number {
  return validate(schema, document, [OverlappingFieldsCanBeMergedRule], { maxErrors: 100 }).length
}

/** The missing entries, each inside the one before it. */
function write([entry, ...rest]: readonly Entry[], aliased: Entry | undefined, alias: string | undefined): Written {
  const { key, name, field, inside } = entry as Entry
  const inner = rest.length > 0 ? [write(rest, aliased, alias)] : inside ? defaultSelection(inside.type) : []
  if (!field) return { head: key, inner }
  return { head: `${alias !== undefined && entry === aliased ? `${alias}: ` : ''}${name}${requiredArguments(field)}`, inner }
}

/** Puts a selection into the selection set of an entry, or at the top. */
function put({ text, document }: Parsed, target: Target, parent: Entry | undefined, selection: Written): Edit {
  const set = parent ? parent.inside?.own[0] : typeof target === 'string' ? undefined : target.selectionSet
  if (set) return appendSelection(text, set, selection)
  if (parent) return addSelectionSet(text, parent.own[0] as ASTNode, selection)
  const operation = target as string
  const names = document.definitions.flatMap((each) => ('name' in each && each.name ? each.name.value : []))
  if (document.definitions.length === 0) return addOperation(text, operation === 'query' ? '' : operation, selection, false)
  const base = operation === 'query' ? 'NewQuery' : 'NewMutation'
  let name = base
  for (let number = 2; names.includes(name); number++) name = `${base}${number}`
  return addOperation(text, `${operation} ${name}`, selection, true)
}

/** Adds fields whose selection set becomes empty to `gone`. Returns whether the selection set becomes empty. */
function sweep(set: SelectionSetNode, gone: Set<ASTNode>): boolean {
  for (const selection of set.selections) {
    const inner = selection.kind === Kind.FRAGMENT_SPREAD ? undefined : selection.selectionSet
    if (inner && !gone.has(selection) && sweep(inner, gone)) gone.add(selection)
  }
  return set.selections.every((each) => gone.has(each))
}

/** What to remove from the text: nodes, and the variables and fragments that only these use. */
function* removals({ text, document }: Parsed, gone: ReadonlySet<ASTNode>): Generator<{ node: ASTNode; edit: Edit }> {
  const before = new Set<string>()
  const after = new Set<string>()
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const used = usedBy(document, definition, new Set())
    const left = usedBy(document, definition, gone)
    for (const name of used.fragments) before.add(name)
    for (const name of left.fragments) after.add(name)
    const declared = definition.variableDefinitions ?? []
    const unused = declared.filter(({ variable: { name } }) => used.variables.has(name.value) && !left.variables.has(name.value))
    if (gone.has(definition)) continue
    yield* fromList(text, declared, new Set<ASTNode>(unused))
  }
  const unused = document.definitions.filter(
    (each) => each.kind === Kind.FRAGMENT_DEFINITION && before.has(each.name.value) && !after.has(each.name.value),
  )
  const all = new Set<ASTNode>([...gone, ...unused])
  yield* fromList(text, document.definitions, all)
  const lists: (readonly ASTNode[])[] = []
  visit(document, {
    enter(node) {
      if (all.has(node)) return false
      if (node.kind === Kind.SELECTION_SET) lists.push(node.selections)
      if (node.kind === Kind.FIELD && node.arguments) lists.push(node.arguments)
      return undefined
    },
  })
  for (const list of lists) yield* fromList(text, list, all)
}

/** Removes nodes of a list. Removes the parentheses too when the list becomes empty. */
function* fromList(text: string, list: readonly ASTNode[], gone: ReadonlySet<ASTNode>): Generator<{ node: ASTNode; edit: Edit }> {
  const inParentheses = list[0]?.kind === Kind.ARGUMENT || list[0]?.kind === Kind.VARIABLE_DEFINITION
  if (inParentheses && list.every((each) => gone.has(each))) {
    const [first, last] = [list[0], list.at(-1)] as [ASTNode, ASTNode]
    let [open, close] = [first.loc?.startToken, last.loc?.endToken]
    while (open && open.kind !== TokenKind.PAREN_L) open = open.prev ?? undefined
    while (close && close.kind !== TokenKind.PAREN_R) close = close.next ?? undefined
    if (open && close) yield { node: first, edit: { start: open.start, end: close.end, text: '' } }
    return
  }
  for (const [index, node] of list.entries()) {
    const next = list[index + 1]
    if (gone.has(node)) yield { node, edit: removal(text, node, next && !gone.has(next) ? next : undefined) }
  }
}

/** The variables and fragments that a definition uses, without some nodes. */
function usedBy(
  document: Parsed['document'],
  definition: ASTNode,
  without: ReadonlySet<ASTNode>,
): { variables: Set<string>; fragments: Set<string> } {
  const variables = new Set<string>()
  const fragments = new Set<string>()
  const look = (start: ASTNode): void => {
    visit(start, {
      enter(node) {
        if (without.has(node) || node.kind === Kind.VARIABLE_DEFINITION) return false
        if (node.kind === Kind.VARIABLE) variables.add(node.name.value)
        if (node.kind === Kind.FRAGMENT_SPREAD && !fragments.has(node.name.value)) {
          fragments.add(node.name.value)
          const found = document.definitions.find(
            (each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === node.name.value,
          )
          if (found) look(found)
        }
        return undefined
      },
    })
  }
  look(definition)
  return { variables, fragments }
}

/** An argument that is given to a field. */
export function argumentOf({ own }: Entry, name: string): ArgumentNode | undefined {
  const [node] = own
  return node?.kind === Kind.FIELD ? node.arguments?.find((each) => each.name.value === name) : undefined
}
