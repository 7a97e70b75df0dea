import { menuOrders, modifiedFilters, searchFilters, taxonomyFilters } from '../post/filters.js'
import { postList } from '../post/routes.js'

export const courseList = postList('Course', {
  path: 'v1/sfwd-courses',
  filters: { ...modifiedFilters, ...searchFilters, ...taxonomyFilters('course') },
  orders: menuOrders,
  tagged: { isOpen: true },
})
