import { batchByIds } from '../../load/by-key.js'
import { mediaList } from './routes.js'

export const images = batchByIds(mediaList, { final: true })
