const SECOND = 1_000
export const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR

const LAST = Date.parse('9999-12-31T23:59:59Z')

/** `2026-11-20T18:12:23Z` for a time in milliseconds since 1970. Times after the year 9999 are written as its last second. */
export const momentText = (moment: number): string => `${new Date(Math.min(moment, LAST)).toISOString().slice(0, 19)}Z`

const timeOrNull = (moment: number): number | null => (Number.isNaN(moment) ? null : moment)

/** The time of a text such as `2026-11-20T18:12:23Z`; null for null and for other texts. */
export const momentOf = (text: string | null): number | null => (text === null ? null : timeOrNull(Date.parse(text)))

/** A number of days, each of 86,400 seconds, after a moment. */
export const plusDays = (moment: number, days: number): number => moment + days * DAY

/** A local time such as `2026-11-20T13:12:23`, read as UTC; null for null and for other texts. */
export const clockTime = (text: string | null): number | null => momentOf(text === null ? null : `${text}Z`)

/** The first moment at which the clocks of a zone show a time, or a later one when they skip it. */
export function momentAt(clock: number, zone: string): number {
  const [before, after] = [offsetAt(clock - DAY, zone), offsetAt(clock + DAY, zone)]
  if (before === after) return clock - before
  const change = changeOf(clock, zone)
  return clock - before < change ? clock - before : Math.max(change, clock - after)
}

/** The moment within a day of a time at which the clocks of a zone change. */
function changeOf(clock: number, zone: string): number {
  let [start, end] = [clock - DAY, clock + DAY]
  const before = offsetAt(start, zone)
  while (end - start > SECOND) {
    const middle = start + Math.floor((end - start) / SECOND / 2) * SECOND
    if (offsetAt(middle, zone) === before) start = middle
    else end = middle
  }
  return end
}

/** Milliseconds by which the clocks of a zone are ahead of UTC. */
function offsetAt(moment: number, zone: string): number {
  // Node 20 does not know offsets as zones.
  if (zone.startsWith('+') || zone.startsWith('-')) return -Date.parse(`1970-01-01T00:00:00${zone}`)
  const parts = formatOf(zone).formatToParts(moment)
  const { year = '', month, day, hour, minute, second } = Object.fromEntries(parts.map(({ type, value }) => [type, value]))
  return Date.parse(`${year.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}Z`) - Math.floor(moment / SECOND) * SECOND
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const two = '2-digit'
  const date = { calendar: 'gregory', numberingSystem: 'latn', year: 'numeric', month: two, day: two } as const
  const format = new Intl.DateTimeFormat('en', { timeZone, ...date, hourCycle: 'h23', hour: two, minute: two, second: two })
  formats.set(timeZone, format)
  return format
}
