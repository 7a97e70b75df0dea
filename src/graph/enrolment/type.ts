import type { Entity } from '../../model/entity.js'
import { Course } from '../course/type.js'
import { Group } from '../group/type.js'
import { builder } from '../kit/builder.js'
import { User } from '../user/type.js'
import { enrolmentShape, listedColumns } from './columns.js'
import { enrolments } from './loader.js'
import { courseGroupList, enrolmentList, memberList } from './routes.js'

/** The enrolment of a user in a course. It is no type of the graph. */
export const CourseEnrolment: { readonly entity: Entity } = {
  entity: { name: 'CourseEnrolment', shape: enrolmentShape, key: 'key', byKey: enrolments },
}

builder.objectField(User, 'courses', (t) =>
  t.lmsConnection(Course, {
    name: 'UserCourse',
    list: enrolmentList,
    params: ({ databaseId }) => ({ user: databaseId }),
    columns: listedColumns,
    edgeShape: enrolmentShape,
    description:
      'The courses that the user is enrolled in, also by groups. Sites may leave out open courses. One REST call for each 100 rows; another one for each 100 courses for columns that the list does not have.',
  }),
)

builder.objectField(Course, 'users', (t) =>
  t.lmsConnection(User, {
    name: 'CourseUser',
    list: memberList,
    params: ({ databaseId }) => ({ id: databaseId }),
    description:
      'The users who are enrolled in the course themselves, without those of groups. For administrators. Null only beside an error. One REST call for each 100 rows; another one for each 100 users for columns for administrators.',
  }),
)

builder.objectField(Course, 'groups', (t) =>
  t.lmsConnection(Group, {
    name: 'CourseGroup',
    list: courseGroupList,
    params: ({ databaseId }) => ({ id: databaseId }),
    columns: listedColumns,
    description:
      'The groups that have the course. Null only beside an error. One REST call for each 100 rows; another one for each 100 groups for columns that the list does not have.',
  }),
)
