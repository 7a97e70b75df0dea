import type { Ids } from '../../operations/head.js'
import { type HttpHeaders, headersIn, mergedHeaders, objectIn, post } from '../headers.js'
import { CHOOSE, type SavedOperation } from './collection.js'

/** Runs a query as the caller, and returns the response. */
export type Ask = (query: string) => Promise<Response>

interface Response {
  data?: Record<string, any> | null
  errors?: readonly { path?: readonly (string | number)[]; extensions?: { code?: string } }[]
}

interface Known {
  id?: unknown
  databaseId?: unknown
}

/** What is asked of the site: one REST call each, and none for `viewer` where a token has the id of the user. */
const ROOTS = {
  courses: 'courses(first: 2) { nodes { id databaseId author { id databaseId } } }',
  groups: 'groups(first: 2) { nodes { id databaseId } }',
  priceTypes: 'priceTypes { id }',
  viewer: 'viewer { id databaseId }',
} as const

type Root = keyof typeof ROOTS

/**
 * Where the records of a kind are in what a root field returns. A kind means `databaseId`; `course.id` means
 * another field. There is no list of users: the caller is known by `viewer`, and others by their courses.
 */
const KINDS: Readonly<Record<string, { root: Root; read(value: any): readonly (Known | null | undefined)[] }>> = {
  course: { root: 'courses', read: ({ nodes }) => nodes },
  author: { root: 'courses', read: ({ nodes }) => nodes.map((course: any) => course?.author) },
  group: { root: 'groups', read: ({ nodes }) => nodes },
  priceType: { root: 'priceTypes', read: (types) => types },
  user: { root: 'viewer', read: (viewer) => [viewer] },
}

/** Errors that do not end by themselves. */
const LASTING = ['UNAUTHENTICATED', 'FORBIDDEN']

/** Milliseconds to wait for the ids of the site. Without them, an operation opens with empty ids. */
const ID_TIMEOUT = 10_000

/** What stands for an id that is not known. */
const UNKNOWN = ''

/** The ids of records of the site, for the variables of operations. What an operation needs is asked for in one operation, once per caller. */
export class SiteIds {
  private readonly asked = new Map<string, Partial<Record<Root, Promise<any>>>>()

  /** Forgets all callers and what the site has told them. */
  clear(): void {
    this.asked.clear()
  }

  /** The variables of an operation with ids that `caller` may read, and empty texts for ids that are not known. */
  async fill(operation: SavedOperation, caller: string, ask: Ask): Promise<Record<string, unknown> | null> {
    const { ids, variables } = operation
    if (ids === null) return variables
    const roots = new Set(kindsIn(ids).flatMap((kind) => KINDS[kind]?.root ?? []))
    const values = await this.read([...roots], caller, ask)
    const used: Record<string, number> = {}
    const next = (place: string): unknown => {
      const [name = '', field = 'databaseId'] = place.split('.')
      const kind = KINDS[name]
      const value = kind && values[kind.root]
      const records = value ? kind.read(value).filter((record) => record != null) : []
      const index = used[place] ?? 0
      used[place] = index + 1
      // Places of one kind have different records as long as there are some.
      return (records[index] ?? records.at(-1))?.[field as keyof Known] ?? UNKNOWN
    }
    return replace(variables, ids, next) as Record<string, unknown>
  }

  /** Returns the values of root fields. A value is undefined or null if the site did not return it. */
  private async read(roots: readonly Root[], caller: string, ask: Ask): Promise<Partial<Record<Root, any>>> {
    const known = this.asked.get(caller) ?? {}
    this.asked.set(caller, known)
    const missing = roots.filter((root) => !known[root])
    if (missing.length > 0) {
      const response = ask(`query SiteIds { ${missing.map((root) => ROOTS[root]).join(' ')} }`)
      for (const root of missing) {
        known[root] = response.then(
          (answer) => {
            if (!isFinal(answer, root)) delete known[root]
            return answer.data?.[root]
          },
          () => {
            delete known[root]
          },
        )
      }
    }
    return Object.fromEntries(await Promise.all(roots.map(async (root) => [root, await known[root]])))
  }
}

/** Who asks for ids, and how: with the headers of the page and of a tab. Asks for nothing when the headers of the tab cannot be read. */
export function callerOf(url: string, page: HttpHeaders, tab: string | null): [caller: string, ask: Ask] {
  const own = headersIn(tab)
  if (!own) return ['', () => Promise.reject(new Error('The headers of the tab are invalid.'))]
  const headers = mergedHeaders(page, own)
  const ask = async (query: string) => {
    const response = await post(url, headers, { query }, AbortSignal.timeout(ID_TIMEOUT))
    return response.json()
  }
  return [JSON.stringify(headers), ask]
}

/** Whether the site would answer the same if it were asked again. */
const isFinal = ({ data, errors = [] }: Response, root: Root): boolean =>
  data != null && errors.every(({ path, extensions }) => path?.[0] !== root || LASTING.includes(extensions?.code ?? ''))

/** The kinds of ids that the text of the variables editor leaves open. Empty when it cannot be read. */
export function openIds({ ids }: SavedOperation, text: string | null): string[] {
  const variables = objectIn(text)
  if (ids === null || !variables) return []
  const open: string[] = []
  visit(variables, ids, (kind, value) => value === UNKNOWN && open.push(kind))
  return [...new Set(open)]
}

/** Whether the site may know ids that are open. */
export const canBeFound = (kinds: readonly string[]): boolean => kinds.some((kind) => kind !== CHOOSE)

function kindsIn(ids: Ids): string[] {
  const kinds: string[] = []
  visit(undefined, ids, (kind) => kinds.push(kind))
  return kinds
}

/** Calls a function once for each place of an id, with the kind of the record and the value in that place. */
function visit(value: any, ids: Ids, see: (kind: string, value: unknown) => void): void {
  if (typeof ids === 'string') see(ids.split('.', 1)[0] as string, value)
  else for (const [name, inner] of Object.entries(ids)) visit(value?.[name], inner, see)
}

/** A copy of a value with the ids of `next`. */
function replace(value: any, ids: Ids, next: (place: string) => unknown): unknown {
  if (typeof ids === 'string') return next(ids)
  if (Array.isArray(ids)) return ids.map((inner, index) => replace(value?.[index], inner, next))
  return { ...value, ...Object.fromEntries(Object.entries(ids).map(([name, inner]) => [name, replace(value?.[name], inner, next)])) }
}
