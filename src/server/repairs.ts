import { defaultFieldResolver, type ExecutionResult, type GraphQLFieldResolver, type GraphQLResolveInfo } from 'graphql'
import { repairsOf } from '../upstream/codec/records.js'

/** A value of the site that could not be decoded, and is null in the answer. */
interface Repair {
  readonly path: readonly (string | number)[]
  /** The field of the graph, such as `Course.points`. */
  readonly field: string
}

/**
 * Collects the values of one operation that could not be decoded, for `extensions.repairs` of its answer. Requests ask for it by
 * `"extensions": { "repairs": true }`.
 */
export class Repairs {
  private readonly found: Repair[] = []

  /** Replaces the default field resolver of graphql-js. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown> = (source, args, context, info) => {
    if (isRepaired(source, info)) this.found.push({ path: pathOf(info), field: `${info.parentType.name}.${info.fieldName}` })
    return defaultFieldResolver(source, args, context, info)
  }

  addTo(result: ExecutionResult): ExecutionResult {
    return 'data' in result ? { ...result, extensions: { ...result.extensions, repairs: this.found } } : result
  }
}

const isRepaired = (source: unknown, { fieldName }: GraphQLResolveInfo): boolean =>
  typeof source === 'object' && source !== null && repairsOf(source)?.has(fieldName) === true

function pathOf({ path }: GraphQLResolveInfo): (string | number)[] {
  const keys: (string | number)[] = []
  for (let at: typeof path | undefined = path; at; at = at.prev) keys.unshift(at.key)
  return keys
}
