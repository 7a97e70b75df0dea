import { builder } from '../kit/builder.js'
import { saveMutations } from '../kit/mutations.js'
import { addPostFields, LmsContent, rootPost } from '../post/type.js'
import { PriceType } from '../price-type/type.js'
import { courseColumns } from './columns.js'
import { courses } from './loader.js'
import { courseList } from './routes.js'

export const Course = builder.lmsNodeRef('Course', { columns: courseColumns, load: courses, federated: 'here' })

/** The relations of a course, which group courses have too. */
export const prerequisites = {
  keys: 'prerequisiteIds',
  description:
    'Courses to complete before this one. A missing course is a null item. One REST call for each 100 different courses of a level.',
} as const
export const priceType = {
  key: 'priceTypeSlug',
  description: 'How the course is sold or given away. Null when not set. One REST call for all courses.',
} as const

Course.implement({
  description: 'A course.',
  interfaces: [LmsContent],
  fields: (t) => ({
    prerequisites: t.lmsRelations(Course, prerequisites),
    priceType: t.lmsRelation(PriceType, priceType),
  }),
})

addPostFields(Course)
rootPost('course', Course)
builder.queryField('courses', (t) =>
  t.lmsConnection(Course, { list: courseList, description: 'Courses of the site. One REST call for each 100 rows.' }),
)

saveMutations(Course)
