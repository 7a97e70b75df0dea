import type { Args } from '../../model/edge.js'
import type { LmsRecord } from '../../model/entity.js'
import type { Query } from '../../upstream/client.js'
import { BadInputError } from '../../upstream/errors.js'
import { Course } from '../course/type.js'
import { builder } from '../kit/builder.js'
import { readId } from '../kit/ids.js'
import { saveMutations } from '../kit/mutations.js'
import { addPostFields, LmsContent, rootPost } from '../post/type.js'
import { lessonColumns } from './columns.js'
import { lessons } from './loader.js'
import { lessonList } from './routes.js'

export const Lesson = builder.lmsNodeRef('Lesson', { columns: lessonColumns, load: lessons, federated: 'here' })

Lesson.implement({
  description: 'A lesson of one or several courses.',
  interfaces: [LmsContent],
  fields: (t) => ({
    course: t.lmsRelation(Course, {
      key: 'courseId',
      description:
        'The course the lesson belongs to. Null when it belongs to no course or to several. One REST call for each 100 different courses of a level.',
    }),
  }),
})

addPostFields(Lesson)
rootPost('lesson', Lesson, {
  args: builder.args((t) => ({
    course: t.id({ description: 'Global id or REST id of the course in which it is read, for sites that require it.' }),
  })),
  parse: ({ course }) => (course == null ? {} : { course: readId('course', 'Course', course) }),
})

builder.queryField('lessons', (t) =>
  t.lmsConnection(Lesson, {
    list: lessonList,
    description: 'Lessons of the site. `where.course` is required for callers who are not administrators. One REST call for each 100 rows.',
  }),
)

builder.objectField(Course, 'lessons', (t) =>
  t.lmsConnection(Lesson, {
    list: lessonList,
    query: ({ databaseId }) => ({ course: databaseId }),
    fixed: ['course'],
    description: 'Lessons of the course, in the order of the course. One REST call per course for each 100 rows.',
  }),
)

saveMutations(Lesson)

/** What the lists below a lesson have in common: sites want to know in which course it is. */
export const ofLesson = {
  needs: ['courseId'],
  args: builder.args((t) => ({
    course: t.id({
      description: 'Global id or REST id of the course, required when the lesson belongs to several. The course of the lesson by default.',
    }),
  })),
  parse: ({ course }: Args): { readonly course?: number } => (course == null ? {} : { course: readId('course', 'Course', course) }),
  query({ databaseId, courseId }: LmsRecord, { course = courseId as number | null }: { readonly course?: number | null }): Query {
    if (course === null) throw new BadInputError('This lesson belongs to no course or to several: set the argument `course`.')
    return { course, lesson: databaseId as number }
  },
} as const
