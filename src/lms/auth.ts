import { createHash, timingSafeEqual } from 'node:crypto'
import { deniedStatus, RestError } from './errors.js'
import type { Context } from './spec/index.js'
import type { Store } from './store.js'

/** What a user may do: everything; see the progress of led groups; see what is their own. */
export type Role = 'admin' | 'leader' | 'subscriber'

/** Who asks; anonymous callers are `null`. */
export interface User {
  readonly id: number
  readonly login: string
  readonly role: Role
}

export type Viewer = User | null

/** The stored form of an application password; spaces in it do not count. */
export const hashPassword = (login: string, password: string): string =>
  createHash('sha256')
    .update(`${login.toLowerCase()}:${password.replaceAll(' ', '')}`)
    .digest('hex')

/** The caller of a request by HTTP Basic; no or another kind of credentials is an anonymous caller, wrong ones are an error. */
export function authenticate(store: Store, authorization: string | undefined): Viewer {
  const encoded = /^Basic\s+(\S+)$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return null
  const [, given, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? []
  if (given === undefined || password === undefined) return null
  const row = store.row('SELECT id, login, role, password_hash FROM users WHERE login = ?', given)
  if (!row) throw new RestError(401, 'invalid_username', 'Unknown username. Check again or try your email address.')
  const [id, login, role, hash] = row as [number, string, Role, string]
  if (!timingSafeEqual(Buffer.from(hash), Buffer.from(hashPassword(login, password)))) {
    throw new RestError(401, 'incorrect_password', 'The provided password is an invalid application password.')
  }
  return { id, login, role }
}

/** The same where wrong credentials are as good as none. */
export function authenticateIfRight(store: Store, authorization: string | undefined): Viewer {
  try {
    return authenticate(store, authorization)
  } catch (error) {
    if (error instanceof RestError) return null
    throw error
  }
}

/** Only administrators may edit, and so see what is not published. */
export const mayEdit = (viewer: Viewer): boolean => viewer?.role === 'admin'

/** Refuses the edit context to callers without edit rights. */
export function checkContext(viewer: Viewer, context: Context): void {
  if (context !== 'edit' || mayEdit(viewer)) return
  throw new RestError(deniedStatus(viewer), 'rest_forbidden_context', 'Sorry, you are not allowed to edit this.')
}

/** What a caller wanted to write, by the code of its refusal. */
const WRITES = {
  rest_cannot_create: 'create posts',
  rest_cannot_edit: 'edit this post',
  rest_cannot_delete: 'delete this post',
} as const

/** Refuses writes of callers without edit rights. */
export function checkWritable(viewer: Viewer, code: keyof typeof WRITES): void {
  if (!mayEdit(viewer)) throw new RestError(deniedStatus(viewer), code, `Sorry, you are not allowed to ${WRITES[code]}.`)
}

/** The refusal of a record that is not for this caller. */
export const forbidden = (viewer: Viewer): RestError =>
  new RestError(deniedStatus(viewer), 'rest_forbidden', 'Sorry, you are not allowed to do that.')

/** Refuses records that are not published to callers without edit rights. */
export function checkReadable(viewer: Viewer, status: string): void {
  if (status !== 'publish' && !mayEdit(viewer)) throw forbidden(viewer)
}

/** Refuses the progress of other users, except to administrators and to leaders of a group the user is in. */
export function checkProgress(store: Store, viewer: Viewer, user: number, code: string): void {
  if (viewer && (viewer.id === user || viewer.role === 'admin' || (viewer.role === 'leader' && leads(store, viewer.id, user)))) return
  throw new RestError(deniedStatus(viewer), code, 'Sorry, you are not allowed to view the progress of this user.')
}

const LEADS = `
  SELECT 1 FROM group_leaders l JOIN group_users u ON u.group_id = l.group_id
  WHERE l.user = ? AND u.user = ? LIMIT 1`

const leads = (store: Store, leader: number, user: number): boolean => store.row(LEADS, leader, user) !== undefined
