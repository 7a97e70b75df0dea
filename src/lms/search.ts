import { fold } from './folding.js'
import type { ListParams } from './params.js'
import { COMPARED } from './search-schema.js'
import type { Resource } from './spec/index.js'
import type { Sql } from './sql.js'

const SEARCH_COLUMNS: Readonly<Record<string, string>> = {
  post_title: COMPARED.title,
  post_content: COMPARED.content,
  post_excerpt: COMPARED.excerpt,
}

const like = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`
const LIKE = "LIKE ? ESCAPE '\\'"

/** The folded words of a search; from ten words on it is one sentence, as on real sites. */
function wordsOf(search: string): readonly string[] {
  const words = search.split(/\s+/)
  return words.length < 10 ? words.map(fold) : [fold(search)]
}

/** The folded texts a search looks for: all words, or the whole of it. */
export const soughtBy = ({ exactByWord }: Resource, { search = '', search_semantics }: ListParams): readonly string[] =>
  search_semantics === 'exact' && !exactByWord ? [fold(search)] : wordsOf(search)

/** Every word must be in one of the columns; exact: one of the columns is the whole text. */
export function addSearch(where: Sql, resource: Resource, params: ListParams, editor: boolean): void {
  if (params.search === undefined) return
  // Else a search would tell the words of a text that only its password opens.
  if (!editor) where.add("t.password = ''")
  const columns = (params.search_columns ?? Object.keys(SEARCH_COLUMNS)).map((name) => SEARCH_COLUMNS[name]!)
  const exact = params.search_semantics === 'exact'
  for (const word of soughtBy(resource, params)) {
    const test = exact ? '= ? COLLATE NOCASE' : LIKE
    const cell = exact ? word : like(word)
    where.add(`(${columns.map((column) => `${column} ${test}`).join(' OR ')})`, ...columns.map(() => cell))
  }
}

/** Best matches first: the whole text in the title, then every word in the title, then the whole text in the content, then newest. */
export function addRelevance(order: Sql, search: string): void {
  const words = wordsOf(search)
  const whole = like(fold(search))
  order.add(`${COMPARED.title} ${LIKE} DESC`, whole)
  order.add(`(${words.map(() => `${COMPARED.title} ${LIKE}`).join(' AND ')}) DESC`, ...words.map(like))
  order.add(`${COMPARED.content} ${LIKE} DESC`, whole)
  order.add('t.date_gmt DESC')
}
