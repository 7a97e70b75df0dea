import type { ListRoute } from '../../upstream/routes.js'
import type { WindowArgs } from '../fetch/window-args.js'
import type { WindowWants } from '../fetch/windows.js'

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
