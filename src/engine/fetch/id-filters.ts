import type { Query, Row } from '../../upstream/client.js'
import { BadInputError, InvalidResponseError } from '../../upstream/errors.js'
import { CAPABILITIES } from '../../upstream/site/capabilities.js'
import type { Site } from '../../upstream/site/site.js'
import type { ListEdge } from '../edges.js'
import { EXCLUDE, INCLUDE, ignoredIn } from './ignored-filters.js'
import type { Operation } from './operation.js'
import type { WindowArgs } from './windows.js'
import { fetchWindow, type ListRequest, type Window, type WindowWants } from './windows.js'

/** Ids a list is limited to, and ids it is to leave out. */
interface IdFilter {
  readonly wanted: readonly unknown[] | undefined
  readonly unwanted: readonly unknown[]
  /** What `include` takes for a row. */
  readonly idOf: (row: Row) => unknown
}

const NONE: readonly unknown[] = []

/**
 * Reads a window of a list. Some sites ignore filters by id, or drop them, and answer other rows: that is noticed by the ids, and
 * remembered; such a list is read whole and filtered here.
 */
export function readWindow(
  operation: Operation,
  edge: ListEdge,
  request: ListRequest,
  args: WindowArgs,
  wants: WindowWants,
): Promise<Window> {
  const { client, session } = operation
  const filter = filterOf(edge, request)
  return filter ? readFiltered(operation, edge, request, args, wants, filter) : fetchWindow({ client, request, session }, args, wants)
}

async function readFiltered(
  operation: Operation,
  edge: ListEdge,
  request: ListRequest,
  args: WindowArgs,
  wants: WindowWants,
  filter: IdFilter,
): Promise<Window> {
  const { client, session, capabilities } = operation
  const liberty = CAPABILITIES.ids(edge.route)
  if (isTrusted(operation, edge, request.query) && capabilities.allows(session.credentials, liberty)) {
    const window = await fetchWindow({ client, request, session }, args, wants)
    if (honours(window, filter)) return window
    capabilities.refuse(session.credentials, liberty)
  }
  return filterHere(operation, request, args, filter)
}

function filterOf({ entity }: ListEdge, { query, keyOf }: ListRequest): IdFilter | undefined {
  const wanted = query[INCLUDE] as readonly unknown[] | undefined
  const unwanted = (query[EXCLUDE] ?? NONE) as readonly unknown[]
  const id = entity.byKey?.many?.id
  if (!id || (!wanted && unwanted.length === 0)) return undefined
  const idOf = (row: Row): unknown => {
    const key = keyOf(row)
    return key === null ? null : id(key as number)
  }
  return { wanted, unwanted, idOf }
}

/** Refuses filters the site is known to ignore, other than those by id, which are done here. */
export function refuseIgnored(site: Site, edge: ListEdge, query: Query): void {
  const name = ignoredIn(site, edge, query)
  if (name !== undefined) throw new BadInputError(`This site can't narrow the list by \`where.${name}\`.`)
}

/** Whether the site is known to honour filters by id on this list. */
function isTrusted({ site }: Operation, { entity, route }: ListEdge, query: Query): boolean {
  const unsafe = [INCLUDE, EXCLUDE].some((param) => query[param] !== undefined && site.ignored.includes(`${route.path} ${param}`))
  const unbatched = query[INCLUDE] !== undefined && site.unbatched.includes(entity.name) && entity.byKey?.many?.route === route
  if (unbatched && route.narrowedBy !== undefined && query[route.filters[route.narrowedBy]?.param ?? ''] === undefined)
    throw new BadInputError(
      `This site can't limit the list by \`where.id\` alone: add \`where.${route.narrowedBy}\`, or ask for the records by \`nodes\`.`,
    )
  return !unsafe && !unbatched
}

const passes = ({ wanted, unwanted, idOf }: IdFilter, row: Row): boolean => {
  const id = idOf(row)
  return (wanted === undefined || wanted.includes(id)) && !unwanted.includes(id)
}

const WHOLE_LIST: WindowWants = { rows: true, total: true, next: true }

/** A list limited to some ids is never longer than they are many. */
const honours = ({ rows, total }: Window, filter: IdFilter): boolean =>
  rows.every((row) => filter.idOf(row) === null || passes(filter, row)) &&
  (filter.wanted === undefined || (total ?? 0) <= filter.wanted.length)

async function filterHere(operation: Operation, request: ListRequest, args: WindowArgs, filter: IdFilter): Promise<Window> {
  const { client, session, limits } = operation
  const { [INCLUDE]: _wanted, [EXCLUDE]: _unwanted, ...others } = request.query
  const byIds = others.orderby === INCLUDE
  const { orderby: _by, order: _order, ...unordered } = others
  const whole = { start: 0, end: null, first: limits.rows, last: null }
  const asked = { ...request, query: byIds ? unordered : others }
  const { rows, hasNext } = await fetchWindow({ client, request: asked, session }, whole, WHOLE_LIST)
  if (hasNext)
    throw new InvalidResponseError(
      `The site ignores the ids ${request.route.path} was to be limited by, and the whole list has over ${limits.rows} rows.`,
    )
  const found = rows.filter((row) => passes(filter, row))
  if (byIds) found.sort((a, b) => (filter.wanted ?? []).indexOf(filter.idOf(a)) - (filter.wanted ?? []).indexOf(filter.idOf(b)))
  return cut(found, args)
}

/** A window of a list that is here whole. */
function cut(rows: readonly Row[], { start, end, first, last }: WindowArgs): Window {
  let from = Math.min(start, rows.length)
  let to = Math.min(end ?? rows.length, rows.length)
  if (first !== null) to = Math.min(to, from + first)
  if (last !== null) from = Math.max(from, to - last)
  return { rows: rows.slice(from, to), start: from, total: rows.length, hasNext: to < rows.length, hasPrevious: from > 0 }
}
