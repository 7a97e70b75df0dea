import { batchByIds } from '../../load/by-key.js'
import { topicList } from './routes.js'

export const topics = batchByIds(topicList, { narrowedBy: 'courseId' })
