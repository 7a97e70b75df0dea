import type { Hono } from 'hono'
import { checkContext, checkProgress, mayEdit } from '../auth.js'
import { RestError } from '../errors.js'
import { check, listParameters } from '../params.js'
import type { Switches } from '../profile/switches.js'
import { checkPage } from '../query.js'
import { recordWriter } from '../record-writer.js'
import type { Cell } from '../store.js'
import { type Call, jsonArray, type Lms, send, sendPage, type Variables } from './answer.js'

const IN = 'IN (SELECT value FROM json_each(?))'

/** Open courses that a user has not begun, as rows of progress. The status is empty for unknown users. */
const OPEN = `
  SELECT ?1 AS user, c.id AS course, iif(EXISTS (SELECT 1 FROM users WHERE id = ?1), 'not_started', '') AS status, 0 AS last_step,
    0 AS steps_completed, (SELECT count(*) FROM course_steps s WHERE s.course = c.id) AS steps_total, NULL AS date_started, NULL AS date_completed
  FROM courses c
  WHERE c.price_type = 'open' AND c.status = 'publish' AND NOT EXISTS (SELECT 1 FROM progress p WHERE p.user = ?1 AND p.course = c.id)`
const WITH_OPEN = `(
  SELECT user, course, status, last_step, steps_completed, steps_total, date_started, date_completed FROM progress WHERE user = ?1
  UNION ALL ${OPEN})`
const sourceOf = (open: boolean): string => `FROM ${open ? WITH_OPEN : 'progress'} t JOIN courses c ON c.id = t.course WHERE t.user = ?1`

/** Limits progress to courses of groups that the caller leads and the user is in. */
const IN_LED_GROUP = `t.course IN (
  SELECT g.course FROM group_courses g JOIN group_leaders l USING (group_id) JOIN group_users u USING (group_id) WHERE l.user = ? AND u.user = ?)`

const showsOpen = ({ openCourses }: Switches, known: boolean): boolean => openCourses === 'all' || (openCourses === 'unknown' && !known)

/** Routes that read the progress of a user in all their courses, and in one. */
export function addProgressRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const { store, switches, rights, resources } = lms
  const { courseProgress } = resources
  const schema = listParameters(courseProgress)
  const env = { site: lms.site, unlocked: false }

  /** Checks the parameters, the right of the caller, and that the user exists. Returns the source of the rows. */
  function prepare(call: Call) {
    const viewer = call.get('viewer')
    const query = call.get('query')
    const user = Number(call.req.param('id'))
    const params = check(schema, query)
    checkProgress(store, viewer, user, rights.adminOnly ? 'ld_rest_cannot_view' : 'rest_user_cannot_view')
    checkContext(viewer, params.context)
    const known = store.row('SELECT 1 FROM users WHERE id = ?', user) !== undefined
    const open = showsOpen(switches, known)
    if (!known && !open) throw new RestError(404, 'rest_user_invalid_id', 'Invalid user ID.')
    const cells: Cell[] = [user]
    let from = sourceOf(open)
    if (rights.adminOnly && !mayEdit(viewer) && viewer!.id !== user) {
      from += ` AND ${IN_LED_GROUP}`
      cells.push(viewer!.id, user)
    }
    return { params, writer: recordWriter(courseProgress, params.context, query), from, cells }
  }

  function listProgress(call: Call): Response {
    const { params, writer, cells, ...prepared } = prepare(call)
    let { from } = prepared
    for (const [courses, not] of [
      [params.include, ''],
      [params.exclude, 'NOT '],
    ] as const) {
      if (!courses) continue
      from += ` AND t.course ${not}${IN}`
      cells.push(JSON.stringify(courses))
    }
    const total = Number(store.row(`SELECT count(*) ${from}`, ...cells)![0])
    const pages = Math.ceil(total / params.per_page)
    checkPage(params.page, pages)
    if (total === 0 && switches.progressTotalsOmitted) return send(call, '[]')
    const select = `SELECT ${writer.columns.join(', ')} ${from} ORDER BY c.date_gmt DESC, c.id DESC LIMIT ? OFFSET ?`
    const rows = store.rows(select, ...cells, params.per_page, (params.page - 1) * params.per_page)
    const records = rows.map((row) => writer.write(row, env))
    return sendPage(call, lms, courseProgress, records, { page: params.page, total, pages })
  }

  function getProgress(call: Call): Response {
    const { writer, from, cells } = prepare(call)
    const select = `SELECT ${writer.columns.join(', ')} ${from} AND t.course = ?`
    const rows = store.rows(select, ...cells, Number(call.req.param('course')))
    const records = rows.map((row) => writer.write(row, env))
    if (switches.progressAsArray) return send(call, jsonArray(records))
    if (records[0] === undefined) throw new RestError(404, 'rest_post_not_found', 'The user has no progress in this course.')
    return send(call, records[0])
  }

  const route = courseProgress.route.replace('<id>', ':id{[0-9]+}')
  app.get(route, listProgress)
  app.get(`${route}/:course{[0-9]+}`, getProgress)
}
