import { RestError } from './errors.js'
import { COMPARED, fold } from './folding.js'
import type { ListParams } from './params.js'
import type { Resource } from './spec/index.js'
import type { Cell, Row, Store } from './store.js'

/** Parts of an SQL statement, with the cells for their question marks in order. */
class Sql {
  readonly parts: string[] = []
  readonly cells: Cell[] = []

  add(part: string, ...cells: Cell[]): void {
    this.parts.push(part)
    this.cells.push(...cells)
  }
}

const like = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`
const LIKE = "LIKE ? ESCAPE '\\'"

/** The folded words of a search. Ten or more words are one sentence, as on real sites. */
function wordsOf(search: string): readonly string[] {
  const words = search.split(/\s+/)
  return words.length < 10 ? words.map(fold) : [fold(search)]
}

/** The folded texts that must match: each word, or with `exact` the whole search. */
const searchTerms = ({ exactByWord }: Resource, { search = '', search_semantics }: ListParams): readonly string[] =>
  search_semantics === 'exact' && !exactByWord ? [fold(search)] : wordsOf(search)

/** Adds the condition that every word is in one of the columns; with `exact`, that one of the columns is equal to the text. */
function addSearch(where: Sql, resource: Resource, params: ListParams, editor: boolean): void {
  if (params.search === undefined) return
  // A search must not reveal words of a text that needs a password.
  if (!editor) where.add("t.password = ''")
  const columns = params.search_columns?.map((name) => COMPARED[name]) ?? Object.values(COMPARED)
  const exact = params.search_semantics === 'exact'
  for (const word of searchTerms(resource, params)) {
    const test = exact ? '= ? COLLATE NOCASE' : LIKE
    const cell = exact ? word : like(word)
    where.add(`(${columns.map((column) => `${column} ${test}`).join(' OR ')})`, ...columns.map(() => cell))
  }
}

/** Orders by relevance: whole search in the title, every word in the title, whole search in the content, then by date. */
function addRelevance(order: Sql, search: string): void {
  const words = wordsOf(search)
  const whole = like(fold(search))
  order.add(`${COMPARED.post_title} ${LIKE} DESC`, whole)
  order.add(`(${words.map(() => `${COMPARED.post_title} ${LIKE}`).join(' AND ')}) DESC`, ...words.map(like))
  order.add(`${COMPARED.post_content} ${LIKE} DESC`, whole)
  order.add('t.date_gmt DESC')
}

/** A join that limits a list, for example to the lessons of a course, and may define its order. */
export interface Scope {
  readonly join: string
  readonly cells: readonly Cell[]
  readonly order?: string
}

/** The rows of one page, and the size of the whole list. */
export interface Page {
  readonly rows: readonly Row[]
  readonly total: number
  readonly pages: number
}

const IN = 'IN (SELECT value FROM json_each(?))'
const json = (list: readonly unknown[]): string => JSON.stringify(list)

/** Conditions of list parameters whose values are ids or words. */
const MEMBERSHIP: Readonly<Record<string, string>> = {
  author: `t.author ${IN}`,
  author_exclude: `t.author NOT ${IN}`,
  exclude: `t.id NOT ${IN}`,
  include: `t.id ${IN}`,
  parent: `t.parent ${IN}`,
  parent_exclude: `t.parent NOT ${IN}`,
  // The index of slugs has no empty slugs, and is only used with this condition.
  slug: `(t.slug ${IN} AND t.slug <> '')`,
  roles: `t.roles ->> 0 ${IN}`,
  media_type: `t.media_type ${IN}`,
  mime_type: `t.mime_type ${IN}`,
}

const COMPARISONS: Readonly<Record<string, string>> = {
  after: 't.date_gmt > ?',
  before: 't.date_gmt < ?',
  modified_after: 't.modified_gmt > ?',
  modified_before: 't.modified_gmt < ?',
  menu_order: 't.menu_order = ?',
  hide_empty: 't.count >= ?',
  quiz: 't.quiz = ?',
  post: 'EXISTS (SELECT 1 FROM post_terms p WHERE p.post = ? AND p.term = t.id)',
}

const ORDER: Readonly<Record<string, string>> = {
  author: 't.author',
  count: 't.count',
  date: 't.date_gmt',
  description: 't.description',
  email: 't.email',
  id: 't.id',
  menu_order: 't.menu_order',
  modified: 't.modified_gmt',
  parent: 't.parent',
  registered_date: 't.registered_date',
  slug: 't.slug',
  title: 't.title_folded',
  url: 't.url',
}

/** Default `publish`. `any` is every status except `trash`. */
function addStatus(where: Sql, status: readonly string[] = ['publish']): void {
  const named = [...new Set(status)].filter((name) => name !== 'any')
  if (!status.includes('any')) where.add(...oneOf('t.status', named))
  else if (named.includes('trash')) return
  else where.add("t.status <> 'trash'")
}

const oneOf = (column: string, values: readonly string[]): [string, Cell] =>
  values.length === 1 ? [`${column} = ?`, values[0]!] : [`${column} ${IN}`, json(values)]

/** Terms of one taxonomy are alternatives. Filters of several taxonomies are joined by `tax_relation`. */
function addTerms(where: Sql, resource: Resource, params: ListParams): void {
  const tests = new Sql()
  for (const { field, taxonomy } of resource.taxonomies) {
    for (const [name, not] of [
      [field, ''],
      [`${field}_exclude`, 'NOT '],
    ] as const) {
      const terms = params[name] as readonly number[] | undefined
      if (terms) tests.add(`t.id ${not}IN (SELECT post FROM post_terms WHERE taxonomy = '${taxonomy}' AND term ${IN})`, json(terms))
    }
  }
  if (tests.parts.length) where.add(`(${tests.parts.join(` ${params.tax_relation} `)})`, ...tests.cells)
}

function conditions(resource: Resource, params: ListParams, editor: boolean): Sql {
  const where = new Sql()
  addStatus(where, params.status)
  for (const name in MEMBERSHIP) {
    const list = params[name] as readonly unknown[] | undefined
    if (list !== undefined) where.add(MEMBERSHIP[name]!, json(list))
  }
  for (const name in COMPARISONS) {
    const value = params[name] as Cell | undefined
    if (value !== undefined) where.add(COMPARISONS[name]!, value)
  }
  addTerms(where, resource, params)
  addSearch(where, resource, params, editor)
  return where
}

/** The order of a list. Ties are broken by id, so that the order is stable. */
function ordering(params: ListParams, scope: Scope | undefined): Sql {
  const order = new Sql()
  const direction = params.order === 'desc' ? 'DESC' : 'ASC'
  const by = params.orderby ?? (scope?.order === undefined ? 'title' : 'scope')
  const given = { include: params.include, include_slugs: params.slug }[by]
  if (by === 'scope') order.add(`${scope!.order} ${direction}`)
  else if (by === 'relevance') addRelevance(order, params.search ?? '')
  // In the order of the parameter. Repeated values count once, at their first position.
  else if (given) order.add(`(SELECT min(key) FROM json_each(?) WHERE value = t.${by === 'include' ? 'id' : 'slug'})`, json(given))
  else order.add(`${ORDER[by] ?? ORDER.title} ${direction}`)
  order.add(`t.id ${given || by === 'relevance' ? 'ASC' : direction}`)
  return order
}

/** Throws when the parameter that the order needs is missing. */
export function checkOrdering(params: ListParams): void {
  if (params.orderby === 'include' && !params.include) {
    throw new RestError(400, 'rest_orderby_include_missing_include', 'You need to define an include parameter to order by include.')
  }
  if (params.orderby === 'relevance' && params.search === undefined) {
    throw new RestError(400, 'rest_no_search_term_defined', 'You need to define a search term to order by relevance.')
  }
}

/** Throws for a page behind the last page, unless the list is empty. */
export function checkPage(page: number, pages: number): void {
  if (page <= pages || pages === 0) return
  const message = 'The page number requested is larger than the number of pages available.'
  throw new RestError(400, 'rest_post_invalid_page_number', message)
}

/** A page with the size of the whole list. Throws when the page is behind the last page, where that is an error. */
function pageOf({ anyPage }: Resource, rows: readonly Row[], total: number, { page, per_page: size, offset }: ListParams): Page {
  const pages = Math.ceil(total / size)
  if (anyPage) return { rows, total, pages }
  checkPage(page, pages)
  // Sites report a total of 0 for an offset behind the end.
  return rows.length === 0 && offset !== undefined ? { rows, total: 0, pages: 0 } : { rows, total, pages }
}

/** Reads one page of a list: `columns` of the rows that match all filters. */
export function selectPage(
  store: Store,
  resource: Resource,
  columns: readonly string[],
  params: ListParams,
  scope: Scope | undefined,
  editor: boolean,
): Page {
  const { page, per_page: size, offset = (page - 1) * size } = params
  const where = conditions(resource, params, editor)
  const order = ordering(params, scope)
  const from = `FROM ${resource.table} t ${scope?.join ?? ''} WHERE ${where.parts.join(' AND ') || 'TRUE'}`
  const cells = [...(scope?.cells ?? []), ...where.cells]
  const select = `SELECT ${columns.join(', ')} ${from} ORDER BY ${order.parts.join(', ')} LIMIT ? OFFSET ?`
  const rows = store.rows(select, ...cells, ...order.cells, size, offset)
  // A page that is not full is the last page: the total is known without counting.
  const known = rows.length < size && (rows.length > 0 || offset === 0)
  return pageOf(resource, rows, known ? offset + rows.length : Number(store.row(`SELECT count(*) ${from}`, ...cells)![0]), params)
}
