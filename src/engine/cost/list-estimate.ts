import type { Query } from '../../upstream/client.js'
import { NO_COLUMNS } from '../../upstream/codec/records.js'
import type { ListRoute } from '../../upstream/routes.js'
import { CAPABILITIES } from '../../upstream/site/capabilities.js'
import { asksInEdit } from '../columns.js'
import type { Entity, ListArgs, ListEdge, Target } from '../edges.js'
import { EXCLUDE, INCLUDE, ignoredIn, lookupName, type WindowArgs, type WindowWants } from '../fetch/index.js'
import type { PlannedEdge } from '../plan.js'
import { listNames, type StepModel } from './model.js'
import type { Lengths, ListSizes } from './observed-sizes.js'
import { type Amount, type Basis, type EstimateContext, outOf, type Row } from './row.js'

/** A window of a list, and what it is asked with. */
export interface PricedWindow {
  readonly kind: ListRoute['window']
  readonly args: WindowArgs
  readonly wants: WindowWants
  /** Rows of a page at most. */
  readonly cap: number
}

/** Most rows a window shows. */
export function widthOf({ start, end, first, last }: WindowArgs): number {
  const bounded = end === null ? Number.POSITIVE_INFINITY : Math.max(0, end - start)
  return Math.min(bounded, first ?? bounded, last ?? bounded)
}

/** Rows a window shows of a list of so many. */
export function rowsIn({ start, end, first, last }: WindowArgs, length: number): number {
  if (end === null && last === null) return Math.max(0, Math.min(length - start, first as number))
  let [from, to] = [Math.min(start, length), Math.min(end ?? length, length)]
  if (first !== null) to = Math.min(to, from + first)
  if (last !== null) from = Math.max(from, to - last)
  return Math.max(0, to - from)
}

/** Rows of a page, where a list is read by whole pages. */
const sizeOf = ({ cap }: PricedWindow, start: number, wide: number): number => (wide <= cap && start % wide === 0 ? wide : cap)

/** Pages that cover a stretch of a list, as far as it goes. */
function pages(window: PricedWindow, start: number, end: number, length = end): number {
  const stop = Math.min(end, length)
  if (window.kind === 'offset') return Math.max(1, Math.ceil((stop - start) / window.cap))
  const size = sizeOf(window, start, end - start)
  return Math.max(1, Math.ceil(stop / size) - Math.floor(start / size))
}

/** Whether the first call goes past the end of a list, so that the site does not tell its length. */
function isPast(window: PricedWindow, start: number, end: number, length: number): boolean {
  if (window.kind === 'offset') return start > 0 && start >= length
  const size = sizeOf(window, start, end - start)
  return start >= size && Math.floor(start / size) * size >= length
}

/** The same wherever the stretch begins. */
const pagesAnywhere = ({ kind, cap }: PricedWindow, wide: number): number =>
  kind === 'offset' || wide < 2 ? Math.max(1, Math.ceil(wide / cap)) : Math.floor((wide - 2) / cap) + 2

/** Most calls a window costs, however long the list is. */
export function mostCalls(window: PricedWindow): number {
  const { args, wants } = window
  const { start, end, last } = args
  const wide = widthOf(args)
  if (!wants.rows || wide === 0) return wants.total || wants.next || (last !== null && end === null) ? 1 : 0
  // The length of the list comes first.
  if (last !== null && end === null) return 1 + pagesAnywhere(window, last)
  if (last === null) return pages(window, start, start + wide) + (start > 0 && (wants.total || wants.next) ? 1 : 0)
  // The list may be shorter than it was: its length, and the window again.
  return pages(window, (end as number) - wide, end as number) + 1 + pagesAnywhere(window, last)
}

/** Calls a window costs of a list of so many rows. */
export function callsAt(window: PricedWindow, length: number): number {
  const { args, wants } = window
  const { first, last } = args
  if (args.end === null && last === null && args.start === 0 && wants.rows && first !== null && first > 0 && first <= window.cap) return 1
  const counted = last !== null && args.end === null
  let { start, end } = args
  if (counted) end = Math.ceil(length)
  if (first !== null) end = Math.min(end ?? Number.POSITIVE_INFINITY, start + first)
  if (last !== null) start = Math.max(start, (end as number) - last)
  if (!wants.rows || (end as number) <= start) return counted || wants.total || wants.next ? 1 : 0
  const isShorter = last !== null && !counted && length < (end as number)
  const read = pages(window, start, end as number, length)
  const told = (wants.total || last !== null) && isPast(window, start, end as number, length) ? 1 : 0
  const again = isShorter ? callsAt({ ...window, args: { ...args, end: Math.floor(length) } }, length) : 0
  return (counted ? 1 : 0) + read + told + again
}

/** What one list costs, and what it leads to. */
export interface ListPrice {
  /** Calls at most, and at most where filters are honoured. */
  readonly max: number
  readonly permitted: number
  /** Calls to be expected. */
  readonly likely: number
  /** Rows of its window. */
  readonly rows: Amount
}

/** What is known of the length of an edge's lists: under the filters that are given, and whole. */
export interface KnownLengths {
  readonly filtered: Lengths | undefined
  readonly whole: Lengths | undefined
}

const BY_ID = [INCLUDE, EXCLUDE]

/** Who limits a list to ids: the site; the gateway, that reads it whole; or the gateway where the site turns out not to. */
function filteredBy(
  { site, capabilities, session }: EstimateContext,
  { entity, route }: ListEdge,
  query: Query,
): 'site' | 'gateway' | 'either' {
  if (!entity.byKey?.many || (query[INCLUDE] === undefined && query[EXCLUDE] === undefined)) return 'site'
  const given = BY_ID.filter((param) => query[param] !== undefined)
  const isUnbatched = query[INCLUDE] !== undefined && site.unbatched.includes(entity.name) && entity.byKey.many.route === route
  const isIgnored = given.some((param) => site.ignored.includes(`${route.path} ${param}`))
  if (isUnbatched || isIgnored || !capabilities.allows(session.credentials, CAPABILITIES.ids(route))) return 'gateway'
  return given.some((param) => site.dropped.includes(`${route.path} ${param}`)) ? 'either' : 'site'
}

/** Records that are looked for first, since the site drops filters that name one it does not have. */
const namedIn = ({ site }: EstimateContext, { route }: ListEdge, query: Query): number =>
  site.dropped.length === 0
    ? 0
    : Object.values(route.filters).filter(
        ({ kind, param }) => kind === 'id' && query[param] !== undefined && site.dropped.includes(`${route.path} ${param}`),
      ).length

/** Prices one list. */
function priceList(context: EstimateContext, edge: ListEdge, query: Query, window: PricedWindow, known: KnownLengths): ListPrice {
  const ids = (query[INCLUDE] as readonly unknown[] | undefined)?.length ?? Number.POSITIVE_INFINITY
  const named = namedIn(context, edge, query)
  const by = filteredBy(context, edge, query)
  const direct = mostCalls(window)
  const shown = likelyWindow(window, known.filtered, ids)
  if (by === 'site') return { permitted: direct + named, max: direct + 2 * named, likely: shown.calls + named, rows: shown.rows }
  const all = { start: 0, end: null, first: context.limits.rows, last: null }
  const whole: PricedWindow = { ...window, args: all, wants: { rows: true, total: true, next: true } }
  const most = mostCalls(whole)
  // Two that are looked for at once may be a batch that leaves both out.
  if (by === 'either') return { permitted: direct + named, max: direct + most + 2 * named, likely: shown.calls + named, rows: shown.rows }
  const likely = likelyWindow(whole, known.whole, Number.POSITIVE_INFINITY).calls + named
  return { permitted: most + named, max: most + 2 * named, likely, rows: shown.rows }
}

/** Calls and rows of a window on lists of such lengths; as many as can be while nothing is known of those. */
function likelyWindow(window: PricedWindow, lengths: Lengths | undefined, ids: number): { calls: number; rows: Amount } {
  const most = window.wants.rows ? Math.min(widthOf(window.args), ids) : 0
  if (!lengths?.known) return { calls: mostCalls(window), rows: { most, likely: most, any: Math.min(1, most) } }
  let [calls, likely, any] = [0, 0, 0]
  lengths.each((length, share) => {
    const rows = most === 0 ? 0 : rowsIn(window.args, Math.min(length, ids))
    calls += share * callsAt(window, Math.min(length, ids))
    likely += share * rows
    any += share * Math.min(1, rows)
  })
  return { calls, rows: { most, likely, any } }
}

/** The lists of one step, and the rows of their windows. */
export interface ListRow {
  readonly row: Row
  readonly rows: Amount
  readonly known: ListSizes | undefined
}

/** So that nothing is divided by zero. */
const LEAST = 1e-9

/** Prices the lists below so many parents; nothing where none is asked for. */
export function listRow(
  { context, sizes }: Basis,
  edge: ListEdge,
  step: StepModel,
  { query, window: args }: ListArgs,
  parents: Amount,
  wave: number,
): ListRow | undefined {
  const { pageCap } = context.site
  if (query === null || ignoredIn(context.site, edge, query) !== undefined) return undefined
  const names = listNames(step.planned[0] as PlannedEdge, query)
  const whole = sizes.listsOf(listNames(step.planned[0] as PlannedEdge, null))
  const known = sizes.listsOf(names) ?? whole
  const window = { kind: edge.route.window, args, wants: step, cap: pageCap }
  const price = priceList(context, edge, query, window, { filtered: known?.lengths, whole: whole?.lengths })
  // A list that is asked in `edit` and refused is asked again.
  const again = asksInEdit(context, edge, step.children.get(edge.entity.name)?.columns ?? NO_COLUMNS) ? 1 : 0
  const lists = outOf(parents, known?.lists).likely
  const shown = sizes.shownOf(names)
  const row: Row = {
    wave,
    method: 'GET',
    route: edge.route.path,
    batch: Math.max(1, Math.min(price.rows.most, pageCap)),
    planned: step.planned,
    min: (parents.least ?? 0) * Math.min(1, price.max),
    max: parents.most * (price.max + again),
    permitted: parents.most * price.permitted,
    // A list that is refused is so by its first call.
    likely: lists * (shown * price.likely + (1 - shown) * Math.min(1, price.likely)),
  }
  const any = parents.any * shown * (1 - (1 - price.rows.any) ** (lists / Math.max(parents.any, LEAST)))
  return { row, rows: { most: parents.most * price.rows.most, likely: lists * price.rows.likely * shown, any }, known }
}

/** Records of one entity that are looked up by their slugs under one query. */
export class LookupRow implements Row {
  readonly wave = 1
  readonly method = 'GET'
  readonly planned: PlannedEdge[] = []
  private readonly names = new Set<string>()
  private readonly list: ListRoute

  constructor(
    entity: Entity,
    private readonly context: EstimateContext,
  ) {
    this.list = entity.byKey?.many?.route as ListRoute
  }

  add(target: Target, planned: readonly PlannedEdge[]): void {
    this.names.add(lookupName(target))
    this.planned.push(...planned)
  }

  get route(): string {
    return this.list.path
  }

  get batch(): number {
    return Math.min(this.names.size, this.context.site.pageCap)
  }

  get min(): number {
    return this.permitted
  }

  get permitted(): number {
    return Math.ceil(this.names.size / this.context.site.pageCap)
  }

  get likely(): number {
    return this.permitted
  }

  /** A caller who may not list what is not published is refused once, and the list is read again without it. */
  get max(): number {
    const { capabilities, session } = this.context
    const liberty = CAPABILITIES.anyStatus(this.list)
    const tries = this.list.anyStatus && !session.credentials.anonymous && capabilities.allows(session.credentials, liberty)
    return tries && !capabilities.grants(session.credentials, liberty) ? 2 * this.permitted : this.permitted
  }
}
