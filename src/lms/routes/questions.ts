import type { Hono } from 'hono'
import { forbidden, mayEdit } from '../auth.js'
import { recordWriter } from '../record-writer.js'
import { unknownPost } from '../rights.js'
import { POST_TABLES } from '../spec/post.js'
import type { Row } from '../store.js'
import { type Lms, send, type Variables } from './answer.js'
import { listPosts } from './posts.js'
import { type Kind, sendRecord } from './records.js'

const IS_POST = POST_TABLES.map((table) => `SELECT 1 FROM ${table} WHERE id = ?1`).join(' UNION ALL ')

/** A blank question, as a row of the table of questions. */
const BLANK = `
  SELECT 0 AS id, 0 AS internal_id, 0 AS quiz, 0 AS position, 0 AS points, '' AS answer_type, '[]' AS answers,
    0 AS different_points, 0 AS criteria_width, '' AS title, '' AS question, '' AS correct_message, '' AS incorrect_message, '' AS hint,
    0 AS same_message, 0 AS hint_enabled, 0 AS points_in_box, 0 AS answer_points, 0 AS disable_correct`

/** Route that reads a question by its post id. Only administrators may read it, because it has the answers. */
export function addQuestionRoutes(app: Hono<{ Variables: Variables }>, { store, site, switches, resources }: Lms): void {
  const { question } = resources

  /** The row for the id of another kind of record, on sites that answer with a blank question. */
  const blankRow = (columns: string, id: number): Row | undefined =>
    switches.blankQuestions && store.row(IS_POST, id) ? store.row(`SELECT ${columns} FROM (${BLANK}) t`) : undefined

  app.get(`${question.route}/:id{[0-9]+}`, (call) => {
    const viewer = call.get('viewer')
    if (!mayEdit(viewer)) throw forbidden(viewer)
    const writer = recordWriter(question, 'view', call.get('query'))
    const columns = writer.columns.join(', ')
    const id = Number(call.req.param('id'))
    const row = store.row(`SELECT ${columns} FROM questions t WHERE t.id = ?`, id) ?? blankRow(columns, id)
    if (!row) throw switches.blankQuestions ? forbidden(viewer) : unknownPost(question.label)
    return send(call, writer.write(row, { site, unlocked: true }))
  })
}

/** Routes that list questions and read one, as version 2 shows them. Only administrators may read them. */
export function addQuestionListRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const { rights, resources } = lms
  const resource = resources.listedQuestion
  const kind: Kind = {
    resource,
    select(_, viewer, params) {
      rights.checkAdministrator(viewer)
      return { params }
    },
    unknown: () => unknownPost(resource.label),
    hidden: forbidden,
  }
  app.get(resource.route, listPosts(lms, resource, kind.select))
  app.get(`${resource.route}/:id{[0-9]+}`, (call) => {
    rights.checkAdministrator(call.get('viewer'))
    return sendRecord(call, lms, kind, Number(call.req.param('id')))
  })
}
