import { type DocumentNode, GraphQLError, type GraphQLSchema, type ParseOptions, parse, type Source } from 'graphql'
import { aliases } from './aliases.js'
import { depth } from './depth.js'
import { directives } from './directives.js'
import { limitExceeded } from './exceeded.js'
import { fragments } from './fragments.js'
import { introspection } from './introspection.js'
import type { Limits } from './limits.js'
import { listItems } from './list-items.js'
import { type Measure, Parts } from './measure.js'
import { nestingOf } from './nesting.js'
import { repeats } from './repeats.js'
import { rootFields } from './root-fields.js'
import { selections } from './selections.js'

/** Parses a document that keeps within the limits on its text; throws a `GraphQLError`. */
export function parseWithin(limits: Limits, source: string | Source, options?: ParseOptions): DocumentNode {
  const text = typeof source === 'string' ? source : source.body
  if (nestingOf(text, limits.maxNesting) > limits.maxNesting)
    throw limitExceeded('The document nests its brackets too deep', 'maxNesting', limits)
  try {
    return parse(source, { ...options, maxTokens: limits.maxTokens })
  } catch (error) {
    const isTooLong = error instanceof GraphQLError && /^Syntax Error: Document contains more tha[nt] \d+ tokens/.test(error.message)
    throw isTooLong ? limitExceeded('The document is too long, counted in words and marks', 'maxTokens', limits) : error
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
