import { LIMITS as OPTIONS } from '../../options/limits.js'

/** Limits on requests and answers. They are generous for people and for the tools of frontends. */
export interface Limits {
  readonly maxTokens: number
  readonly maxDepth: number
  readonly maxAliases: number
  readonly maxAnswerSize: number
  /** Depth of brackets in a document, and of lists and objects in variables. */
  readonly maxNesting: number
  /** Root fields of an operation. */
  readonly maxRootFields: number
  /** Fragment definitions in a document. */
  readonly maxFragments: number
  /** Fields and fragments that an operation selects, with its fragments spread. */
  readonly maxSelections: number
  /** Repetitions of a field in one selection set, with fragments spread. */
  readonly maxRepeats: number
  /** Directives in a document. */
  readonly maxDirectives: number
  /** Items of a list and fields of an object, in a document and in variables. */
  readonly maxListItems: number
  /** Values in the variables of a request, including items of lists and fields of objects. */
  readonly maxVariableValues: number
  /** Cost of introspection in an operation; 1 is the introspection query of common tools. */
  readonly maxIntrospection: number
  /** Errors in an answer; the number of further ones is in `extensions.errorsLeftOut`. */
  readonly maxErrors: number
}

export type LimitName = keyof Limits

/**
 * The defaults. Those without an option keep the cost of validation and of messages low, at several times of what the largest operations of people
 * and tools need.
 */
export const LIMITS: Limits = {
  maxTokens: OPTIONS.maxTokens.default,
  maxDepth: OPTIONS.maxDepth.default,
  maxAliases: OPTIONS.maxAliases.default,
  maxAnswerSize: OPTIONS.maxAnswerSize.default,
  maxNesting: 100,
  maxRootFields: 50,
  maxFragments: 100,
  maxSelections: 5_000,
  maxRepeats: 100,
  maxDirectives: 200,
  maxListItems: 1_000,
  maxVariableValues: 5_000,
  maxIntrospection: 4,
  maxErrors: 100,
}

/** The given limits, and defaults for the others. */
export const limitsOf = (given: Partial<Limits>): Limits => ({ ...LIMITS, ...given })
