/** A limit on requests or answers. Each one is a setting. */
interface Bound {
  /** The default, and the range of the setting. */
  readonly most: number
  readonly least: number
  readonly largest: number
  /** Description of the setting. */
  readonly counts: string
}

const bound = (most: number, least: number, largest: number, counts: string): Bound => ({ most, least, largest, counts })

/** All limits. The defaults are generous for people and for the tools of frontends. */
export const LIMITS = {
  maxTokens: bound(10_000, 10, 1_000_000, 'Tokens in a document.'),
  maxNesting: bound(100, 10, 1_000, 'Depth of brackets in a document, and of lists and objects in variables.'),
  maxDepth: bound(20, 1, 100, 'Depth of fields in an operation, with its fragments spread.'),
  maxRootFields: bound(50, 1, 10_000, 'Root fields of an operation.'),
  maxAliases: bound(2_000, 0, 100_000, 'Aliases in a document.'),
  maxFragments: bound(100, 0, 10_000, 'Fragment definitions in a document.'),
  maxSelections: bound(5_000, 1, 100_000, 'Fields and fragments that an operation selects, with its fragments spread.'),
  maxRepeats: bound(100, 1, 10_000, 'Repetitions of a field in one selection set, with fragments spread.'),
  maxDirectives: bound(200, 0, 10_000, 'Directives in a document.'),
  maxListItems: bound(1_000, 1, 100_000, 'Items of a list and fields of an object, in a document and in variables.'),
  maxVariableValues: bound(5_000, 1, 100_000, 'Values in the variables of a request, including items of lists and fields of objects.'),
  maxIntrospection: bound(4, 1, 1_000, 'Cost of introspection in an operation; 1 is the introspection query of common tools.'),
  maxErrors: bound(100, 1, 10_000, 'Errors in an answer; the number of further ones is in `extensions.errorsLeftOut`.'),
  maxAnswerSize: bound(10_000_000, 1_000, 200_000_000, 'Characters of the data in an answer.'),
} as const satisfies Record<string, Bound>

export type LimitName = keyof typeof LIMITS
export type Limits = { readonly [Name in LimitName]: number }

/** The given limits, and defaults for the others. */
export const limitsOf = (given: Partial<Limits>): Limits =>
  Object.fromEntries(Object.entries(LIMITS).map(([name, { most }]) => [name, given[name as LimitName] ?? most])) as Limits
