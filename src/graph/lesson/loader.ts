import { batchByIds } from '../../load/batch-functions.js'
import { lessonList } from './routes.js'

export const lessons = batchByIds(lessonList, { narrowedBy: 'courseId' })
