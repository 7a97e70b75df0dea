import { Shape } from '../../upstream/codec/records.js'
import { Course } from '../course/type.js'
import { Group } from '../group/type.js'
import { builder } from '../kit/builder.js'
import { exposeColumns } from '../kit/expose.js'
import { itemsMutation } from '../kit/mutations.js'
import type { RecordOf } from '../kit/refs.js'
import { additionColumns } from './columns.js'
import './type.js'
import { groupCourseList } from './routes.js'

const CourseAddition = builder.objectRef<RecordOf<typeof additionColumns>>('CourseAddition').implement({
  description: 'Result of adding one course to a group.',
  fields: (t) => ({
    ...exposeColumns(t, additionColumns, ['courseId']),
    course: t.lmsRelation(Course, {
      key: 'courseId',
      description: "The course. Null when it does not exist or can't be shown. One REST call for each 100 courses.",
    }),
  }),
})

itemsMutation('addCoursesToGroup', {
  description: 'Adds courses to a group, and reports the result for each course. One REST call.',
  method: 'POST',
  route: groupCourseList,
  record: Group,
  items: Course,
  fields: ['id', 'courseIds', 'additions'],
  result: CourseAddition,
  shape: new Shape('CourseAddition', additionColumns),
  wire: ['course_ids', 'course_id'],
  most: 500,
  atOnce: 500,
})
