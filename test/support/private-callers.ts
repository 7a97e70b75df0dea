import { markOf } from './marks.js'

/** A caller. */
export interface Caller {
  readonly number: number
  readonly role: Role
  /** The headers of its requests. */
  readonly headers: Readonly<Record<string, string>>
}

/** Editors may do everything; members may not edit, list without a filter, or see drafts; `nobody` has no credentials. */
export type Role = 'editor' | 'member' | 'nobody'

/** Most callers are editors, every third is a member. */
export const roleOf = (number: number): Role => (number === 0 ? 'nobody' : number % 3 === 0 ? 'member' : 'editor')

/** Part of all credentials; must not appear in a response. */
export const SECRET = 'secret-key'

const keyOf = (number: number): string => `${SECRET}${markOf(number)}`

/** Callers with an `Authorization`, except the first. All send cookies of another caller, which must not reach the site. */
export const callersWithKeys = (count: number): Caller[] =>
  Array.from({ length: count }, (_, number) => ({
    number,
    role: roleOf(number),
    headers: {
      ...(number === 0 ? {} : { authorization: `Bearer ${keyOf(number)}` }),
      ...sessionOf(`${SECRET}${markOf(999)}`, `${SECRET}${markOf(999)}`),
    },
  }))

const sessionOf = (session: string, nonce: string): Record<string, string> => ({
  cookie: `theme=dark; wordpress_logged_in_x=${session}; wordpress_sec_x=more`,
  'x-wp-nonce': nonce,
})

/** Kinds of credentials of a site that accepts cookies. In some of them callers differ in one header only. */
const SESSIONS: readonly ((number: number) => Caller['headers'])[] = [
  (number) => sessionOf(keyOf(number), `${SECRET}-nonce`),
  (number) => sessionOf(SECRET, keyOf(number)),
  (number) => ({ ...sessionOf(keyOf(number), keyOf(number)), authorization: `Bearer ${SECRET}` }),
  (number) => ({ ...sessionOf(SECRET, SECRET), authorization: `Bearer ${keyOf(number)}` }),
]

/** Callers with cookies and nonces; the first has none, and the last has cookies without a nonce, which count as none. */
export const callersWithCookies = (count: number): Caller[] =>
  Array.from({ length: count }, (_, number) => {
    if (number === 0) return { number, role: 'nobody', headers: {} }
    if (number === count - 1) return { number: 0, role: 'nobody', headers: { cookie: `wordpress_logged_in_x=${keyOf(number)}` } }
    return { number, role: roleOf(number), headers: (SESSIONS[number % SESSIONS.length] as (typeof SESSIONS)[number])(number) }
  })
