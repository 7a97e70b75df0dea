import type { ListRoute } from '../../upstream/routes.js'
import { menuOrders, modifiedFilters, postFilters, taxonomyFilters } from '../post/filters.js'

/** The courses of one group; `:id` is the group's. */
export const groupCourseList: ListRoute = {
  path: 'v2/groups/:id/courses',
  window: 'offset',
  hasStatus: true,
  filters: { ...postFilters('Course'), ...modifiedFilters, ...taxonomyFilters('course') },
  orders: menuOrders,
}
