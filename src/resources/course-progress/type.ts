import { builder } from '../../graph/builder.js'
import { connectionType } from '../../graph/connections.js'
import type { Rec } from '../../graph/edges.js'
import { readId } from '../../graph/ids.js'
import { from, keyRelation, toList, toOne } from '../../graph/relations.js'
import { entityType } from '../../graph/types.js'
import { Course } from '../course/type.js'
import { User } from '../user/type.js'
import { courseProgressColumns } from './record.js'
import { progressByKey, progressKey, progressList } from './routes.js'

const CourseProgress = entityType({
  name: 'CourseProgress',
  description: 'How far a user has come in a course.',
  columns: courseProgressColumns,
  byKey: progressByKey,
  key: { field: 'key' },
})

toList(from(User), 'courseProgress', {
  description: "The user's progress in all courses they take. One REST call for each 100 rows.",
  connection: connectionType('CourseProgress', CourseProgress),
  to: CourseProgress,
  route: progressList,
  scope: ({ databaseId }) => ({ params: { user: databaseId as number } }),
})

const cost = 'One REST call per user for each 100 different courses of a level.'

keyRelation(from(User), 'progressIn', {
  type: CourseProgress.ref,
  description: `The user's progress in one course. Null when the user does not take it. ${cost}`,
  args: builder.args((t) => ({ course: t.id({ required: true, description: 'Global id or REST id of the course.' }) })),
  prepare: ({ course }) => readId('course', 'Course', course),
  entities: () => [CourseProgress.entity],
  targets: ({ databaseId }, course) => ({ entity: CourseProgress.entity, key: progressKey(databaseId as number, course) }),
})

keyRelation(from(Course), 'progress', {
  type: CourseProgress.ref,
  description: `The progress of one user in the course. Null when the user does not take the course, and without \`user\` where the gateway does not know the viewer. ${cost}`,
  args: builder.args((t) => ({ user: t.id({ description: 'Global id or REST id of the user. The viewer when left out.' }) })),
  prepare: ({ user }, { viewer }) => (user == null ? viewer : readId('user', 'User', user)),
  entities: (user) => (user === null ? [] : [CourseProgress.entity]),
  targets: ({ databaseId }, user) =>
    user === null ? null : { entity: CourseProgress.entity, key: progressKey(user, databaseId as number) },
  oneScope: true,
  perCaller: true,
})

toOne(
  from(CourseProgress),
  'course',
  Course,
  'courseId',
  'The course. Null when the site no longer has it. One REST call for each 100 different courses of a level.',
)

keyRelation(from(CourseProgress), 'user', {
  type: User.ref,
  semanticNonNull: [0],
  description: 'The user. Null only beside an error. No REST call.',
  prepare: () => ({}),
  entities: () => [User.entity],
  targets: ({ key }: Rec) => ({ entity: User.entity, key: Number(String(key).split(':')[0]) }),
})
