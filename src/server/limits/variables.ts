import type { GraphQLError } from 'graphql'
import { limitExceeded } from './exceeded.js'
import type { Limits } from './limits.js'

/**
 * What the variables of a request, or its extensions, hold too much of, if they do. They are no matter of the document, so this is called
 * for each request, on whatever path it comes.
 */
export function valuesCheck(name: 'variables' | 'extensions', values: unknown, limits: Limits): GraphQLError | undefined {
  if (typeof values !== 'object' || values === null) return undefined
  let left = limits.maxVariableValues
  const look = (value: unknown, depth: number): GraphQLError | undefined => {
    if (left-- < 0) return limitExceeded(`\`${name}\` hold too many values`, 'maxVariableValues', limits)
    if (typeof value !== 'object' || value === null) return undefined
    if (depth > limits.maxNesting) return limitExceeded(`\`${name}\` nest too deep`, 'maxNesting', limits)
    const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (members.length > limits.maxListItems) return limitExceeded(`A list or an object in \`${name}\` is too long`, 'maxListItems', limits)
    for (const member of members) {
      const error = look(member, depth + 1)
      if (error) return error
    }
    return undefined
  }
  return look(values, 0)
}
