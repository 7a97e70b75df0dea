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
const encoded = (value: string | number): string =>
  typeof value === 'number' ? String(value) : PLAIN.test(value) ? value : encodeURIComponent(value)
