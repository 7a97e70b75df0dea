import type { Hono } from 'hono'
import { checkContext, mayEdit, type Viewer } from '../auth.js'
import type { EncodeEnv } from '../encode.js'
import { type Details, deniedStatus, RestError } from '../errors.js'
import { listOf, listParameters, parameters, type RawQuery } from '../params.js'
import { checkOrdering, selectPage } from '../query.js'
import { type RecordWriter, recordWriter } from '../record-writer.js'
import { checkReadable, unknownPost } from '../rights.js'
import type { Resource } from '../spec/index.js'
import type { Row } from '../store.js'
import { type Call, type Lms, send, sendPage, type Variables } from './answer.js'
import { courses, groups, lessons, quizzes, type Select, topics } from './selections.js'

type App = Hono<{ Variables: Variables }>

/** The JSON text of a record, which must exist. */
export function recordText(call: Call, lms: Lms, resource: Resource, id: number, writer: RecordWriter, unlocked: boolean): string {
  const row = lms.store.row(`SELECT ${writer.columns.join(', ')} FROM ${resource.table} t WHERE t.id = ?`, id)
  return writer.write(row!, envOf(call, lms, unlocked))
}

const envOf = (call: Call, { site, rights }: Lms, unlocked: boolean): EncodeEnv => ({
  site,
  unlocked,
  methods: rights.methodsOf(call.get('viewer')),
})

/** The error detail of `status` when a caller without edit rights asks for unpublished records. */
function refusedStatus(viewer: Viewer, query: RawQuery, { listParameters: names }: Resource): Details {
  if (mayEdit(viewer) || !names.includes('status') || listOf(query.status).every((status) => status === 'publish')) return {}
  return { status: { code: 'rest_forbidden_status', message: 'Status is forbidden.', data: { status: deniedStatus(viewer) } } }
}

/** Answers the pages of a list. */
export function listPosts(lms: Lms, resource: Resource, select: Select): (call: Call) => Response {
  const read = listParameters(resource)
  return (call) => {
    const viewer = call.get('viewer')
    const query = call.get('query')
    const asked = read(query, refusedStatus(viewer, query, resource))
    checkOrdering(asked)
    checkContext(viewer, asked.context)
    const { params, scope } = select(lms, viewer, asked, call)
    const writer = recordWriter(resource, params.context, query)
    const { rows, total, pages } = selectPage(lms.store, resource, writer.columns, params, scope, mayEdit(viewer))
    const env = envOf(call, lms, params.context === 'edit')
    const records = rows.map((row: Row) => writer.write(row, env))
    return sendPage(call, lms, resource, records, { page: params.page, total, pages })
  }
}

const readItem = parameters(['context', 'course'])
const IN_COURSE = 'SELECT 1 FROM course_steps WHERE course = ? AND step = ?'

/** Whether the query has the password of a record. Throws when the password is wrong, or the record has none. */
function unlocks(password: string, query: RawQuery): boolean {
  const given = query.password
  if (given === undefined || given === '') return false
  if (password !== '' && given === password) return true
  throw new RestError(403, 'rest_post_incorrect_password', 'Incorrect post password.')
}

function getPost(call: Call, lms: Lms, resource: Resource): Response {
  const viewer = call.get('viewer')
  const query = call.get('query')
  const id = Number(call.req.param('id'))
  const params = readItem(query)
  lms.rights.checkItem(viewer, resource, id)
  const { password } = checkReadable(lms.store, viewer, resource, id)
  checkContext(viewer, params.context)
  if (resource.table === 'lessons' && params.course !== undefined) {
    checkReadable(lms.store, viewer, lms.resources.course, params.course)
    if (!lms.store.row(IN_COURSE, params.course, id)) throw unknownPost(resource.label)
  }
  const unlocked = unlocks(password, query) || params.context === 'edit'
  const writer = recordWriter(resource, params.context, query)
  return send(call, recordText(call, lms, resource, id, writer, unlocked))
}

/** Routes that read lists and single records of groups, courses, quizzes, lessons and topics. */
export function addPostRoutes(app: App, lms: Lms): void {
  const { group, course, quiz, lesson, topic } = lms.resources
  const lists: readonly (readonly [Resource, Select])[] = [
    [group, groups],
    [course, courses],
    [quiz, quizzes],
    [lesson, lessons],
    ...(lms.switches.topics ? ([[topic, topics]] as const) : []),
  ]
  for (const [resource, select] of lists) {
    app.get(resource.route, listPosts(lms, resource, select))
    app.get(`${resource.route}/:id{[0-9]+}`, (call) => getPost(call, lms, resource))
  }
}
