import { forbidden, mayEdit, type Viewer } from './auth.js'
import { deniedStatus, RestError } from './errors.js'
import type { Switches } from './profile/switches.js'
import { course, group, lesson, quiz, type Resource } from './spec/index.js'
import { topic } from './spec/topic.js'
import type { Store } from './store.js'

/** The error for an id that no record of the type has. */
export const unknownPost = (label: string): RestError => new RestError(404, 'rest_post_invalid_id', `Invalid ${label} ID.`)

const STATE: Readonly<Record<string, string>> = Object.fromEntries(
  [group, course, lesson, quiz, topic].map(({ table }) => [table, `SELECT status, password FROM ${table} WHERE id = ?`]),
)

/** Throws when a record does not exist, or is not published and the caller may not edit. Returns its password. */
export function checkReadable(store: Store, viewer: Viewer, resource: Resource, id: number): { readonly password: string } {
  const row = store.row(STATE[resource.table]!, id)
  if (!row) throw unknownPost(resource.label)
  const [status, password] = row
  if (status !== 'publish' && !mayEdit(viewer)) throw forbidden(viewer)
  return { password: String(password) }
}

/** Throws when no record of the type has the id. */
export function checkExists(store: Store, resource: Resource, id: number): void {
  if (!store.row(STATE[resource.table]!, id)) throw unknownPost(resource.label)
}

/** Who may use a route, besides administrators. */
type Audience = 'leaders' | 'enrolled' | 'nobody'

/** With `adminOnly`: who may read a kind of record, in lists and alone, and the error code for others. */
interface AccessRule {
  readonly audience: Audience
  readonly code: 'own' | 'ld_rest_cannot_view'
}

const ACCESS_RULES: Readonly<Record<string, AccessRule>> = {
  groups: { audience: 'leaders', code: 'own' },
  'sfwd-courses': { audience: 'nobody', code: 'own' },
  'sfwd-quiz': { audience: 'nobody', code: 'ld_rest_cannot_view' },
  'sfwd-lessons': { audience: 'enrolled', code: 'ld_rest_cannot_view' },
  'sfwd-topic': { audience: 'enrolled', code: 'ld_rest_cannot_view' },
}

const GROUP_COURSES: AccessRule = { audience: 'nobody', code: 'ld_rest_cannot_view' }

/** Learners are enrolled in a course themselves, or are in a group that has it. Progress without a time of enrolment is that of an enrolment that has ended. */
const ENROLLED = `
  EXISTS (SELECT 1 FROM progress p WHERE p.user = ?1 AND p.course = s.course AND p.enrolled_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM group_users u JOIN group_courses c USING (group_id) WHERE u.user = ?1 AND c.course = s.course)`
const ENROLLED_IN_COURSE = `SELECT 1 FROM (SELECT ?2 AS course) s WHERE ${ENROLLED}`
const ENROLLED_IN_STEP = `SELECT 1 FROM course_steps s WHERE s.step = ?2 AND s.kind <> 'quiz' AND (${ENROLLED}) LIMIT 1`

/** Access rules of sites on which most routes are for administrators. `checkReadable` applies in addition. */
export class Rights {
  /** Whether most routes are for administrators. */
  readonly adminOnly: boolean

  constructor(
    readonly store: Store,
    private readonly switches: Switches,
  ) {
    this.adminOnly = switches.adminOnly
  }

  /** Whether everybody may read the published records of a kind. */
  isPublic = (resource: Resource): boolean => this.#ruleOf(resource) === undefined

  /** The methods that a caller who may read a record may use on it; undefined where the site does not tell. */
  methodsOf(viewer: Viewer): readonly string[] | undefined {
    if (!this.switches.siteRoutes) return undefined
    return mayEdit(viewer) ? ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] : ['GET']
  }

  /** Throws unless the caller is an administrator. */
  checkAdministrator(viewer: Viewer): void {
    if (!mayEdit(viewer)) throw this.adminOnly ? this.#refusal(viewer, GROUP_COURSES) : forbidden(viewer)
  }

  /** Throws when the caller may not read a list. `course` is the course to which the list is limited. */
  checkList(viewer: Viewer, resource: Resource, course?: number): void {
    this.#check(viewer, resource, ENROLLED_IN_COURSE, course)
  }

  /** Throws when the caller may not read a single record. */
  checkItem(viewer: Viewer, resource: Resource, id: number): void {
    this.#check(viewer, resource, ENROLLED_IN_STEP, id)
  }

  #ruleOf(resource: Resource): AccessRule | undefined {
    if (!this.adminOnly) return undefined
    return resource.recordRoute === undefined ? ACCESS_RULES[resource.type] : GROUP_COURSES
  }

  /** `enrolled` is the SQL that tells whether a user (?1) is enrolled where `id` (?2) is. */
  #check(viewer: Viewer, resource: Resource, enrolled: string, id: number | undefined): void {
    const rule = this.#ruleOf(resource)
    if (!rule || mayEdit(viewer) || (rule.audience === 'leaders' && viewer?.role === 'leader')) return
    const isEnrolled = rule.audience === 'enrolled' && viewer && id !== undefined && this.store.row(enrolled, viewer.id, id)
    if (!isEnrolled) throw this.#refusal(viewer, rule)
  }

  #refusal(viewer: Viewer, { code }: AccessRule): RestError {
    const own = `${this.switches.codePrefix}_rest_forbidden`
    return new RestError(deniedStatus(viewer), code === 'own' ? own : code, 'Sorry, you are not allowed to view this item.')
  }
}
