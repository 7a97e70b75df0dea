import { ALL, EDIT, field, type Resource } from './field.js'
import { modifiedListParameters, ORDER_BY, postListParameters, searchListParameters, somePublished } from './post.js'

const readOnly = true

/** SQL of media as rows. They are published with the record to which they are attached, or when they are attached to none. */
const MEDIA = `(
  SELECT m.*, '' AS content, NULL AS content_folded, m.caption AS excerpt, NULL AS excerpt_folded, '' AS password, '' AS template,
    iif(m.parent = 0 OR ${somePublished('p.id = m.parent')}, 'publish', 'private') AS status
  FROM media m)`

/** Pictures, as WordPress itself shows them. The specification has only their ids, in `featured_media`. */
export const media: Resource = {
  type: 'media',
  label: 'picture',
  route: '/wp/v2/media',
  table: MEDIA,
  path: 'media',
  taxonomies: [],
  fields: [
    field('id', 'integer', { contexts: ALL, readOnly }),
    field('date', 'datetime', { contexts: ALL, readOnly }),
    field('date_gmt', 'datetime', { readOnly }),
    field('guid', 'guid', { readOnly }),
    field('modified', 'datetime', { readOnly }),
    field('modified_gmt', 'datetime', { readOnly }),
    field('slug', 'text', { contexts: ALL, readOnly }),
    field('status', 'text', { readOnly, column: "'inherit'" }),
    field('type', 'text', { contexts: ALL, readOnly, column: "'attachment'" }),
    field('link', 'link', { contexts: ALL, readOnly }),
    field('title', 'title', { contexts: ALL, readOnly }),
    field('author', 'integer', { contexts: ALL, readOnly }),
    field('comment_status', 'text', { readOnly, column: "'closed'" }),
    field('ping_status', 'text', { readOnly, column: "'closed'" }),
    field('template', 'text', { readOnly }),
    field('meta', 'json', { readOnly, column: "'[]'" }),
    field('permalink_template', 'permalinkTemplate', { contexts: EDIT, readOnly }),
    field('generated_slug', 'generatedSlug', { contexts: EDIT, readOnly }),
    field('description', 'rendered', { readOnly, column: 'content' }),
    field('caption', 'rendered', { contexts: ALL, readOnly }),
    field('alt_text', 'text', { contexts: ALL, readOnly, column: 'alt' }),
    field('media_type', 'text', { contexts: ALL, readOnly, column: "'image'" }),
    field('mime_type', 'text', { contexts: ALL, readOnly, column: "'image/png'" }),
    field('media_details', 'fileDetails', { contexts: ALL, readOnly }),
    field('post', 'json', { readOnly, column: "iif(t.parent = 0, 'null', t.parent)" }),
    field('source_url', 'file', { contexts: ALL, readOnly }),
    field('missing_image_sizes', 'json', { contexts: EDIT, readOnly, column: "'[]'" }),
  ],
  listParameters: [
    ...postListParameters.filter((name) => name !== 'menu_order' && name !== 'status'),
    ...modifiedListParameters.filter((name) => name !== 'tax_relation'),
    ...searchListParameters,
    ...['parent', 'parent_exclude', 'media_type', 'mime_type'],
  ],
  orderBy: ORDER_BY,
  defaults: { order: 'desc', orderby: 'date' },
}
