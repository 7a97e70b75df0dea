import { check } from '../check.js'
import { listing } from '../finding.js'

/** Reports the calls that were not made, because the limit was reached or the site stopped answering. */
export const budget = check<undefined>({
  title: 'Summarizing',
  judge({ prober, stopped }) {
    const left = [...new Set(prober.skipped)]
    if (left.length === 0 && stopped === undefined) return []
    const why = stopped ?? (prober.gaveUp ? 'the site stopped answering' : 'the limit of calls was reached')
    const found = left.length === 0 ? `the remaining checks, because ${why}` : `${listing(left)}, because ${why}`
    return [{ id: 'budget', title: 'Not examined', state: 'note', found, meaning: 'Nothing is known about this.' }]
  },
})
