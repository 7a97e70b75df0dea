import { isObject } from '../../maps.js'
import * as c from '../../upstream/codec/columns.js'

const imageSize = {
  name: 'FeaturedImageSize',
  description: 'An image file in one size.',
  columns: {
    name: c.word('name', 'Name of the size on the site, such as `thumbnail`, `medium` or `full`.'),
    url: c.url('source_url', 'URL of the file.'),
    width: c.integer('width', 'Width in pixels.', { none: 'Null when the site does not send it.' }),
    height: c.integer('height', 'Height in pixels.', { none: 'Null when the site does not send it.' }),
    mimeType: c.word('mime_type', 'Media type, such as `image/jpeg`.'),
  },
}

/** The sizes, which sites send by their names. */
const sizes = c.records(imageSize, 'media_details.sizes', 'The image in the sizes that the site has made of it.', { whole: true })

/** A media item as `wp/v2/media` sends it. */
export const featuredImageColumns = {
  url: c.url('source_url', 'URL of the image in full size.'),
  alt: c.text('alt_text', 'Text in place of the image, for the attribute `alt`; empty for none.'),
  title: c.plainText('title.rendered', 'Title as plain text: no tags, entities decoded.'),
  caption: c.html('caption.rendered', 'Caption as HTML; empty for none.', { whole: true }),
  mimeType: c.word('mime_type', 'Media type of the image in full size, such as `image/jpeg`.'),
  width: c.integer('media_details.width', 'Width in full size, in pixels.', { none: 'Null when the site does not know it.', whole: true }),
  height: c.integer('media_details.height', 'Height in full size, in pixels.', {
    none: 'Null when the site does not know it.',
    whole: true,
  }),
  sizes: {
    ...sizes,
    decode: (raw) =>
      sizes.decode(isObject(raw) ? Object.entries(raw).map(([name, size]) => (isObject(size) ? { ...size, name } : size)) : raw),
  } satisfies typeof sizes,
}
