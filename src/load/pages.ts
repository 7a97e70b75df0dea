import { type WindowArgs, type WindowWants, widthOf } from '../model/edge.js'
import type { ListRoute } from '../upstream/routes.js'

/** Returns the positions of a window. A window at the end of a list needs the `length` of the list. */
export function stretchOf(args: WindowArgs, length: number | null = null): Pick<WindowArgs, 'start' | 'end'> {
  const { first, last } = args
  let { start, end } = args
  if (last !== null) end ??= length
  if (first !== null) end = Math.min(end ?? Number.POSITIVE_INFINITY, start + first)
  if (last !== null && end !== null) start = Math.max(start, end - last)
  return { start, end }
}

/** Returns the positions of a window in a list of known length. */
export function shownIn(args: WindowArgs, length: number): { readonly start: number; readonly end: number } {
  const { start, end } = stretchOf({ ...args, start: Math.min(args.start, length), end: Math.min(args.end ?? length, length) })
  return { start, end: end ?? length }
}

/** Returns the number of rows of a window in a list of known length. */
export function rowsIn(args: WindowArgs, length: number): number {
  const { start, end } = shownIn(args, length)
  return Math.max(0, end - start)
}

/** Returns the page size for a list that is read by `page`: the window itself if it is a whole page, else the page cap. */
export const pageSize = (cap: number, start: number, wide: number): number => (wide <= cap && start % wide === 0 ? wide : cap)

/** Returns the size of the page that tells the length of a list before its last rows are read. */
export const lengthPage = (cap: number, { last }: WindowArgs, { rows }: WindowWants): number =>
  rows ? Math.max(1, Math.min(cap, last ?? 1)) : 1

/** A window of a list, on a site with at most `cap` rows per page. */
export interface ListWindow {
  readonly kind: ListRoute['window']
  readonly args: WindowArgs
  readonly wants: WindowWants
  readonly cap: number
}

/** The whole list, up to `rows` rows. */
export const wholeList = (rows: number): Pick<ListWindow, 'args' | 'wants'> => ({
  args: { start: 0, end: null, first: rows, last: null },
  wants: { rows: true, total: true, next: true },
})

/** Returns the number of pages that cover a part of a list of known length. */
function pages({ kind, cap }: ListWindow, start: number, end: number, length = end): number {
  const stop = Math.min(end, length)
  if (kind === 'offset') return Math.max(1, Math.ceil((stop - start) / cap))
  const size = pageSize(cap, start, end - start)
  return Math.max(1, Math.ceil(stop / size) - Math.floor(start / size))
}

/** Returns the largest number of pages that cover `wide` rows at any position. */
const pagesAnywhere = ({ kind, cap }: ListWindow, wide: number): number =>
  kind === 'offset' || wide < 2 ? Math.max(1, Math.ceil(wide / cap)) : Math.floor((wide - 2) / cap) + 2

/** Whether the first page is past the end of the list, so that the site does not send its length. */
function isPast({ kind, cap }: ListWindow, start: number, end: number, length: number): boolean {
  if (kind === 'offset') return start > 0 && start >= length
  const size = pageSize(cap, start, end - start)
  return start >= size && Math.floor(start / size) * size >= length
}

/** Returns the largest number of calls of `fetchWindow`, for any length of the list. */
export function mostCalls(window: ListWindow): number {
  const { args, wants } = window
  const { start, end, last } = args
  const wide = widthOf(args)
  if (!wants.rows || wide === 0) return wants.total || wants.next || (last !== null && end === null) ? 1 : 0
  if (last === null) return pages(window, start, start + wide) + (start > 0 && (wants.total || wants.next) ? 1 : 0)
  // The length of the list is read first.
  if (end === null) return 1 + pagesAnywhere(window, last)
  // The list may have become shorter: then its length is read, and the window again.
  return pages(window, end - wide, end) + 1 + pagesAnywhere(window, last)
}

/** Returns the number of calls of `fetchWindow` for a list of known length. */
export function callsAt(window: ListWindow, length: number): number {
  const { args, wants } = window
  const { last } = args
  const isCounted = last !== null && args.end === null
  if (isCounted && wants.rows && length <= lengthPage(window.cap, args, wants)) return 1
  const { start, end } = stretchOf(args, length)
  if (!wants.rows || end === null || end <= start) return isCounted || wants.total || wants.next ? 1 : 0
  const toldApart = (wants.total || last !== null) && isPast(window, start, end, length) ? 1 : 0
  const again = last !== null && !isCounted && length < end ? callsAt({ ...window, args: { ...args, end: length } }, length) : 0
  return (isCounted ? 1 : 0) + pages(window, start, end, length) + toldApart + again
}
