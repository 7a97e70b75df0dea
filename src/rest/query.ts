/** What a query parameter can hold. */
export type QueryValue = string | number | readonly (string | number)[] | null | undefined

/**
 * A query string from names and values; `spell` gives the site's spelling of a name. Lists are joined by commas, `null` and `undefined`
 * are left out.
 */
export function queryOf(values: Readonly<Record<string, QueryValue>>, spell: (name: string) => string = (name) => name): string {
  let query = ''
  for (const name in values) {
    const value = values[name]
    if (value === null || value === undefined) continue
    query += `${query === '' ? '?' : '&'}${encodeURIComponent(spell(name))}=${Array.isArray(value) ? value.map(encodeURIComponent).join() : encodeURIComponent(value as string)}`
  }
  return query
}
