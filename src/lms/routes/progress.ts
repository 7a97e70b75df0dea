import type { Hono } from 'hono'
import { checkContext, checkProgress } from '../auth.js'
import { RestError } from '../errors.js'
import { check, listParameters } from '../params.js'
import { checkPage } from '../query.js'
import { courseProgress } from '../spec/index.js'
import type { Store } from '../store.js'
import { shapeOf } from '../wire.js'
import { type Call, type Lms, send, sendPage, type Variables } from './answer.js'

const FROM = 'FROM progress t JOIN courses c ON c.id = t.course WHERE t.user = ?'
const IN = 'IN (SELECT value FROM json_each(?))'
const schema = listParameters(courseProgress)

/** What both routes check first: the parameters, the caller's right, and that the user exists. */
function prepare(call: Call, store: Store) {
  const viewer = call.get('viewer')
  const query = call.get('query')
  const user = Number(call.req.param('id'))
  const params = check(schema, query)
  checkProgress(store, viewer, user)
  checkContext(viewer, params.context)
  if (!store.row('SELECT 1 FROM users WHERE id = ?', user)) throw new RestError(404, 'rest_user_invalid_id', 'Invalid user ID.')
  return { user, params, shape: shapeOf(courseProgress, params.context, query) }
}

function listProgress(call: Call, lms: Lms): Response {
  const { user, params, shape } = prepare(call, lms.store)
  const cells = [JSON.stringify(params.include ?? []), JSON.stringify(params.exclude ?? [])].filter((_, i) =>
    i ? params.exclude : params.include,
  )
  const where = `${params.include ? ` AND t.course ${IN}` : ''}${params.exclude ? ` AND t.course NOT ${IN}` : ''}`
  const total = Number(lms.store.row(`SELECT count(*) ${FROM}${where}`, user, ...cells)![0])
  const pages = Math.ceil(total / params.per_page)
  checkPage(params.page, pages)
  const select = `SELECT ${shape.columns.join(', ')} ${FROM}${where} ORDER BY c.date_gmt DESC, c.id DESC LIMIT ? OFFSET ?`
  const rows = lms.store.rows(select, user, ...cells, params.per_page, (params.page - 1) * params.per_page)
  const records = rows.map((row) => shape.write(row, { site: lms.site, unlocked: false }))
  return sendPage(call, lms, records, { page: params.page, total, pages })
}

function oneProgress(call: Call, lms: Lms): Response {
  const { user, shape } = prepare(call, lms.store)
  const row = lms.store.row(`SELECT ${shape.columns.join(', ')} ${FROM} AND t.course = ?`, user, Number(call.req.param('course')))
  if (!row) throw new RestError(404, 'rest_post_not_found', 'The user has no progress in this course.')
  return send(call, shape.write(row, { site: lms.site, unlocked: false }))
}

/** Progress of a user in all their courses, and in one. */
export function addProgressRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const route = courseProgress.route.replace('<id>', ':id{[0-9]+}')
  app.get(route, (call) => listProgress(call, lms))
  app.get(`${route}/:course{[0-9]+}`, (call) => oneProgress(call, lms))
}
