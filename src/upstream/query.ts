import { BadInputError } from './errors.js'

/** What a query parameter can hold. */
export type QueryValue = string | number | readonly (string | number)[] | null | undefined

/**
 * Builds a query string. `spell` returns the site's encoded spelling of a name. Lists are joined by commas; `null` and `undefined` are
 * omitted.
 */
export function queryOf(values: Readonly<Record<string, QueryValue>>, spell: (name: string) => string = encodeURIComponent): string {
  let query = ''
  for (const name in values) {
    const value = values[name]
    if (value === null || value === undefined) continue
    query += `${query === '' ? '?' : '&'}${spell(name)}=${typeof value === 'object' ? value.map(encoded).join() : encoded(value as string)}`
  }
  return query
}

const UNRESERVED = /^[\w.-]*$/

/** Most values need no encoding, and the test is cheaper than encoding. */
function encoded(value: string | number): string {
  if (typeof value === 'number') return String(value)
  if (UNRESERVED.test(value)) return value
  if (LONE_SURROGATE.test(value)) throw new BadInputError("A text contains a lone surrogate (half a character), which a URL can't contain.")
  return encodeURIComponent(value)
}

const LONE_SURROGATE = /\p{Surrogate}/u

/** A path with its query, with the password of a record redacted. */
export const shownPath = (path: string): string =>
  path.includes('password=') ? path.replace(/([?&]password=)[^&]*/g, '$1[redacted]') : path

/** Matches the address of a read with the password of a content: it is not kept, and not sent to another port. */
export const SECRET = /[?&]password=/
