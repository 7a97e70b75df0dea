import type { Hono } from 'hono'
import { checkWritable } from '../auth.js'
import { type Body, readBody } from '../body.js'
import { changesOf } from '../changes.js'
import { RestError } from '../errors.js'
import { collectionOf } from '../links.js'
import { recordWriter } from '../record-writer.js'
import { checkExists } from '../rights.js'
import { force, type Resource } from '../spec/index.js'
import { createPost, deletePost, trashPost, updatePost } from '../write.js'
import { type Call, type Lms, send, type Variables } from './answer.js'
import { recordText } from './posts.js'

/** The methods of an update. All of them change only the fields in the body. */
export const UPDATES = ['POST', 'PUT', 'PATCH']

/** The JSON text of a written record, in the edit context. */
const written = (call: Call, lms: Lms, resource: Resource, id: number): string =>
  recordText(call, lms, resource, id, recordWriter(resource, 'edit', call.get('query')), true)

async function create(call: Call, lms: Lms, resource: Resource): Promise<Response> {
  const viewer = call.get('viewer')
  const body = await readBody(call)
  checkWritable(viewer, 'rest_cannot_create')
  if (body.id) throw new RestError(400, 'rest_post_exists', 'Cannot create existing post.')
  const [id, text] = lms.store.transaction(() => {
    const made = createPost(lms.store, resource, body, viewer!.id)
    return [made, written(call, lms, resource, made)]
  })
  return send(call, text, 201, { Location: `${collectionOf(resource, lms.site)}/${id}` })
}

/** Answers a write to the record in the path. `change` makes it, and returns JSON text. */
export async function changeRecord(
  call: Call,
  { store }: Lms,
  resource: Resource,
  denial: 'rest_cannot_edit' | 'rest_cannot_delete',
  change: (id: number, body: Body) => string,
): Promise<Response> {
  const body = await readBody(call)
  const id = Number(call.req.param('id'))
  const text = store.transaction(() => {
    checkExists(store, resource, id)
    checkWritable(call.get('viewer'), denial)
    return change(id, body)
  })
  return send(call, text)
}

const update = (call: Call, lms: Lms, resource: Resource): Promise<Response> =>
  changeRecord(call, lms, resource, 'rest_cannot_edit', (id, body) => {
    updatePost(lms.store, resource, id, body)
    return written(call, lms, resource, id)
  })

const remove = (call: Call, lms: Lms, resource: Resource): Promise<Response> =>
  changeRecord(call, lms, resource, 'rest_cannot_delete', (id, body) => {
    const forced = changesOf(lms.store, [force], body, id).force
    if (!forced) trashPost(lms.store, resource, id)
    const record = written(call, lms, resource, id)
    if (!forced) return record
    deletePost(lms.store, resource, id)
    return `{"deleted":true,"previous":${record}}`
  })

/** Routes that create, update and delete groups, courses, quizzes and lessons. */
export function addWriteRoutes(app: Hono<{ Variables: Variables }>, lms: Lms): void {
  const { group, course, quiz, lesson } = lms.resources
  for (const resource of [group, course, quiz, lesson]) {
    const item = `${resource.route}/:id{[0-9]+}`
    app.post(resource.route, (call) => create(call, lms, resource))
    app.on(UPDATES, item, (call) => update(call, lms, resource))
    app.delete(item, (call) => remove(call, lms, resource))
  }
}
