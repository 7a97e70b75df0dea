import { createMutation, updateMutation } from '../kit/mutations.js'
import { quizByKey, quizList } from './routes.js'
import { Quiz } from './type.js'

createMutation('quiz', Quiz, quizList)
updateMutation('quiz', Quiz, quizByKey.one)
