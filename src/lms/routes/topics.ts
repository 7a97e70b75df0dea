import type { Hono } from 'hono'
import { checkContext, mayEdit } from '../auth.js'
import { check, type ListParams, listParameters, parameters } from '../params.js'
import { checkOrdering, type Scope, selectPage } from '../query.js'
import { TOPICS } from '../spec/topic.js'
import { shapeOf } from '../wire.js'
import { type Lms, send, sendPage, type Variables } from './answer.js'
import { unknownPost } from './readable.js'

/** Topics of a course or a lesson, in the order of the course. */
function scopeOf({ course, lesson }: ListParams): Scope | undefined {
  const limits = Object.entries({ course, lesson }).filter(([, id]) => id !== undefined)
  if (limits.length === 0) return undefined
  const join = `JOIN course_steps o ON o.step = t.id AND ${limits.map(([name]) => `o.${name} = ?`).join(' AND ')}`
  return { join, cells: limits.map(([, id]) => id as number), order: 'o.position' }
}

/** The list of topics and single topics, for everybody. */
export function addTopicRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const { store, site, resources } = lms
  const listSchema = listParameters(resources.topic)
  const itemSchema = parameters(['context'])
  const { route } = resources.topic
  app.get(route, (call) => {
    const viewer = call.get('viewer')
    const params = check(listSchema, call.get('query'))
    checkOrdering(params)
    checkContext(viewer, params.context)
    const shape = shapeOf(resources.topic, params.context, call.get('query'))
    const { rows, total, pages } = selectPage(store, resources.topic, shape.columns, params, scopeOf(params), mayEdit(viewer))
    const records = rows.map((row) => shape.write(row, { site, unlocked: true }))
    return sendPage(call, lms, resources.topic, records, { page: params.page, total, pages })
  })
  app.get(`${route}/:id{[0-9]+}`, (call) => {
    const { context } = check(itemSchema, call.get('query'))
    checkContext(call.get('viewer'), context)
    const shape = shapeOf(resources.topic, context, call.get('query'))
    const row = store.row(`SELECT ${shape.columns.join(', ')} FROM ${TOPICS} t WHERE t.id = ?`, Number(call.req.param('id')))
    if (!row) throw unknownPost(resources.topic.label)
    return send(call, shape.write(row, { site, unlocked: true }))
  })
}
