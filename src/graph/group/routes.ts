import { modifiedFilters, postOrders, searchFilters, taxonomyFilters } from '../post/filters.js'
import { postList } from '../post/routes.js'

export const groupList = postList('Group', {
  path: 'v1/groups',
  filters: {
    ...modifiedFilters,
    ...searchFilters,
    parent: {
      kind: 'ids',
      of: 'Group',
      param: 'parent',
      notIn: 'parent_exclude',
      orNone: true,
      description: 'Selects the direct subgroups of these groups, or excludes them. 0 stands for top-level groups.',
    },
    ...taxonomyFilters('group'),
  },
  orders: postOrders,
  tagged: { isOpen: true },
})
