import { DateTime, IANAZone } from 'luxon'

/** The timezone of the site, used by `date`, `modified` and progress dates. */
export const SITE_ZONE = 'Europe/Berlin'

const zone = IANAZone.create(SITE_ZONE)

/** `2026-11-20T18:12:23` in GMT for a moment in epoch milliseconds. */
export const gmtText = (moment: number): string => new Date(moment).toISOString().slice(0, 19)

const months = new Map<number, number | undefined>()

/** Minutes by which the zone is ahead of GMT. Cached for months without a change of clocks. */
function offsetAt(moment: number): number {
  const date = new Date(moment)
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth()
  if (!months.has(month)) {
    const [first, last] = [0, 1].map((next) => zone.offset(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + next)))
    months.set(month, first === last ? first : undefined)
  }
  return months.get(month) ?? zone.offset(moment)
}

/** `2026-11-20T19:12:23` in the timezone of the site for a moment in epoch milliseconds. */
export const siteText = (moment: number): string => gmtText(moment + offsetAt(moment) * 60_000)

const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d(:?\d\d)?)?$/

/** The GMT text of an ISO 8601 date-time; undefined for any other text. Without an offset it is in `zone`. */
export function parseInstant(text: string, zone = SITE_ZONE): string | undefined {
  if (!DATE_TIME.test(text)) return undefined
  const parsed = DateTime.fromISO(`${text.slice(0, 10)}T${text.slice(11)}`, { zone })
  if (!parsed.isValid) return undefined
  const gmt = gmtText(parsed.toMillis())
  // Years before 0 and after 9999 have another format.
  return DATE_TIME.test(gmt) ? gmt : undefined
}

/** The site time of a GMT text. */
export const siteTextOf = (gmt: string): string => siteText(Date.parse(`${gmt}Z`))
