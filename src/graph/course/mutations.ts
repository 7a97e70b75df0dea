import { createMutation, updateMutation } from '../kit/mutations.js'
import { courseByKey, courseList } from './routes.js'
import { Course } from './type.js'

createMutation('course', Course, courseList)
updateMutation('course', Course, courseByKey.one)
