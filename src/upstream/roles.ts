import { getOrMake, isObject } from '../maps.js'
import { ROLES, type Role } from '../options/access.js'
import type { Caller, CallScope } from './call-scope.js'
import { ANONYMOUS } from './credentials.js'
import { ForbiddenError, NotFoundError } from './errors.js'
import type { QueryValue } from './query.js'
import type { ListRoute, Params, Route } from './routes.js'
import type { Site } from './site/site.js'

export type { Role }

/** The rules of service accounts, by role from the weakest to the strongest. This is the only list of them; `docs/wordpress.md` has it for readers. */
const TABLE = {
  /** Groups, courses, lessons, topics and quizzes that exist for it. */
  records: ['published', 'published', 'all', 'all'],
  /** Whether it gets the columns of records that the site sends with `context=edit` only, such as `password` and `titleRaw`. */
  editOnly: [false, false, true, true],
  /** Whether the account reads routes with `asStranger` for it, and it gets such columns of users, such as `email`. */
  personal: [false, false, false, true],
  /** Whether it gets the records of routes with `editors`, which have the answers of quizzes. */
  answers: [false, false, true, true],
  /** Users whose data it gets, from routes with `owner`. */
  owned: ['none', 'own', 'own', 'all'],
  /** Whether it may read and change the members of courses: routes with `members`. */
  members: [false, false, false, true],
  /**
   * `all`: it gets the content of all lessons and topics, and searches find words of it. `available`: only of samples, and where `access` is
   * AVAILABLE.
   */
  content: ['available', 'available', 'all', 'all'],
  writes: ['none', 'none', 'records', 'all'],
} as const

/** What a role gets. */
export type Rule = { readonly [Name in keyof typeof TABLE]: (typeof TABLE)[Name][number] }

const ruleAt = (place: number): Rule => Object.fromEntries(Object.entries(TABLE).map(([name, values]) => [name, values[place]])) as Rule

export const RULES = Object.fromEntries(ROLES.map((role, place) => [role, ruleAt(place)])) as Readonly<Record<Role, Rule>>

/** The status of records that everybody may see. */
const PUBLISHED = 'publish'

type Fields = readonly (string | number)[]
type Query = Readonly<Record<string, QueryValue>>

/** The caller whose rights are checked. */
type By = Pick<Caller, 'role' | 'viewer'>

/** The rule of a caller. What the site refuses to callers without a role is for the site to decide. */
export const ruleOf = ({ role = 'administrator' }: Pick<Caller, 'role'>): Rule => RULES[role]

/** Whether records of a route have a publication status. */
const hasStatus = (route: Route | ListRoute): boolean => route.hasStatus === true || ('anyStatus' in route && route.anyStatus === true)

/** Whether a list holds published records only, because of the caller. */
export const listsPublished = (by: By, route: Route): boolean => ruleOf(by).records === 'published' && hasStatus(route)

/** Whether the caller gets what the site sends with `context=edit` only. `route` is one of those that read the records. */
export const getsEditOnly = (by: Pick<Caller, 'role'>, route: Route | undefined): boolean =>
  route?.asStranger ? ruleOf(by).personal : ruleOf(by).editOnly

/** The error of what a role does not get. It names no record, because a record that is withheld is treated as missing. */
export const withheld = ({ role }: By): ForbiddenError => new ForbiddenError(`The role \`${role}\` does not include this.`)

/** Whether the role refuses a read, so that it is not sent. `query` has its filters. Data of other users are refused by `checkRead`. */
export function isWithheld(by: By, route: Route, { context, status }: Query): boolean {
  const rule = ruleOf(by)
  return (
    (route.editors === true && !rule.answers) ||
    (route.members === true && !rule.members) ||
    (route.owner !== undefined && rule.owned === 'none') ||
    (context === 'edit' && !getsEditOnly(by, route)) ||
    (listsPublished(by, route) && status != null && [status].flat().some((each) => each !== PUBLISHED))
  )
}

/** Whether the role refuses a write, so that it is not sent. */
export function refusesWrite(by: By, route: Route): boolean {
  const { writes, members } = ruleOf(by)
  if (route.members) return !members
  return writes === 'none' || (writes === 'records' && (route.owner !== undefined || route.asStranger === true))
}

/** Returns the scope with which a route with `asStranger` is read: its records have no status that could be checked. */
export function strangerIn(call: CallScope): CallScope {
  const { caller, trace } = call
  if (ruleOf(caller).personal) return call
  const headers = Object.entries(trace.headers ?? {}).filter(([name]) => !Object.hasOwn(caller.credentials.headers, name))
  return {
    ...call,
    caller: { ...caller, credentials: ANONYMOUS },
    trace: { ...trace, headers: trace.headers && Object.fromEntries(headers) },
  }
}

/**
 * Returns the query with which a read of a role is sent: for published records it selects the status, and asks for what is checked afterwards.
 * Throws a `ForbiddenError` for what the role does not get.
 */
export function checkRead(site: Site, by: By, route: Route, params: Params, query: Query): Query {
  if (isWithheld(by, route, query)) throw withheld(by)
  if (route.owner !== undefined && ruleOf(by).owned === 'own' && Number(params[route.owner]) !== by.viewer)
    throw new ForbiddenError('You can only read your own data here.')
  if (!listsPublished(by, route)) return query
  const { fieldFilter, ignoredFilters } = site
  const takesStatus = 'filters' in route && !ignoredFilters.includes(`${route.path} status`)
  const fields = fieldFilter === null ? undefined : (query[fieldFilter] as Fields | undefined)
  return {
    ...query,
    // The context `embed` has no status.
    ...(query.context != null && { context: 'view' }),
    ...(takesStatus && { status: PUBLISHED }),
    ...(fields && {
      [fieldFilter as string]: query.search === undefined ? withStatus(fields) : [...withStatus(fields), 'content.protected', 'title'],
    }),
  }
}

/** One list for each list of fields, because the client encodes a list once. */
const extended = new WeakMap<Fields, Fields>()

const withStatus = (fields: Fields): Fields =>
  getOrMake(extended, fields, () => (fields.includes('status') ? fields : [...fields, 'status']))

type Row = Readonly<Record<string, unknown>>

/** Returns a record that was read alone. Throws as for a missing record unless the site says that it is published. */
export function publishedRecord<R extends Row>(route: Route, row: R): R {
  if (!hasStatus(route) || row.status === PUBLISHED) return row
  throw new NotFoundError('The record does not exist.', { status: 404, code: null })
}

/**
 * Returns a page without the rows that are withheld, and without the length of the list when it counts them. A site that does not send the
 * status has been asked for published records.
 */
export function publishedRows<P extends { readonly rows: readonly Row[]; readonly total: number | null; readonly pages: number | null }>(
  route: ListRoute,
  page: P,
): P {
  const rows = hasStatus(route) ? page.rows.filter(({ status }) => status === undefined || status === PUBLISHED) : page.rows
  return rows.length === page.rows.length ? page : { ...page, rows, total: null, pages: null }
}

/** Whether a search may find words of texts that the caller does not get, so that the gateway has to filter all that is found. */
export const searchesWithheld = (by: By, route: ListRoute, query: Query): boolean =>
  query.search !== undefined && hasStatus(route) && ruleOf(by).content !== 'all'

/** Whether a record that was found is one whose text needs a password. */
export const needsPassword = ({ content }: Row): boolean => isObject(content) && content.protected === true
