import { stepList } from '../../graph/course-progress/routes.js'
import { mediaList } from '../../graph/featured-image/routes.js'
import { TAXONOMIES } from '../../graph/lms-term/routes.js'
import { userList } from '../../graph/user/routes.js'
import type { CallScope } from '../../upstream/call-scope.js'
import type { Client } from '../../upstream/client.js'
import { isRefusal } from '../../upstream/errors.js'
import { isOfWordPress, type ListRoute, type Route } from '../../upstream/routes.js'
import type { Site } from '../../upstream/site/site.js'
import { check } from '../check.js'
import { listing } from '../finding.js'
import { errorOf, type Outcome } from '../prober.js'
import { LESSON } from '../resources.js'
import { progressKey } from '../sampling.js'
import { existsBy, type Survey } from '../survey.js'

/** An entry of the option `routes`: its routes, and what the graph has of them. */
interface Optional {
  readonly entry: Site['routes'][number]
  readonly title: string
  readonly fields: string
  readonly paths: readonly Route['path'][]
}

/** All entries except `users/me`, which the check of credentials reads. */
const ENTRIES: readonly Optional[] = [
  { entry: 'users', title: 'Users of WordPress', fields: 'Names and pictures of users', paths: [userList.path] },
  { entry: 'media', title: 'Images of WordPress', fields: 'Featured images', paths: [mediaList.path] },
  {
    entry: 'terms',
    title: 'Terms of WordPress',
    fields: 'Categories and tags with their names',
    paths: Object.values(TAXONOMIES).map((taxonomy): Route['path'] => `wp/v2/${taxonomy}`),
  },
  { entry: 'users/course-progress/steps', title: 'Completed steps', fields: 'Steps of course progress', paths: [stepList.path] },
  { entry: 'users/courses', title: 'Courses of a user', fields: 'Courses of users', paths: ['v2/users/:user/courses'] },
  { entry: 'sfwd-courses/users', title: 'Users of a course', fields: 'Users of courses', paths: ['v2/sfwd-courses/:course/users'] },
  { entry: 'sfwd-courses/groups', title: 'Groups of a course', fields: 'Groups of courses', paths: ['v2/sfwd-courses/:course/groups'] },
  { entry: 'sfwd-courses/steps', title: 'Outline of a course', fields: 'Orders of steps', paths: ['v2/sfwd-courses/:course/steps'] },
  { entry: 'sfwd-topic', title: 'Topics', fields: 'Topics of lessons', paths: ['v2/sfwd-topic'] },
  { entry: 'sfwd-question', title: 'Questions of a quiz', fields: 'Lists of questions', paths: ['v2/sfwd-question'] },
]

/** What `access` knows less about without an entry. */
const FOR_ACCESS: Readonly<Partial<Record<Optional['entry'], string>>> = {
  'users/course-progress/steps': 'completed lessons',
  'users/courses': 'enrolment',
}

/** Reads a route, or one row of it. The route has no entry here, because the client does not read the routes of entries that the settings lack. */
function read(survey: Survey, { entry, title }: Optional, path: Route['path']): Promise<Outcome<unknown>> {
  const { user, course } = progressKey(survey)
  const params = { user, course: survey.steps.get(LESSON)?.course ?? course }
  const route: ListRoute = { path, nested: true, window: 'offset', filters: {}, orders: {} }
  const request = (client: Client, call: CallScope): Promise<unknown> =>
    entry === 'sfwd-courses/steps' ? client.get(route, params, {}, call) : client.list(route, params, { per_page: 1 }, call)
  return isOfWordPress(path) ? survey.prober.ask(title, survey.site, request) : survey.ask(title, route, request)
}

/** Checks which routes beyond the specification the site has, and whether the account may read them. */
export const optionalRoutes = check<ReadonlyMap<string, Outcome<unknown>>>({
  title: 'Looking for further routes',

  async probe(survey) {
    const outcomes = new Map<string, Outcome<unknown>>()
    for (const optional of ENTRIES) {
      for (const path of optional.paths) outcomes.set(path, await read(survey, optional, path))
      const exists = optional.paths.map((path) => existsBy(outcomes.get(path) as Outcome<unknown>))
      if (exists.includes(true) || !exists.includes(undefined)) survey.learnRoute(optional.entry, exists.includes(true))
    }
    return outcomes
  },

  judge: ({ source }, outcomes) =>
    ENTRIES.map(({ entry, title, fields, paths }) => {
      const read = paths.map((path) => ({ path, outcome: outcomes.get(path) as Outcome<unknown> }))
      const missing = read.filter(({ outcome }) => existsBy(outcome) === false).map(({ path }) => path)
      const known = FOR_ACCESS[entry] === undefined ? '' : `, and \`access\` knows less about ${FOR_ACCESS[entry]}`
      const finding = (found: string, meaning: string, state: 'ok' | 'note' = 'note') => ({
        id: `optional.${entry}`,
        title,
        state,
        found,
        meaning: `${fields} ${meaning}.`,
      })
      if (missing.length === paths.length) return finding('the site does not have them', `are null with the error NOT_AVAILABLE${known}`)
      if (!read.some(({ outcome }) => existsBy(outcome))) return finding('not known', `are read as ${source} says`)
      if (missing.length > 0) return finding(`all but ${listing(missing)}`, 'are null with the error NOT_AVAILABLE for these')
      return read.some(({ outcome }) => isRefusal(errorOf(outcome)))
        ? finding('not shown to this account', `are null with the error FORBIDDEN for such callers${known}`)
        : finding('the site has them', 'have data', 'ok')
    }),
})
