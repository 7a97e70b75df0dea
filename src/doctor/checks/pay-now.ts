import { PRICE_TYPE_OF_COURSE } from '../baselines.js'
import { check } from '../check.js'
import { COURSE } from '../resources.js'

/** Detects how courses spell the price type `paynow`, which writes must use. */
export const payNow = check<readonly string[]>({
  title: 'Checking price types',
  async probe(survey) {
    const rows = [...survey.rowsOf(COURSE), ...(survey.baselines.get(COURSE) ?? []).flatMap((page) => page.rows)]
    const seen = (['paynow', 'buynow'] as const).filter((word) => rows.some((row) => row[PRICE_TYPE_OF_COURSE] === word))
    const [only, other] = seen
    if (only !== undefined && other === undefined) survey.learn({ payNowSpelling: only })
    return seen
  },
  judge(survey, seen) {
    const { payNowSpelling } = survey.site
    const base = { id: 'price-types.paynow', title: 'Price type `paynow`' }
    const meaning = `Writes send \`${payNowSpelling}\`; both spellings are read.`
    if (seen.length === 1) return [{ ...base, state: 'ok', found: `courses use \`${payNowSpelling}\``, meaning }]
    const found = seen.length === 0 ? 'no course with it is visible' : 'courses use both spellings'
    return [{ ...base, state: 'note', found, meaning: `${meaning} This is the setting of ${survey.source}.` }]
  },
})
