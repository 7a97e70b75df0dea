import { recordTags } from '../../upstream/cache/record-tags.js'
import type { ListRoute } from '../../upstream/routes.js'

/** Sites show an image to those who may see the record that it was uploaded for. */
export const mediaList: ListRoute = {
  path: 'wp/v2/media',
  wordpress: 'media',
  asStranger: true,
  tags: recordTags('FeaturedImage', { change: 'media' }),
  window: 'offset',
  filters: {},
  orders: {},
}
