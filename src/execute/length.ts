import { GraphQLError } from 'graphql'
import { ServerBusyError } from '../upstream/errors.js'
import type { RequestMemory } from '../upstream/transport/memory.js'

/** Returned in place of a response that has more characters than it may have. */
export const TOO_LONG = Symbol('The response is too long.')

/** The error of an operation whose data has more than `most` characters. */
const answerTooLarge = (most: number): GraphQLError =>
  new GraphQLError(`The response is too large: its data has more than ${most} characters. Request less at a time.`, {
    extensions: { code: 'ANSWER_TOO_LARGE', http: { status: 400, spec: true } },
  })

/** The most characters that the data of a response may have: `limit`, or fewer when memory is short. */
export const mostCharacters = (memory: RequestMemory | undefined, limit: number): number => Math.min(limit, memory?.room ?? limit)

/** The error of a response with more characters than it may have. */
export function tooLong(memory: RequestMemory | undefined, limit: number): GraphQLError {
  const most = mostCharacters(memory, limit)
  return !memory || most === limit || memory.isAlone ? answerTooLarge(Math.max(0, Math.floor(most))) : serverBusy()
}

/** The error of a response for which there is no memory. */
export function serverBusy(): GraphQLError {
  const busy = new ServerBusyError()
  return new GraphQLError(busy.message, { originalError: busy })
}

/** Counts the characters of the JSON of a value, without escapes. Stops at a number above `most`. */
export function jsonLength(value: unknown, most: number): number {
  let left = most
  const take = (part: unknown): void => {
    if (typeof part === 'string') left -= part.length + 2
    else if (typeof part !== 'object' || part === null) left -= String(part).length
    else {
      left--
      const isList = Array.isArray(part)
      for (const [key, member] of Object.entries(part)) {
        left -= isList ? 1 : key.length + 4
        if (left < 0) return
        take(member)
      }
    }
  }
  take(value)
  return most - left
}
