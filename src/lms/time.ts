import { DateTime, IANAZone } from 'luxon'

/** The timezone of the site: `date`, `modified` and progress dates are told in it. */
const SITE_ZONE = 'Europe/Berlin'

const zone = IANAZone.create(SITE_ZONE)

/** `2026-11-20T18:12:23` in GMT for a moment in epoch milliseconds. */
export const gmtText = (moment: number): string => new Date(moment).toISOString().slice(0, 19)

const months = new Map<number, number | undefined>()

/** Minutes the zone is ahead of GMT; looked up once for a month in which the clocks are not changed. */
function offsetAt(moment: number): number {
  const date = new Date(moment)
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth()
  if (!months.has(month)) {
    const [first, last] = [0, 1].map((next) => zone.offset(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + next)))
    months.set(month, first === last ? first : undefined)
  }
  return months.get(month) ?? zone.offset(moment)
}

/** `2026-11-20T19:12:23` in the site's timezone for a moment in epoch milliseconds. */
export const siteText = (moment: number): string => gmtText(moment + offsetAt(moment) * 60_000)

const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d(:?\d\d)?)?$/

/** The GMT text of an ISO 8601 date-time; without a zone it is site time, or that of `zone`. Undefined when it is not a whole date-time. */
export function parseInstant(text: string, zone = SITE_ZONE): string | undefined {
  if (!DATE_TIME.test(text)) return undefined
  const parsed = DateTime.fromISO(`${text.slice(0, 10)}T${text.slice(11)}`, { zone })
  if (!parsed.isValid) return undefined
  const gmt = gmtText(parsed.toMillis())
  // Beyond the years 0 and 9999 the text has another form.
  return DATE_TIME.test(gmt) ? gmt : undefined
}

/** What the site's clocks show at the moment of a GMT text. */
export const siteTextOf = (gmt: string): string => siteText(Date.parse(`${gmt}Z`))
