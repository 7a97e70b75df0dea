import { builder } from '../../graph/builder.js'
import { connectionType } from '../../graph/connections.js'
import { readId } from '../../graph/ids.js'
import { from, toList, toOne } from '../../graph/relations.js'
import { Course } from '../course/type.js'
import { postType, rootPost } from '../post-type.js'
import { lessonColumns } from './record.js'
import { lessonByKey, lessonList } from './routes.js'

export const Lesson = postType({
  name: 'Lesson',
  description: 'A lesson of one course or several.',
  columns: lessonColumns,
  byKey: lessonByKey,
})

rootPost('lesson', Lesson, {
  args: builder.args((t) => ({
    course: t.id({ description: 'Global id or REST id of the course it is read in, for sites that want to know.' }),
  })),
  read: ({ course }) => (course == null ? {} : { course: readId('course', 'Course', course) }),
})

const connection = connectionType('Lesson', Lesson)

toList('Query', 'lessons', {
  description: 'Lessons of the site. Callers who are no administrators must give `where.course`. One REST call for each 100 rows.',
  connection,
  to: Lesson,
  route: lessonList,
})

toList(from(Course), 'lessons', {
  description: 'Lessons of the course, in its own order. One REST call per course for each 100 rows.',
  connection,
  to: Lesson,
  route: lessonList,
  scope: ({ databaseId }) => ({ params: {}, query: { course: databaseId as number } }),
  fixed: ['course'],
})

const course =
  'The course the lesson belongs to. Null when it belongs to none, or to several. One REST call for each 100 different courses of a level.'
toOne(from(Lesson), 'course', Course, 'courseId', course)
