import { Course } from '../course/type.js'
import { Group } from '../group/type.js'
import { itemsMutation } from '../kit/mutations.js'
import { additionColumns } from './columns.js'
import './type.js'
import { groupCourseList } from './routes.js'

itemsMutation('addCoursesToGroup', {
  description: 'Adds courses to a group, and reports the result for each course. One REST call.',
  method: 'POST',
  route: groupCourseList,
  record: Group,
  items: Course,
  fields: ['id', 'courseIds', 'additions'],
  result: {
    name: 'CourseAddition',
    description: 'Result of adding one course to a group.',
    columns: additionColumns,
    item: "The course. Null when it does not exist or can't be shown. One REST call for each 100 courses.",
  },
  wire: ['course_ids', 'course_id'],
  most: 500,
  atOnce: 500,
})
