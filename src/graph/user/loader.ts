import { batchByIds } from '../../load/by-key.js'
import { userList, userRoute } from './routes.js'

export const users = batchByIds(userList, { one: userRoute, final: true })
