import type { Query } from '../upstream/client.js'
import type { NamedList } from '../upstream/refused-filters.js'
import type { ListRoute } from '../upstream/routes.js'
import { courseList } from './course/routes.js'
import { groupList } from './group/routes.js'
import { groupCourseList } from './group-course/routes.js'
import { lessonList } from './lesson/routes.js'
import { priceTypeTable } from './price-type/routes.js'
import { quizList } from './quiz/routes.js'

// The registry: one line per resource, which imports its last file. Relations can lead only to resources above.
import './user/type.js'
import './price-type/type.js'
import './group/mutations.js'
import './course/mutations.js'
import './group-course/mutations.js'
import './lesson/mutations.js'
import './quiz/mutations.js'
import './question/type.js'
import './course-progress/type.js'
// Fields that combine several resources.
import './computed/access.js'
import './computed/next-lesson.js'
import './computed/prerequisite-map.js'

export { CHANGE_TYPES, TAGGING } from './cache-tags.js'

/** The lists with filters, by what messages call their records. */
export const LISTS: readonly NamedList[] = [
  { plural: 'groups', list: groupList },
  { plural: 'courses', list: courseList },
  { plural: 'courses of a group', list: groupCourseList },
  { plural: 'lessons', list: lessonList },
  { plural: 'quizzes', list: quizList },
]

interface Probe {
  readonly route: ListRoute
  readonly query: Query
}

/** Reads that show whether the site answers: one that it allows to anonymous callers, and one that shows whether it accepts an account. */
export const PROBES: Readonly<Record<'anonymous' | 'account', Probe>> = {
  anonymous: { route: priceTypeTable, query: {} },
  account: { route: groupList, query: { per_page: 1, context: 'view' } },
}
