import { GraphQLError } from 'graphql'

/** Ends an operation whose data would have more than so many characters. */
export const answerTooLarge = (most: number): GraphQLError =>
  new GraphQLError(`The answer is too large: its data would have over ${most} characters. Ask for less at a time.`, {
    extensions: { code: 'ANSWER_TOO_LARGE', http: { status: 400, spec: true } },
  })

/** Whether the JSON of a value has more than so many characters, escapes not counted; it is looked at only so far. */
export const isLarger = (value: unknown, most: number): boolean => jsonLength(value, most) > most

/** Characters of the JSON of a value, escapes not counted; with `most`, a number above it as soon as there are more. */
export function jsonLength(value: unknown, most = Number.MAX_SAFE_INTEGER): number {
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
