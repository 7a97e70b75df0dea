import type { Row } from '../upstream/client.js'
import { isRefusal } from '../upstream/errors.js'
import { idOf, type ListRoute } from '../upstream/routes.js'
import { errorOf, got } from './prober.js'
import { COURSE, GROUP, GROUP_COURSE, LESSON, PRICE_TYPE, PROGRESS, QUESTION, QUIZ } from './resources.js'
import type { Survey } from './survey.js'

/** Rows of a first look. */
export const FEW = 3
/** Parents whose lists are tried until one has rows. */
const TRIES = 3

/** First rows of every list, as far as the caller may see them. */
export async function sampleLists(survey: Survey): Promise<void> {
  await Promise.all([GROUP, COURSE, LESSON, QUIZ].map((resource) => survey.list(resource, {}, { per_page: FEW }, { sample: true })))
  await Promise.all([coursesOfGroup(survey), progress(survey), question(survey)])
  // Courses with lessons mostly have quizzes as well.
  await stepsOf(survey, LESSON)
  await stepsOf(survey, QUIZ)
}

/** Courses that are searched for lessons, and for quizzes. */
const MOST_COURSES = 12

/** Records of a course: its own order and page size may differ, and others than administrators see no others. */
async function stepsOf(survey: Survey, resource: typeof LESSON | typeof QUIZ): Promise<void> {
  const tried = new Set<number>()
  for (const known of [knownCourses, moreCourses]) {
    for (const course of await known(survey)) {
      if (tried.has(course)) continue
      if (tried.size >= MOST_COURSES) return
      tried.add(course)
      const what = `${resource.plural} of a course`
      const page = got(await survey.list(resource, {}, { course, per_page: FEW - 1 }, { what, sample: true }))
      if (!page || page.rows.length === 0) continue
      survey.steps.set(resource, { course, rows: page.rows })
      return
    }
  }
}

/** Courses that sampled records name, the most promising first. */
function knownCourses(survey: Survey): number[] {
  const found = [...survey.steps.values()].map(({ course }) => course)
  const named = [...survey.rowsOf(LESSON), ...survey.rowsOf(PROGRESS)].flatMap((row) => idOf({ id: row.course }) ?? [])
  return [...found, ...named, ...survey.idsOf(COURSE), ...survey.idsOf(GROUP_COURSE)]
}

/** Courses beyond the first few, with one call for both kinds. */
async function moreCourses(survey: Survey): Promise<readonly number[]> {
  if (survey.courses === undefined) {
    const query = { per_page: 50, ...survey.only(COURSE.list, 'id') }
    const page = got(await survey.list(COURSE, {}, query, { what: 'more courses' }))
    survey.courses = (page?.rows ?? []).flatMap((row) => idOf(row) ?? [])
  }
  return survey.courses
}

/** A group's courses; of several, so that filters by id can be told to be honoured. */
async function coursesOfGroup(survey: Survey): Promise<void> {
  for (const id of survey.idsOf(GROUP).slice(0, TRIES)) {
    const page = got(await survey.list(GROUP_COURSE, { id }, { per_page: FEW }, { sample: true }))
    if (page && page.rows.length > 0) survey.group = id
    if (!page || page.rows.length > 1) return
  }
}

/** The progress of somebody: of who was named, of the caller, or of the users that came first. */
async function progress(survey: Survey): Promise<void> {
  const { hints, viewer } = survey
  const users = hints.user === undefined ? new Set([...(viewer === undefined ? [] : [viewer]), 1, 2, 3]) : [hints.user]
  for (const user of users) {
    const outcome = await survey.list(PROGRESS, { user }, { per_page: FEW }, { sample: true })
    if ((got(outcome)?.rows.length ?? 0) > 0) survey.user = user
    const error = errorOf(outcome)
    if (survey.user !== undefined || (error && isRefusal(error))) return
  }
}

/** Sites of the plugin list questions in the second version of the interface; the specification has no list of them. */
const V2_QUESTIONS: ListRoute = { path: 'v2/sfwd-question', window: 'offset', filters: {}, orders: {} }

async function question(survey: Survey): Promise<void> {
  const { prober, site, hints } = survey
  let id = hints.question
  if (id === undefined && survey.preset !== 'lms') {
    const list = await prober.ask('a question', site, (client, session) => client.list(V2_QUESTIONS, {}, { per_page: FEW }, session))
    survey.listedQuestions = got(list)?.rows ?? []
    const [row] = survey.listedQuestions
    if (typeof row?.id === 'number') id = row.id
  }
  // Whether there is such a route is told by any id; some sites show for records of another kind what questions have.
  await survey.one(QUESTION, { id: id ?? survey.idsOf(QUIZ)[0] ?? 1 })
}

/** One record of each kind by its id: in `edit` where the caller may, which shows all of it. */
export async function sampleSingles(survey: Survey): Promise<void> {
  const first = [COURSE, GROUP, LESSON, QUIZ].find((resource) => survey.idsOf(resource).length > 0)
  if (first && !survey.anonymous && survey.mayEdit !== false) {
    const outcome = await survey.one(first, { id: survey.idsOf(first)[0] as number }, { context: 'edit' })
    survey.edit = outcome
    const error = errorOf(outcome)
    if (!error) survey.mayEdit = got(outcome) !== undefined
    else if (isRefusal(error)) survey.mayEdit = false
  }
  const context = survey.mayEdit === true ? 'edit' : 'view'
  const rest = [COURSE, GROUP, LESSON, QUIZ].filter((resource) => resource !== first || survey.mayEdit !== true)
  const slug = survey.rowsOf(PRICE_TYPE).find(hasSlug)?.slug
  await Promise.all([
    // Without an id there is still to be told whether there is such a route.
    ...rest.map((resource) => survey.one(resource, { id: survey.idsOf(resource)[0] ?? 1 }, { context })),
    survey.one(PRICE_TYPE, { slug: slug ?? 'open' }),
    survey.one(PROGRESS, { user: survey.user ?? survey.viewer ?? 1, course: courseOfProgress(survey) ?? survey.idsOf(COURSE)[0] ?? 1 }),
  ])
}

const hasSlug = (row: Row): row is Row & { slug: string } => typeof row.slug === 'string' && row.slug !== ''

const courseOfProgress = (survey: Survey): number | undefined => survey.rowsOf(PROGRESS).flatMap((row) => idOf({ id: row.course }) ?? [])[0]
