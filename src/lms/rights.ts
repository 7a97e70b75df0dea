import { mayEdit, type Viewer } from './auth.js'
import { deniedStatus, RestError } from './errors.js'
import type { Switches } from './profile/switches.js'
import type { Resource } from './spec/index.js'
import type { Store } from './store.js'

/** Whom a route is for, beside administrators. */
type For = 'leaders' | 'enrolled' | 'nobody'

/** Who may read a kind of record where most routes are for administrators, and the code of the refusal. */
interface Right {
  readonly list: For
  readonly item: For
  readonly code: 'own' | 'ld_rest_cannot_view'
}

const RIGHTS: Readonly<Record<string, Right>> = {
  groups: { list: 'leaders', item: 'leaders', code: 'own' },
  'sfwd-courses': { list: 'nobody', item: 'nobody', code: 'own' },
  'sfwd-quiz': { list: 'nobody', item: 'nobody', code: 'ld_rest_cannot_view' },
  'sfwd-lessons': { list: 'enrolled', item: 'enrolled', code: 'ld_rest_cannot_view' },
}

const GROUP_COURSES: Right = { list: 'nobody', item: 'nobody', code: 'ld_rest_cannot_view' }

/** Learners take a course when they have begun it, or are in a group that has it. */
const TAKES = `
  EXISTS (SELECT 1 FROM progress p WHERE p.user = ?1 AND p.course = s.course)
  OR EXISTS (SELECT 1 FROM group_users u JOIN group_courses c USING (group_id) WHERE u.user = ?1 AND c.course = s.course)`
const TAKES_COURSE = `SELECT 1 FROM (SELECT ?2 AS course) s WHERE ${TAKES}`
const TAKES_LESSON = `SELECT 1 FROM course_steps s WHERE s.step = ?2 AND s.kind = 'lesson' AND (${TAKES}) LIMIT 1`

/** Who may read what where the specification leaves it open; what is not published is for editors in any case. */
export class Rights {
  /** Whether most routes are for administrators only. */
  readonly narrow: boolean

  constructor(
    readonly store: Store,
    private readonly switches: Switches,
  ) {
    this.narrow = switches.adminOnly
  }

  /** Refuses a list; `course` is what it is limited to. */
  checkList(viewer: Viewer, resource: Resource, course?: number): void {
    const right = this.#right(resource)
    if (!right || this.#belongs(viewer, right.list)) return
    if (right.list !== 'enrolled' || course === undefined || !this.#takes(viewer, TAKES_COURSE, course)) throw this.#refusal(viewer, right)
  }

  /** Refuses a single record. */
  checkItem(viewer: Viewer, resource: Resource, id: number): void {
    const right = this.#right(resource)
    if (!right || this.#belongs(viewer, right.item)) return
    if (right.item !== 'enrolled' || !this.#takes(viewer, TAKES_LESSON, id)) throw this.#refusal(viewer, right)
  }

  #right(resource: Resource): Right | undefined {
    if (!this.narrow) return undefined
    return resource.courseRoute === undefined ? RIGHTS[resource.type] : GROUP_COURSES
  }

  #belongs = (viewer: Viewer, whom: For): boolean => mayEdit(viewer) || (whom === 'leaders' && viewer?.role === 'leader')

  #takes = (viewer: Viewer, sql: string, id: number): boolean => viewer !== null && this.store.row(sql, viewer.id, id) !== undefined

  #refusal(viewer: Viewer, { code }: Right): RestError {
    const own = `${this.switches.codePrefix}_rest_forbidden`
    return new RestError(deniedStatus(viewer), code === 'own' ? own : code, 'Sorry, you are not allowed to view this item.')
  }
}
