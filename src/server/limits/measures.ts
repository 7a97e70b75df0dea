import {
  type ASTNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
  visit,
} from 'graphql'
import { getOrMake } from '../../maps.js'
import type { LimitName, Limits } from './limits.js'

/** The error of a request over a limit. `what` begins its message. */
export const limitExceeded = (what: string, limit: LimitName, { [limit]: most }: Limits): GraphQLError =>
  new GraphQLError(`${what}; at most ${most} are allowed.`, { extensions: { code: 'LIMIT_EXCEEDED', limit, most, ...BAD_REQUEST } })

/** Answered with 400; with 200 to clients of `application/json`, as GraphQL over HTTP requires. */
const BAD_REQUEST = { http: { status: 400, spec: true } }

/** What a limit counts in a document. */
export interface Measure {
  readonly limit: LimitName
  /** Begins the message of the error. */
  readonly what: string
  readonly of: (document: Definitions) => number
}

/** The operations and fragments of a document. */
class Definitions {
  readonly operations: readonly OperationDefinitionNode[]
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>

  constructor(readonly document: DocumentNode) {
    const { definitions } = document
    this.operations = definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION)
    this.fragments = new Map(definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION).map((each) => [each.name.value, each]))
  }

  /** The largest count over all operations. */
  overOperations(count: (set: SelectionSetNode) => number): number {
    return this.operations.reduce((most, { selectionSet }) => Math.max(most, count(selectionSet)), 0)
  }

  /**
   * Counts in selection sets with fragments spread, but visits each fragment only once. `count` receives a function for the count of a fragment.
   * Missing and recursive fragments count 0: validation reports them.
   */
  spreading(count: (set: SelectionSetNode, ofFragment: (name: string) => number) => number): (set: SelectionSetNode) => number {
    const known = new Map<string, number>()
    const ofFragment = (name: string): number => {
      const found = known.get(name)
      if (found !== undefined) return found
      known.set(name, 0)
      const fragment = this.fragments.get(name)
      const value = fragment ? count(fragment.selectionSet, ofFragment) : 0
      known.set(name, value)
      return value
    }
    return (set) => count(set, ofFragment)
  }
}

const [NEWLINE, RETURN, QUOTE, HASH, BACKSLASH] = [0x0a, 0x0d, 0x22, 0x23, 0x5c]
const [BRACKET, CLOSING_BRACKET, BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * The depth of braces and brackets in a document, up to `most` + 1. It is measured in the text, because the parser is recursive and a deep
 * document would overflow its stack. Strings and comments are skipped.
 */
export function nestingOf(text: string, most: number): number {
  let [depth, deepest] = [0, 0]
  for (let at = 0; at < text.length && deepest <= most; at++) {
    const code = text.charCodeAt(at)
    if (code === BRACE || code === BRACKET) deepest = Math.max(deepest, ++depth)
    else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) depth--
    else if (code === HASH) at = endOfLine(text, at)
    else if (code === QUOTE) at = text.startsWith('"""', at) ? endOfBlock(text, at + 3) : endOfString(text, at + 1)
  }
  return deepest
}

function endOfLine(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) !== NEWLINE && text.charCodeAt(at) !== RETURN) at++
  return at
}

/** The end of a string, or of its line, where the parser stops. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE || code === NEWLINE || code === RETURN) return at
    if (code === BACKSLASH) at++
  }
  return text.length
}

function endOfBlock(text: string, from: number): number {
  let end = text.indexOf('"""', from)
  while (end !== -1 && text.charCodeAt(end - 1) === BACKSLASH) end = text.indexOf('"""', end + 3)
  return end === -1 ? text.length : end + 2
}

/**
 * The most repetitions of a response key in one selection set, with fragments spread: validation compares all pairs of them. It is measured
 * after the number of selections.
 */
export const repeats: Measure = {
  limit: 'maxRepeats',
  what: 'The operation repeats a field too often in one selection set',
  of: (parts) => parts.overOperations((set) => mostIn(set, parts)),
}

// Recursive fragments have no end; these bounds are enough, and validation reports them.
const MAX_STEPS = 200_000
const MAX_DEPTH = 100

interface Place {
  count: number
  readonly sets: SelectionSetNode[]
}

function mostIn(set: SelectionSetNode, { fragments }: Definitions): number {
  let most = 0
  let left = MAX_STEPS
  const gather = (set: SelectionSetNode, places: Map<string, Place>, spread: Set<string>): void => {
    for (const node of set.selections) {
      if (left-- <= 0) return
      if (node.kind === Kind.INLINE_FRAGMENT) gather(node.selectionSet, places, spread)
      else if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value
        const place = getOrMake(places, key, (): Place => ({ count: 0, sets: [] }))
        place.count++
        if (node.selectionSet) place.sets.push(node.selectionSet)
      } else if (!spread.has(node.name.value)) {
        spread.add(node.name.value)
        const fragment = fragments.get(node.name.value)
        if (fragment) gather(fragment.selectionSet, places, spread)
      }
    }
  }
  const look = (sets: readonly SelectionSetNode[], depth: number): void => {
    const places = new Map<string, Place>()
    const spread = new Set<string>()
    for (const each of sets) gather(each, places, spread)
    for (const { count, sets } of places.values()) {
      most = Math.max(most, count)
      if (sets.length > 0 && depth < MAX_DEPTH) look(sets, depth + 1)
    }
  }
  look([set], 1)
  return most
}

/** The number of aliases. */
const aliases: Measure = {
  limit: 'maxAliases',
  what: 'The document has too many aliases',
  of: ({ document }) => numberOf(document, (node) => node.kind === Kind.FIELD && node.alias !== undefined),
}

/** How many nodes of a document are of some kind. */
function numberOf(document: DocumentNode, is: (node: ASTNode) => boolean): number {
  let sum = 0
  visit(document, {
    enter(node) {
      if (is(node)) sum++
    },
  })
  return sum
}

/** The depth of fields. */
const depth: Measure = {
  limit: 'maxDepth',
  what: 'The operation nests its fields too deep',
  of: (parts) => parts.overOperations(parts.spreading(deepest)),
}

function deepest({ selections }: SelectionSetNode, ofFragment: (name: string) => number): number {
  let most = 0
  for (const node of selections) {
    const own = node.kind === Kind.FIELD ? 1 : 0
    const below =
      node.kind === Kind.FRAGMENT_SPREAD ? ofFragment(node.name.value) : node.selectionSet ? deepest(node.selectionSet, ofFragment) : 0
    most = Math.max(most, own + below)
  }
  return most
}

/** The number of directives. */
const directives: Measure = {
  limit: 'maxDirectives',
  what: 'The document has too many directives',
  of: ({ document }) => numberOf(document, ({ kind }) => kind === Kind.DIRECTIVE),
}

/** The number of fragment definitions. */
const fragments: Measure = {
  limit: 'maxFragments',
  what: 'The document defines too many fragments',
  of: ({ document }) => document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length,
}

/** The length of the longest list or object. */
const listItems: Measure = {
  limit: 'maxListItems',
  what: 'A list or an object in the document is too long',
  of: ({ document }) => {
    let most = 0
    visit(document, {
      ListValue: ({ values }) => {
        most = Math.max(most, values.length)
      },
      ObjectValue: ({ fields }) => {
        most = Math.max(most, fields.length)
      },
    })
    return most
  },
}

/** The number of root fields. */
const rootFields: Measure = {
  limit: 'maxRootFields',
  what: 'The operation has too many root fields',
  of: (parts) => parts.overOperations(parts.spreading(fieldsIn)),
}

function fieldsIn({ selections }: SelectionSetNode, ofFragment: (name: string) => number): number {
  let sum = 0
  for (const node of selections) {
    if (node.kind === Kind.FIELD) sum++
    else sum += node.kind === Kind.FRAGMENT_SPREAD ? ofFragment(node.name.value) : fieldsIn(node.selectionSet, ofFragment)
  }
  return sum
}

/** The number of selected fields and fragments. */
const selections: Measure = {
  limit: 'maxSelections',
  what: 'The operation selects too many fields and fragments',
  of: (parts) => parts.overOperations(parts.spreading(selected)),
}

function selected({ selections }: SelectionSetNode, ofFragment: (name: string) => number): number {
  let sum = 0
  for (const node of selections) {
    sum++
    if (node.kind === Kind.FRAGMENT_SPREAD) sum += ofFragment(node.name.value)
    else if (node.selectionSet) sum += selected(node.selectionSet, ofFragment)
  }
  return sum
}

/** The number of fields and fragments that are written in a document. */
export const selectionsIn = ({ definitions }: DocumentNode): number =>
  definitions.reduce((sum, each) => sum + ('selectionSet' in each ? selected(each.selectionSet, () => 0) : 0), 0)

/** The cost of introspection in an operation; 1 is the introspection query of common tools. */
export function introspection(schema: GraphQLSchema): Measure {
  const { lengths, whole } = getOrMake(MEASURED, schema, () => measured(schema))
  return {
    limit: 'maxIntrospection',
    what: 'The operation has too much introspection',
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

/** Shared by all gateways of a schema. */
const MEASURED = new WeakMap<GraphQLSchema, ReturnType<typeof measured>>()

function measured(schema: GraphQLSchema): { readonly lengths: Lengths; readonly whole: number } {
  const lengths = lengthsIn(schema)
  return { lengths, whole: costOf(new Definitions(parse(getIntrospectionQuery(EVERYTHING))), lengths) }
}

type Lengths = Readonly<Record<string, number>>

/** Average lengths of the lists in introspection, by field. `__type` assumes the largest type. */
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

/** The estimated number of introspected values in the answer to an operation. */
function costOf(parts: Definitions, lengths: Lengths): number {
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

/** Parses a document within the limits on its text. Throws `GraphQLError`. */
export function parseWithin(limits: Limits, text: string): DocumentNode {
  if (nestingOf(text, limits.maxNesting) > limits.maxNesting)
    throw limitExceeded('The document nests its brackets too deep', 'maxNesting', limits)
  try {
    return parse(text, { maxTokens: limits.maxTokens })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    if (hasTokensUntil(text, error.positions?.[0] ?? 0, limits.maxTokens))
      throw limitExceeded('The document has too many tokens', 'maxTokens', limits)
    error.extensions.code ??= 'GRAPHQL_PARSE_FAILED'
    throw error
  }
}

/** Whether a text has more than `most` tokens up to a position: the parser stopped there because of its limit then. */
function hasTokensUntil(text: string, position: number, most: number): boolean {
  const lexer = new Lexer(new Source(text))
  try {
    for (let count = 1; ; count++) {
      const { kind, start } = lexer.advance()
      if (kind === TokenKind.EOF || start >= position) return kind !== TokenKind.EOF && count > most
    }
  } catch {
    return false
  }
}

/** Checks documents against the limits. Returns the first error. */
export function documentCheck(limits: Limits, schema: GraphQLSchema): (document: DocumentNode) => GraphQLError | undefined {
  const measures: readonly Measure[] = [
    ...[depth, rootFields, aliases, fragments, selections, repeats, directives, listItems],
    introspection(schema),
  ]
  return (document) => {
    const parts = new Definitions(document)
    const over = measures.find(({ limit, of }) => of(parts) > limits[limit])
    return over && limitExceeded(over.what, over.limit, limits)
  }
}
