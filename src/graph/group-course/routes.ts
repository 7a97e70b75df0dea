import { idIn } from '../../upstream/cache/record-tags.js'
import { ACCESS } from '../../upstream/cache/tags.js'
import type { ListRoute } from '../../upstream/routes.js'
import { menuOrders, modifiedFilters, postFilters, taxonomyFilters } from '../post/filters.js'
import { termsAndBlocksIn } from '../post/routes.js'

/** The courses of one group; `:id` is the group's. */
export const groupCourseList: ListRoute = {
  path: 'v2/groups/:id/courses',
  window: 'offset',
  hasStatus: true,
  filters: { ...postFilters('Course'), ...modifiedFilters, ...taxonomyFilters('course') },
  orders: menuOrders,
  tags: {
    change: 'group',
    ofRead: ({ id }, _, columns) => ({
      type: 'Course',
      tags: [ACCESS, 'group', `group:${id}`, `courses:of:group:${id}`, 'course', 'courses', ...termsAndBlocksIn(columns)],
    }),
    ofWrite: (_, { id }) => ({ type: 'group', id: idIn(id), kind: 'members' }),
  },
}
