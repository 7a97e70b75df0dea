import { wholeTable } from '../../load/batch-functions.js'
import { priceTypeRoute, priceTypeTable } from './routes.js'

export const priceTypes = wholeTable(priceTypeTable, priceTypeRoute, 'slug')
