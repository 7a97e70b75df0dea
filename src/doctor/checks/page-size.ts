import type { Page, Query } from '../../upstream/client.js'
import { RejectedError } from '../../upstream/errors.js'
import { check } from '../check.js'
import { counted, type Finding, listing } from '../finding.js'
import { errorOf, type Outcome, resultOf } from '../prober.js'
import { COURSE, GROUP, LESSON, QUIZ, type Resource } from '../resources.js'
import type { Survey } from '../survey.js'

interface PageSizes {
  /** Largest complete page; null when unknown. */
  readonly cap: number | null
  /** How it was measured. */
  readonly how: string
  /** Lists that ignore the requested size. */
  readonly unsized: readonly string[]
  /** Whether some lists need another parameter for the size. */
  readonly params: 'needed' | 'idle' | 'unknown'
}

const USUAL = 100
/** Sizes to test when the site does not state its limit. */
const SMALLER = [50, 20]

async function probe(survey: Survey): Promise<PageSizes> {
  const sizes = await sizedLists(survey)
  return { ...(await cap(survey)), ...sizes }
}

/** The resource with the longest list. */
function longest(survey: Survey): typeof COURSE | typeof GROUP | typeof LESSON | typeof QUIZ | undefined {
  const totals = survey.pages.filter(({ query }) => query.course === undefined && query.include === undefined)
  const best = totals.filter(({ resource }) => [COURSE, GROUP, LESSON, QUIZ].includes(resource as typeof COURSE))
  best.sort((a, b) => (b.page.total ?? b.page.rows.length) - (a.page.total ?? a.page.rows.length))
  return best[0]?.resource as typeof COURSE | undefined
}

async function cap(survey: Survey): Promise<Pick<PageSizes, 'cap' | 'how'>> {
  const resource = longest(survey)
  if (!resource) return { cap: null, how: 'no list could be read' }
  const ask = (size: number): Promise<Outcome<Page>> =>
    survey.list(resource, {}, { per_page: size, ...survey.limitFields(resource.list, 'id') }, { what: `pages of ${size}` })
  const full = await ask(USUAL)
  const error = errorOf(full)
  if (error instanceof RejectedError) return refused(survey, error, ask)
  const page = resultOf(full)
  if (!page) return { cap: null, how: 'the call failed' }
  const sent = page.rows.length
  const short = sent < Math.min(USUAL, page.total ?? 0) || (page.total === null && SMALLER.includes(sent))
  if (short && sent > 0) {
    // Rows that the caller may not see are missing from pages of any size.
    if (resultOf(await ask(sent))?.rows.length !== sent)
      return { cap: USUAL, how: 'some rows are missing because the caller may not see them' }
    survey.learn({ pageCap: sent })
    return { cap: sent, how: `the site sends ${counted(sent, 'row')} of ${USUAL} requested` }
  }
  if (survey.site.pageCap < USUAL) survey.learn({ pageCap: USUAL })
  const more = errorOf(await ask(USUAL + 1))
  return { cap: USUAL, how: more ? 'the site refuses more' : 'the site accepts more; set `--page-cap` to use that' }
}

/** Tests smaller sizes when the site refuses the usual one. Its error may state the limit. */
async function refused(
  survey: Survey,
  { params }: RejectedError,
  ask: (size: number) => Promise<Outcome<Page>>,
): Promise<Pick<PageSizes, 'cap' | 'how'>> {
  const limit = /\b(\d{1,3})\b(?!.*\d)/.exec(params.per_page?.message ?? '')?.[1]
  for (const size of limit === undefined ? SMALLER : [Number.parseInt(limit, 10), ...SMALLER]) {
    if (size < 1 || size >= USUAL || !resultOf(await ask(size))) continue
    survey.learn({ pageCap: size })
    return { cap: size, how: `the site refuses ${USUAL}` }
  }
  return { cap: null, how: `the site refuses ${USUAL}, and ${SMALLER.join(' and ')} too` }
}

const PAGE_SIZE_PARAMS = ['posts_per_page']

const keepsSize = ({ rows }: Page, size: unknown): boolean => typeof size !== 'number' || rows.length <= size

/** Tests whether lists need another parameter for the page size. */
async function sizedLists(survey: Survey): Promise<Pick<PageSizes, 'unsized' | 'params'>> {
  const wrong = survey.pages.filter(({ query, page }) => !keepsSize(page, query.per_page))
  const before = survey.site.pageSizeParams
  if (before.length > 0) return { unsized: named(wrong), params: await areNeeded(survey) }
  const [first] = wrong
  if (!first || first.resource.list?.path.includes(':')) return { unsized: named(wrong), params: 'unknown' }
  survey.learn({ pageSizeParams: PAGE_SIZE_PARAMS })
  const { resource, query } = first as { resource: typeof LESSON; query: Query }
  const page = resultOf(await survey.list(resource, {}, query, { what: 'pages by another parameter' }))
  if (page && keepsSize(page, query.per_page)) return { unsized: [], params: 'needed' }
  survey.learn({ pageSizeParams: before })
  return { unsized: named(wrong), params: 'unknown' }
}

/** Page size for testing lists that are longer. */
const SMALL = 2

/** Tests whether the lessons of a course exceed the page size without the parameters of the preset. */
async function areNeeded(survey: Survey): Promise<PageSizes['params']> {
  const course = survey.steps.get(LESSON)?.course
  if (course === undefined) return 'unknown'
  const before = survey.site.pageSizeParams
  survey.learn({ pageSizeParams: [] })
  const query = { course, per_page: SMALL, ...survey.limitFields(LESSON.list, 'id') }
  const page = resultOf(await survey.list(LESSON, {}, query, { what: 'pages without another parameter' }))
  const isKept = page !== undefined && page.rows.length === SMALL && (page.total ?? 0) > SMALL
  if (!isKept) survey.learn({ pageSizeParams: before })
  return isKept ? 'idle' : page && page.rows.length > SMALL ? 'needed' : 'unknown'
}

const named = (lists: readonly { readonly resource: Resource }[]): string[] => [...new Set(lists.map(({ resource }) => resource.plural))]

function judge(survey: Survey, { cap: most, how, unsized, params }: PageSizes): Finding[] {
  const base = { id: 'pages.cap', title: 'Page size' }
  const findings: Finding[] = []
  if (most === null)
    findings.push({
      ...base,
      state: how.includes('refuses') ? 'breaks' : 'note',
      found: `unknown: ${how}`,
      meaning: `Pages of ${survey.site.pageCap} rows are requested.`,
    })
  else {
    const state = most < (survey.known.pageCap ?? USUAL) ? 'warning' : 'ok'
    const meaning =
      state === 'ok'
        ? 'Long lists and batches are read in pages of 100.'
        : 'Long lists and batches cost more calls. The written configuration sets it.'
    findings.push({ ...base, state, found: `${counted(most, 'row')}: ${how}`, meaning })
  }
  if (unsized.length > 0)
    findings.push({
      id: 'pages.size',
      title: 'Requested page size',
      state: 'warning',
      found: `ignored by ${listing(unsized)}`,
      meaning: 'The gateway cuts windows from longer pages, which can cost more calls.',
    })
  const { pageSizeParams } = survey.site
  const byOthers = { id: 'pages.params', title: 'Page size parameters' }
  if (params === 'idle')
    findings.push({
      ...byOthers,
      state: 'note',
      found: 'not needed: lessons of a course honour `per_page`',
      meaning: `In ${survey.source} further parameters are sent. The written configuration does not.`,
    })
  else if (pageSizeParams.length > 0)
    findings.push({
      ...byOthers,
      state: survey.known.pageSizeParams ? 'ok' : 'note',
      found: `${listing(pageSizeParams)} is also sent${params === 'unknown' ? '; no course with enough lessons is visible to test it' : ''}`,
      meaning:
        params === 'unknown' ? `This is the setting of ${survey.source}.` : 'Without it, some lists of the site use their own page size.',
    })
  return findings
}

/** Measures the largest page of lists. */
export const pageSize = check<PageSizes>({ title: 'Testing page sizes', probe, judge })
