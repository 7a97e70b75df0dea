import { recordTags } from '../../upstream/cache/record-tags.js'
import type { ListRoute, Route } from '../../upstream/routes.js'

/** Sites show an image to those who may see the record that it was uploaded for. */
const route = { wordpress: 'media', asStranger: true, tags: recordTags('FeaturedImage', { change: 'media' }) } as const

export const mediaList: ListRoute = { path: 'wp/v2/media', ...route, window: 'offset', filters: {}, orders: {} }

export const mediaRoute: Route = { path: 'wp/v2/media/:id', ...route }
