import type { Hono } from 'hono'
import { checkContext, mayEdit, type Viewer } from '../auth.js'
import type { RestError } from '../errors.js'
import { parameters } from '../params.js'
import { recordWriter } from '../record-writer.js'
import type { Resource } from '../spec/index.js'
import { type Call, type Lms, send, type Variables } from './answer.js'
import { listPosts, recordText } from './posts.js'
import type { Select } from './selections.js'

/** A kind of record that can only be read, by a list and by ids, and its errors. */
export interface Kind {
  readonly resource: Resource
  readonly select: Select
  readonly unknown: () => RestError
  /** The error for a record that is not published. */
  readonly hidden: (viewer: Viewer) => RestError
}

export const readContext = parameters(['context'])

/** Answers one record. Callers may read their own user in every context. */
export function sendRecord(call: Call, lms: Lms, { resource, unknown, hidden }: Kind, id: number): Response {
  const viewer = call.get('viewer')
  const query = call.get('query')
  const { context } = readContext(query)
  const row = lms.store.row(`SELECT t.status FROM ${resource.table} t WHERE t.id = ?`, id)
  if (!row) throw unknown()
  if (resource.label !== 'user' || viewer?.id !== id) {
    checkContext(viewer, context)
    if (row[0] !== 'publish' && !mayEdit(viewer)) throw hidden(viewer)
  }
  return send(call, recordText(call, lms, resource, id, recordWriter(resource, context, query), true))
}

/** Routes of the list and of single records of a kind. */
export function addRecordRoutes(app: Hono<{ Variables: Variables }>, lms: Lms, kind: Kind): void {
  const { resource, select } = kind
  app.get(resource.route, listPosts(lms, resource, select))
  app.get(`${resource.route}/:id{[0-9]+}`, (call) => sendRecord(call, lms, kind, Number(call.req.param('id'))))
}
