import { courseFilter, menuOrders, modifiedFilters, taxonomyFilters } from '../post/filters.js'
import { postList } from '../post/routes.js'

export const lessonList = postList('Lesson', {
  path: 'v2/sfwd-lessons',
  narrowedBy: 'course',
  filters: { ...modifiedFilters, course: courseFilter, ...taxonomyFilters('lesson') },
  orders: menuOrders,
})
