import { builder } from '../../graph/builder.js'
import { connectionType } from '../../graph/connections.js'
import { readId } from '../../graph/ids.js'
import { from, toList } from '../../graph/relations.js'
import { BadInputError } from '../../rest/errors.js'
import { Course } from '../course/type.js'
import { Lesson } from '../lesson/type.js'
import { postType, rootPost } from '../post-type.js'
import { quizColumns } from './record.js'
import { quizByKey, quizList } from './routes.js'

export const Quiz = postType({
  name: 'Quiz',
  description: 'A quiz of a course or of one of its lessons.',
  columns: quizColumns,
  byKey: quizByKey,
})

rootPost('quiz', Quiz)

const connection = connectionType('Quiz', Quiz)

toList('Query', 'quizzes', {
  description: 'Quizzes of the site. Callers who are no administrators must give `where.course`. One REST call for each 100 rows.',
  connection,
  to: Quiz,
  route: quizList,
})

toList(from(Course), 'quizzes', {
  description: 'Quizzes of the course, in its own order. One REST call per course for each 100 rows.',
  connection,
  to: Quiz,
  route: quizList,
  scope: ({ databaseId }) => ({ params: {}, query: { course: databaseId as number } }),
  fixed: ['course'],
})

toList(from(Lesson), 'quizzes', {
  description: 'Quizzes of the lesson. One REST call per lesson for each 100 rows.',
  connection,
  to: Quiz,
  route: quizList,
  needs: ['courseId'],
  args: builder.args((t) => ({
    course: t.id({
      description: "Global id or REST id of the course meant, where the lesson is in several. The lesson's own course when left out.",
    }),
  })),
  read: ({ course }) => (course == null ? {} : { course: readId('course', 'Course', course) }),
  scope: ({ databaseId, courseId }, { own }) => {
    const course = own?.course ?? courseId
    if (course === null || course === undefined)
      throw new BadInputError('This lesson belongs to no course or to several: say which one by the argument `course`.')
    return { params: {}, query: { course: course as number, lesson: databaseId as number } }
  },
  fixed: ['course', 'lesson', 'topic', 'courseLevelOnly'],
})
