import { batchByIds } from '../../load/by-key.js'
import { lessonList } from './routes.js'

export const lessons = batchByIds(lessonList, { narrowedBy: 'courseId' })
