import * as c from '../../upstream/codec/columns.js'

/** A price type as `v2/price-types` sends it. */
export const priceTypeColumns = {
  slug: c.text('slug', 'Identifier, such as `paynow`.', { none: '', embed: true }),
  name: c.word('name', 'Display name; the slug when the site sends no name.', { none: '', embed: true, fallback: 'slug' }),
  description: c.text('description', 'Explanation of the price type.', { embed: true }),
}
