import type { Row } from '../upstream/client.js'
import { isRefusal } from '../upstream/errors.js'
import { idOf, type ListRoute } from '../upstream/routes.js'
import { errorOf, resultOf } from './prober.js'
import { COURSE, GROUP, GROUP_COURSE, LESSON, PRICE_TYPE, PROGRESS, QUESTION, QUIZ } from './resources.js'
import type { Survey } from './survey.js'

/** Rows of a sample. */
export const SAMPLE_ROWS = 3
/** Number of parents whose lists are read until one has rows. */
const MAX_PARENTS = 3

/** Reads the first rows of each list that the caller may read. */
export async function sampleLists(survey: Survey): Promise<void> {
  await Promise.all([GROUP, COURSE, LESSON, QUIZ].map((resource) => survey.list(resource, {}, { per_page: SAMPLE_ROWS }, { sample: true })))
  await Promise.all([coursesOfGroup(survey), progress(survey), question(survey)])
  // Courses with lessons usually have quizzes as well.
  await stepsOf(survey, LESSON)
  await stepsOf(survey, QUIZ)
}

/** Number of courses that are searched for lessons, and for quizzes. */
const MAX_COURSES = 12

/** Reads records of a course. Callers who are not administrators can read no others; order and page size may differ. */
async function stepsOf(survey: Survey, resource: typeof LESSON | typeof QUIZ): Promise<void> {
  const tried = new Set<number>()
  for (const known of [knownCourses, moreCourses]) {
    for (const course of await known(survey)) {
      if (tried.has(course)) continue
      if (tried.size >= MAX_COURSES) return
      tried.add(course)
      const what = `${resource.plural} of a course`
      const page = resultOf(await survey.list(resource, {}, { course, per_page: SAMPLE_ROWS - 1 }, { what, sample: true }))
      if (!page || page.rows.length === 0) continue
      survey.steps.set(resource, { course, rows: page.rows })
      return
    }
  }
}

/** Ids of courses in the sampled records, the most promising first. */
function knownCourses(survey: Survey): number[] {
  const found = [...survey.steps.values()].map(({ course }) => course)
  const named = [...survey.rowsOf(LESSON), ...survey.rowsOf(PROGRESS)].flatMap((row) => idOf({ id: row.course }) ?? [])
  return [...found, ...named, ...survey.idsOf(COURSE), ...survey.idsOf(GROUP_COURSE)]
}

/** Reads more ids of courses, once for lessons and quizzes. */
async function moreCourses(survey: Survey): Promise<readonly number[]> {
  if (survey.courses === undefined) {
    const query = { per_page: 50, ...survey.limitFields(COURSE.list, 'id') }
    const page = resultOf(await survey.list(COURSE, {}, query, { what: 'more courses' }))
    survey.courses = (page?.rows ?? []).flatMap((row) => idOf(row) ?? [])
  }
  return survey.courses
}

/** Reads courses of groups until a group has several, which the tests of filters by id need. */
async function coursesOfGroup(survey: Survey): Promise<void> {
  for (const id of survey.idsOf(GROUP).slice(0, MAX_PARENTS)) {
    const page = resultOf(await survey.list(GROUP_COURSE, { id }, { per_page: SAMPLE_ROWS }, { sample: true }))
    if (page && page.rows.length > 0) survey.group = id
    if (!page || page.rows.length > 1) return
  }
}

/** Reads the progress of a user: of the hint, of the caller, or of the first users. */
async function progress(survey: Survey): Promise<void> {
  const { hints, viewer } = survey
  const users = hints.user === undefined ? new Set([...(viewer === undefined ? [] : [viewer]), 1, 2, 3]) : [hints.user]
  for (const user of users) {
    const outcome = await survey.list(PROGRESS, { user }, { per_page: SAMPLE_ROWS }, { sample: true })
    if ((resultOf(outcome)?.rows.length ?? 0) > 0) survey.user = user
    const error = errorOf(outcome)
    if (survey.user !== undefined || (error && isRefusal(error))) return
  }
}

/** Sites with the plugin have a list of questions in version 2 of the interface; the specification has none. */
const V2_QUESTIONS: ListRoute = { path: 'v2/sfwd-question', window: 'offset', filters: {}, orders: {} }

async function question(survey: Survey): Promise<void> {
  const { prober, site, hints } = survey
  let id = hints.question
  if (id === undefined && survey.preset !== 'lms') {
    const list = await prober.ask('a question', site, (client, call) => client.list(V2_QUESTIONS, {}, { per_page: SAMPLE_ROWS }, call))
    survey.listedQuestions = resultOf(list)?.rows ?? []
    const [row] = survey.listedQuestions
    if (typeof row?.id === 'number') id = row.id
  }
  // Any id shows whether the route exists; some sites return question fields for records of another kind.
  await survey.one(QUESTION, { id: id ?? survey.idsOf(QUIZ)[0] ?? 1 })
}

/** Reads one record of each kind by its id, in `edit` if the caller may, which shows all columns. */
export async function sampleSingles(survey: Survey): Promise<void> {
  const first = [COURSE, GROUP, LESSON, QUIZ].find((resource) => survey.idsOf(resource).length > 0)
  if (first && !survey.anonymous && survey.mayEdit !== false) {
    const outcome = await survey.one(first, { id: survey.idsOf(first)[0] as number }, { context: 'edit' })
    survey.edit = outcome
    const error = errorOf(outcome)
    if (!error) survey.mayEdit = resultOf(outcome) !== undefined
    else if (isRefusal(error)) survey.mayEdit = false
  }
  const context = survey.mayEdit === true ? 'edit' : 'view'
  const rest = [COURSE, GROUP, LESSON, QUIZ].filter((resource) => resource !== first || survey.mayEdit !== true)
  const slug = survey.rowsOf(PRICE_TYPE).find(hasSlug)?.slug
  await Promise.all([
    // Without a known id, the call still shows whether the route exists.
    ...rest.map((resource) => survey.one(resource, { id: survey.idsOf(resource)[0] ?? 1 }, { context })),
    survey.one(PRICE_TYPE, { slug: slug ?? 'open' }),
    survey.one(PROGRESS, progressKey(survey)),
  ])
}

const hasSlug = (row: Row): row is Row & { slug: string } => typeof row.slug === 'string' && row.slug !== ''

/** A user with a course, with progress if the caller may see some. */
export const progressKey = (survey: Survey): { readonly user: number; readonly course: number } => ({
  user: survey.user ?? survey.viewer ?? 1,
  course: courseOfProgress(survey) ?? survey.idsOf(COURSE)[0] ?? 1,
})

const courseOfProgress = (survey: Survey): number | undefined => survey.rowsOf(PROGRESS).flatMap((row) => idOf({ id: row.course }) ?? [])[0]
