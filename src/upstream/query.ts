import { BadInputError } from './errors.js'

/** What a query parameter can hold. */
export type QueryValue = string | number | readonly (string | number)[] | null | undefined

/**
 * A query string from names and values; `spell` gives the site's spelling of a name, encoded. Lists are joined by commas, `null` and
 * `undefined` are left out.
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

const PLAIN = /^[\w.-]*$/

/** Most values are plain, and to look is cheaper than to encode. */
function encoded(value: string | number): string {
  if (typeof value === 'number') return String(value)
  if (PLAIN.test(value)) return value
  if (HALF.test(value)) throw new BadInputError('A text holds half a character (a lone surrogate), which no address can carry.')
  return encodeURIComponent(value)
}

const HALF = /\p{Surrogate}/u

/** A path with its query as it may be shown to others than the site: without the password of a record. */
export const shownPath = (path: string): string =>
  path.includes('password=') ? path.replace(/([?&]password=)[^&]*/g, '$1[redacted]') : path
