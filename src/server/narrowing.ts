import { courseList } from '../resources/course/routes.js'
import { groupList } from '../resources/group/routes.js'
import { groupCourseList } from '../resources/group-course/routes.js'
import { lessonList } from '../resources/lesson/routes.js'
import { quizList } from '../resources/quiz/routes.js'
import { type NamedList, refusedFilters, refusedText } from '../upstream/refused-filters.js'
import type { Site } from '../upstream/site/site.js'

const LISTS: readonly NamedList[] = [
  { plural: 'groups', list: groupList },
  { plural: 'courses', list: courseList },
  { plural: 'courses of a group', list: groupCourseList },
  { plural: 'lessons', list: lessonList },
  { plural: 'quizzes', list: quizList },
]

/** What the log says of filters that the gateway refuses in front of a site; nothing when it refuses none. */
export function refusalsOf(site: Site): { readonly fields: object; readonly message: string } | undefined {
  const refused = Object.fromEntries(
    LISTS.map(({ plural, list }) => [plural, refusedFilters(site, list)] as const).filter(([, names]) => names.length > 0),
  )
  if (Object.keys(refused).length === 0) return undefined
  return { fields: { refusedFilters: refused }, message: `filters refused, because the site ignores them: ${refusedText(site, LISTS)}` }
}
