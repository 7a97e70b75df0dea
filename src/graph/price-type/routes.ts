import type { ByKey, ListRoute } from '../../upstream/routes.js'

/** The list of all price types of the site: few, without pages. */
export const priceTypeTable: ListRoute = { path: 'v2/price-types', window: 'offset', keyed: true, filters: {}, orders: {} }

/** Reads one price type by its slug, or the whole list when several are needed. */
export const priceTypeByKey: ByKey = {
  one: { path: 'v2/price-types/:slug' },
  params: (slug) => ({ slug }),
  table: priceTypeTable,
  keyOf: (row) => (typeof row.slug === 'string' && row.slug !== '' ? row.slug : null),
  keyColumns: ['slug'],
}
