import { Course } from '../course/type.js'
import { builder } from '../kit/builder.js'
import { saveMutations } from '../kit/mutations.js'
import { Lesson, ofLesson } from '../lesson/type.js'
import { addPostFields, LmsContent, rootPost } from '../post/type.js'
import { quizColumns } from './columns.js'
import { quizzes } from './loader.js'
import { quizList } from './routes.js'

export const Quiz = builder.lmsNodeRef('Quiz', { columns: quizColumns, load: quizzes, federated: 'here' })

Quiz.implement({
  description: 'A quiz of a course or of one of its lessons.',
  interfaces: [LmsContent],
})

addPostFields(Quiz)
rootPost('quiz', Quiz)

builder.queryField('quizzes', (t) =>
  t.lmsConnection(Quiz, {
    list: quizList,
    description: 'Quizzes of the site. `where.course` is required for callers who are not administrators. One REST call for each 100 rows.',
  }),
)

builder.objectField(Course, 'quizzes', (t) =>
  t.lmsConnection(Quiz, {
    list: quizList,
    query: ({ databaseId }) => ({ course: databaseId }),
    fixed: ['course'],
    description: 'Quizzes of the course, in the order of the course. One REST call per course for each 100 rows.',
  }),
)

builder.objectField(Lesson, 'quizzes', (t) =>
  t.lmsConnection(Quiz, {
    ...ofLesson,
    list: quizList,
    fixed: ['course', 'lesson', 'topic', 'courseLevelOnly'],
    description: 'Quizzes of the lesson. One REST call per lesson for each 100 rows.',
  }),
)

saveMutations(Quiz)
