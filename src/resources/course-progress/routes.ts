import { type ByKey, idOf, type Key, type ListRoute } from '../../upstream/routes.js'

/** A user's progress in all courses; `:user` is the user's id. */
export const progressList: ListRoute = {
  path: 'v2/users/:user/course-progress',
  owner: 'user',
  window: 'page',
  filters: {
    course: {
      kind: 'ids',
      of: 'Course',
      param: 'include',
      notIn: 'exclude',
      description: 'Limits to progress in these courses, or not in them.',
    },
  },
  orders: {},
}

/** Key of one user's progress in one course. */
export const progressKey = (user: Key, course: Key): string => `${user}:${course}`

const partsOf = (key: Key): [user: string, course: string] => String(key).split(':') as [string, string]

/** One by `/<course>`; several courses of one user by the list. */
export const progressByKey: ByKey = {
  one: { path: 'v2/users/:user/course-progress/:course', owner: 'user', listed: true },
  params: (key) => {
    const [user, course] = partsOf(key)
    return { user, course }
  },
  many: {
    route: progressList,
    complete: true,
    scoped: true,
    scope: (key) => ({ user: partsOf(key)[0] }),
    id: (key) => Number(partsOf(key)[1]),
  },
  keyOf: (row, { user }) => {
    const course = idOf({ id: row.course })
    return course === null || user === undefined ? null : progressKey(user, course)
  },
  keyColumns: ['course'],
}
