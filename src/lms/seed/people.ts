import { hashPassword, type Role } from '../auth.js'
import { fold } from '../search-index.js'
import { gmtText } from '../time.js'
import { FIRST_NAMES, LAST_NAMES } from './curriculum.js'
import { FIRST_ID } from './ids.js'

/** A user to try the LMS with. The password is an application password for HTTP Basic. */
export interface DemoUser {
  readonly id: number
  readonly login: string
  readonly password: string
  readonly role: Role
  readonly name: string
}

/** An administrator, a leader of two groups, a learner with courses in progress, and a learner without any. */
export const DEMO_USERS: readonly DemoUser[] = [
  { id: 1, login: 'admin', password: 'admin-demo', role: 'admin', name: 'Ada Administrator' },
  { id: 2, login: 'leader', password: 'leader-demo', role: 'leader', name: 'Leo Leader' },
  { id: 3, login: 'learner', password: 'learner-demo', role: 'subscriber', name: 'Lena Learner' },
  { id: 4, login: 'newcomer', password: 'newcomer-demo', role: 'subscriber', name: 'Nico Newcomer' },
]

/** A row of the table of users. */
export interface UserRow {
  readonly [column: string]: string | number
  readonly id: number
  readonly login: string
  readonly name: string
  readonly name_folded: string
  description: string
  readonly registered: string
  readonly role: Role
  readonly password_hash: string
}

const TEACHERS = 16
const PUPILS = 180

const DAY = 86_400_000
const FIRST_DAY = Date.UTC(2020, 7, 3, 8)

/** A hash to which no password leads. */
const NO_PASSWORD = '0'.repeat(64)

/** The people of the school: demo users, teachers (who write the courses), pupils. */
export function makePeople(scale: number): { users: UserRow[]; teachers: number[]; pupils: number[] } {
  const users: UserRow[] = []
  const save = (row: Pick<UserRow, 'id' | 'login' | 'name' | 'role' | 'password_hash'>): void => {
    const registered = gmtText(FIRST_DAY + (row.id % 700) * DAY)
    users.push({ ...row, name_folded: fold(row.name), description: '', registered })
  }
  for (const { password, ...user } of DEMO_USERS) save({ ...user, password_hash: hashPassword(user.login, password) })
  const add = (id: number, place: number, role: Role): number => {
    const name = `${FIRST_NAMES[place % FIRST_NAMES.length]} ${LAST_NAMES[Math.floor(place * 1.7) % LAST_NAMES.length]}`
    const login = `${role === 'leader' ? 'teacher' : 'pupil'}${place + 1}`
    save({ id, login, name, role, password_hash: NO_PASSWORD })
    return id
  }
  const teachers = Array.from({ length: TEACHERS }, (_, place) => add(FIRST_ID.user + DEMO_USERS.length + place, place, 'leader'))
  const pupils = Array.from({ length: PUPILS * scale }, (_, place) => add(FIRST_ID.pupil + place, place, 'subscriber'))
  return { users, teachers, pupils }
}

/** The scale for a number of users; undefined when no scale fits. */
export function scaleOfPeople(count: number): number | undefined {
  const scale = (count - DEMO_USERS.length - TEACHERS) / PUPILS
  return Number.isInteger(scale) && scale >= 1 ? scale : undefined
}
