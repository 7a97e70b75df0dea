import { type ListRoute, postByKey } from '../../upstream/routes.js'
import { modifiedFilters, postFilters, postOrders, searchFilters, taxonomyFilters } from '../post/filters.js'

export const groupList: ListRoute = {
  path: 'v1/groups',
  window: 'offset',
  anyStatus: true,
  filters: {
    ...postFilters('Group'),
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
}

export const groupByKey = postByKey(groupList)
