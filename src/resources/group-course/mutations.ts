import type { Args } from '../../engine/edges.js'
import { builder } from '../../schema/builder.js'
import { exposeColumns } from '../../schema/expose.js'
import { confirm, idField, mutation, readIdField, readIdsField, readInput, write } from '../../schema/mutations.js'
import type { RecordOf } from '../../schema/refs.js'
import { Course } from '../course/type.js'
import { Group } from '../group/type.js'
import { additionColumns, additionsIn } from './record.js'
import './type.js'
import { groupCourseList } from './routes.js'

const CourseAddition = builder.objectRef<RecordOf<typeof additionColumns>>('CourseAddition').implement({
  description: 'What became of one course that was to be added to a group.',
  fields: (t) => ({
    ...exposeColumns(t, additionColumns, ['courseId']),
    course: t.lmsRelation(Course, {
      key: 'courseId',
      description: "The course. Null when there is none, or it can't be shown. One REST call for each 100 of them.",
    }),
  }),
})

const MOST = 500

const success = mutation('addCoursesToGroup', {
  description: 'Adds courses to a group, and says of each whether it was added. One REST call.',
  input: {
    description: 'Which group, and which courses.',
    fields: (t) => ({
      ...idField(t, Group),
      courseIds: t.idList({ required: true, description: `Global ids or REST ids of the courses: 1 to ${MOST} of them.` }),
    }),
  },
  success: {
    description: 'The site took the courses one by one: see `additions`.',
    fields: (t) => ({
      additions: t.expose('additions', {
        type: [CourseAddition],
        nullable: false,
        extensions: { lms: { count: ({ input }: Args) => ((input as Args).courseIds as unknown[]).length } },
        description: 'One for each course of the input, in its order; a course named twice has one.',
      }),
    }),
  },
  by: { method: 'POST', route: groupCourseList },
  async write(input, operation) {
    const { id, courses } = readInput((reader) => ({
      id: readIdField(reader, Group, input) as number,
      courses: readIdsField(reader, 'courseIds', Course, input.courseIds, MOST),
    }))
    const wire = { course_ids: 'courseIds' }
    const { body } = await write(operation, Group, 'POST', groupCourseList, { id }, { body: { course_ids: courses } }, wire)
    confirm(operation, Group, id)
    return { databaseId: id, additions: additionsIn(operation.projections, body, courses) }
  },
})
builder.objectField(success, 'group', (t) =>
  t.lmsRelation(Group, {
    key: 'databaseId',
    semanticNonNull: true,
    description: "The group as it is now. Null when it can't be shown: an error says why.",
  }),
)
