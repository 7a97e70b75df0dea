import { courseFilter, menuOrders, modifiedFilters } from '../post/filters.js'
import { postList } from '../post/routes.js'

export const topicList = postList('Topic', {
  path: 'v2/sfwd-topic',
  optional: 'sfwd-topic',
  narrowedBy: 'course',
  filters: { ...modifiedFilters, course: courseFilter },
  orders: menuOrders,
})
