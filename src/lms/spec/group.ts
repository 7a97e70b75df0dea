import { BODY_ONLY, field, type Resource, taxonomiesOf, termFields, termFilters } from './field.js'
import { baseFields, classList, meta, modifiedListParameters, ORDER_BY, postListParameters, searchListParameters } from './post.js'

const taxonomies = taxonomiesOf('group')

/** Groups: learners who take courses together, in a hierarchy. */
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
    field('parent', 'integer', { default: 0 }),
    field('featured_media', 'integer', { contexts: BODY_ONLY, default: 0 }),
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
