/** A bound on what a request may hold, or an answer: a setting of this name. */
interface Bound {
  /** The default, and what it may be set to. */
  readonly most: number
  readonly least: number
  readonly largest: number
  /** What is counted. */
  readonly counts: string
}

const bound = (most: number, least: number, largest: number, counts: string): Bound => ({ most, least, largest, counts })

/** Every bound, generous for people and what they write their frontends with. */
export const LIMITS = {
  maxTokens: bound(10_000, 10, 1_000_000, 'Words, numbers, texts and marks in a document.'),
  maxNesting: bound(100, 10, 1_000, 'How deep brackets nest in a document, and lists and objects in variables.'),
  maxDepth: bound(20, 1, 100, 'How deep fields nest in an operation, with its fragments in their places.'),
  maxRootFields: bound(50, 1, 10_000, 'Fields an operation begins with.'),
  maxAliases: bound(2_000, 0, 100_000, 'Aliases in a document.'),
  maxFragments: bound(100, 0, 10_000, 'Fragments a document defines.'),
  maxSelections: bound(5_000, 1, 100_000, 'Fields and fragments an operation selects, with its fragments in all their places.'),
  maxRepeats: bound(100, 1, 10_000, 'How often a field stands in one place of an operation, with its fragments in their places.'),
  maxDirectives: bound(200, 0, 10_000, 'Directives in a document.'),
  maxListItems: bound(1_000, 1, 100_000, 'Items of a list and fields of an object, in a document and in variables.'),
  maxVariableValues: bound(5_000, 1, 100_000, 'Values in the variables of a request, with the items of lists and the fields of objects.'),
  maxIntrospection: bound(4, 1, 1_000, 'How much an operation may ask the graph about itself; 1 is all there is to know.'),
  maxErrors: bound(100, 1, 10_000, 'Errors in an answer; how many more there are, its extensions tell.'),
  maxAnswerSize: bound(10_000_000, 1_000, 200_000_000, 'Characters of the data in an answer.'),
} as const satisfies Record<string, Bound>

export type LimitName = keyof typeof LIMITS
export type Limits = { readonly [Name in LimitName]: number }

/** The bounds, by default where none is given. */
export const limitsOf = (given: Partial<Limits>): Limits =>
  Object.fromEntries(Object.entries(LIMITS).map(([name, { most }]) => [name, given[name as LimitName] ?? most])) as Limits
