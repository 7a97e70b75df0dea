import { batchByIds } from '../../load/by-key.js'
import { groupList } from './routes.js'

export const groups = batchByIds(groupList)
