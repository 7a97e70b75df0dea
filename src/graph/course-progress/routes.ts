import { ACCESS, type RouteTags } from '../../upstream/cache/tags.js'
import type { Key, ListRoute, Route } from '../../upstream/routes.js'

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

/** A user's progress in one course. */
export const progressRoute: Route = { path: 'v2/users/:user/course-progress/:course', owner: 'user', listed: true, tags }

/** The steps of a course with a user's progress. */
export const stepList: ListRoute = {
  path: 'v2/users/:user/course-progress/:course/steps',
  optional: 'users/course-progress/steps',
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
