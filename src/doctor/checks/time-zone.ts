import { isObject } from '../../maps.js'
import { isTimeZone } from '../../options/site.js'
import { decimal } from '../../upstream/codec/kinds.js'
import { check } from '../check.js'

/** The time zone in the index of the site: its name, or its offset when the site has no name. Null when it is not known. */
function timeZoneIn(index: unknown): string | null {
  if (!isObject(index)) return null
  const { timezone_string: name, gmt_offset: offset } = index
  if (typeof name === 'string' && name !== '') return isTimeZone(name) ? name : null
  const hours = decimal(offset)
  if (typeof hours !== 'number') return null
  const minutes = Math.round(Math.abs(hours) * 60)
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'))
  const written = `${hours < 0 ? '-' : '+'}${digits.join(':')}`
  return isTimeZone(written) ? written : null
}

/** Reads the time zone of the site, on which the rules of access depend, from the index of the site. */
export const timeZone = check<void>({
  title: 'Looking for the time zone',

  async probe(survey) {
    const timeZone = timeZoneIn(survey.index)
    if (timeZone !== null) survey.learn({ timeZone })
  },

  judge({ site: { timeZone } }) {
    const base = { id: 'access.time-zone', title: 'Time zone' }
    if (timeZone !== null) return [{ ...base, state: 'ok', found: timeZone, meaning: 'Dates without a zone are dates in it.' }]
    const meaning = 'The exact time of dates without a zone is not known to `access`. Set `--time-zone NAME`.'
    return [{ ...base, state: 'note', found: 'not known', meaning }]
  },
})
