import { ACCESS } from '../../upstream/cache/tags.js'
import type { Route } from '../../upstream/routes.js'
import { menuOrders, modifiedFilters, searchFilters, taxonomyFilters } from '../post/filters.js'
import { postList } from '../post/routes.js'

export const courseList = postList('Course', {
  path: 'v1/sfwd-courses',
  filters: { ...modifiedFilters, ...searchFilters, ...taxonomyFilters('course') },
  orders: menuOrders,
  tagged: { isOpen: true },
})

/** The steps of a course, as the site keeps them. */
export const treeRoute: Route = {
  path: 'v2/sfwd-courses/:course/steps',
  optional: 'sfwd-courses/steps',
  contexts: false,
  listed: true,
  query: { type: 'all' },
  tags: {
    change: 'course',
    ofRead: ({ course }) => ({ type: 'Course', tags: [ACCESS, `course:${course}`, 'lessons', 'topics', 'quizzes'] }),
  },
}
