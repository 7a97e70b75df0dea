import { isRefusal } from '../../upstream/errors.js'
import { idOf, type ListRoute } from '../../upstream/routes.js'
import { PRESETS } from '../../upstream/site/presets.js'
import { type Site, type SiteNames, wireName } from '../../upstream/site/site.js'
import { FILTERED, readBaselines } from '../baselines.js'
import { check } from '../check.js'
import type { Finding } from '../finding.js'
import { errorOf, resultOf } from '../prober.js'
import { GROUP_COURSE, type Resource } from '../resources.js'
import type { Listed, Survey } from '../survey.js'
import { type Parameter, type Proof, parametersOf, proofOf, ruleOf, settingOf, updatedSetting } from '../trials.js'

/** Largest number of calls that test filters, without those for the baselines. */
const FILTER_CALLS = 110

/** The result of testing a filter. */
type Verdict =
  /** Excluded and kept the right rows. */
  | { readonly is: 'honoured' }
  /** Returned rows that it must exclude. */
  | { readonly is: 'ignored'; readonly how: string }
  | { readonly is: 'unknown'; readonly why: string }

interface TestedFilter {
  readonly resource: Listed
  readonly parameter: Parameter
  readonly verdict: Verdict
}

const keyOf =
  ({ key }: Resource) =>
  (row: Readonly<Record<string, unknown>>): number | null =>
    idOf({ id: row[key as string] })

/** Filters that presets list as ignored are tested first. */
const OFTEN_IGNORED: ReadonlySet<string> = new Set(Object.values(PRESETS).flatMap((names: SiteNames) => names.ignoredFilters ?? []))

async function probe(survey: Survey): Promise<TestedFilter[]> {
  for (const resource of FILTERED) await readBaselines(survey, resource)
  const parameters = FILTERED.flatMap((resource) =>
    // The check of batches tests `include` of lists of posts.
    parametersOf(resource.list).flatMap((parameter) => (isBatched(resource, parameter) ? [] : [{ resource, parameter }])),
  )
  const isOftenIgnored = ({ resource, parameter }: (typeof parameters)[number]): boolean =>
    OFTEN_IGNORED.has(settingOf(resource.list, parameter.param))
  const ordered = [...parameters.filter(isOftenIgnored), ...parameters.filter((each) => !isOftenIgnored(each))]
  const budget = { left: FILTER_CALLS }
  const tested = inferred(
    await twoAtATime(ordered, async ({ resource, parameter }) => ({
      resource,
      parameter,
      verdict: await testFilter(survey, resource, parameter, budget),
    })),
  )
  const proofs = tested.map(({ resource, parameter, verdict }) => ({
    setting: settingOf(resource.list, parameter.param),
    result: verdict.is,
  }))
  survey.learn({ ignoredFilters: updatedSetting(survey.site.ignoredFilters, proofs, 'ignored') })
  return tested
}

const isBatched = ({ list, one }: Resource, { param }: Parameter): boolean =>
  param === 'include' && list !== undefined && one !== undefined && one.path === `${list.path}/:id`

async function twoAtATime<T, R>(items: readonly T[], use: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await use(item)
  }
  await Promise.all([worker(), worker()])
  return results
}

async function testFilter(survey: Survey, resource: Listed, parameter: Parameter, budget: { left: number }): Promise<Verdict> {
  const rule = ruleOf(parameter, resource.key as string)
  const pages = survey.baselines.get(resource) ?? []
  if (!rule) return { is: 'unknown', why: 'it is not tested' }
  const [first] = pages
  if (!first) return { is: 'unknown', why: 'no record is visible' }
  const queryFor = (value: string | number) => ({ [parameter.param]: value })
  const chosen = pages
    .map((page) => ({ page, trials: rule.decisive(page.rows, queryFor, survey.site) }))
    .find(({ trials }) => trials.length > 0) ?? { page: first, trials: rule.fallback(first.rows, queryFor, survey.site) }
  const { page, trials } = chosen
  if (budget.left < trials.length) return { is: 'unknown', why: 'the limit of calls for filters was reached' }
  budget.left -= trials.length
  const proofs: Proof[] = []
  for (const trial of trials) {
    const query = { ...page.query, ...trial.query, ...survey.limitFields(resource.list, resource.key as string) }
    const outcome = await survey.list(resource, page.params, query, { what: `${resource.plural} by ${parameter.name}` })
    const error = errorOf(outcome)
    if (error) return { is: 'unknown', why: isRefusal(error) ? 'the caller may not use it' : 'the site refused it' }
    const answer = resultOf(outcome)
    if (!answer) return { is: 'unknown', why: 'the limit of calls was reached' }
    proofs.push(proofOf(trial, page.rows, answer.rows, keyOf(resource)))
  }
  if (proofs.some(({ includedExcluded }) => includedExcluded)) return { is: 'ignored', how: 'they return rows that they must exclude' }
  // Rows may also be missing because the caller may not see them.
  if (proofs.some(({ lost }) => lost)) return { is: 'unknown', why: 'rows that they must keep are missing' }
  if (proofs.some((proof) => proof.excludedAll) && proofs.some(({ kept }) => kept)) return { is: 'honoured' }
  return { is: 'unknown', why: `no visible record has a value in ${wireName(survey.site, rule.field)}` }
}

/** A filter without a result counts as ignored when its opposite is ignored. */
const inferred = (tested: readonly TestedFilter[]): TestedFilter[] =>
  tested.map((each) => {
    const { resource, parameter, verdict } = each
    const opposite = tested.find(
      (other) => other.resource === resource && other.parameter.filter === parameter.filter && !other.parameter.excludes,
    )
    return parameter.excludes && verdict.is === 'unknown' && opposite?.verdict.is === 'ignored'
      ? {
          ...each,
          verdict: { is: 'ignored', how: 'could not be tested; the opposite filters are ignored, so these are treated as ignored' },
        }
      : each
  })

/** Names of filters by kind of record; `parent` stands for `parent.in` and `parent.notIn`. */
function namesOf(tested: readonly TestedFilter[]): string {
  const resources = [...new Set(tested.map(({ resource }) => resource))]
  return resources
    .map((resource) => {
      const parameters = tested.filter((each) => each.resource === resource).map(({ parameter }) => parameter)
      const isThere = (filter: Parameter['filter'], excludes: boolean): boolean =>
        parameters.some((parameter) => parameter.filter === filter && parameter.excludes === excludes)
      const names = parameters.flatMap(({ name, filter, excludes }) => {
        const [hasOpposite, isWhole] = [filter.notIn !== undefined, isThere(filter, !excludes)]
        if (excludes) return isWhole ? [] : [name]
        return [hasOpposite && !isWhole && !isBatchedFilter(resource, filter) ? `${name}.in` : name]
      })
      return `${resource.plural} by ${names.join(', ')}`
    })
    .join('; ')
}

const isBatchedFilter = (resource: Resource, { param }: Parameter['filter']): boolean => resource !== GROUP_COURSE && param === 'include'

/** Filters grouped by the text about them. */
function grouped(tested: readonly TestedFilter[], textOf: (verdict: Verdict) => string): string {
  const texts = [...new Set(tested.map(({ verdict }) => textOf(verdict)))]
  return texts.map((text) => `${text}: ${namesOf(tested.filter(({ verdict }) => textOf(verdict) === text))}`).join('. ')
}

function judge(survey: Survey, tested: readonly TestedFilter[]): Finding[] {
  const expected = new Set(survey.known.ignoredFilters ?? [])
  const isExpected = ({ resource, parameter }: TestedFilter): boolean => expected.has(settingOf(resource.list, parameter.param))
  const honoured = tested.filter(({ verdict }) => verdict.is === 'honoured')
  const ignored = tested.filter(({ verdict }) => verdict.is === 'ignored')
  const unknown = tested.filter(({ verdict }) => verdict.is === 'unknown')
  const better = honoured.filter(isExpected)
  const findings: Finding[] = []
  if (honoured.length > 0)
    findings.push({
      id: 'filters',
      title: 'Working filters',
      state: 'ok',
      found: namesOf(honoured),
      meaning: 'Each filter excluded and kept the right records.',
    })
  if (better.length > 0)
    findings.push({
      id: 'filters.better',
      title: 'Filters better than preset',
      state: 'note',
      found: namesOf(better),
      meaning: `They are ignored in ${survey.source}. The written configuration allows them.`,
    })
  if (ignored.length > 0)
    findings.push({
      id: 'filters.ignored',
      title: 'Ignored filters',
      state: survey.isWritten || ignored.every(isExpected) ? 'note' : 'warning',
      found: grouped(ignored, (verdict) => (verdict.is === 'ignored' ? verdict.how : '')),
      meaning: 'The gateway applies filters by id itself, on lists of up to `--max-rows` rows, and refuses other filters.',
    })
  const state = (each: TestedFilter): string => (isExpected(each) ? 'refused' : 'allowed')
  for (const as of ['refused', 'allowed']) {
    const group = unknown.filter((each) => state(each) === as && ruleOf(each.parameter, each.resource.key as string))
    if (group.length > 0)
      findings.push({
        id: `filters.untold.${as}`,
        title: 'Unproven filters',
        state: 'note',
        found: grouped(group, (verdict) => (verdict.is === 'unknown' ? verdict.why : '')),
        meaning: `No record that this caller sees shows whether they work. They stay ${as}, as in ${survey.source}.`,
      })
  }
  return [...findings, ...refused(survey)]
}

/** Parameters that select or exclude ids. Where a site ignores them, the gateway filters the rows itself. */
const BY_ID: readonly (string | undefined)[] = ['include', 'exclude']

/** Filters of a list that the gateway rejects because the site ignores them: `parent`, or `parent.notIn` when only that is ignored. */
function refusedFilters({ ignoredFilters: ignored }: Site, { path, filters }: ListRoute): string[] {
  const isIgnored = (param: string | undefined): boolean =>
    param !== undefined && !BY_ID.includes(param) && ignored.includes(`${path} ${param}`)
  return Object.entries(filters).flatMap(([name, { param, notIn }]) => {
    if (isIgnored(param)) return notIn === undefined || isIgnored(notIn) ? [name] : [`${name}.in`]
    return isIgnored(notIn) ? [`${name}.notIn`] : []
  })
}

/** Reports the filters that clients cannot use with this site. */
function refused({ site }: Survey): Finding[] {
  const found = FILTERED.map(({ plural, list }) => ({ plural, names: refusedFilters(site, list) }))
    .filter(({ names }) => names.length > 0)
    .map(({ plural, names }) => `${plural} ${names.length} (${names.join(', ')})`)
    .join('; ')
  const base = { id: 'filters.refused', title: 'Refused filters' }
  if (found === '') return [{ ...base, state: 'ok', found: 'none', meaning: 'All filters of the graph can be used.' }]
  return [{ ...base, state: 'note', found, meaning: 'Queries with these filters fail with BAD_USER_INPUT.' }]
}

/** Tests which filters the site applies. */
export const filters = check<readonly TestedFilter[]>({ title: 'Testing filters', probe, judge })
