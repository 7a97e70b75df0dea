import { oneOf, wrongType } from './decode.js'
import { type Details, InvalidValue, readAll } from './errors.js'
import type { Context, Resource } from './spec/index.js'
import { STATUS_FILTERS } from './spec/post.js'
import { parseInstant } from './time.js'

/** A query as sent: texts from `a=1`, arrays from `a[]=1` or `a[0]=1`. */
export type RawQuery = Readonly<Record<string, string | readonly string[]>>

/** The query of a URL, without its question mark. */
export const searchOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')

/** Path and query of an absolute URL. */
export const pathOf = (url: string): string => url.slice(url.indexOf('/', url.indexOf('//') + 2))

/** Reads a query string. The last value of a repeated plain name counts. */
export function readQuery(search: string): RawQuery {
  const query: Record<string, string | string[]> = Object.create(null)
  for (const [key, value] of new URLSearchParams(search)) {
    const name = /^([^[\]]+)\[\d*\]$/.exec(key)?.[1]
    if (name === undefined) query[key] = value
    else {
      const known = query[name]
      if (Array.isArray(known)) known.push(value)
      else query[name] = [value]
    }
  }
  return query
}

/** The values of a list parameter, given as `a=1,2` or as an array. */
export const listOf = (value: string | readonly string[] | undefined): string[] =>
  (typeof value === 'string' ? value.split(',') : [...(value ?? [])]).map((item) => item.trim()).filter((item) => item !== '')

/** Reads a parameter. Throws an `InvalidValue`. Undefined: the parameter has no effect. */
type Read<T = unknown> = (value: RawQuery[string], name: string) => T

const wholeNumber: Read<number> = (value, name) => {
  if (typeof value !== 'string' || !/^\s*[+-]?\d{1,15}\s*$/.test(value)) throw wrongType(name, 'integer')
  return Number(value)
}
const integer =
  (least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER): Read<number> =>
  (value, name) => {
    const number = wholeNumber(value, name)
    if (number >= least && number <= most) return number
    const bounds =
      most === Number.MAX_SAFE_INTEGER ? `greater than or equal to ${least}` : `between ${least} (inclusive) and ${most} (inclusive)`
    throw new InvalidValue('rest_out_of_bounds', `${name} must be ${bounds}`)
  }
/** A list of values. An empty list does not filter. */
const some =
  <T>(read: Read<T>): Read<readonly T[] | undefined> =>
  (value, name) => {
    const items = listOf(value)
    return items.length ? items.map((item, index) => read(item, `${name}[${index}]`)) : undefined
  }
const integers = some(wholeNumber)
const words = some(String)
const wordOf =
  <Word extends string>(...allowed: readonly Word[]): Read<Word> =>
  (value, name) =>
    oneOf(value, allowed, name) as Word
const text: Read<string | undefined> = (value, name) => {
  if (typeof value !== 'string') throw wrongType(name, 'string')
  return value.trim() || undefined
}
const FLAGS: ReadonlyMap<string, number> = new Map(Object.entries({ true: 1, 1: 1, false: 0, 0: 0 }))
/** 1 for a set flag; undefined for one that is not set. */
const flag: Read<number | undefined> = (value, name) => {
  const set = FLAGS.get(String(value).toLowerCase())
  if (set === undefined) throw wrongType(name, 'boolean')
  return set || undefined
}
const instant: Read<string> = (value) => {
  const gmt = typeof value === 'string' ? parseInstant(value) : undefined
  if (gmt === undefined) throw new InvalidValue('rest_invalid_date', 'Invalid date.')
  return gmt
}

const READERS = {
  context: wordOf<Context>('view', 'embed', 'edit'),
  page: integer(1),
  per_page: integer(1, 100),
  offset: integer(0),
  search: text,
  search_semantics: wordOf('exact'),
  search_columns: some(wordOf('post_title', 'post_content', 'post_excerpt')),
  after: instant,
  before: instant,
  modified_after: instant,
  modified_before: instant,
  author: integers,
  author_exclude: integers,
  include: integers,
  exclude: integers,
  parent: integers,
  parent_exclude: integers,
  slug: words,
  status: some(wordOf(...STATUS_FILTERS)),
  menu_order: integer(),
  order: wordOf('asc', 'desc'),
  tax_relation: wordOf('AND', 'OR'),
  course: integer(1),
  lesson: integer(0),
  topic: integer(0),
  post: integer(),
  hide_empty: flag,
  type: wordOf('all', 'h', 't', 'r', 'l', 'co', 'legacy', 'sections'),
  roles: words,
  media_type: some(wordOf('image', 'video', 'text', 'application', 'audio')),
  mime_type: words,
} as const

const DEFAULTS = { context: 'view', page: 1, per_page: 10, order: 'asc', tax_relation: 'AND' } as const

type Known = { readonly [Name in keyof typeof READERS]: ReturnType<(typeof READERS)[Name]> }

/** The checked parameters of a list. Taxonomy filters have the name of their field. */
export interface ListParams extends Partial<Omit<Known, keyof typeof DEFAULTS>>, Pick<Known, keyof typeof DEFAULTS> {
  readonly orderby?: string
  readonly [taxonomy: string]: unknown
}

/** Reads the parameters of a query. Throws one error that names all invalid ones, with the details in `more`. */
export type ReadParams = (query: RawQuery, more?: Details) => ListParams

/** Reads some parameters. `orderBy` lists the values of `orderby`. Names without a reader are lists of ids. Others are ignored. */
export function parameters(
  names: readonly string[],
  { orderBy = [], contexts, defaults, singleIds = [] }: Partial<Pick<Resource, 'orderBy' | 'contexts' | 'defaults' | 'singleIds'>> = {},
): ReadParams {
  const readers: Readonly<Record<string, Read>> = {
    ...READERS,
    orderby: wordOf(...orderBy),
    ...(contexts && { context: wordOf(...contexts) }),
    ...Object.fromEntries(singleIds.map((name) => [name, integer()])),
  }
  return (query, more) => {
    const params: Record<string, unknown> = { ...DEFAULTS, ...defaults }
    const given = names.filter((name) => query[name] !== undefined)
    const read = (name: string): void => {
      params[name] = (readers[name] ?? integers)(query[name]!, name) ?? params[name]
    }
    readAll(given, read, more)
    // The cast: the names are known when the LMS starts only.
    return params as unknown as ListParams
  }
}

/** The same of a list. */
export const listParameters = (resource: Resource): ReadParams => parameters(resource.listParameters, resource)
