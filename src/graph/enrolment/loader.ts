import { ofUserInCourses } from '../course-progress/loader.js'
import { enrolmentList } from './routes.js'

export const enrolments = ofUserInCourses(enrolmentList, enrolmentList, 'id', true)
