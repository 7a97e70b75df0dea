import type { Hono } from 'hono'
import { checkContext, checkProgress, mayEdit } from '../auth.js'
import { RestError } from '../errors.js'
import { listParameters } from '../params.js'
import type { Switches } from '../profile/switches.js'
import { checkPage } from '../query.js'
import { recordWriter } from '../record-writer.js'
import { STEPS } from '../spec/progress-step.js'
import type { Cell } from '../store.js'
import { type Call, jsonArray, type Lms, send, sendPage, type Variables } from './answer.js'

const IN = 'IN (SELECT value FROM json_each(?))'

const COLUMNS = 'user, course, status, last_step, steps_completed, steps_total, date_started, date_completed, enrolled_at'

/** Published courses that a user has not begun, as rows of progress. */
const notBegun = (status: string, enrolledAt: string, condition: string): string => `
  SELECT ?1 AS user, c.id AS course, ${status} AS status, 0 AS last_step, 0 AS steps_completed,
    (SELECT count(*) FROM course_steps s WHERE s.course = c.id) AS steps_total, NULL AS date_started, NULL AS date_completed,
    ${enrolledAt} AS enrolled_at
  FROM courses c
  WHERE c.status = 'publish' AND ${condition} AND NOT EXISTS (SELECT 1 FROM progress p WHERE p.user = ?1 AND p.course = c.id)`

/** Open courses. The status is empty for unknown users. */
const OPEN = notBegun("iif(EXISTS (SELECT 1 FROM users WHERE id = ?1), 'not_started', '')", 'NULL', "c.price_type = 'open'")

const GROUPS =
  'FROM group_users u JOIN group_courses g USING (group_id) JOIN groups o ON o.id = u.group_id WHERE u.user = ?1 AND g.course = c.id'
/** Courses of the groups of the user, who is enrolled since the date of the first of these groups. */
const BY_GROUP = notBegun("'not_started'", `(SELECT min(unixepoch(o.date_gmt)) ${GROUPS})`, `EXISTS (SELECT 1 ${GROUPS})`)

/** Progress stays when a user is removed from the course. */
const STILL = `(t.enrolled_at IS NOT NULL OR EXISTS (SELECT 1 ${GROUPS}))`

const IS_OPEN = "SELECT 1 FROM courses WHERE id = ? AND price_type = 'open' AND status = 'publish'"

/** The rows of progress of a user (?1), with some of the courses that the user has not begun. */
function sourceOf({ open, byGroup }: { readonly open: boolean; readonly byGroup: boolean }): string {
  const others = [...(byGroup ? [BY_GROUP] : []), ...(open ? [byGroup ? `${OPEN} AND NOT EXISTS (SELECT 1 ${GROUPS})` : OPEN] : [])]
  const rows = [`SELECT ${COLUMNS} FROM progress WHERE user = ?1`, ...others].join(' UNION ALL ')
  return `FROM ${others.length > 0 ? `(${rows})` : 'progress'} t JOIN courses c ON c.id = t.course WHERE t.user = ?1`
}

/** Limits progress to courses of groups that the caller leads and the user is in. */
const IN_LED_GROUP = `t.course IN (
  SELECT g.course FROM group_courses g JOIN group_leaders l USING (group_id) JOIN group_users u USING (group_id) WHERE l.user = ? AND u.user = ?)`

const showsOpen = ({ openCourses }: Switches, known: boolean): boolean => openCourses === 'all' || (openCourses === 'unknown' && !known)

/** Routes that read the progress of a user in all their courses, and in one. */
export function addProgressRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const { store, switches, rights, resources } = lms
  const { courseProgress, progressStep } = resources
  const readProgress = listParameters(courseProgress)
  const readSteps = listParameters(progressStep)
  const env = { site: lms.site, unlocked: false }

  /** Checks the parameters, the right of the caller, and that the user exists. Returns the source of the rows. */
  function prepare(call: Call, resource = courseProgress, read = readProgress) {
    const viewer = call.get('viewer')
    const query = call.get('query')
    const user = Number(call.req.param('id'))
    const params = read(query)
    checkProgress(store, viewer, user, rights.adminOnly ? 'ld_rest_cannot_view' : 'rest_user_cannot_view')
    checkContext(viewer, params.context)
    const known = store.row('SELECT 1 FROM users WHERE id = ?', user) !== undefined
    const open = showsOpen(switches, known)
    if (!known && !open) throw new RestError(404, 'rest_user_invalid_id', 'Invalid user ID.')
    const cells: Cell[] = [user]
    let from = sourceOf({ open, byGroup: switches.groupProgress })
    const isLimited = rights.adminOnly && !mayEdit(viewer) && viewer!.id !== user
    if (isLimited) {
      from += ` AND ${IN_LED_GROUP}`
      cells.push(viewer!.id, user)
    }
    return { params, writer: recordWriter(resource, params.context, query), from, cells, isLimited }
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

  /** The steps of a course. Version 4 sends all of them in an array in an array, version 5 sends pages. */
  function listSteps(call: Call): Response {
    const { params, writer, from, cells, isLimited } = prepare(call, progressStep, readSteps)
    const [user, course] = [Number(call.req.param('id')), Number(call.req.param('course'))]
    const isEnrolled =
      store.row(`SELECT 1 ${from} AND t.course = ? AND ${STILL}`, ...cells, course) ?? (isLimited ? undefined : store.row(IS_OPEN, course))
    if (!isEnrolled && switches.progressAsArray) return send(call, '[]')
    if (!isEnrolled) throw new RestError(403, 'rest_post_access_denied', 'The user is not enrolled in this course.')
    const records = store
      .rows(`SELECT ${writer.columns.join(', ')} FROM ${STEPS} t ORDER BY t.place`, user, course)
      .map((row) => writer.write(row, env))
    if (switches.progressAsArray) return send(call, jsonArray([jsonArray(records)]))
    const { page, per_page: size } = params
    const pages = Math.ceil(records.length / size)
    checkPage(page, pages)
    return sendPage(call, lms, progressStep, records.slice((page - 1) * size, page * size), { page, total: records.length, pages })
  }

  if (switches.progressSteps) {
    app.get(progressStep.route.replace('<id>', ':id{[0-9]+}').replace('<course>', ':course{[0-9]+}'), listSteps)
  }
  const route = courseProgress.route.replace('<id>', ':id{[0-9]+}')
  app.get(route, listProgress)
  app.get(`${route}/:course{[0-9]+}`, getProgress)
}
