import { markOf } from './marks.js'

/** Someone who asks. */
export interface Caller {
  readonly number: number
  readonly role: Role
  /** What the gateway is shown. */
  readonly headers: Readonly<Record<string, string>>
}

/** Editors may do everything; members may neither edit, nor list what is not narrowed, nor see drafts; nobody has no credentials. */
export type Role = 'editor' | 'member' | 'nobody'

/** Most callers are editors, every third is a member. */
export const roleOf = (number: number): Role => (number === 0 ? 'nobody' : number % 3 === 0 ? 'member' : 'editor')

/** Stands in all credentials, and must stand in no answer. */
export const SECRET = 'secret-key'

const keyOf = (number: number): string => `${SECRET}${markOf(number)}`

/** Callers who show an `Authorization`, the first of them nothing. All send cookies of somebody else, which are not for the site. */
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

/** Ways to show who one is to a site that takes cookies. In some of them all callers look alike but for one header. */
const SESSIONS: readonly ((number: number) => Caller['headers'])[] = [
  (number) => sessionOf(keyOf(number), `${SECRET}-nonce`),
  (number) => sessionOf(SECRET, keyOf(number)),
  (number) => ({ ...sessionOf(keyOf(number), keyOf(number)), authorization: `Bearer ${SECRET}` }),
  (number) => ({ ...sessionOf(SECRET, SECRET), authorization: `Bearer ${keyOf(number)}` }),
]

/** Callers who show cookies and nonces; the first shows nothing, and the last cookies without a nonce, which is nothing either. */
export const callersWithCookies = (count: number): Caller[] =>
  Array.from({ length: count }, (_, number) => {
    if (number === 0) return { number, role: 'nobody', headers: {} }
    if (number === count - 1) return { number: 0, role: 'nobody', headers: { cookie: `wordpress_logged_in_x=${keyOf(number)}` } }
    return { number, role: roleOf(number), headers: (SESSIONS[number % SESSIONS.length] as (typeof SESSIONS)[number])(number) }
  })
