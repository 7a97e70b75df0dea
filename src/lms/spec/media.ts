import { ALL, EDIT, field, type Resource, shown, VIEW } from './field.js'
import { ORDER_BY, postListParameters, somePublished } from './post.js'

/** SQL of media as rows. They are published with the record to which they are attached, or when they are attached to none. */
const MEDIA = `(
  SELECT m.*, 'attachment' AS type, 'closed' AS comment_status, 'closed' AS ping_status, '' AS template, '[]' AS meta, '' AS password,
    '' AS content, '' AS description, NULL AS content_folded, m.caption AS excerpt, NULL AS excerpt_folded,
    'image' AS media_type, 'image/png' AS mime_type, iif(m.parent = 0, 'null', m.parent) AS post, '[]' AS missing_image_sizes,
    iif(m.parent = 0 OR ${somePublished('p.id = m.parent')}, 'publish', 'private') AS status
  FROM media m)`

const postFields = [...shown(ALL, 'text', 'slug', 'type'), ...shown(ALL, 'link', 'link'), ...shown(ALL, 'title', 'title')]

/** Pictures, as WordPress itself shows them. The specification has only their ids, in `featured_media`. */
export const media: Resource = {
  type: 'media',
  label: 'picture',
  route: '/wp/v2/media',
  table: MEDIA,
  path: 'media',
  taxonomies: [],
  fields: [
    ...shown(ALL, 'integer', 'id', 'author'),
    ...shown(ALL, 'datetime', 'date'),
    ...shown(VIEW, 'datetime', 'date_gmt', 'modified', 'modified_gmt'),
    ...shown(VIEW, 'guid', 'guid'),
    // The status of a picture is that of the record to which it is attached.
    field('status', 'text', { readOnly: true, column: "'inherit'" }),
    ...postFields,
    ...shown(VIEW, 'text', 'comment_status', 'ping_status', 'template'),
    ...shown(VIEW, 'json', 'meta', 'post'),
    ...shown(EDIT, 'permalinkTemplate', 'permalink_template'),
    ...shown(EDIT, 'generatedSlug', 'generated_slug'),
    ...shown(EDIT, 'json', 'missing_image_sizes'),
    ...shown(VIEW, 'rendered', 'description'),
    ...shown(ALL, 'rendered', 'caption'),
    ...shown(ALL, 'text', 'alt_text', 'media_type', 'mime_type'),
    field('media_details', 'media', { contexts: ALL, readOnly: true, column: 'file' }),
    field('source_url', 'file', { contexts: ALL, readOnly: true, column: 'file' }),
  ],
  listParameters: [
    ...postListParameters.filter((name) => name !== 'menu_order' && name !== 'status'),
    ...['modified_after', 'modified_before', 'search_columns', 'parent', 'parent_exclude', 'media_type', 'mime_type'],
  ],
  orderBy: ORDER_BY,
  defaults: { order: 'desc', orderby: 'date' },
}
