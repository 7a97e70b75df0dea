import { isObject } from '../../maps.js'
import type { Args } from '../../model/edge.js'
import { Course } from '../course/type.js'
import { Group } from '../group/type.js'
import { builder } from '../kit/builder.js'
import { exposeColumns } from '../kit/expose.js'
import { idField, mutation, readIdField, readIdsField, readInput, storeExisting, write } from '../kit/mutations.js'
import type { RecordOf } from '../kit/refs.js'
import { additionColumns, additionsIn } from './columns.js'
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

const MAX_COURSES = 500

const success = mutation('addCoursesToGroup', {
  description: 'Adds courses to a group, and reports the result for each course. One REST call.',
  input: {
    description: 'The group and the courses.',
    fields: (t) => ({
      ...idField(t, Group),
      courseIds: t.idList({ required: true, description: `Global ids or REST ids of the courses: 1 to ${MAX_COURSES} of them.` }),
    }),
  },
  success: {
    description: 'The site processed each course separately: see `additions`.',
    fields: (t) => ({
      additions: t.expose('additions', {
        type: [CourseAddition],
        nullable: false,
        extensions: {
          lms: { count: ({ input }: Args) => (isObject(input) && Array.isArray(input.courseIds) ? input.courseIds.length : 0) },
        },
        description: 'One result for each distinct course of the input, in the order of the input.',
      }),
    }),
  },
  by: { method: 'POST', route: groupCourseList, entity: Group.entity },
  async write(input, writing) {
    const { id, courses } = readInput((reader) => ({
      id: readIdField(reader, Group, input),
      courses: readIdsField(reader, 'courseIds', Course, input.courseIds, MAX_COURSES),
    }))
    const wire = { course_ids: 'courseIds' }
    const { body } = await write(writing, Group, 'POST', groupCourseList, { id }, { body: { course_ids: courses } }, wire)
    storeExisting(writing, Group, id)
    return { databaseId: id, additions: additionsIn(writing.projections, body, courses) }
  },
})
builder.objectField(success, 'group', (t) =>
  t.lmsRelation(Group, {
    key: 'databaseId',
    semanticNonNull: true,
    description: "The group as it is now. Null when it can't be shown: an error says why.",
  }),
)
