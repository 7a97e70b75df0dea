import { RestError } from './errors.js'
import type { ListParams } from './params.js'
import { addRelevance, addSearch, soughtBy } from './search.js'
import { searchSource } from './search-index.js'
import type { Resource } from './spec/index.js'
import { Sql } from './sql.js'
import type { Cell, Row, Store } from './store.js'

/** A join that limits a list to the members of something and may give them their own order. */
export interface Scope {
  readonly join: string
  readonly cells: readonly Cell[]
  readonly order?: string
}

/** The rows of one page and the size of the whole list. */
export interface Page {
  readonly rows: readonly Row[]
  readonly total: number
  readonly pages: number
}

const IN = 'IN (SELECT value FROM json_each(?))'
const json = (list: readonly unknown[]): string => JSON.stringify(list)

/** List parameters of ids and words: the column and whether it is in or not in the list. */
const MEMBERSHIP: Readonly<Record<string, string>> = {
  author: `t.author ${IN}`,
  author_exclude: `t.author NOT ${IN}`,
  exclude: `t.id NOT ${IN}`,
  include: `t.id ${IN}`,
  parent: `t.parent ${IN}`,
  parent_exclude: `t.parent NOT ${IN}`,
  // The index of slugs leaves out empty ones.
  slug: `(t.slug ${IN} AND t.slug <> '')`,
}

const COMPARISONS: Readonly<Record<string, string>> = {
  after: 't.date_gmt > ?',
  before: 't.date_gmt < ?',
  modified_after: 't.modified_gmt > ?',
  modified_before: 't.modified_gmt < ?',
  menu_order: 't.menu_order = ?',
}

const ORDER: Readonly<Record<string, string>> = {
  author: 't.author',
  date: 't.date_gmt',
  id: 't.id',
  menu_order: 't.menu_order',
  modified: 't.modified_gmt',
  parent: 't.parent',
  slug: 't.slug',
  title: 't.title_folded',
}

/** Default `publish`; `any` is everything but the trash. */
function addStatus(where: Sql, status: readonly string[] = ['publish']): void {
  const named = [...new Set(status)].filter((name) => name !== 'any')
  if (!status.includes('any')) where.add(...oneOf('t.status', named))
  else if (named.includes('trash')) return
  else where.add("t.status <> 'trash'")
}

const oneOf = (column: string, values: readonly string[]): [string, Cell] =>
  values.length === 1 ? [`${column} = ?`, values[0]!] : [`${column} ${IN}`, json(values)]

/** Terms within one taxonomy are alternatives; the filters of several are joined by `tax_relation`. */
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
    if (list) where.add(MEMBERSHIP[name]!, json(list))
  }
  for (const name in COMPARISONS) {
    const value = params[name] as Cell | undefined
    if (value !== undefined) where.add(COMPARISONS[name]!, value)
  }
  addTerms(where, resource, params)
  addSearch(where, resource, params, editor)
  return where
}

/** Sorting with ties broken by id, so that the same list always comes in the same order. */
function ordering(params: ListParams, scope: Scope | undefined): Sql {
  const order = new Sql()
  const direction = params.order === 'desc' ? 'DESC' : 'ASC'
  const by = params.orderby ?? (scope?.order === undefined ? 'title' : 'scope')
  const given = { include: params.include, include_slugs: params.slug }[by]
  if (by === 'scope') order.add(`${scope!.order} ${direction}`)
  else if (by === 'relevance') addRelevance(order, params.search ?? '')
  // A list in the order it was asked for; repeated values count once, at their first place.
  else if (given) order.add(`(SELECT min(key) FROM json_each(?) WHERE value = t.${by === 'include' ? 'id' : 'slug'})`, json(given))
  else order.add(`${ORDER[by] ?? ORDER.title} ${direction}`)
  order.add(`t.id ${given || by === 'relevance' ? 'ASC' : direction}`)
  return order
}

/** Refuses sortings whose key is not given. */
export function checkOrdering(params: ListParams): void {
  if (params.orderby === 'include' && !params.include) {
    throw new RestError(400, 'rest_orderby_include_missing_include', 'You need to define an include parameter to order by include.')
  }
  if (params.orderby === 'relevance' && params.search === undefined) {
    throw new RestError(400, 'rest_no_search_term_defined', 'You need to define a search term to order by relevance.')
  }
}

/** Refuses a page behind the last one, unless the list is empty. */
export function checkPage(page: number, pages: number): void {
  if (page <= pages || pages === 0) return
  const message = 'The page number requested is larger than the number of pages available.'
  throw new RestError(400, 'rest_post_invalid_page_number', message)
}

/** A page with the size of the whole list; throws when it begins behind the last one. */
function pageOf(rows: readonly Row[], total: number, { page, per_page: size, offset }: ListParams): Page {
  const pages = Math.ceil(total / size)
  checkPage(page, pages)
  // Sites know no total for a window that begins behind the end.
  return rows.length === 0 && offset !== undefined ? { rows, total: 0, pages: 0 } : { rows, total, pages }
}

/** Ids of everything that a search finds, in order. They are kept until the data change: the next page, or the same search again, is one lookup. */
function searchIds(store: Store, resource: Resource, params: ListParams, scope: Scope | undefined, editor: boolean): readonly number[] {
  const where = conditions(resource, params, editor)
  const order = ordering(params, scope)
  const key = JSON.stringify([resource.table, scope, where.parts, where.cells, order.parts, order.cells])
  return store.cached(key, () => {
    const { table } = resource
    // Members of a scope and named records are few: the index would only find more.
    const source = scope || params.include ? { from: `${table} t` } : searchSource(store, table, soughtBy(resource, params))
    const filters = [...(source.where ? [source.where] : []), ...where.parts]
    const cells = [...(scope?.cells ?? []), ...(source.cell ? [source.cell] : []), ...where.cells, ...order.cells]
    const select = `SELECT t.id FROM ${source.from} ${scope?.join ?? ''} WHERE ${filters.join(' AND ')} ORDER BY ${order.parts.join(', ')}`
    // One text is read faster than many rows; without the limit, SQLite need not keep the order.
    return JSON.parse(String(store.row(`SELECT json_group_array(id) FROM (${select} LIMIT -1)`, ...cells)![0])) as number[]
  })
}

/** One page of a list: the given columns of the rows that pass all filters. */
export function selectPage(
  store: Store,
  resource: Resource,
  columns: readonly string[],
  params: ListParams,
  scope: Scope | undefined,
  editor: boolean,
): Page {
  const { page, per_page: size, offset = (page - 1) * size } = params
  if (params.search !== undefined) {
    const ids = searchIds(store, resource, params, scope, editor)
    const sql = `SELECT ${columns.join(', ')} FROM json_each(?) j CROSS JOIN ${resource.table} t ON t.id = j.value ORDER BY j.key`
    return pageOf(store.rows(sql, json(ids.slice(offset, offset + size))), ids.length, params)
  }
  const where = conditions(resource, params, editor)
  const order = ordering(params, scope)
  const from = `FROM ${resource.table} t ${scope?.join ?? ''} WHERE ${where.parts.join(' AND ') || 'TRUE'}`
  const cells = [...(scope?.cells ?? []), ...where.cells]
  const select = `SELECT ${columns.join(', ')} ${from} ORDER BY ${order.parts.join(', ')} LIMIT ? OFFSET ?`
  const rows = store.rows(select, ...cells, ...order.cells, size, offset)
  // A page that is not full is the last one and tells the total without counting.
  const known = rows.length < size && (rows.length > 0 || offset === 0)
  return pageOf(rows, known ? offset + rows.length : Number(store.row(`SELECT count(*) ${from}`, ...cells)![0]), params)
}
