import { batchByIds } from '../../load/batch-functions.js'
import { quizList } from './routes.js'

export const quizzes = batchByIds(quizList)
