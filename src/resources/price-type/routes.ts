import type { ByKey, ListRoute } from '../../upstream/routes.js'

/** All price types of the site: a handful, without pages. */
export const priceTypeTable: ListRoute = { path: 'v2/price-types', window: 'offset', keyed: true, filters: {}, orders: {} }

/** A single one by its slug; the whole table as soon as several are wanted. */
export const priceTypeByKey: ByKey = {
  one: { path: 'v2/price-types/:slug' },
  params: (slug) => ({ slug }),
  table: priceTypeTable,
  keyOf: (row) => (typeof row.slug === 'string' && row.slug !== '' ? row.slug : null),
  keyColumns: ['slug'],
}
