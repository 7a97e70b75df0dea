import { ACCESS, type RouteTags } from '../../upstream/cache/tags.js'
import { type ByKey, idOf, type Key, type ListRoute } from '../../upstream/routes.js'

/** Progress depends on the lists of steps too, which it counts. */
const tags: RouteTags = {
  change: 'progress',
  ofRead: ({ user }) => ({
    type: 'CourseProgress',
    tags: [ACCESS, 'progress', `progress:${user}`, 'courses', 'lessons', 'topics', 'quizzes'],
  }),
}

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
      description: 'Selects progress in these courses, or excludes them.',
    },
  },
  orders: {},
  tags,
}

/** The steps of a course with a user's progress, on sites with the setting `progressSteps`. */
export const stepList: ListRoute = {
  path: 'v2/users/:user/course-progress/:course/steps',
  owner: 'user',
  contexts: false,
  window: 'page',
  nested: true,
  filters: {},
  orders: {},
  tags,
}

/** Key of one user's progress in one course. */
export const progressKey = (user: Key, course: Key): string => `${user}:${course}`

/** The path parameters of a key. */
export const paramsOf = (key: Key): { readonly user: string; readonly course: string } => {
  const [user = '', course = ''] = String(key).split(':')
  return { user, course }
}

/** Reads the progress in one course by `/<course>`, in several courses of a user by the list. */
export const progressByKey: ByKey = {
  one: { path: 'v2/users/:user/course-progress/:course', owner: 'user', listed: true, tags },
  params: paramsOf,
  many: {
    route: progressList,
    complete: true,
    scoped: true,
    scope: (key) => ({ user: paramsOf(key).user }),
    id: (key) => Number(paramsOf(key).course),
  },
  keyOf: (row, { user }) => {
    const course = idOf({ id: row.course })
    return course === null || user === undefined ? null : progressKey(user, course)
  },
  keyColumns: ['course'],
}
