import { hash, timingSafeEqual } from 'node:crypto'
import { deniedStatus, RestError } from './errors.js'
import type { Context } from './spec/index.js'
import type { Store } from './store.js'

/** What a user may do: `admin` everything, `leader` also read the progress of the groups they lead, `subscriber` read their own data. */
export type Role = 'admin' | 'leader' | 'subscriber'

/** A user who calls. */
export interface User {
  readonly id: number
  readonly login: string
  readonly role: Role
}

/** Who calls; null for anonymous callers. */
export type Viewer = User | null

/** The hash that is stored for an application password. Spaces in the password are ignored. */
export const hashPassword = (login: string, password: string): string =>
  hash('sha256', `${login.toLowerCase()}:${password.replaceAll(' ', '')}`)

/** The caller, from HTTP Basic credentials. Without such credentials the caller is anonymous; wrong credentials throw. */
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

/** As `authenticate`, but a caller with wrong credentials is anonymous. */
export function authenticateOrAnonymous(store: Store, authorization: string | undefined): Viewer {
  try {
    return authenticate(store, authorization)
  } catch (error) {
    if (error instanceof RestError) return null
    throw error
  }
}

/** Whether the caller may edit, and therefore read unpublished records. Only administrators may. */
export const mayEdit = (viewer: Viewer): boolean => viewer?.role === 'admin'

/** Throws when a caller without edit rights asks for the edit context. */
export function checkContext(viewer: Viewer, context: Context): void {
  if (context !== 'edit' || mayEdit(viewer)) return
  throw new RestError(deniedStatus(viewer), 'rest_forbidden_context', 'Sorry, you are not allowed to edit this.')
}

/** The refused action, by error code. */
const WRITES = {
  rest_cannot_create: 'create posts',
  rest_cannot_edit: 'edit this post',
  rest_cannot_delete: 'delete this post',
} as const

/** Throws when the caller may not write. */
export function checkWritable(viewer: Viewer, code: keyof typeof WRITES): void {
  if (!mayEdit(viewer)) throw new RestError(deniedStatus(viewer), code, `Sorry, you are not allowed to ${WRITES[code]}.`)
}

/** The error for a record that the caller may not read. */
export const forbidden = (viewer: Viewer): RestError =>
  new RestError(deniedStatus(viewer), 'rest_forbidden', 'Sorry, you are not allowed to do that.')

/** Throws when the caller may not read the progress of `user`: only the user, administrators, and leaders of a group of the user may. */
export function checkProgress(store: Store, viewer: Viewer, user: number, code: string): void {
  if (viewer && (viewer.id === user || viewer.role === 'admin' || (viewer.role === 'leader' && leads(store, viewer.id, user)))) return
  throw new RestError(deniedStatus(viewer), code, 'Sorry, you are not allowed to view the progress of this user.')
}

const LEADS = `
  SELECT 1 FROM group_leaders l JOIN group_users u ON u.group_id = l.group_id
  WHERE l.user = ? AND u.user = ? LIMIT 1`

const leads = (store: Store, leader: number, user: number): boolean => store.row(LEADS, leader, user) !== undefined
