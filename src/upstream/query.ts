import { getOrMake } from '../maps.js'
import { BadInputError } from './errors.js'

/** What a query parameter can hold. */
export type QueryValue = string | number | readonly (string | number)[] | null | undefined

/**
 * Builds a query string. `spell` returns the site's encoded spelling of a name. Lists are joined by commas; `null` and `undefined` are
 * omitted. `kept` names a parameter with the same lists in many calls: each of them is encoded once.
 */
export function queryOf(
  values: Readonly<Record<string, QueryValue>>,
  spell: (name: string) => string = encodeURIComponent,
  kept?: string | null,
): string {
  let query = ''
  for (const name in values) {
    const value = values[name]
    if (value === null || value === undefined) continue
    const text = typeof value !== 'object' ? encoded(value) : name === kept ? keptText(value) : textOf(value)
    query += `${query === '' ? '?' : '&'}${spell(name)}=${text}`
  }
  return query
}

type List = readonly (string | number)[]

const textOf = (list: List): string => list.map(encoded).join()

const texts = new WeakMap<List, string>()

const keptText = (list: List): string => getOrMake(texts, list, () => textOf(list))

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
