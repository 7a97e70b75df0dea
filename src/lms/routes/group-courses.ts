import type { Hono } from 'hono'
import { checkReadable } from '../rights.js'
import type { Store } from '../store.js'
import type { Lms, Variables } from './answer.js'
import { listPosts } from './posts.js'
import { type Result, sendResults } from './results.js'
import { type Select, withoutParams } from './selections.js'
import { UPDATES } from './writes.js'

const JOIN = 'JOIN group_courses m ON m.course = t.id AND m.group_id = ?'
const IS_COURSE = 'SELECT 1 FROM courses WHERE id = ?'
const IS_IN = 'SELECT 1 FROM group_courses WHERE group_id = ? AND course = ?'
const ADD = `
  INSERT INTO group_courses (group_id, course, position)
  SELECT ?1, ?2, coalesce(max(position), 0) + 1 FROM group_courses WHERE group_id = ?1`

/** Adds a course to a group. */
function addCourse(store: Store, id: number, course: number): Result {
  if (!store.row(IS_COURSE, course)) return { status: 'failed', code: 'lms_rest_invalid_id', message: 'Invalid course ID.' }
  if (store.row(IS_IN, id, course))
    return { status: 'failed', code: 'lms_rest_enroll_failed', message: 'The course is in the group already.' }
  store.run(ADD, id, course)
  return { status: 'success', code: 'lms_rest_enroll_success', message: 'The course was added to the group.' }
}

/** The courses of a group. */
const coursesOf: Select = ({ store, rights, switches, resources }, viewer, params, call) => {
  const id = Number(call.req.param('id'))
  rights.checkList(viewer, resources.groupCourse)
  if (!switches.unknownGroupEmpty) checkReadable(store, viewer, resources.group, id)
  const ignored = [
    ...(switches.groupCoursesIgnoreIds ? (['include', 'exclude'] as const) : []),
    ...(switches.groupCoursesPublished ? (['status'] as const) : []),
  ]
  return { params: withoutParams(params, ...ignored), scope: { join: JOIN, cells: [id] } }
}

/** Routes that list the courses of a group, and add courses to it. */
export function addGroupCourseRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const { group, groupCourse } = lms.resources
  const change = { of: group, listed: groupCourse, apply: (id: number, course: number) => addCourse(lms.store, id, course) }
  const route = groupCourse.route.replace('<id>', ':id{[0-9]+}')
  app.get(route, listPosts(lms, groupCourse, coursesOf))
  app.on(UPDATES, route, (call) => sendResults(call, lms, change))
}
