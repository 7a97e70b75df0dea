import { type ListRoute, postByKey } from '../../upstream/routes.js'
import { modifiedFilters, postFilters, postOrders, searchFilters, taxonomyFilters } from '../post-filters.js'

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
      description: 'Limits to groups directly below these, or not below them. 0 stands for the groups at the top.',
    },
    ...taxonomyFilters('group'),
  },
  orders: postOrders,
}

export const groupByKey = postByKey(groupList)
