import { z } from 'zod'
import { type ErrorDetail, invalidParams } from './errors.js'
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

/** The checked parameters of a list. Taxonomy filters have the name of their field. */
export interface ListParams {
  readonly context: Context
  readonly page: number
  readonly per_page: number
  readonly offset?: number
  readonly search?: string
  readonly search_semantics?: 'exact'
  readonly search_columns?: readonly string[]
  readonly after?: string
  readonly before?: string
  readonly modified_after?: string
  readonly modified_before?: string
  readonly author?: readonly number[]
  readonly author_exclude?: readonly number[]
  readonly include?: readonly number[]
  readonly exclude?: readonly number[]
  readonly parent?: readonly number[]
  readonly parent_exclude?: readonly number[]
  readonly slug?: readonly string[]
  readonly status?: readonly string[]
  readonly menu_order?: number
  readonly order: 'asc' | 'desc'
  readonly orderby?: string
  readonly tax_relation: 'AND' | 'OR'
  readonly course?: number
  readonly lesson?: number
  readonly topic?: number
  readonly post?: number
  readonly roles?: readonly string[]
  readonly [taxonomy: string]: unknown
}

type Raw = string | readonly string[]
type Fail = (code: string, message: string) => never
type Read = (value: Raw, fail: Fail, name: string) => unknown

/** Allowed values as a part of a sentence: `a, b, and c`. */
export const inWords = (words: readonly string[]): string =>
  words.length < 3 ? words.join(' and ') : `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`

function readInteger(value: Raw, fail: Fail, name: string): number {
  if (typeof value !== 'string' || !/^\s*[+-]?\d{1,15}\s*$/.test(value)) fail('rest_invalid_type', `${name} is not of type integer.`)
  return Number(value)
}

function readOneOf(value: Raw, allowed: readonly string[], fail: Fail, name: string): string {
  if (typeof value !== 'string' || !allowed.includes(value)) return fail('rest_not_in_enum', `${name} is not one of ${inWords(allowed)}.`)
  return value
}

const integer =
  (least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER): Read =>
  (value, fail, name) => {
    const number = readInteger(value, fail, name)
    if (number >= least && number <= most) return number
    const bounds =
      most === Number.MAX_SAFE_INTEGER ? `greater than or equal to ${least}` : `between ${least} (inclusive) and ${most} (inclusive)`
    return fail('rest_out_of_bounds', `${name} must be ${bounds}`)
  }
/** The list; undefined for an empty list, which does not filter. */
const unlessEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length ? list : undefined)
const integers: Read = (value, fail, name) => unlessEmpty(listOf(value).map((item, index) => readInteger(item, fail, `${name}[${index}]`)))
const words: Read = (value) => unlessEmpty(listOf(value))
const oneOf =
  (...allowed: readonly string[]): Read =>
  (value, fail, name) =>
    readOneOf(value, allowed, fail, name)
const someOf =
  (...allowed: readonly string[]): Read =>
  (value, fail, name) =>
    unlessEmpty(listOf(value).map((item, index) => readOneOf(item, allowed, fail, `${name}[${index}]`)))
const text: Read = (value, fail, name) => {
  if (typeof value !== 'string') return fail('rest_invalid_type', `${name} is not of type string.`)
  return value.trim() || undefined
}
/** 1 for a set flag; undefined for one that is not set. */
const flag: Read = (value, fail, name) => {
  if (typeof value !== 'string' || !/^(true|false|1|0)$/i.test(value)) return fail('rest_invalid_type', `${name} is not of type boolean.`)
  return /^(true|1)$/i.test(value) ? 1 : undefined
}
const instant: Read = (value, fail) => (typeof value === 'string' && parseInstant(value)) || fail('rest_invalid_date', 'Invalid date.')

const READERS: Readonly<Record<string, Read>> = {
  context: oneOf('view', 'embed', 'edit'),
  page: integer(1),
  per_page: integer(1, 100),
  offset: integer(0),
  search: text,
  search_semantics: oneOf('exact'),
  search_columns: someOf('post_title', 'post_content', 'post_excerpt'),
  after: instant,
  before: instant,
  modified_after: instant,
  modified_before: instant,
  menu_order: integer(),
  slug: words,
  status: someOf(...STATUS_FILTERS),
  order: oneOf('asc', 'desc'),
  tax_relation: oneOf('AND', 'OR'),
  course: integer(1),
  lesson: integer(0),
  topic: integer(0),
  hide_empty: flag,
  roles: words,
  media_type: someOf('image', 'video', 'text', 'application', 'audio'),
  mime_type: words,
}

const DEFAULTS: Readonly<Record<string, unknown>> = { context: 'view', page: 1, per_page: 10, order: 'asc', tax_relation: 'AND' }

/** The schema of one parameter. Its issues carry the error code of the interface. */
function parameter(name: string, read: Read, fallback: unknown): z.ZodType {
  const checked = z.union([z.string(), z.array(z.string()).readonly()]).transform((value, ctx) => {
    const invalid = new Error(name)
    const fail: Fail = (code, message) => {
      ctx.addIssue({ code: 'custom', message, params: { code } })
      throw invalid
    }
    try {
      return read(value, fail, name)
    } catch (error) {
      if (error !== invalid) throw error
      return z.NEVER
    }
  })
  return fallback === undefined ? checked.optional() : checked.optional().transform((value) => value ?? fallback)
}

/** The schema of some parameters. `orderBy` lists the values of `orderby`. Names without a reader are lists of ids. */
export function parameters(
  names: readonly string[],
  { orderBy = [], contexts, defaults, singleIds = [] }: Partial<Pick<Resource, 'orderBy' | 'contexts' | 'defaults' | 'singleIds'>> = {},
): z.ZodType<ListParams> {
  const own: Readonly<Record<string, Read>> = {
    orderby: oneOf(...orderBy),
    ...(contexts && { context: oneOf(...contexts) }),
    ...Object.fromEntries(singleIds.map((name) => [name, integer()])),
  }
  const fallbacks: Readonly<Record<string, unknown>> = { ...DEFAULTS, ...defaults }
  const reader = (name: string): Read => own[name] ?? READERS[name] ?? integers
  // The cast: the keys are known when the LMS starts only.
  return z.object(
    Object.fromEntries(names.map((name) => [name, parameter(name, reader(name), fallbacks[name])])),
  ) as unknown as z.ZodType<ListParams>
}

/** The schema of a resource's list parameters. */
export const listParameters = (resource: Resource): z.ZodType<ListParams> => parameters(resource.listParameters, resource)

/** Parses parameters. Throws one error that names all invalid ones, with the details in `more`. Unknown parameters are ignored. */
export function check<T>(schema: z.ZodType<T>, query: RawQuery, more: Readonly<Record<string, ErrorDetail>> = {}): T {
  const result = schema.safeParse(query)
  const details: Record<string, ErrorDetail> = { ...more }
  for (const issue of result.error?.issues ?? []) {
    const code = issue.code === 'custom' ? String(issue.params?.code) : 'rest_invalid_type'
    details[String(issue.path[0])] ??= { code, message: issue.message, data: null }
  }
  if (!result.success || Object.keys(details).length) throw invalidParams(details)
  return result.data
}
