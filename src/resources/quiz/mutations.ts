import { createMutation, updateMutation } from '../../schema/record-mutations.js'
import { quizByKey, quizList } from './routes.js'
import { Quiz } from './type.js'

createMutation('quiz', Quiz, quizList)
updateMutation('quiz', Quiz, quizByKey.one)
