import { batchByIds } from '../../load/batch-functions.js'
import { groupList } from './routes.js'

export const groups = batchByIds(groupList)
