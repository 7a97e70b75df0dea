import { storageError } from './errors.js'
import type { Resource } from './spec/index.js'
import { POST_TABLES } from './spec/post.js'
import type { Cell, Cells, Store } from './store.js'
import { SLUG_LENGTH, slugify } from './text.js'
import { gmtText, siteText, siteTextOf } from './time.js'

/** Statuses in which a record may have no date and no slug. */
const UNFINISHED: readonly unknown[] = ['draft', 'pending', 'trash']

const TRASHED = '__trashed'
const TRASHED_SLUG = /__trashed(-\d+)?$/

/** SQL that finds another record with a slug. The index has no empty slugs, and is only used with `slug <> ''`. */
const taken = (table: string, slug: string, id: string): string =>
  `SELECT 1 FROM ${table} WHERE slug = ${slug} AND slug <> '' AND id <> ${id}`

/** SQL of the first free number in `slug-2`, `slug-3` and so on. */
const nextFree = (table: string): string => `
  WITH RECURSIVE copy (number) AS (
    VALUES (2) UNION ALL
    SELECT number + 1 FROM copy WHERE EXISTS (${taken(table, "?1 || '-' || number", '?2')})
  ) SELECT max(number) FROM copy`

/** Characters reserved for a hyphen and the number of a copy. */
const COPY_LENGTH = 10

/** The slug, with a number when another record of the type has it. */
function uniqueSlug(store: Store, { table }: Resource, slug: string, id: number): string {
  if (slug === '' || !store.row(taken(table, '?1', '?2'), slug, id)) return slug
  const start = slug.slice(0, SLUG_LENGTH - COPY_LENGTH)
  return `${start}-${store.row(nextFree(table), start, id)![0]}`
}

/** The slug of a record in the trash. Its former slug becomes free. */
export const trashedSlug = (store: Store, resource: Resource, { slug, id }: Cells): string =>
  uniqueSlug(store, resource, `${String(slug).slice(0, SLUG_LENGTH - COPY_LENGTH - TRASHED.length)}${TRASHED}`, Number(id))

function slugOf(store: Store, resource: Resource, before: Cells, changes: Cells, row: Cells): string {
  const kept = String(before.slug)
  const restored = before.status === 'trash' && row.status !== 'trash'
  const own = String(changes.slug ?? (restored ? kept.replace(TRASHED_SLUG, '') : kept))
  const slug = own || UNFINISHED.includes(row.status) ? own : slugify(String(row.title)) || String(row.id)
  return slug === kept ? kept : uniqueSlug(store, resource, slug, Number(row.id))
}

/** The date of a record as GMT text. `date` overrides `date_gmt`. A record without a date gets one when it is published. */
function dateOf(before: Cells, changes: Cells, status: unknown, now: string): string | null {
  const given = [changes.date, changes.date_gmt, before.date_gmt].find((gmt) => gmt !== undefined)
  return given != null ? String(given) : UNFINISHED.includes(status) ? null : now
}

/** A published record with a future date is `future`; a `future` record whose date has come is `publish`. */
function statusAt(status: Cell, date: string | null, now: string): Cell {
  if (status !== 'publish' && status !== 'future') return status
  return date !== null && date > now ? 'future' : 'publish'
}

/** The row after changes, with the status, dates and slug that follow from them. */
export function resolveRow(store: Store, resource: Resource, before: Cells, changes: Cells): Cells {
  const moment = Date.now()
  const now = gmtText(moment)
  const row: Record<string, Cell> = { ...before, ...changes, modified: siteText(moment), modified_gmt: now }
  const date = dateOf(before, changes, row.status, now)
  row.date_gmt = date
  row.date = date === null ? null : siteTextOf(date)
  row.status = statusAt(row.status ?? null, date, now)
  row.slug = slugOf(store, resource, before, changes, row)
  return row
}

/** Milliseconds between two checks. */
const EVERY = 1000

/** Few records are `future`, many have a past date: the plus keeps SQLite from using the index of dates. */
const DUE = "status = 'future' AND +date_gmt <= ?1"
const IS_DUE = POST_TABLES.map((table) => `SELECT 1 FROM ${table} WHERE ${DUE}`).join(' UNION ALL ')

/** Returns a function that publishes `future` records whose date has come. It has no timer, and must be called before each request. */
export function scheduler(store: Store): () => void {
  let next = 0
  return () => {
    const now = Date.now()
    if (now < next) return
    next = now + EVERY
    const date = gmtText(now)
    if (store.readOnly || !store.row(`${IS_DUE} LIMIT 1`, date)) return
    try {
      store.transaction(() => {
        for (const table of POST_TABLES) store.run(`UPDATE ${table} SET status = 'publish' WHERE ${DUE}`, date)
      })
    } catch (error) {
      // The request may be a read, which must not fail. The records are published by a later call.
      if (!storageError(error)) throw error
    }
  }
}
