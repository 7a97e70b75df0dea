import type { Hono } from 'hono'
import { RestError } from '../errors.js'
import type { ListParams } from '../params.js'
import { checkExists } from '../rights.js'
import type { Resource } from '../spec/index.js'
import type { Store } from '../store.js'
import type { Lms, Variables } from './answer.js'
import { listPosts } from './posts.js'
import { type Result, sendResults } from './results.js'
import type { Select } from './selections.js'
import { UPDATES } from './writes.js'

/**
 * The courses in which a user (?1) is enrolled. Courses by groups alone have no time of enrolment. A course from which the user was removed is not
 * listed. It is unknown whether real sites list open courses here.
 */
const OF_USER = `JOIN (
  SELECT CAST(?1 AS INTEGER) AS user, c.course, max(c.enrolled_at) AS enrolled_at, p.status FROM (
    SELECT course, enrolled_at FROM progress WHERE user = ?1 AND enrolled_at IS NOT NULL
    UNION ALL SELECT g.course, NULL FROM group_users u JOIN group_courses g USING (group_id) WHERE u.user = ?1
  ) c LEFT JOIN progress p ON p.user = ?1 AND p.course = c.course GROUP BY c.course) e ON e.course = t.id`

const OF_COURSE = 'JOIN progress e ON e.user = t.id AND e.course = ? AND e.enrolled_at IS NOT NULL'
const IN_GROUPS = 'JOIN group_courses g ON g.group_id = t.id AND g.course = ?'

const ROLE = 'SELECT role FROM users WHERE id = ?'
const IS_OPEN = "SELECT 1 FROM courses WHERE id = ? AND price_type = 'open'"
const IS_ENROLLED = 'SELECT 1 FROM progress WHERE course = ? AND user = ? AND enrolled_at IS NOT NULL'
const ENROL = `
  INSERT INTO progress (course, user, status, steps_total, enrolled_at)
  SELECT ?1, ?2, 'not_started', (SELECT count(*) FROM course_steps WHERE course = ?1), unixepoch() WHERE TRUE
  ON CONFLICT (user, course) DO UPDATE SET enrolled_at = excluded.enrolled_at`
const FORGET = "DELETE FROM progress WHERE course = ? AND user = ? AND status = 'not_started'"
const REMOVE = 'UPDATE progress SET enrolled_at = NULL WHERE course = ? AND user = ?'

/** Enrols a user in a course, or removes the user. Progress stays. */
function change(store: Store, course: number, user: number, enrols: boolean): Result {
  const [role] = store.row(ROLE, user) ?? []
  if (role === undefined) return { status: 'failed', code: 'rest_user_invalid_id', message: 'Invalid User ID.' }
  // [guess] The status. Sites may switch this off.
  if (role === 'admin')
    return { status: 'failed', code: 'lms_rest_admin_auto_enroll', message: 'Administrators are enrolled in all courses.' }
  const status = (store.row(IS_ENROLLED, course, user) !== undefined) === enrols ? 'failed' : 'success'
  if (status === 'success') for (const sql of enrols ? [ENROL] : [FORGET, REMOVE]) store.run(sql, course, user)
  const message = `The user ${status === 'failed' ? 'was already' : 'is now'} ${enrols ? 'enrolled in the course' : 'not in the course'}.`
  return { status, code: `lms_rest_${enrols ? 'enroll' : 'unenroll'}_${status}`, message }
}

/** Adds the routes of enrolments: the courses of a user, and the users and groups of a course. Users can be enrolled and removed. */
export function addEnrolmentRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const { store, rights, switches } = lms
  const { course, userCourse, courseUser, courseGroup } = lms.resources
  const path = ({ route }: Resource): string => route.replace('<id>', ':id{[0-9]+}')

  const ofUser: Select = (_, viewer, params, call) => {
    const user = Number(call.req.param('id'))
    if (viewer?.id !== user) rights.checkAdministrator(viewer)
    if (!store.row(ROLE, user)) throw new RestError(404, 'rest_user_invalid_id', 'Invalid user ID.')
    return { params, scope: { join: OF_USER, cells: [user] } }
  }
  const inCourse =
    (join: string, own: Pick<ListParams, 'status'> = {}): Select =>
    (_, viewer, params, call) => {
      rights.checkAdministrator(viewer)
      const id = Number(call.req.param('id'))
      checkExists(store, course, id)
      return { params: { ...params, ...own }, scope: { join, cells: [id] } }
    }
  const write = (enrols: boolean) => ({
    of: course,
    listed: courseUser,
    check(id: number) {
      if (!store.row(IS_OPEN, id)) return
      throw new RestError(406, `${switches.codePrefix}_rest_rejected_course_open`, 'An open course does not enrol users.')
    },
    apply: (id: number, user: number) => change(store, id, user, enrols),
  })

  app.get(path(userCourse), listPosts(lms, userCourse, ofUser))
  app.get(path(courseUser), listPosts(lms, courseUser, inCourse(OF_COURSE, { status: ['any'] })))
  app.get(path(courseGroup), listPosts(lms, courseGroup, inCourse(IN_GROUPS)))
  app.on(UPDATES, path(courseUser), (call) => sendResults(call, lms, write(true)))
  app.delete(path(courseUser), (call) => sendResults(call, lms, write(false)))
}
