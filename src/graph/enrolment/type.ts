import { Course } from '../course/type.js'
import { Group } from '../group/type.js'
import { builder } from '../kit/builder.js'
import { listedColumns } from '../post/columns.js'
import { User } from '../user/type.js'
import { enrolmentShape } from './columns.js'
import { courseGroupList, enrolmentList, memberList } from './routes.js'

const { menuOrder: _menuOrder, ...groupColumns } = listedColumns

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
      'The users who are enrolled in the course themselves, without those of groups. For administrators. One REST call for each 100 rows; another one for each 100 users for columns for administrators.',
  }),
)

builder.objectField(Course, 'groups', (t) =>
  t.lmsConnection(Group, {
    name: 'CourseGroup',
    list: courseGroupList,
    params: ({ databaseId }) => ({ id: databaseId }),
    columns: groupColumns,
    description:
      'The groups that have the course. One REST call for each 100 rows; another one for each 100 groups for columns that the list does not have.',
  }),
)
