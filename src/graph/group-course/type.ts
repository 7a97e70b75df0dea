import { Course, prerequisites, priceType } from '../course/type.js'
import { Group } from '../group/type.js'
import { builder } from '../kit/builder.js'
import { addPostFields } from '../post/type.js'
import { PriceType } from '../price-type/type.js'
import { courseInGroupColumns, groupCourseColumns } from './columns.js'
import { groupCourseList } from './routes.js'

const GroupCourse = builder.lmsRowRef('GroupCourse', { columns: groupCourseColumns, field: 'groupCourse' })

GroupCourse.implement({
  description:
    'A course as a group lists it, with the column names of version 2 of the interface. Not a node: its id is that of the course.',
  fields: (t) => ({
    priceType: t.lmsRelation(PriceType, priceType),
    prerequisites: t.lmsRelations(Course, prerequisites),
  }),
})

addPostFields(GroupCourse)

builder.objectField(Group, 'courses', (t) =>
  t.lmsConnection(Course, {
    name: 'GroupCourse',
    list: groupCourseList,
    params: ({ databaseId }) => ({ id: databaseId }),
    columns: courseInGroupColumns,
    edge: { ref: GroupCourse, description: 'The course as the group lists it. Null only beside an error.' },
    description: 'Courses of the group. One REST call per group for each 100 rows.',
  }),
)
