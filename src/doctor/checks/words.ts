import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { RESOURCES } from '../resources.js'
import { wordsSeen } from '../seen.js'

/** Which words stand in columns that hold one of a few. */
export const words = check<undefined>({
  title: 'Looking at enumerations',
  judge(survey) {
    const seen = RESOURCES.flatMap((resource) => wordsSeen(survey, resource, survey.rowsOf(resource)))
    const known = seen.filter(({ unknown }) => unknown.length === 0).map(({ field, words: all }) => `${field} ${all.join('|')}`)
    const unknown = seen.filter(({ unknown: some }) => some.length > 0)
    const findings: Finding[] = []
    if (known.length > 0)
      findings.push({
        id: 'words',
        title: 'Enumerations',
        state: 'ok',
        found: listing(known),
        meaning: 'These are what the graph calls them.',
      })
    if (unknown.length > 0) {
      const found = listing(unknown.map(({ field, unknown: some }) => `${field} ${some.map((word) => word.slice(0, 30)).join('|')}`))
      const meaning = 'They are UNKNOWN; the field beside, named `…Value`, has the word. Filters can’t name them.'
      findings.push({ id: 'words.unknown', title: 'Unknown words', state: 'note', found, meaning })
    }
    return findings
  },
})
