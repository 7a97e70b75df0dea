import type { Resource } from './spec/index.js'
import type { Cells, Store } from './store.js'
import { SLUG_LENGTH, slugify } from './text.js'
import { gmtText, siteText, siteTextOf } from './time.js'

/** Statuses in which a record needs neither a date nor a slug. */
const UNFINISHED: readonly unknown[] = ['draft', 'pending', 'trash']

const TRASHED = '__trashed'
const TRASHED_SLUG = /__trashed(-\d+)?$/

/** The index of slugs leaves out empty ones, and is only used where the query does so too. */
const taken = (table: string, slug: string, id: string): string =>
  `SELECT 1 FROM ${table} WHERE slug = ${slug} AND slug <> '' AND id <> ${id}`

/** The first of `slug-2`, `slug-3` and so on that no other record of the type has. */
const nextFree = (table: string): string => `
  WITH RECURSIVE copy (number) AS (
    VALUES (2) UNION ALL
    SELECT number + 1 FROM copy WHERE EXISTS (${taken(table, "?1 || '-' || number", '?2')})
  ) SELECT max(number) FROM copy`

/** Room for a hyphen and the number of a copy. */
const COPY_LENGTH = 10

/** A slug no other record of the type has. */
function uniqueSlug(store: Store, { table }: Resource, slug: string, id: number): string {
  if (slug === '' || !store.row(taken(table, '?1', '?2'), slug, id)) return slug
  const start = slug.slice(0, SLUG_LENGTH - COPY_LENGTH)
  return `${start}-${store.row(nextFree(table), start, id)![0]}`
}

/** A slug marked as of the trash, so that others may have it. */
export const trashedSlug = (store: Store, resource: Resource, { slug, id }: Cells): string =>
  uniqueSlug(store, resource, `${String(slug).slice(0, SLUG_LENGTH - COPY_LENGTH - TRASHED.length)}${TRASHED}`, Number(id))

function slugOf(store: Store, resource: Resource, before: Cells, changes: Cells, row: Cells): string {
  const kept = String(before.slug)
  const restored = before.status === 'trash' && row.status !== 'trash'
  const own = String(changes.slug ?? (restored ? kept.replace(TRASHED_SLUG, '') : kept))
  const slug = own || UNFINISHED.includes(row.status) ? own : slugify(String(row.title)) || String(row.id)
  return slug === kept ? kept : uniqueSlug(store, resource, slug, Number(row.id))
}

/** The date that counts, as GMT text. Where a body gives both, `date` wins; what is out has a date. */
function dateOf(before: Cells, changes: Cells, status: unknown, now: string): string | null {
  const given = [changes.date, changes.date_gmt, before.date_gmt].find((gmt) => gmt !== undefined) as string | null
  return given ?? (UNFINISHED.includes(status) ? null : now)
}

/** Published records with a date to come wait for it; waiting ones whose date has come are published. */
function statusAt(status: unknown, date: string | null, now: string): unknown {
  if (status !== 'publish' && status !== 'future') return status
  return date !== null && date > now ? 'future' : 'publish'
}

/** The row after changes: what was there, what was given, and what follows from both for status, dates and slug. */
export function settle(store: Store, resource: Resource, before: Cells, changes: Cells): Cells {
  const moment = Date.now()
  const now = gmtText(moment)
  const row: Record<string, Cells[string]> = { ...before, ...changes, modified: siteText(moment), modified_gmt: now }
  const date = dateOf(before, changes, row.status, now)
  row.date_gmt = date
  row.date = date === null ? null : siteTextOf(date)
  row.status = statusAt(row.status, date, now) as string
  row.slug = slugOf(store, resource, before, changes, row)
  return row
}
