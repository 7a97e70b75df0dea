import * as c from '../../upstream/codec/columns.js'

/** A price type as `v2/price-types` sends it. */
export const priceTypeColumns = {
  slug: c.text('slug', 'Identifier, such as `paynow`.', { none: '', embed: true }),
  name: c.word('name', 'Title for people. Where the site sends none, its slug.', { none: '', embed: true, fallback: 'slug' }),
  description: c.text('description', 'What the price type means.', { embed: true }),
}
