import { batchByIds } from '../../load/batch-functions.js'
import { courseList } from './routes.js'

export const courses = batchByIds(courseList)
