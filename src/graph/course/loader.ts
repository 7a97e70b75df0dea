import { batchByIds } from '../../load/by-key.js'
import { courseList } from './routes.js'

export const courses = batchByIds(courseList)
