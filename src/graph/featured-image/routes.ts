import { recordTags } from '../../upstream/cache/record-tags.js'
import type { ListRoute } from '../../upstream/routes.js'

/** A site shows an image only to callers who may see the record that it was uploaded to. */
export const mediaList: ListRoute = {
  path: 'wp/v2/media',
  optional: 'media',
  asStranger: true,
  tags: recordTags('FeaturedImage', { change: 'media' }),
  window: 'offset',
  filters: {},
  orders: {},
}
