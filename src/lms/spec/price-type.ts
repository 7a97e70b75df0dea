import { ALL, field, type Resource } from './field.js'

const options = { readOnly: true, contexts: ALL }

/** The ways a course can be sold. */
export const priceType: Resource = {
  type: 'price-types',
  label: 'price type',
  route: '/lms/v2/price-types',
  table: 'price_types',
  path: '',
  taxonomies: [],
  fields: [field('name', 'text', options), field('description', 'text', options), field('slug', 'text', options)],
  listParameters: ['context'],
  orderBy: [],
}
