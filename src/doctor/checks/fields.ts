import type { Row } from '../../upstream/client.js'
import { check } from '../check.js'
import type { Finding } from '../finding.js'
import { got } from '../prober.js'
import { COURSE, GROUP, LESSON, PRICE_TYPE, QUIZ } from '../resources.js'
import { wireAt } from '../seen.js'
import type { Survey } from '../survey.js'

interface FieldFilter {
  /** Names that were tried, and the one that is honoured. */
  readonly tried: readonly string[]
  readonly honoured: string | null
  /** Whether one was tried that drops members, such as `title.rendered`. */
  readonly dropsMembers: boolean
}

const NAMES = ['_filter', '_fields']
const WANTED = ['id', 'slug', 'title.rendered']
/** Courses show it unasked on some sites. */
const TOLERATED = ['id', 'slug', 'title', '_links']

const onlyWanted = (row: Row): boolean => Object.keys(row).every((name) => TOLERATED.includes(name))
const hasTitle = (row: Row): boolean => wireAt(row, 'title.rendered') !== undefined

async function probe(survey: Survey): Promise<FieldFilter | undefined> {
  const resource = [COURSE, GROUP, LESSON, QUIZ].find((each) => survey.rowsOf(each).some((row) => !onlyWanted(row)))
  if (!resource) return undefined
  const course = survey.steps.get(resource)?.course
  const narrowed = course === undefined ? {} : { course }
  const tried: string[] = []
  let dropsMembers = false
  for (const name of new Set([...(survey.known.fieldFilter ? [survey.known.fieldFilter] : []), ...NAMES])) {
    tried.push(name)
    const query = { per_page: 2, ...narrowed, [name]: WANTED }
    const rows = got(await survey.list(resource, {}, query, { what: `the field filter ${name}` }))?.rows ?? []
    if (rows.length === 0) return undefined
    if (!rows.every(onlyWanted)) continue
    dropsMembers = survey.rowsOf(resource).some(hasTitle) && !rows.some(hasTitle)
    if (dropsMembers) continue
    survey.learn({ fieldFilter: name })
    await priceTypes(survey, name)
    return { tried, honoured: name, dropsMembers }
  }
  survey.learn({ fieldFilter: null })
  return { tried, honoured: null, dropsMembers }
}

/** Some sites answer nothing when the list of price types is asked for some fields. */
async function priceTypes(survey: Survey, name: string): Promise<void> {
  const { path } = PRICE_TYPE.list
  const rows = survey.rowsOf(PRICE_TYPE).filter(({ slug }) => slug !== undefined)
  if (rows.length === 0) return
  const filtered = got(await survey.list(PRICE_TYPE, {}, { [name]: ['slug'] }, { what: 'price types by the field filter' }))
  if (!filtered) return
  const others = survey.site.unfiltered.filter((route) => route !== path)
  const isWhole = filtered.rows.length > 0 && filtered.rows.every(({ slug }) => slug !== undefined)
  survey.learn({ unfiltered: isWhole ? others : [...others, path] })
}

function judge(survey: Survey, evidence: FieldFilter | undefined): Finding[] {
  const base = { id: 'fields', title: 'Field filter' }
  if (!evidence)
    return [
      {
        ...base,
        state: 'note',
        found: 'could not be tried: no list with rows was read',
        meaning: 'The field filter of the preset is used.',
      },
    ]
  const { tried, honoured } = evidence
  if (honoured === null) {
    const found = `${evidence.dropsMembers ? 'drops members such as title.rendered' : 'ignored'}: ${tried.join(', ')}`
    return [
      { ...base, state: 'warning', found, meaning: 'Every answer holds whole records: queries are right, but many times as much is read.' },
    ]
  }
  const whole = survey.site.unfiltered
  const found = `${honoured} is honoured${whole.length > 0 ? `, but for ${whole.join(', ')}` : ''}`
  return [{ ...base, state: 'ok', found, meaning: 'Only the selected fields are read.' }]
}

/** Whether the site answers with some fields only, and by which parameter. */
export const fields = check<FieldFilter | undefined>({ title: 'Trying the field filter', probe, judge })
