import type { Query } from '../upstream/client.js'
import type { ListRoute } from '../upstream/routes.js'
import { groupList } from './group/routes.js'
import { priceTypeTable } from './price-type/routes.js'

// The registry: one line per resource, which imports its last file. Relations can lead only to resources above.
import './user/type.js'
import './featured-image/type.js'
import './lms-term/type.js'
import './price-type/type.js'
import './group/type.js'
import './course/type.js'
import './group-course/mutations.js'
import './lesson/type.js'
import './topic/type.js'
import './quiz/type.js'
import './question/type.js'
import './course-progress/type.js'
import './enrolment/type.js'
import './enrolment/mutations.js'
// Fields that combine several resources.
import './computed/access.js'
import './computed/content.js'
import './computed/next-lesson.js'
import './computed/outline.js'
import './computed/prerequisite-map.js'

export { CHANGE_TYPES, TAGGING } from './changes.js'

interface Probe {
  readonly route: ListRoute
  readonly query: Query
}

/** Reads that show whether the site answers: one that it allows to anonymous callers, and one that shows whether it accepts an account. */
export const PROBES: Readonly<Record<'anonymous' | 'account', Probe>> = {
  anonymous: { route: priceTypeTable, query: {} },
  account: { route: groupList, query: { per_page: 1, context: 'view' } },
}
