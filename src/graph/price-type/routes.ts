import { recordTags } from '../../upstream/cache/record-tags.js'
import type { ListRoute, Route } from '../../upstream/routes.js'

const tags = recordTags('PriceType', { isOpen: true })

/** The list of all price types of the site: few, without pages. */
export const priceTypeTable: ListRoute = { path: 'v2/price-types', window: 'offset', keyed: true, filters: {}, orders: {}, tags }

export const priceTypeRoute: Route = { path: 'v2/price-types/:slug', tags }
