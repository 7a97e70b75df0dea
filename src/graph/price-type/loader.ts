import { wholeTable } from '../../load/by-key.js'
import { priceTypeRoute, priceTypeTable } from './routes.js'

export const priceTypes = wholeTable(priceTypeTable, priceTypeRoute, 'slug')
