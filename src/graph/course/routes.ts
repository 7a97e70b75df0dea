import { type ListRoute, postByKey } from '../../upstream/routes.js'
import { menuOrders, modifiedFilters, postFilters, searchFilters, taxonomyFilters } from '../post/filters.js'

export const courseList: ListRoute = {
  path: 'v1/sfwd-courses',
  window: 'offset',
  anyStatus: true,
  filters: { ...postFilters('Course'), ...modifiedFilters, ...searchFilters, ...taxonomyFilters('course') },
  orders: menuOrders,
}

export const courseByKey = postByKey(courseList)
