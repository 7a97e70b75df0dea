import type { Hono } from 'hono'
import { forbidden } from '../auth.js'
import { unknownPost } from '../rights.js'
import type { Lms, Variables } from './answer.js'
import { addRecordRoutes } from './records.js'
import type { Select } from './selections.js'

/** Limits a list to the topics of a course or a lesson, in the order of the course. */
const topics: Select = (_, _viewer, params) => {
  const { course, lesson } = params
  const limits = Object.entries({ course, lesson }).flatMap(([name, id]) => (id === undefined ? [] : [{ name, id }]))
  if (limits.length === 0) return { params }
  const join = `JOIN course_steps o ON o.step = t.id AND ${limits.map(({ name }) => `o.${name} = ?`).join(' AND ')}`
  return { params, scope: { join, cells: limits.map(({ id }) => id), order: 'o.position' } }
}

/** Routes that read topics. */
export function addTopicRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const { topic } = lms.resources
  addRecordRoutes(app, lms, { resource: topic, select: topics, unknown: () => unknownPost(topic.label), hidden: forbidden })
}
