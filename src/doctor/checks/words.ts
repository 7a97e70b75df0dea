import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { RESOURCES } from '../resources.js'
import { wordsSeen } from '../seen.js'

/** Reports the values of enumerations. */
export const words = check<undefined>({
  title: 'Checking enumerations',
  judge(survey) {
    const seen = RESOURCES.flatMap((resource) => wordsSeen(survey, resource, survey.rowsOf(resource)))
    const known = seen.filter(({ unknown }) => unknown.length === 0).map(({ field, words: all }) => `${field} ${all.join('|')}`)
    const unknown = seen.filter(({ unknown: unknownWords }) => unknownWords.length > 0)
    const findings: Finding[] = []
    if (known.length > 0)
      findings.push({
        id: 'words',
        title: 'Enumerations',
        state: 'ok',
        found: listing(known),
        meaning: 'The graph has a member for each value.',
      })
    if (unknown.length > 0) {
      const found = listing(
        unknown.map(({ field, unknown: unknownWords }) => `${field} ${unknownWords.map((word) => word.slice(0, 30)).join('|')}`),
      )
      const meaning = 'They are UNKNOWN in the graph; the field `…Value` has the text. Filters cannot use them.'
      findings.push({ id: 'words.unknown', title: 'Unknown values', state: 'note', found, meaning })
    }
    return findings
  },
})
