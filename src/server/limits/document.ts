import {
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
import { getOrMake } from '../../upstream/maps.js'
import { LIMITS, type LimitName, type Limits } from './limits.js'

/** A request that is refused for what it holds too much of. `what` begins the sentence. */
export const limitExceeded = (what: string, limit: LimitName, { [limit]: most }: Limits): GraphQLError =>
  new GraphQLError(`${what}; at most ${most} are allowed.`, { extensions: { code: 'LIMIT_EXCEEDED', limit, most, ...BAD_REQUEST } })

/** 400, but for clients of `application/json`, to whom each GraphQL request is answered by 200. */
const BAD_REQUEST = { http: { status: 400, spec: true } }

/** One thing that is counted in a document before anything else is done with it. */
export interface Measure {
  readonly limit: LimitName
  /** Begins the sentence when there is too much. */
  readonly says: string
  readonly of: (document: Parts) => number
}

/** A document by its parts. */
class Parts {
  readonly operations: readonly OperationDefinitionNode[]
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>

  constructor(readonly document: DocumentNode) {
    const { definitions } = document
    this.operations = definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION)
    this.fragments = new Map(definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION).map((each) => [each.name.value, each]))
  }

  /** The largest value over all operations of what is counted in a selection set. */
  overOperations(count: (set: SelectionSetNode) => number): number {
    return this.operations.reduce((most, { selectionSet }) => Math.max(most, count(selectionSet)), 0)
  }

  /**
   * Counts in selection sets as if each fragment stood wherever it is spread, but looks at each only once. `count` is handed what tells
   * the value of a fragment; a fragment that is not there, or spread in itself, counts nothing: validation tells of those.
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
 * How deep braces and brackets nest in a document, as far as `most` and one. The parser calls itself for each, and a deep document would
 * be the end of its stack, so this looks at the text alone; what stands in texts and comments is passed over.
 */
export function nestingOf(text: string, most: number): number {
  let [depth, deepest] = [0, 0]
  for (let at = 0; at < text.length && deepest <= most; at++) {
    const code = text.charCodeAt(at)
    if (code === BRACE || code === BRACKET) deepest = Math.max(deepest, ++depth)
    else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) depth--
    else if (code === HASH) at = endOfLine(text, at)
    else if (code === QUOTE) at = text.startsWith('"""', at) ? endOfBlock(text, at + 3) : endOfText(text, at + 1)
  }
  return deepest
}

function endOfLine(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) !== NEWLINE && text.charCodeAt(at) !== RETURN) at++
  return at
}

/** A text that does not end on its line is none: the parser stops there. */
function endOfText(text: string, from: number): number {
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
 * How often a response key stands in one place, with fragments in their places: validation holds each of them against each other. Asked
 * of operations whose selections have been counted.
 */
export const repeats: Measure = {
  limit: 'maxRepeats',
  says: 'The operation repeats a field too often in one place',
  of: (parts) => parts.overOperations((set) => mostIn(set, parts)),
}

// What spreads itself has no end: of that these are enough, and validation refuses it.
const MAX_STEPS = LIMITS.maxSelections.largest * 2
const MAX_DEPTH = LIMITS.maxDepth.largest

interface Place {
  count: number
  readonly sets: SelectionSetNode[]
}

function mostIn(set: SelectionSetNode, { fragments }: Parts): number {
  let most = 0
  let left = MAX_STEPS
  const gather = (set: SelectionSetNode, places: Map<string, Place>, spread: Set<string>): void => {
    for (const node of set.selections) {
      if (left-- <= 0) return
      if (node.kind === Kind.INLINE_FRAGMENT) gather(node.selectionSet, places, spread)
      else if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value
        const place = places.get(key) ?? { count: 0, sets: [] }
        places.set(key, place)
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

/** How many fields have an alias. */
const aliases: Measure = {
  limit: 'maxAliases',
  says: 'The document has too many aliases',
  of: ({ document }) => {
    let sum = 0
    visit(document, {
      Field: ({ alias }) => {
        if (alias) sum++
      },
    })
    return sum
  },
}

/** How deep fields nest. */
const depth: Measure = {
  limit: 'maxDepth',
  says: 'The operation nests its fields too deep',
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

/** How many directives there are. */
const directives: Measure = {
  limit: 'maxDirectives',
  says: 'The document has too many directives',
  of: ({ document }) => {
    let sum = 0
    visit(document, {
      Directive: () => {
        sum++
      },
    })
    return sum
  },
}

/** How many fragments a document defines. */
const fragments: Measure = {
  limit: 'maxFragments',
  says: 'The document defines too many fragments',
  of: ({ document }) => document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length,
}

/** How many items the longest list has, or fields the largest object. */
const listItems: Measure = {
  limit: 'maxListItems',
  says: 'A list or an object in the document is too long',
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

/** How many fields an operation begins with. */
const rootFields: Measure = {
  limit: 'maxRootFields',
  says: 'The operation begins with too many fields',
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

/** How many fields and fragments are selected. */
const selections: Measure = {
  limit: 'maxSelections',
  says: 'The operation selects too many fields and fragments',
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

/** How much an operation asks the graph about itself: 1 is what tools ask for who want to know everything. */
export function introspection(schema: GraphQLSchema): Measure {
  const { lengths, whole } = getOrMake(MEASURED, schema, () => measured(schema))
  return {
    limit: 'maxIntrospection',
    says: 'The operation asks too often for what the graph consists of',
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

/** What is the same for all gateways of a schema. */
const MEASURED = new WeakMap<GraphQLSchema, ReturnType<typeof measured>>()

function measured(schema: GraphQLSchema): { readonly lengths: Lengths; readonly whole: number } {
  const lengths = lengthsIn(schema)
  return { lengths, whole: costOf(new Parts(parse(getIntrospectionQuery(EVERYTHING))), lengths) }
}

type Lengths = Readonly<Record<string, number>>

/** About how many there are of what introspection lists, by the field that lists it. A single type may be the largest of all. */
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

/** How many values an operation would be answered by, of those that describe the graph. */
function costOf(parts: Parts, lengths: Lengths): number {
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

/** What a document holds too much of, if it does. */
export function documentCheck(limits: Limits, schema: GraphQLSchema): (document: DocumentNode) => GraphQLError | undefined {
  const measures: readonly Measure[] = [
    ...[depth, rootFields, aliases, fragments, selections, repeats, directives, listItems],
    introspection(schema),
  ]
  return (document) => {
    const parts = new Parts(document)
    const over = measures.find(({ limit, of }) => of(parts) > limits[limit])
    return over && limitExceeded(over.says, over.limit, limits)
  }
}
