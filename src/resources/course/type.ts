import { connectionType } from '../../graph/connections.js'
import { from, toList, toMany, toOne } from '../../graph/relations.js'
import { postType, rootPost } from '../post-type.js'
import { PriceType } from '../price-type/type.js'
import { courseColumns } from './record.js'
import { courseByKey, courseList } from './routes.js'

export const Course = postType({
  name: 'Course',
  description: 'A course.',
  columns: courseColumns,
  byKey: courseByKey,
})

rootPost('course', Course)

toList('Query', 'courses', {
  description: 'Courses of the site. One REST call for each 100 rows.',
  connection: connectionType('Course', Course),
  to: Course,
  route: courseList,
})

const prerequisites =
  'Courses to be completed before this one. A missing one is a null item. One REST call for each 100 different courses of a level.'
toMany(from(Course), 'prerequisites', Course, 'prerequisiteIds', prerequisites)
toOne(
  from(Course),
  'priceType',
  PriceType,
  'priceTypeSlug',
  'How the course is sold or given away. Null when not set. One REST call for all courses.',
)
