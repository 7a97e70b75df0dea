import type { Row } from '../../upstream/client.js'
import { wireAt } from '../../upstream/codec/records.js'
import { check } from '../check.js'
import type { Finding } from '../finding.js'
import { resultOf } from '../prober.js'
import { COURSE, GROUP, LESSON, PRICE_TYPE, QUIZ } from '../resources.js'
import type { Survey } from '../survey.js'

interface FieldFilter {
  /** Parameters that were tested, and the one that works. */
  readonly tested: readonly string[]
  readonly working: string | null
  /** Whether a parameter drops members such as `title.rendered`. */
  readonly dropsMembers: boolean
}

const NAMES = ['_filter', '_fields']
const WANTED = ['id', 'slug', 'title.rendered']
/** Some sites always send these with courses. */
const TOLERATED = ['id', 'slug', 'title', '_links']

const onlyWanted = (row: Row): boolean => Object.keys(row).every((name) => TOLERATED.includes(name))
const hasTitle = (row: Row): boolean => wireAt(row, 'title.rendered') !== undefined

async function probe(survey: Survey): Promise<FieldFilter | undefined> {
  const resource = [COURSE, GROUP, LESSON, QUIZ].find((resource) => survey.rowsOf(resource).some((row) => !onlyWanted(row)))
  if (!resource) return undefined
  const course = survey.steps.get(resource)?.course
  const narrowed = course === undefined ? {} : { course }
  const tested: string[] = []
  let dropsMembers = false
  for (const name of new Set([...(survey.known.fieldFilter ? [survey.known.fieldFilter] : []), ...NAMES])) {
    tested.push(name)
    const query = { per_page: 2, ...narrowed, [name]: WANTED }
    const rows = resultOf(await survey.list(resource, {}, query, { what: `the field filter ${name}` }))?.rows ?? []
    if (rows.length === 0) return undefined
    if (!rows.every(onlyWanted)) continue
    dropsMembers = survey.rowsOf(resource).some(hasTitle) && !rows.some(hasTitle)
    if (dropsMembers) continue
    survey.learn({ fieldFilter: name })
    await priceTypes(survey, name)
    return { tested, working: name, dropsMembers }
  }
  survey.learn({ fieldFilter: null })
  return { tested, working: null, dropsMembers }
}

/** Some sites return nothing when the list of price types has a field filter. */
async function priceTypes(survey: Survey, name: string): Promise<void> {
  const { path } = PRICE_TYPE.list
  const rows = survey.rowsOf(PRICE_TYPE).filter(({ slug }) => slug !== undefined)
  if (rows.length === 0) return
  const filtered = resultOf(await survey.list(PRICE_TYPE, {}, { [name]: ['slug'] }, { what: 'price types by the field filter' }))
  if (!filtered) return
  const others = survey.site.unfilteredRoutes.filter((route) => route !== path)
  const isWhole = filtered.rows.length > 0 && filtered.rows.every(({ slug }) => slug !== undefined)
  survey.learn({ unfilteredRoutes: isWhole ? others : [...others, path] })
}

function judge(survey: Survey, evidence: FieldFilter | undefined): Finding[] {
  const base = { id: 'fields', title: 'Field filter' }
  if (!evidence)
    return [
      {
        ...base,
        state: 'note',
        found: 'not tested: no list with rows was read',
        meaning: 'The field filter of the preset is used.',
      },
    ]
  const { tested, working } = evidence
  if (working === null) {
    const found = `${evidence.dropsMembers ? 'drops members such as title.rendered' : 'ignored'}: ${tested.join(', ')}`
    return [{ ...base, state: 'warning', found, meaning: 'Every answer has whole records: data is correct, but far more is read.' }]
  }
  const whole = survey.site.unfilteredRoutes
  const found = `${working} works${whole.length > 0 ? `, except for ${whole.join(', ')}` : ''}`
  return [{ ...base, state: 'ok', found, meaning: 'Only the selected fields are read.' }]
}

/** Tests whether the site can limit the fields of answers, and by which parameter. */
export const fields = check<FieldFilter | undefined>({ title: 'Testing the field filter', probe, judge })
