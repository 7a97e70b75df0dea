import { connectionType } from '../../graph/connections.js'
import { from, toList, toMany, toOne } from '../../graph/relations.js'
import { sideType } from '../../graph/types.js'
import { Shape } from '../../rest/records.js'
import { Course } from '../course/type.js'
import { Group } from '../group/type.js'
import { addAuthor } from '../post-type.js'
import { PriceType } from '../price-type/type.js'
import { courseInGroupColumns, groupCourseColumns } from './record.js'
import { groupCourseList } from './routes.js'

const { ref, side } = sideType({
  name: 'GroupCourse',
  description:
    'A course as a group lists it, under the names the second version of the interface has for its columns. Not a node: its id is the id of the course.',
  columns: groupCourseColumns,
  field: 'groupCourse',
})

const GroupCourse = { ref, name: 'GroupCourse' }
addAuthor(ref, 'GroupCourse')
toOne(
  GroupCourse,
  'priceType',
  PriceType,
  'priceTypeSlug',
  'How the course is sold or given away. Null when not set. One REST call for all courses.',
)
toMany(
  GroupCourse,
  'prerequisites',
  Course,
  'prerequisiteIds',
  'Courses to be completed before this one. A missing one is a null item. One REST call for each 100 different courses of a level.',
)

toList(from(Group), 'courses', {
  description: 'Courses of the group. One REST call per group for each 100 rows.',
  connection: connectionType('GroupCourse', Course, {
    ref,
    side,
    description: 'The course as the group lists it. Null only beside an error.',
  }),
  inputs: 'GroupCourse',
  to: Course,
  route: groupCourseList,
  shape: new Shape('GroupCourse', courseInGroupColumns, Course.entity.shape.names),
  side,
  scope: ({ databaseId }) => ({ params: { id: databaseId as number } }),
})
