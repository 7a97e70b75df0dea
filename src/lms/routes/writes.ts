import type { Hono } from 'hono'
import { checkWritable } from '../auth.js'
import { readBody } from '../body.js'
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

const idOf = (call: Call): number => Number(call.req.param('id'))

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

async function update(call: Call, lms: Lms, resource: Resource): Promise<Response> {
  const body = await readBody(call)
  const id = idOf(call)
  const text = lms.store.transaction(() => {
    checkExists(lms.store, resource, id)
    checkWritable(call.get('viewer'), 'rest_cannot_edit')
    updatePost(lms.store, resource, id, body)
    return written(call, lms, resource, id)
  })
  return send(call, text)
}

async function remove(call: Call, lms: Lms, resource: Resource): Promise<Response> {
  const body = await readBody(call)
  const id = idOf(call)
  const text = lms.store.transaction(() => {
    checkExists(lms.store, resource, id)
    checkWritable(call.get('viewer'), 'rest_cannot_delete')
    if (!changesOf(lms.store, [force], body, id).force) {
      trashPost(lms.store, resource, id)
      return written(call, lms, resource, id)
    }
    const previous = written(call, lms, resource, id)
    deletePost(lms.store, resource, id)
    return `{"deleted":true,"previous":${previous}}`
  })
  return send(call, text)
}

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
