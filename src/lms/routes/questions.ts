import type { Hono } from 'hono'
import { forbidden, mayEdit } from '../auth.js'
import type { Row } from '../store.js'
import { shapeOf } from '../wire.js'
import { type Lms, send, type Variables } from './answer.js'
import { unknownPost } from './readable.js'

const IS_POST = ['groups', 'courses', 'lessons', 'quizzes'].map((table) => `SELECT 1 FROM ${table} WHERE id = ?1`).join(' UNION ALL ')

/** A question of which nothing is known, as a row of the table of questions. */
const BLANK = `
  SELECT 0 AS id, 0 AS internal_id, 0 AS quiz, 0 AS position, 0 AS points, '' AS answer_type, '[]' AS answers,
    0 AS different_points, 0 AS criteria_width, '' AS title, '' AS question, '' AS correct_message, '' AS incorrect_message, '' AS hint,
    0 AS same_message, 0 AS hint_enabled, 0 AS points_in_box, 0 AS answer_points, 0 AS disable_correct`

/** One question by its post id. It holds the answers, so only editors may read it. */
export function addQuestionRoutes(app: Hono<{ Variables: Variables }>, { store, site, switches, resources }: Lms): void {
  const { question } = resources

  /** The row of an id that is no question's, where the site has one. */
  const otherwise = (columns: string, id: number): Row | undefined =>
    switches.blankQuestions && store.row(IS_POST, id) ? store.row(`SELECT ${columns} FROM (${BLANK}) t`) : undefined

  app.get(`${question.route}/:id{[0-9]+}`, (call) => {
    const viewer = call.get('viewer')
    if (!mayEdit(viewer)) throw forbidden(viewer)
    const shape = shapeOf(question, 'view', call.get('query'))
    const columns = shape.columns.join(', ')
    const id = Number(call.req.param('id'))
    const row = store.row(`SELECT ${columns} FROM questions t WHERE t.id = ?`, id) ?? otherwise(columns, id)
    if (!row) throw switches.blankQuestions ? forbidden(viewer) : unknownPost(question.label)
    return send(call, shape.write(row, { site, unlocked: true }))
  })
}
