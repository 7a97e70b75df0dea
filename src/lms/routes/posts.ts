import type { Hono } from 'hono'
import type { z } from 'zod'
import { checkContext, checkReadable, mayEdit, type Viewer } from '../auth.js'
import { deniedStatus, type ErrorDetail, missingParams, RestError } from '../errors.js'
import { check, type ListParams, listOf, listParameters, parameters, type RawQuery } from '../params.js'
import { checkOrdering, type Scope, selectPage } from '../query.js'
import { course, group, lesson, quiz, type Resource } from '../spec/index.js'
import type { Row, Store } from '../store.js'
import { type Shape, shapeOf } from '../wire.js'
import { type Call, type Lms, send, sendPage, type Variables } from './answer.js'

type App = Hono<{ Variables: Variables }>

/** The answer to an id no record of the type has. */
export const unknownPost = (label: string): RestError => new RestError(404, 'rest_post_invalid_id', `Invalid ${label} ID.`)

const STATE: Readonly<Record<string, string>> = Object.fromEntries(
  [group, course, lesson, quiz].map(({ table }) => [table, `SELECT status, password FROM ${table} WHERE id = ?`]),
)

/** Status and password of a record the caller may read; an error otherwise. */
export function readable(store: Store, viewer: Viewer, resource: Resource, id: number): { status: string; password: string } {
  const row = store.row(STATE[resource.table]!, id)
  if (!row) throw unknownPost(resource.label)
  const [status, password] = row as [string, string]
  checkReadable(viewer, status)
  return { status, password }
}

/** Refuses an id no record of the type has. */
export function checkExists(store: Store, resource: Resource, id: number): void {
  if (!store.row(STATE[resource.table]!, id)) throw unknownPost(resource.label)
}

/** The text of a record; the caller has seen to it that it exists. */
export function recordText(lms: Lms, resource: Resource, id: number, shape: Shape, unlocked: boolean): string {
  const row = lms.store.row(`SELECT ${shape.columns.join(', ')} FROM ${resource.table} t WHERE t.id = ?`, id)
  return shape.write(row!, { site: lms.site, unlocked })
}

/** Statuses only editors may ask for, as a complaint about the parameter. */
function refusedStatus(viewer: Viewer, query: RawQuery): Record<string, ErrorDetail> {
  if (mayEdit(viewer) || listOf(query.status).every((status) => status === 'publish')) return {}
  return { status: { code: 'rest_forbidden_status', message: 'Status is forbidden.', data: { status: deniedStatus(viewer) } } }
}

/** Answers one page of a list of post-like records. */
export function listPosts(call: Call, lms: Lms, resource: Resource, schema: z.ZodType<ListParams>, scopeOf: ScopeOf): Response {
  const viewer = call.get('viewer')
  const query = call.get('query')
  const params = check(schema, query, refusedStatus(viewer, query))
  checkOrdering(params)
  checkContext(viewer, params.context)
  const scope = scopeOf(lms.store, viewer, params)
  const shape = shapeOf(resource, params.context, query)
  const { rows, total, pages } = selectPage(lms.store, resource, shape.columns, params, scope, mayEdit(viewer))
  const env = { site: lms.site, unlocked: params.context === 'edit' }
  const records = rows.map((row: Row) => shape.write(row, env))
  return sendPage(call, lms, records, { page: params.page, total, pages })
}

/** Decides what a list is limited to, and whether the caller may ask for it. */
export type ScopeOf = (store: Store, viewer: Viewer, params: ListParams) => Scope | undefined

const everything: ScopeOf = () => undefined

/** Lessons and quizzes: limited to a course, which only editors may leave out. */
function stepsOf(kind: 'lesson' | 'quiz'): ScopeOf {
  return (store, viewer, params) => {
    if (params.course === undefined) {
      if (!mayEdit(viewer) || params.lesson !== undefined || params.topic !== undefined) throw missingParams('course')
      return undefined
    }
    readable(store, viewer, course, params.course)
    let join = `JOIN course_steps s ON s.step = t.id AND s.course = ? AND s.kind = '${kind}'`
    const cells = [params.course]
    if (params.topic !== undefined) {
      join += ' AND s.topic = ?'
      cells.push(params.topic)
    }
    if (params.lesson !== undefined) {
      // Quizzes of a lesson's topics belong to the topic; only both filters together reach them.
      join += params.topic === undefined ? ' AND s.lesson = ? AND s.topic = 0' : ' AND s.lesson = ?'
      cells.push(params.lesson)
    }
    return { join, cells, order: 's.position' }
  }
}

const LISTS: readonly (readonly [Resource, ScopeOf])[] = [
  [group, everything],
  [course, everything],
  [quiz, stepsOf('quiz')],
  [lesson, stepsOf('lesson')],
]

const itemSchema = parameters(['context', 'course'])
const IN_COURSE = 'SELECT 1 FROM course_steps WHERE course = ? AND step = ?'

/** Whether a protected record's text may be shown: by its password; a wrong or needless one is refused. */
function unlocks(password: string, query: RawQuery): boolean {
  const given = query.password
  if (given === undefined || given === '') return false
  if (password !== '' && given === password) return true
  throw new RestError(403, 'rest_post_incorrect_password', 'Incorrect post password.')
}

function onePost(call: Call, lms: Lms, resource: Resource): Response {
  const viewer = call.get('viewer')
  const query = call.get('query')
  const id = Number(call.req.param('id'))
  const params = check(itemSchema, query)
  const { password } = readable(lms.store, viewer, resource, id)
  checkContext(viewer, params.context)
  if (resource === lesson && params.course !== undefined) {
    readable(lms.store, viewer, course, params.course)
    if (!lms.store.row(IN_COURSE, params.course, id)) throw unknownPost(resource.label)
  }
  const unlocked = unlocks(password, query) || params.context === 'edit'
  const shape = shapeOf(resource, params.context, query)
  return send(call, recordText(lms, resource, id, shape, unlocked))
}

/** Lists and single records of groups, courses, quizzes and lessons. */
export function addPostRoutes(app: App, lms: Lms): void {
  for (const [resource, scopeOf] of LISTS) {
    const schema = listParameters(resource)
    app.get(resource.route, (call) => listPosts(call, lms, resource, schema, scopeOf))
    app.get(`${resource.route}/:id{[0-9]+}`, (call) => onePost(call, lms, resource))
  }
}
