import type { Hono } from 'hono'
import { checkContext, mayEdit } from '../auth.js'
import { check, type ListParams, listParameters, parameters } from '../params.js'
import { checkOrdering, type Scope, selectPage } from '../query.js'
import { recordWriter } from '../record-writer.js'
import { unknownPost } from '../rights.js'
import { TOPICS } from '../spec/topic.js'
import { type Lms, send, sendPage, type Variables } from './answer.js'

/** Limits a list to the topics of a course or a lesson, in the order of the course. */
function scopeOf({ course, lesson }: ListParams): Scope | undefined {
  const limits = Object.entries({ course, lesson }).flatMap(([name, id]) => (id === undefined ? [] : [{ name, id }]))
  if (limits.length === 0) return undefined
  const join = `JOIN course_steps o ON o.step = t.id AND ${limits.map(({ name }) => `o.${name} = ?`).join(' AND ')}`
  return { join, cells: limits.map(({ id }) => id), order: 'o.position' }
}

/** Routes that read the list of topics and single topics. Every caller may read them. */
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
    const writer = recordWriter(resources.topic, params.context, call.get('query'))
    const { rows, total, pages } = selectPage(store, resources.topic, writer.columns, params, scopeOf(params), mayEdit(viewer))
    const records = rows.map((row) => writer.write(row, { site, unlocked: true }))
    return sendPage(call, lms, resources.topic, records, { page: params.page, total, pages })
  })
  app.get(`${route}/:id{[0-9]+}`, (call) => {
    const { context } = check(itemSchema, call.get('query'))
    checkContext(call.get('viewer'), context)
    const writer = recordWriter(resources.topic, context, call.get('query'))
    const row = store.row(`SELECT ${writer.columns.join(', ')} FROM ${TOPICS} t WHERE t.id = ?`, Number(call.req.param('id')))
    if (!row) throw unknownPost(resources.topic.label)
    return send(call, writer.write(row, { site, unlocked: true }))
  })
}
