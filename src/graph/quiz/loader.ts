import { batchByIds } from '../../load/by-key.js'
import { quizList } from './routes.js'

export const quizzes = batchByIds(quizList)
