import type { Hono } from 'hono'
import { forbidden, mayEdit } from '../auth.js'
import { question } from '../spec/index.js'
import { shapeOf } from '../wire.js'
import { type Lms, send, type Variables } from './answer.js'
import { unknownPost } from './posts.js'

/** One question by its post id. It holds the answers, so only editors may read it. */
export function addQuestionRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  app.get(`${question.route}/:id{[0-9]+}`, (call) => {
    const viewer = call.get('viewer')
    if (!mayEdit(viewer)) throw forbidden(viewer)
    const shape = shapeOf(question, 'view', call.get('query'))
    const row = lms.store.row(`SELECT ${shape.columns.join(', ')} FROM questions t WHERE t.id = ?`, Number(call.req.param('id')))
    if (!row) throw unknownPost(question.label)
    return send(call, shape.write(row, { site: lms.site, unlocked: true }))
  })
}
