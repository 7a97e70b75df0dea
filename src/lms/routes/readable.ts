import { checkReadable, type Viewer } from '../auth.js'
import { RestError } from '../errors.js'
import { course, group, lesson, quiz, type Resource } from '../spec/index.js'
import type { Store } from '../store.js'

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
