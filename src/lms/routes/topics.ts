import type { Hono } from 'hono'
import { checkContext } from '../auth.js'
import { check, listParameters, parameters } from '../params.js'
import { recordWriter } from '../record-writer.js'
import { unknownPost } from '../rights.js'
import { type Lms, send, type Variables } from './answer.js'
import { listPosts, recordText } from './posts.js'
import type { Select } from './selections.js'

/** Limits a list to the topics of a course or a lesson, in the order of the course. */
const topics: Select = (_, _viewer, params) => {
  const { course, lesson } = params
  const limits = Object.entries({ course, lesson }).flatMap(([name, id]) => (id === undefined ? [] : [{ name, id }]))
  if (limits.length === 0) return { params }
  const join = `JOIN course_steps o ON o.step = t.id AND ${limits.map(({ name }) => `o.${name} = ?`).join(' AND ')}`
  return { params, scope: { join, cells: limits.map(({ id }) => id), order: 'o.position' } }
}

/** Routes that read the list of topics and single topics. Every caller may read them. */
export function addTopicRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const { topic } = lms.resources
  const schema = listParameters(topic)
  const itemSchema = parameters(['context'])
  app.get(topic.route, (call) => listPosts(call, lms, topic, schema, topics))
  app.get(`${topic.route}/:id{[0-9]+}`, (call) => {
    const { context } = check(itemSchema, call.get('query'))
    checkContext(call.get('viewer'), context)
    const id = Number(call.req.param('id'))
    if (!lms.store.row(`SELECT 1 FROM ${topic.table} t WHERE t.id = ?`, id)) throw unknownPost(topic.label)
    return send(call, recordText(call, lms, topic, id, recordWriter(topic, context, call.get('query')), true))
  })
}
