import { check } from '../check.js'
import { listing } from '../finding.js'
import { PRICE_TYPE } from '../resources.js'

/** Whether lists tell how long they are. Empty ones need not. */
export const totals = check<undefined>({
  title: 'Looking at totals',
  judge(survey) {
    const base = { id: 'totals', title: 'Totals' }
    const told = survey.pages.filter(({ resource, page }) => resource !== PRICE_TYPE && page.rows.length > 0)
    const silent = new Set(told.filter(({ page }) => page.total === null).map(({ resource }) => resource.plural))
    if (told.length === 0) return []
    if (silent.size === 0)
      return [{ ...base, state: 'ok', found: 'every list tells its length', meaning: '`totalCount` and `last` are answered.' }]
    const meaning = '`totalCount` is null, `last` is refused, and long lists are read page after page instead of all at once.'
    return [{ ...base, state: 'warning', found: `not told by the list of ${listing([...silent])}`, meaning }]
  },
})
