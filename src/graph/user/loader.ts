import { batchByIds } from '../../load/by-key.js'
import { userList } from './routes.js'

export const users = batchByIds(userList, { final: true })
