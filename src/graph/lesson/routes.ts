import { type ByKey, type ListRoute, postByKey } from '../../upstream/routes.js'
import { courseFilter, menuOrders, modifiedFilters, postFilters, taxonomyFilters } from '../post/filters.js'

export const lessonList: ListRoute = {
  path: 'v2/sfwd-lessons',
  window: 'offset',
  anyStatus: true,
  narrowedBy: 'course',
  filters: { ...postFilters('Lesson'), ...modifiedFilters, course: courseFilter, ...taxonomyFilters('lesson') },
  orders: menuOrders,
}

const byKey = postByKey(lessonList)

export const lessonByKey: ByKey = { ...byKey, many: { ...byKey.many, narrowedBy: 'courseId' } }
