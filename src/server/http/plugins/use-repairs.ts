import { defaultFieldResolver, type GraphQLFieldResolver, type GraphQLResolveInfo } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { repairsOf } from '../../../upstream/codec/records.js'

/** A value the site sent that could not be decoded, and so was shown as null. */
interface Repair {
  readonly path: readonly (string | number)[]
  /** The field of the graph, such as `Course.points`. */
  readonly field: string
}

/**
 * Lists, for who asks by `"extensions": { "repairs": true }` in the request, in `extensions.repairs` of the answer where a value could
 * not be decoded.
 */
export const useRepairs = (): Plugin => ({
  onExecute({ args }) {
    const { params } = args.contextValue as { params: { extensions?: { repairs?: unknown } } }
    if (params.extensions?.repairs !== true) return undefined
    const repairs: Repair[] = []
    const resolve: GraphQLFieldResolver<unknown, unknown> = (source, given, context, info) => {
      if (isRepaired(source, info)) repairs.push({ path: pathOf(info), field: `${info.parentType.name}.${info.fieldName}` })
      return defaultFieldResolver(source, given, context, info)
    }
    args.fieldResolver = resolve
    return {
      onExecuteDone({ result, setResult }) {
        if ('data' in result) setResult({ ...result, extensions: { ...result.extensions, repairs } })
      },
    }
  },
})

const isRepaired = (source: unknown, { fieldName }: GraphQLResolveInfo): boolean =>
  typeof source === 'object' && source !== null && repairsOf(source)?.has(fieldName) === true

function pathOf({ path }: GraphQLResolveInfo): (string | number)[] {
  const keys: (string | number)[] = []
  for (let at: typeof path | undefined = path; at; at = at.prev) keys.unshift(at.key)
  return keys
}
