import { builder } from '../kit/builder.js'
import { deleteMutation, saveMutations } from '../kit/mutations.js'
import { addPostFields, LmsContent, rootPost } from '../post/type.js'
import { groupColumns } from './columns.js'
import { groups } from './loader.js'
import { groupList } from './routes.js'

export const Group = builder.lmsNodeRef('Group', { columns: groupColumns, load: groups, byAdministrators: true, federated: 'here' })

Group.implement({
  description: 'A group of learners and their courses.',
  interfaces: [LmsContent],
  fields: (t) => ({
    parent: t.lmsRelation(Group, {
      key: 'parentId',
      description: 'The parent group. Null for a top-level group. One REST call for each 100 different groups of a level.',
    }),
  }),
})

addPostFields(Group)
rootPost('group', Group)
builder.queryField('groups', (t) =>
  t.lmsConnection(Group, { list: groupList, description: 'Groups of the site. One REST call for each 100 rows.' }),
)

saveMutations(Group)
deleteMutation(Group)
