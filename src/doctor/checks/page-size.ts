import type { Page, Query } from '../../upstream/client.js'
import { RejectedError } from '../../upstream/errors.js'
import { check } from '../check.js'
import { type Finding, listing } from '../finding.js'
import { errorOf, got, type Outcome } from '../prober.js'
import { COURSE, GROUP, LESSON, QUIZ, type Resource } from '../resources.js'
import type { Survey } from '../survey.js'

interface PageSizes {
  /** Largest page that came whole; null when no list could be asked. */
  readonly cap: number | null
  /** How it is known. */
  readonly how: string
  /** Lists that don't keep to the size they are asked for. */
  readonly unsized: readonly string[]
  /** Whether lists keep to their size only by other parameters besides. */
  readonly params: 'needed' | 'idle' | 'untold'
}

const USUAL = 100
/** Sizes that are tried where the site does not say what it allows. */
const SMALLER = [50, 20]

async function probe(survey: Survey): Promise<PageSizes> {
  const sizes = await sizedLists(survey)
  return { ...(await cap(survey)), ...sizes }
}

/** The list with the most rows tells the most. */
function longest(survey: Survey): typeof COURSE | typeof GROUP | typeof LESSON | typeof QUIZ | undefined {
  const totals = survey.pages.filter(({ query }) => query.course === undefined && query.include === undefined)
  const best = totals.filter(({ resource }) => [COURSE, GROUP, LESSON, QUIZ].includes(resource as typeof COURSE))
  best.sort((a, b) => (b.page.total ?? b.page.rows.length) - (a.page.total ?? a.page.rows.length))
  return best[0]?.resource as typeof COURSE | undefined
}

async function cap(survey: Survey): Promise<Pick<PageSizes, 'cap' | 'how'>> {
  const resource = longest(survey)
  if (!resource) return { cap: null, how: 'no list could be asked' }
  const ask = (size: number): Promise<Outcome<Page>> =>
    survey.list(resource, {}, { per_page: size, ...survey.only(resource.list, 'id') }, { what: `pages of ${size}` })
  const full = await ask(USUAL)
  const error = errorOf(full)
  if (error instanceof RejectedError) return refused(survey, error, ask)
  const page = got(full)
  if (!page) return { cap: null, how: 'the call failed' }
  const sent = page.rows.length
  const short = sent < Math.min(USUAL, page.total ?? 0) || (page.total === null && SMALLER.includes(sent))
  if (short && sent > 0) {
    // Rows the caller may not see are left out of pages of any size.
    if (got(await ask(sent))?.rows.length !== sent) return { cap: USUAL, how: 'some rows are left out, which the caller may not see' }
    survey.learn({ pageCap: sent })
    return { cap: sent, how: `the site sends ${sent} rows when asked for ${USUAL}` }
  }
  const more = errorOf(await ask(USUAL + 1))
  return { cap: USUAL, how: more ? 'the site refuses more' : 'the site takes more; set `--page-cap` to use that' }
}

/** A site that refuses a page of the usual size may say what it allows. */
async function refused(
  survey: Survey,
  { params }: RejectedError,
  ask: (size: number) => Promise<Outcome<Page>>,
): Promise<Pick<PageSizes, 'cap' | 'how'>> {
  const said = /\b(\d{1,3})\b(?!.*\d)/.exec(params.per_page ?? '')?.[1]
  for (const size of said === undefined ? SMALLER : [Number.parseInt(said, 10), ...SMALLER]) {
    if (size < 1 || size >= USUAL || !got(await ask(size))) continue
    survey.learn({ pageCap: size })
    return { cap: size, how: `the site refuses ${USUAL}` }
  }
  return { cap: null, how: `the site refuses ${USUAL}, and ${SMALLER.join(' and ')} too` }
}

const PAGE_SIZE_PARAMS = ['posts_per_page']

const keepsSize = ({ rows }: Page, size: unknown): boolean => typeof size !== 'number' || rows.length <= size

/** Some lists take the size of a page by another parameter besides. */
async function sizedLists(survey: Survey): Promise<Pick<PageSizes, 'unsized' | 'params'>> {
  const wrong = survey.pages.filter(({ query, page }) => !keepsSize(page, query.per_page))
  const before = survey.site.pageSizeParams
  if (before.length > 0) return { unsized: named(wrong), params: await areNeeded(survey) }
  const [first] = wrong
  if (!first || first.resource.list?.path.includes(':')) return { unsized: named(wrong), params: 'untold' }
  survey.learn({ pageSizeParams: PAGE_SIZE_PARAMS })
  const { resource, query } = first as { resource: typeof LESSON; query: Query }
  const page = got(await survey.list(resource, {}, query, { what: 'pages by another parameter' }))
  if (page && keepsSize(page, query.per_page)) return { unsized: [], params: 'needed' }
  survey.learn({ pageSizeParams: before })
  return { unsized: named(wrong), params: 'untold' }
}

/** Rows of a page that is smaller than the lists it is asked of. */
const SMALL = 2

/** Whether the lessons of a course are more than asked for without the parameters of the preset. */
async function areNeeded(survey: Survey): Promise<PageSizes['params']> {
  const course = survey.steps.get(LESSON)?.course
  if (course === undefined) return 'untold'
  const before = survey.site.pageSizeParams
  survey.learn({ pageSizeParams: [] })
  const query = { course, per_page: SMALL, ...survey.only(LESSON.list, 'id') }
  const page = got(await survey.list(LESSON, {}, query, { what: 'pages without another parameter' }))
  const isKept = page !== undefined && page.rows.length === SMALL && (page.total ?? 0) > SMALL
  if (!isKept) survey.learn({ pageSizeParams: before })
  return isKept ? 'idle' : page && page.rows.length > SMALL ? 'needed' : 'untold'
}

const named = (lists: readonly { readonly resource: Resource }[]): string[] => [...new Set(lists.map(({ resource }) => resource.plural))]

function judge(survey: Survey, { cap: most, how, unsized, params }: PageSizes): Finding[] {
  const base = { id: 'pages.cap', title: 'Page size' }
  const findings: Finding[] = []
  if (most === null)
    findings.push({
      ...base,
      state: how.includes('refuses') ? 'breaks' : 'note',
      found: `could not be told: ${how}`,
      meaning: `Pages of ${survey.site.pageCap} are asked for.`,
    })
  else {
    const state = most < (survey.known.pageCap ?? USUAL) ? 'warning' : 'ok'
    const meaning =
      state === 'ok'
        ? 'Long lists and batches are read by the hundred.'
        : 'Long lists and batches cost more calls. The written configuration keeps to it.'
    findings.push({ ...base, state, found: `${most} rows: ${how}`, meaning })
  }
  if (unsized.length > 0)
    findings.push({
      id: 'pages.size',
      title: 'Page size asked for',
      state: 'warning',
      found: `not kept to by ${listing(unsized)}`,
      meaning: 'Windows are cut from what comes, which can cost more calls.',
    })
  const { pageSizeParams } = survey.site
  const byOthers = { id: 'pages.params', title: 'Page size by other names' }
  if (params === 'idle')
    findings.push({
      ...byOthers,
      state: 'note',
      found: 'not needed: lessons of a course keep to `per_page`',
      meaning: `The preset \`${survey.preset}\` sends more parameters. The written configuration does not.`,
    })
  else if (pageSizeParams.length > 0)
    findings.push({
      ...byOthers,
      state: survey.known.pageSizeParams ? 'ok' : 'note',
      found: `${listing(pageSizeParams)} is sent besides${params === 'untold' ? '; no course with enough lessons is visible to tell whether it must be' : ''}`,
      meaning:
        params === 'untold'
          ? `That is what the preset \`${survey.preset}\` says.`
          : 'Without it some lists of the site keep to a size of their own.',
    })
  return findings
}

/** How many rows a page of a list holds. */
export const pageSize = check<PageSizes>({ title: 'Trying the size of pages', probe, judge })
