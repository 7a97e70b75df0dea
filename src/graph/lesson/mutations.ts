import { createMutation, updateMutation } from '../kit/mutations.js'
import { lessonByKey, lessonList } from './routes.js'
import { Lesson } from './type.js'

createMutation('lesson', Lesson, lessonList)
updateMutation('lesson', Lesson, lessonByKey.one)
