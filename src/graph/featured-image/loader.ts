import { batchByIds } from '../../load/by-key.js'
import { mediaList, mediaRoute } from './routes.js'

export const images = batchByIds(mediaList, { one: mediaRoute, final: true })
