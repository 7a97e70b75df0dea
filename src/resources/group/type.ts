import { connectionType } from '../../graph/connections.js'
import { from, toList, toOne } from '../../graph/relations.js'
import { postType, rootPost } from '../post-type.js'
import { groupColumns } from './record.js'
import { groupByKey, groupList } from './routes.js'

export const Group = postType({
  name: 'Group',
  description: 'A group of learners and the courses they take together.',
  columns: groupColumns,
  byKey: groupByKey,
})

rootPost('group', Group)

toList('Query', 'groups', {
  description: 'Groups of the site. One REST call for each 100 rows.',
  connection: connectionType('Group', Group),
  to: Group,
  route: groupList,
})

toOne(
  from(Group),
  'parent',
  Group,
  'parentId',
  'The group above this one. Null at the top. One REST call for each 100 different groups of a level.',
)
