import { check } from '../check.js'
import { listing } from '../finding.js'

/** What was not asked, because the calls were spent or the site stopped answering. */
export const budget = check<undefined>({
  title: 'Summing up',
  judge({ prober, stopped }) {
    const left = [...new Set(prober.leftOut)]
    if (left.length === 0 && stopped === undefined) return []
    const why = stopped ?? (prober.gaveUp ? 'the site stopped answering' : 'the calls were spent')
    const found = left.length === 0 ? `the rest, because ${why}` : `${listing(left)}, because ${why}`
    return [{ id: 'budget', title: 'Not asked', state: 'note', found, meaning: 'Nothing is known of it.' }]
  },
})
