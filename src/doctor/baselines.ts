import type { Query, Row } from '../upstream/client.js'
import { idOf, type Params } from '../upstream/routes.js'
import { wireName } from '../upstream/site/site.js'
import { resultOf } from './prober.js'
import { COURSE, GROUP, GROUP_COURSE, LESSON, PROGRESS, QUIZ } from './resources.js'
import type { Baseline, Listed, Survey } from './survey.js'
import { parametersOf, ruleOf } from './trials.js'

type Filtered = Listed & { readonly key: string }

/** Lists whose filters are tested. */
export const FILTERED: readonly Filtered[] = [GROUP, COURSE, GROUP_COURSE, LESSON, QUIZ, PROGRESS]

/** Largest number of groups whose courses are read to find test values for all filters. */
const MAX_GROUPS = 6
/** Rows of a page; fewer when the site has no field filter. */
const ROWS = 100
const WHOLE_ROWS = 20

/** Reads pages of a list until each filter has a test value. */
export async function readBaselines(survey: Survey, resource: Filtered): Promise<void> {
  const pages: Baseline[] = []
  survey.baselines.set(resource, pages)
  for (const { params, query } of requestsFor(survey, resource)) {
    const rows = await readRows(survey, resource, params, query)
    if (rows.length > 0) pages.push({ params, query: queryWith(survey, resource, query), rows })
    if (areFiltersTestable(survey, resource, pages)) return
  }
}

/** Parameters and queries with which records of a kind are listed. */
function requestsFor(survey: Survey, resource: Filtered): { readonly params: Params; readonly query: Query }[] {
  if (resource === GROUP_COURSE) {
    const groups = (survey.baselines.get(GROUP) ?? []).flatMap(({ rows }) => rows.flatMap((row) => idOf(row) ?? []))
    const known = new Set([...(survey.group === undefined ? [] : [survey.group]), ...survey.idsOf(GROUP), ...groups])
    return [...known].slice(0, MAX_GROUPS).map((id) => ({ params: { id }, query: {} }))
  }
  if (resource === PROGRESS) return survey.user === undefined ? [] : [{ params: { user: survey.user }, query: {} }]
  const course = survey.steps.get(resource)?.course
  return [{ params: {}, query: {} }, ...(course === undefined ? [] : [{ params: {}, query: { course } }])]
}

/** Fields of rows that are needed to test the filters. */
function fieldsOf(survey: Survey, resource: Filtered): string[] {
  const rules = parametersOf(resource.list).flatMap((parameter) => ruleOf(parameter, resource.key) ?? [])
  const extra = resource === COURSE ? [PRICE_TYPE_OF_COURSE] : []
  return [...new Set([resource.key, ...rules.map(({ field }) => wireName(survey.site, field)), ...extra])]
}

/** Field of a course with the slug of its price type. */
export const PRICE_TYPE_OF_COURSE = 'course_price_type'

const queryWith = ({ mayEdit, site }: Survey, resource: Filtered, query: Query): Query => ({
  per_page: site.fieldFilter === null ? WHOLE_ROWS : Math.min(ROWS, site.pageCap),
  ...(mayEdit && resource !== PROGRESS ? { status: 'any' } : {}),
  ...query,
})

async function readRows(survey: Survey, resource: Filtered, params: Params, query: Query): Promise<readonly Row[]> {
  const fullQuery = { ...queryWith(survey, resource, query), ...survey.limitFields(resource.list, ...fieldsOf(survey, resource)) }
  const page = resultOf(await survey.list(resource, params, fullQuery, { what: `a page of ${resource.plural}` }))
  return page?.rows ?? []
}

/** Whether each filter of a list has a test value on one of the pages. */
const areFiltersTestable = (survey: Survey, resource: Filtered, pages: readonly Baseline[]): boolean =>
  parametersOf(resource.list).every((parameter) => {
    const rule = ruleOf(parameter, resource.key)
    return !rule || pages.some(({ rows }) => rule.decisive(rows, () => ({}), survey.site).length > 0)
  })
