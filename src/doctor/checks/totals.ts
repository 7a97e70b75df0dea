import { check } from '../check.js'
import { listing } from '../finding.js'
import { PRICE_TYPE } from '../resources.js'

/** Checks whether lists send their total. Empty lists need not. */
export const totals = check<undefined>({
  title: 'Checking totals',
  judge(survey) {
    const base = { id: 'totals', title: 'Totals' }
    const pages = survey.pages.filter(({ resource, page }) => resource !== PRICE_TYPE && page.rows.length > 0)
    const withoutTotal = new Set(pages.filter(({ page }) => page.total === null).map(({ resource }) => resource.plural))
    if (pages.length === 0) return []
    if (withoutTotal.size === 0)
      return [{ ...base, state: 'ok', found: 'every list sends its total', meaning: '`totalCount` and `last` work.' }]
    const meaning = '`totalCount` is null, `last` is refused, and pages of long lists are read one after the other instead of in parallel.'
    return [{ ...base, state: 'warning', found: `not sent by the lists of ${listing([...withoutTotal])}`, meaning }]
  },
})
