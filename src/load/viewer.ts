import type { CallScope } from '../upstream/call-scope.js'
import type { Client, Row } from '../upstream/client.js'
import { plainText, reference } from '../upstream/codec/kinds.js'
import { InvalidResponseError } from '../upstream/errors.js'
import type { Route } from '../upstream/routes.js'
import type { Learned, Viewer } from '../upstream/site/viewers.js'

/** The route of WordPress that returns the current user. */
export const VIEWER_ROUTE: Route = { path: 'wp/v2/users/me' }

/** WordPress has this parameter on all sites. */
const FIELDS = { _fields: ['id', 'name'] }

/** Stands for the id of a viewer who has not been learned yet, in estimates. No user has it. */
export const PENDING_VIEWER = 0

/** What an operation knows of its viewer. Nothing is undefined once it is learned. */
export interface KnownViewer {
  learned: Learned | undefined
  /** The read that learns it. */
  learning: Promise<void> | undefined
}

/** Reads the current user from the site. Rejects with an `LmsError`. */
export async function readViewer({ client, call }: { readonly client: Client; readonly call: CallScope }): Promise<Viewer> {
  const row: Row = await client.get(VIEWER_ROUTE, {}, FIELDS, call)
  const id = reference(row.id ?? 0)
  if (typeof id !== 'number' || id < 1)
    throw new InvalidResponseError(`The answer to ${VIEWER_ROUTE.path} has no id of a user.`, { status: 200, code: null })
  const name = plainText(row.name ?? '')
  return { id, name: typeof name === 'string' && name !== '' ? name : null }
}
