import { recordTags } from '../../upstream/cache/record-tags.js'
import type { ByKey, ListRoute } from '../../upstream/routes.js'

const tags = recordTags('PriceType', { isOpen: true })

/** The list of all price types of the site: few, without pages. */
export const priceTypeTable: ListRoute = { path: 'v2/price-types', window: 'offset', keyed: true, filters: {}, orders: {}, tags }

/** Reads one price type by its slug, or the whole list when several are needed. */
export const priceTypeByKey: ByKey = {
  one: { path: 'v2/price-types/:slug', tags },
  params: (slug) => ({ slug }),
  table: priceTypeTable,
  keyOf: (row) => (typeof row.slug === 'string' && row.slug !== '' ? row.slug : null),
  keyColumns: ['slug'],
}
