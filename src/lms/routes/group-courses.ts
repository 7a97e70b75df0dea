import type { Hono } from 'hono'
import { listParameters } from '../params.js'
import { group, groupCourse } from '../spec/index.js'
import type { Lms, Variables } from './answer.js'
import { listPosts, readable } from './posts.js'

const JOIN = 'JOIN group_courses m ON m.course = t.id AND m.group_id = ?'

/** The courses of a group. */
export function addGroupCourseRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const schema = listParameters(groupCourse)
  app.get(groupCourse.route.replace('<id>', ':id{[0-9]+}'), (call) => {
    const id = Number(call.req.param('id'))
    return listPosts(call, lms, groupCourse, schema, (store, viewer) => {
      readable(store, viewer, group, id)
      return { join: JOIN, cells: [id] }
    })
  })
}
