import type { Hono } from 'hono'
import { checkWritable } from '../auth.js'
import { readBody } from '../body.js'
import { changesOf } from '../changes.js'
import { missingParams, RestError } from '../errors.js'
import { checkExists, checkReadable } from '../rights.js'
import { courseIds } from '../spec/index.js'
import type { Store } from '../store.js'
import { type Call, type Lms, send, type Variables } from './answer.js'
import { listPosts } from './posts.js'
import { type Select, withoutParams } from './selections.js'
import { UPDATES } from './writes.js'

const JOIN = 'JOIN group_courses m ON m.course = t.id AND m.group_id = ?'
const IS_COURSE = 'SELECT 1 FROM courses WHERE id = ?'
const IS_IN = 'SELECT 1 FROM group_courses WHERE group_id = ? AND course = ?'
const ADD = `
  INSERT INTO group_courses (group_id, course, position)
  SELECT ?1, ?2, coalesce(max(position), 0) + 1 FROM group_courses WHERE group_id = ?1`

/** Results of adding one course. Codes begin with the prefix of the site. */
const OUTCOMES = {
  added: { status: 'success', code: 'rest_enroll_success', message: 'The course was added to the group.' },
  present: { status: 'failed', code: 'rest_enroll_failed', message: 'The course is in the group already.' },
  unknown: { status: 'failed', code: 'rest_invalid_id', message: 'Invalid course ID.' },
} as const

function addCourse(store: Store, id: number, courseId: number): keyof typeof OUTCOMES {
  if (!store.row(IS_COURSE, courseId)) return 'unknown'
  if (store.row(IS_IN, id, courseId)) return 'present'
  store.run(ADD, id, courseId)
  return 'added'
}

async function addCourses(call: Call, { store, resources, switches }: Lms): Promise<Response> {
  const body = await readBody(call)
  const id = Number(call.req.param('id'))
  const outcomes = store.transaction(() => {
    checkExists(store, resources.group, id)
    checkWritable(call.get('viewer'), 'rest_cannot_edit')
    if ((body.course_ids ?? null) === null) throw missingParams('course_ids')
    const ids: number[] = JSON.parse(String(changesOf(store, [courseIds], body, id).course_ids))
    if (ids.length === 0) throw new RestError(404, 'rest_post_invalid_id', 'Missing course IDs.')
    return ids.map((course_id) => {
      const { status, code, message } = OUTCOMES[addCourse(store, id, course_id)]
      return { course_id, status, code: `${switches.codePrefix}_${code}`, message }
    })
  })
  return send(call, JSON.stringify(outcomes))
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
  const { groupCourse } = lms.resources
  const route = groupCourse.route.replace('<id>', ':id{[0-9]+}')
  app.get(route, listPosts(lms, groupCourse, coursesOf))
  app.on(UPDATES, route, (call) => addCourses(call, lms))
}
