/** Milliseconds of a quarter of an hour: all offsets of time zones are multiples of it. */
const QUARTER = 900_000
const HOUR = 4 * QUARTER

const clocks = new Map<string, Intl.DateTimeFormat>()

/** The local time of a moment in a time zone, such as `2026-11-20T13:12:23`. */
export function localTime(moment: number, zone: string): string {
  // Node 20 does not know offsets such as `+05:30` as zones.
  if (/^[+-]/.test(zone)) return new Date(moment - Date.parse(`1970-01-01T00:00:00${zone}`)).toISOString().slice(0, 19)
  let clock = clocks.get(zone)
  if (!clock) {
    // Swedish writes dates as ISO 8601 does.
    clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
    clocks.set(zone, clock)
  }
  return clock.format(moment).replace(' ', 'T')
}

const known = new Map<string, number>()

function remembered(key: string, find: () => number): number {
  const value = known.get(key) ?? find()
  known.set(key, value)
  return value
}

/** The first moment of a day such as `2026-11-20` in a time zone. */
export const firstMomentOf = (day: string, zone: string): number =>
  remembered(`${day} ${zone}`, () => {
    let moment = Date.parse(`${day}T00:00:00Z`) - 15 * HOUR
    while (localTime(moment, zone) < day) moment += QUARTER
    return moment
  })

/** The moment of a local time, the first one when there are two. */
export const momentOf = (local: string, zone: string): number =>
  remembered(`${local} ${zone}`, () => {
    for (let offset = 14 * HOUR; offset >= -12 * HOUR; offset -= QUARTER) {
      const moment = Date.parse(`${local}Z`) - offset
      if (localTime(moment, zone) === local) return moment
    }
    throw new Error(`${zone} has no ${local}.`)
  })

/** A moment as the gateway writes it, such as `2026-11-20T18:12:23Z`. */
export const asText = (moment: number): string => new Date(moment).toISOString().replace(/\.\d+Z$/, 'Z')
