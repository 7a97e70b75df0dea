import { type ConnectionWindow, cursorOf } from '../model/connection.js'
import type { WindowArgs, WindowWants } from '../model/edge.js'
import type { CallScope } from '../upstream/call-scope.js'
import type { Client, Page, Query, Row } from '../upstream/client.js'
import { BadInputError, RejectedError } from '../upstream/errors.js'
import type { ListRoute, Params } from '../upstream/routes.js'
import { lengthPage, pageSize, shownIn, stretchOf } from './pages.js'

/** Rows of a list without `first` and `last`. */
export const DEFAULT_FIRST = 10

/** Reads connection arguments. `maxRows` bounds `first` and `last`. */
export function windowArgs(args: Readonly<Record<string, unknown>>, maxRows: number): WindowArgs {
  const { first, last, after, before, offset } = args as Record<string, number | string | null | undefined>
  const count = (name: string, value: number | null): number | null => {
    if (value !== null && (value < 0 || value > maxRows))
      throw new BadInputError(`\`${name}\` is ${value}; it must be from 0 to ${maxRows}.`)
    return value
  }
  const rows = { first: count('first', (first ?? null) as number | null), last: count('last', (last ?? null) as number | null) }
  if (rows.first !== null && rows.last !== null) throw new BadInputError('Give `first` or `last`, not both.')
  if (offset != null && rows.first === null) throw new BadInputError('`offset` needs `first`.')
  if (offset != null && (after != null || before != null)) throw new BadInputError('Give `offset` or a cursor, not both.')
  if (offset != null && ((offset as number) < 0 || (offset as number) > MAX_POSITION))
    throw new BadInputError(`\`offset\` is ${offset}; it must be from 0 to ${MAX_POSITION}.`)
  const start = after != null ? readCursor('after', after as string) + 1 : ((offset ?? 0) as number)
  const end = before != null ? readCursor('before', before as string) : null
  return { start, end, ...rows, ...(rows.first === null && rows.last === null ? { first: DEFAULT_FIRST } : {}) }
}

const MAX_POSITION = 1_000_000

function readCursor(name: string, cursor: string): number {
  const position = /^offset:(\d{1,7})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1]
  if (position === undefined || cursorOf(Number(position)) !== cursor) throw new BadInputError(`\`${name}\` is not a cursor of this list.`)
  return Number(position)
}

/** The rows of a window, with their position in the list. */
export interface Window extends ConnectionWindow {
  readonly rows: readonly Row[]
}

/** The request for a list, without its window. */
export interface ListRequest {
  readonly route: ListRoute
  readonly params: Params
  readonly query: Query
  /** The key of a row. Rows with equal keys count once; rows with `null` are ignored. */
  readonly keyOf: (row: Row) => unknown
}

interface WindowRequest {
  readonly client: Client
  readonly request: ListRequest
  readonly call: CallScope
}

/** Fetches a window, as parallel pages when it is larger than one. Without `rows`, only the total is requested. */
export function fetchWindow(asking: WindowRequest, args: WindowArgs, wants: WindowWants): Promise<Window> {
  const { start, end, first, last } = args
  if (last !== null && end === null) return lastRows(asking, args, wants)
  const forward = first !== null && first > 0 && last === null && end === null && wants.rows && asking.request.route.window === 'offset'
  return forward ? firstPage(asking, args, start + first, wants) : anyWindow(asking, args, wants)
}

/** Fetches the most common kind of window, which usually is one page. */
function firstPage(asking: WindowRequest, args: WindowArgs, end: number, wants: WindowWants): Promise<Window> {
  const { start } = args
  return from(asking, start, end).then((page) => {
    const rows = distinct(asking, page.rows, end - start)
    const { total } = page
    if (total === null || rows.length < Math.min(end, total) - start || rows.length === 0) return anyWindow(asking, args, wants, page)
    return { rows, start, total, hasNext: total > end, hasPrevious: start > 0 }
  })
}

/** Fetches the last rows. The page that tells the length of the list has them all when the list is short. */
async function lastRows(asking: WindowRequest, args: WindowArgs, wants: WindowWants): Promise<Window> {
  const page = await ask(asking, { per_page: lengthPage(asking.client.site.pageCap, args, wants) })
  const length = known(lengthIn(page))
  const rows = distinct(asking, page.rows, length)
  return wants.rows && rows.length === length ? cut(rows, args) : anyWindow(asking, args, wants, undefined, length)
}

/** Cuts a window out of a whole list. */
export function cut(rows: readonly Row[], args: WindowArgs): Window {
  const { start, end } = shownIn(args, rows.length)
  return { rows: rows.slice(start, end), start, total: rows.length, hasNext: end < rows.length, hasPrevious: start > 0 }
}

async function anyWindow(
  asking: WindowRequest,
  args: WindowArgs,
  wants: WindowWants,
  page?: Page,
  length: number | null = null,
): Promise<Window> {
  let total = length
  const { start, end } = stretchOf(args, total)
  if (!wants.rows || end === null || end <= start) {
    if (wants.total || wants.next) total ??= await countRows(asking)
    return { rows: [], start, total, hasNext: total !== null && total > Math.max(start, end ?? 0), hasPrevious: start > 0 && total !== 0 }
  }
  const found = await (asking.request.route.window === 'offset'
    ? byOffset(asking, start, end, wants, page)
    : byPage(asking, start, end, wants))
  total = found.total
  // Past the end, sites send no total or a wrong one.
  if (total === null && found.rows.length === 0 && start > 0)
    total = args.last !== null ? known(await countRows(asking)) : wants.total ? await countRows(asking) : null
  // The list has become shorter since the cursor was made, so its last rows are at lower positions.
  if (args.last !== null && total !== null && total < end) return fetchWindow(asking, { ...args, end: total }, wants)
  return { ...found, total, start, hasPrevious: start > 0 && total !== 0 }
}

function known(length: number | null): number {
  if (length === null)
    throw new RejectedError('The site does not send the length of this list, so it cannot be read from its end. Use `first`.')
  return length
}

/** The length of a list by its first page. Some sites send no total for an empty list. */
const lengthIn = ({ total, rows }: Page): number | null => total ?? (rows.length === 0 ? 0 : null)

const countRows = async (asking: WindowRequest): Promise<number | null> => lengthIn(await ask(asking, { per_page: 1 }))

const ask = ({ client, request, call }: WindowRequest, page: Query): Promise<Page> =>
  client.list(request.route, request.params, { ...page, ...request.query }, call)

type Found = Pick<Window, 'rows' | 'total' | 'hasNext'>

/** Collects distinct rows, in the order of their first appearance. */
class Collected {
  readonly rows: Row[] = []
  private readonly keys = new Set<unknown>()

  constructor(private readonly keyOf: (row: Row) => unknown) {}

  add(rows: readonly Row[]): this {
    for (const row of rows) {
      const key = this.keyOf(row)
      if (key === null || this.keys.has(key)) continue
      this.keys.add(key)
      this.rows.push(row)
    }
    return this
  }
}

/** Returns the first `most` distinct rows. */
function distinct({ request }: WindowRequest, rows: readonly Row[], most: number): readonly Row[] {
  const kept = isSorted(rows, request.keyOf) ? rows : new Collected(request.keyOf).add(rows).rows
  return kept.length > most ? kept.slice(0, most) : kept
}

/** Whether the keys of rows are numbers that only increase or only decrease, as in most lists. Such rows are distinct. */
function isSorted(rows: readonly Row[], keyOf: ListRequest['keyOf']): boolean {
  let [before, direction] = [rows.length > 0 ? keyOf(rows[0] as Row) : 0, 0]
  if (typeof before !== 'number') return false
  for (let i = 1; i < rows.length; i++) {
    const key = keyOf(rows[i] as Row)
    if (typeof key !== 'number' || key === before) return false
    const step = key > (before as number) ? 1 : -1
    if (direction !== 0 && step !== direction) return false
    direction = step
    before = key
  }
  return true
}

/** Returns how many positions of the list a page covers. Repeated rows count once. */
const placesOf = ({ request }: WindowRequest, { rows }: Page): number => new Collected(request.keyOf).add(rows).rows.length

const from = (asking: WindowRequest, position: number, end: number): Promise<Page> => {
  const per_page = Math.min(asking.client.site.pageCap, end - position)
  return ask(asking, position > 0 ? { per_page, offset: position } : { per_page })
}

/** Reads a part of a list. After a short page it continues from the next position, so that a short page is not taken for the end of the list. */
async function readOn(asking: WindowRequest, start: number, end: number, first?: Page): Promise<{ rows: Row[]; position: number }> {
  const rows: Row[] = []
  const seen = new Collected(asking.request.keyOf)
  let position = start
  let page = first ?? (await from(asking, start, end))
  for (;;) {
    const known = seen.rows.length
    seen.add(page.rows)
    // A site that ignores `offset` and sends no total would send the same rows forever.
    if (page.total === null && known > 0 && seen.rows.length === known) return { rows, position }
    // Not spread into arguments: a page may have more rows than a function call takes arguments.
    for (const row of page.rows) rows.push(row)
    const places = placesOf(asking, page)
    position += places
    if (places === 0 || position >= end) return { rows, position }
    page = await from(asking, position, end)
  }
}

/** Reads rows by `offset`. The first page holds the total; the other pages are read in parallel. */
async function byOffset(asking: WindowRequest, start: number, end: number, wants: WindowWants, page?: Page): Promise<Found> {
  const cap = asking.client.site.pageCap
  const first = page ?? (await from(asking, start, end))
  const cut = (rows: readonly Row[]): readonly Row[] => distinct(asking, rows, end - start)
  // Past the end, WordPress sends a total of 0 for every list; other sites send the real total.
  const total = first.rows.length === 0 && start > 0 ? first.total || null : first.total
  if (total !== null) {
    const last = Math.min(end, total)
    const parts = [readOn(asking, start, Math.min(start + cap, last), first)]
    for (let next = start + cap; next < last; next += cap) parts.push(readOn(asking, next, Math.min(next + cap, last)))
    return { rows: cut((await Promise.all(parts)).flatMap(({ rows }) => rows)), total, hasNext: total > end }
  }
  const { rows, position } = await readOn(asking, start, end, first)
  if (position < end) return { rows: cut(rows), total: position > start || start === 0 ? position : null, hasNext: false }
  const hasNext = wants.next && (await ask(asking, { per_page: 1, offset: end })).rows.length > 0
  return { rows: cut(rows), total: null, hasNext }
}

const askPage = (asking: WindowRequest, size: number, number: number): Promise<Page> =>
  ask(asking, { per_page: size, ...(number > 1 ? { page: number } : {}) }).catch(emptyPastTheEnd)

/** Reads the rows of a page. When the site sends fewer rows than requested, the rest is read as smaller pages. */
async function wholePage(asking: WindowRequest, size: number, number: number, total: number, first?: Page): Promise<readonly Row[]> {
  const page = first ?? (await askPage(asking, size, number))
  const start = (number - 1) * size
  const end = Math.min(start + size, total)
  const places = placesOf(asking, page)
  if (places === 0 || start + places >= end) return page.rows
  let smaller = Math.min(places, size - 1)
  while (size % smaller !== 0) smaller--
  const rest: Promise<readonly Row[]>[] = []
  for (let next = Math.floor((start + places) / smaller); next * smaller < end; next++) rest.push(wholePage(asking, smaller, next + 1, end))
  return [...page.rows, ...(await Promise.all(rest)).flat()]
}

/** Reads rows by `page`: the pages that contain the window, cut to it. A window that is one page is read as that page. */
async function byPage(asking: WindowRequest, start: number, end: number, wants: WindowWants): Promise<Found> {
  const cap = asking.client.site.pageCap
  const wide = end - start
  const size = pageSize(cap, start, wide)
  const collected = new Collected(asking.request.keyOf)
  let number = Math.floor(start / size) + 1
  const skip = start - (number - 1) * size
  let last = await askPage(asking, size, number)
  const { total } = last
  if (total !== null) {
    const pages = [wholePage(asking, size, number, total, last)]
    while (number * size < Math.min(end, total) && placesOf(asking, last) < total) pages.push(wholePage(asking, size, ++number, total))
    for (const rows of await Promise.all(pages)) collected.add(rows)
  } else {
    collected.add(last.rows)
    while (last.rows.length >= size && number * size < end) {
      last = await askPage(asking, size, ++number)
      collected.add(last.rows)
    }
  }
  // An empty page reveals the length only when the page before it was full, or when it is the first.
  const ends = last.rows.length < size && (last.rows.length > 0 || number === 1 || collected.rows.length > 0)
  const known = total ?? (ends ? (number - 1) * size + last.rows.length : null)
  const goesOn = async (): Promise<boolean> =>
    last.rows.length >= size && wants.next && (await askPage(asking, size, Math.floor(end / size) + 1)).rows.length > end % size
  const hasNext = known !== null ? known > end : await goesOn()
  return { rows: collected.rows.slice(skip, skip + wide), total: known, hasNext }
}

/** WordPress refuses a page past the end of a list, whereas it sends an empty page for an offset past the end. */
function emptyPastTheEnd(error: unknown): Page {
  // Stryker disable next-line OptionalChaining: An error of this class always has a response.
  if (error instanceof RejectedError && error.upstream?.code === 'rest_post_invalid_page_number')
    return { rows: [], total: null, pages: null }
  throw error
}
