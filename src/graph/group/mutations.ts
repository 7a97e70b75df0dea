import { createMutation, deleteMutation, updateMutation } from '../kit/mutations.js'
import { groupByKey, groupList } from './routes.js'
import { Group } from './type.js'

createMutation('group', Group, groupList)
updateMutation('group', Group, groupByKey.one)
deleteMutation('group', Group, groupByKey.one)
