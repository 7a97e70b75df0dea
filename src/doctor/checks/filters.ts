import { isRefusal } from '../../upstream/errors.js'
import { refusedText } from '../../upstream/refused-filters.js'
import { idOf } from '../../upstream/routes.js'
import { PRESETS } from '../../upstream/site/presets.js'
import { FILTERED, readBaselines } from '../baselines.js'
import { check } from '../check.js'
import type { Finding } from '../finding.js'
import { errorOf, got } from '../prober.js'
import { GROUP_COURSE, type Resource } from '../resources.js'
import type { Listed, Survey } from '../survey.js'
import { learned, type Parameter, type Proof, parametersOf, proofOf, ruleOf, settingOf } from '../trials.js'

/** Most calls that try filters; without the pages they are compared with. */
const FILTER_CALLS = 110

/** What is known of a filter, and in words why, where that is not a proof. */
type Verdict =
  /** Seen to leave out rows and to keep rows, as it must. */
  | { readonly is: 'honoured' }
  /** Seen to let rows through, or to lose rows. */
  | { readonly is: 'ignored'; readonly how: string }
  | { readonly is: 'untold'; readonly why: string }

interface Tried {
  readonly resource: Listed
  readonly parameter: Parameter
  readonly verdict: Verdict
}

const keyOf =
  ({ key }: Resource) =>
  (row: Readonly<Record<string, unknown>>): number | null =>
    idOf({ id: row[key as string] })

/** Filters that kinds of site are known to ignore are tried first. */
const DOUBTED: ReadonlySet<string> = new Set(
  Object.values(PRESETS).flatMap((names: { ignored?: readonly string[] }) => names.ignored ?? []),
)

async function probe(survey: Survey): Promise<Tried[]> {
  for (const resource of FILTERED) await readBaselines(survey, resource)
  const parameters = FILTERED.flatMap((resource) =>
    // Whether lists of posts honour `include` is told by their batches.
    parametersOf(resource.list).flatMap((parameter) => (isBatched(resource, parameter) ? [] : [{ resource, parameter }])),
  )
  const isDoubted = ({ resource, parameter }: (typeof parameters)[number]): boolean =>
    DOUBTED.has(settingOf(resource.list, parameter.param))
  const ordered = [...parameters.filter(isDoubted), ...parameters.filter((each) => !isDoubted(each))]
  const budget = { left: FILTER_CALLS }
  const tried = inferred(
    await twoAtATime(ordered, async ({ resource, parameter }) => ({
      resource,
      parameter,
      verdict: await judged(survey, resource, parameter, budget),
    })),
  )
  const proofs = tried.map(({ resource, parameter, verdict }) => ({ setting: settingOf(resource.list, parameter.param), is: verdict.is }))
  survey.learn({ ignored: learned(survey.site.ignored, proofs, 'ignored') })
  return tried
}

const isBatched = ({ list, one }: Resource, { param }: Parameter): boolean =>
  param === 'include' && list !== undefined && one !== undefined && one.path === `${list.path}/:id`

async function twoAtATime<T, R>(items: readonly T[], use: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    for (const [place, item] of queue) results[place] = await use(item)
  }
  await Promise.all([worker(), worker()])
  return results
}

async function judged(survey: Survey, resource: Listed, parameter: Parameter, budget: { left: number }): Promise<Verdict> {
  const rule = ruleOf(parameter, resource.key as string)
  const pages = survey.baselines.get(resource) ?? []
  if (!rule) return { is: 'untold', why: 'it is not tried' }
  const [first] = pages
  if (!first) return { is: 'untold', why: `no ${resource.plural} are visible` }
  const queryFor = (value: string | number) => ({ [parameter.param]: value })
  const chosen = pages
    .map((page) => ({ page, trials: rule.telling(page.rows, queryFor, survey.site) }))
    .find(({ trials }) => trials.length > 0) ?? { page: first, trials: rule.fallback(first.rows, queryFor, survey.site) }
  const { page, trials } = chosen
  if (budget.left < trials.length) return { is: 'untold', why: 'the calls for filters were spent' }
  budget.left -= trials.length
  const proofs: Proof[] = []
  for (const trial of trials) {
    const query = { ...page.query, ...trial.query, ...survey.only(resource.list, resource.key as string) }
    const outcome = await survey.list(resource, page.params, query, { what: `${resource.plural} by ${parameter.name}` })
    const error = errorOf(outcome)
    if (error) return { is: 'untold', why: isRefusal(error) ? 'this caller may not use it' : 'the site refused it' }
    const answer = got(outcome)
    if (!answer) return { is: 'untold', why: 'the calls were spent' }
    proofs.push(proofOf(trial, page.rows, answer.rows, keyOf(resource)))
  }
  if (proofs.some(({ letThrough }) => letThrough)) return { is: 'ignored', how: 'they let through what they must leave out' }
  // Rows may also be missing because the caller may not see them.
  if (proofs.some(({ lost }) => lost)) return { is: 'untold', why: 'rows that they must keep did not come' }
  if (proofs.some((proof) => proof.leftOut) && proofs.some(({ kept }) => kept)) return { is: 'honoured' }
  return { is: 'untold', why: `no visible record has a ${rule.field}` }
}

/** A site that ignores a filter ignores its opposite too, where no record shows whether it does. */
const inferred = (tried: readonly Tried[]): Tried[] =>
  tried.map((each) => {
    const { resource, parameter, verdict } = each
    const opposite = tried.find(
      (other) => other.resource === resource && other.parameter.filter === parameter.filter && !other.parameter.excludes,
    )
    return parameter.excludes && verdict.is === 'untold' && opposite?.verdict.is === 'ignored'
      ? { ...each, verdict: { is: 'ignored', how: 'no visible record tells, and what they are the opposite of is ignored' } }
      : each
  })

/** Filters by their names, by the kind of record; `parent` stands for `parent.in` and `parent.notIn`. */
function namesOf(tried: readonly Tried[]): string {
  const resources = [...new Set(tried.map(({ resource }) => resource))]
  return resources
    .map((resource) => {
      const parameters = tried.filter((each) => each.resource === resource).map(({ parameter }) => parameter)
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

/** Filters together with what is said of them. */
function grouped(tried: readonly Tried[], textOf: (verdict: Verdict) => string): string {
  const texts = [...new Set(tried.map(({ verdict }) => textOf(verdict)))]
  return texts.map((text) => `${text}: ${namesOf(tried.filter(({ verdict }) => textOf(verdict) === text))}`).join('. ')
}

function judge(survey: Survey, tried: readonly Tried[]): Finding[] {
  const expected = new Set(survey.known.ignored ?? [])
  const isExpected = ({ resource, parameter }: Tried): boolean => expected.has(settingOf(resource.list, parameter.param))
  const honoured = tried.filter(({ verdict }) => verdict.is === 'honoured')
  const ignored = tried.filter(({ verdict }) => verdict.is === 'ignored')
  const untold = tried.filter(({ verdict }) => verdict.is === 'untold')
  const better = honoured.filter(isExpected)
  const findings: Finding[] = []
  if (honoured.length > 0)
    findings.push({
      id: 'filters',
      title: 'Filters honoured',
      state: 'ok',
      found: namesOf(honoured),
      meaning: 'Each was seen to leave out and to keep the right records. The site narrows these lists.',
    })
  if (better.length > 0)
    findings.push({
      id: 'filters.better',
      title: 'Filters allowed here',
      state: 'note',
      found: namesOf(better),
      meaning: `The preset \`${survey.preset}\` expects them to be ignored. The written configuration allows them.`,
    })
  if (ignored.length > 0)
    findings.push({
      id: 'filters.ignored',
      title: 'Filters ignored',
      state: ignored.every(isExpected) ? 'note' : 'warning',
      found: grouped(ignored, (verdict) => (verdict.is === 'ignored' ? verdict.how : '')),
      meaning: 'Filters by id are applied by the gateway, on lists of up to `--max-rows` rows. Others are refused.',
    })
  const stays = (each: Tried): string => (isExpected(each) ? 'refused' : 'allowed')
  for (const as of ['refused', 'allowed']) {
    const some = untold.filter((each) => stays(each) === as && ruleOf(each.parameter, each.resource.key as string))
    if (some.length > 0)
      findings.push({
        id: `filters.untold.${as}`,
        title: 'Filters not told',
        state: 'note',
        found: grouped(some, (verdict) => (verdict.is === 'untold' ? verdict.why : '')),
        meaning: `This caller sees nothing that proves them honoured or ignored. They stay ${as}, as the preset \`${survey.preset}\` says.`,
      })
  }
  return [...findings, ...refused(survey)]
}

/** What clients can't ask for in front of this site. */
function refused({ site }: Survey): Finding[] {
  const found = refusedText(
    site,
    FILTERED.map(({ plural, list }) => ({ plural, list })),
  )
  const base = { id: 'filters.refused', title: 'Filters refused' }
  if (found === '') return [{ ...base, state: 'ok', found: 'none', meaning: 'Every filter of the graph can be used.' }]
  return [{ ...base, state: 'note', found, meaning: 'Queries that narrow these lists by them fail with BAD_USER_INPUT.' }]
}

/** Filters that some sites ignore or drop. */
export const filters = check<readonly Tried[]>({ title: 'Trying filters', probe, judge })
