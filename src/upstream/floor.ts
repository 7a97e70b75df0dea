import { getOrMake, isObject } from '../maps.js'
import type { Caller, CallScope } from './call-scope.js'
import { ANONYMOUS } from './credentials.js'
import { ForbiddenError, NotFoundError } from './errors.js'
import type { QueryValue } from './query.js'
import type { ListRoute, Route } from './routes.js'
import type { Site } from './site/site.js'

/**
 * The floor of service accounts: what callers who are not administrators never get, although the account may read it. This is the only list of
 * it; `docs/wordpress.md` has it for readers. The client applies it to each read. Writes are refused by `Caller.readOnly`.
 */
const FLOOR = {
  /** Columns with `editOnly`, such as `password` and `titleRaw`: the site sends them only in this context, which is never asked for. */
  withheldContext: 'edit',
  /** Records of any other status are not asked for, and missing when the site sends them. */
  shownStatus: 'publish',
  /** Routes that are never asked: their records are for administrators, and have no status that could be checked. */
  isWithheldRoute: ({ administrators }: Route): boolean => administrators === true,
  /** Records with this flag are not found by searches, which would reveal words of a text that needs a password. */
  unsearchable: 'content.protected',
}

type Fields = readonly (string | number)[]
type Query = Readonly<Record<string, QueryValue>>

/** The caller whose reads are checked. */
type By = Pick<Caller, 'credentials'>

/** Whether records of a route have a publication status. */
const hasStatus = (route: Route | ListRoute): boolean => route.hasStatus === true || ('anyStatus' in route && route.anyStatus === true)

const takesStatus = ({ ignoredFilters: ignored }: Site, route: Route): boolean =>
  'filters' in route && !ignored.includes(`${route.path} status`)

/** Whether a list holds published records only, because of the caller. */
export const listsPublished = ({ credentials }: By, route: Route): boolean => credentials.publishedOnly && hasStatus(route)

/** The error of what the floor withholds. It names no record, because a record that is withheld is treated as missing. */
export const withheld = (): ForbiddenError => new ForbiddenError('Only administrators can read this.')

/** Whether the floor refuses a read, so that it is not sent. `query` has its filters. */
export const isWithheld = ({ credentials }: By, route: Route, { context, status }: Query): boolean =>
  credentials.publishedOnly &&
  (FLOOR.isWithheldRoute(route) ||
    context === FLOOR.withheldContext ||
    (hasStatus(route) && status != null && [status].flat().some((each) => each !== FLOOR.shownStatus)))

/**
 * Returns the scope with which a read is sent whose records have no status that could be checked, such as users and images: callers who are shown
 * published records only get what the site shows to strangers.
 */
export function strangerIn(call: CallScope): CallScope {
  const { caller, trace } = call
  if (!caller.credentials.publishedOnly) return call
  const headers = Object.entries(trace.headers ?? {}).filter(([name]) => !Object.hasOwn(caller.credentials.headers, name))
  return {
    ...call,
    caller: { ...caller, credentials: ANONYMOUS },
    trace: { ...trace, headers: trace.headers && Object.fromEntries(headers) },
  }
}

/** Returns the query with which a read is sent: it selects the status, and asks for what is checked afterwards. Throws what is withheld. */
export function floored(site: Site, by: By, route: Route, query: Query): Query {
  if (isWithheld(by, route, query)) throw withheld()
  if (!hasStatus(route)) return query
  const { fieldFilter } = site
  const fields = fieldFilter === null ? undefined : (query[fieldFilter] as Fields | undefined)
  return {
    ...query,
    // The context `embed` has no status.
    ...(query.context != null && { context: 'view' }),
    ...(takesStatus(site, route) && { status: FLOOR.shownStatus }),
    ...(fields && {
      [fieldFilter as string]: query.search === undefined ? withStatus(fields) : [...withStatus(fields), FLOOR.unsearchable],
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
  if (!hasStatus(route) || row.status === FLOOR.shownStatus) return row
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
  const rows = hasStatus(route) ? page.rows.filter(({ status }) => status === undefined || status === FLOOR.shownStatus) : page.rows
  return rows.length === page.rows.length ? page : { ...page, rows, total: null, pages: null }
}

/** Returns a window of a search without the records whose text needs a password, and without the length of the list, which counts them. */
export function searchedRows<W extends { readonly rows: readonly Row[]; readonly total: number | null; readonly hasNext: boolean }>(
  by: By,
  route: ListRoute,
  query: Query | null,
  window: W,
): W {
  if (query?.search === undefined || !listsPublished(by, route)) return window
  const rows = window.rows.filter(({ content }) => !isObject(content) || content.protected !== true)
  return { ...window, rows, total: null, hasNext: window.hasNext && rows.length > 0 }
}
