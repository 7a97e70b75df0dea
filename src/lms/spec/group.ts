import { ALL, BODY_ONLY, field, type Resource, taxonomiesOf, termFields, termFilters } from './field.js'
import { baseFields, classList, meta, modifiedListParameters, ORDER_BY, postListParameters, searchListParameters } from './post.js'

/** The courses to add to a group. */
export const courseIds = field('course_ids', 'integer', { contexts: BODY_ONLY, accepts: 'idList' })

const taxonomies = taxonomiesOf('group')

/** Groups of learners, in a hierarchy. */
export const group: Resource = {
  type: 'groups',
  label: 'group',
  route: '/lms/v1/groups',
  table: 'groups',
  path: 'groups',
  taxonomies,
  fields: [
    ...baseFields,
    classList,
    field('parent', 'integer', { default: 0, refers: 'groups' }),
    field('featured_media', 'integer', { contexts: ALL, default: 0 }),
    meta,
    ...termFields(taxonomies),
  ],
  listParameters: [
    ...postListParameters,
    ...modifiedListParameters,
    ...searchListParameters,
    'parent',
    'parent_exclude',
    ...termFilters(taxonomies),
  ],
  orderBy: ORDER_BY,
}

/** The groups that have a course. */
export const courseGroup: Resource = { ...group, route: '/lms/v2/sfwd-courses/<id>/groups', recordRoute: group.route }
