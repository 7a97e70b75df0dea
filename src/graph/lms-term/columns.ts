import * as c from '../../upstream/codec/columns.js'

/** A term as the route of its taxonomy sends it. */
export const termColumns = {
  databaseId: c.integer('id', 'Id of the term in WordPress: a positive whole number, as in `categoryIds` and the like.', { none: '' }),
  name: c.plainText('name', 'Name as plain text: entities decoded.'),
  slug: c.text('slug', 'Short name for URLs, unique within the taxonomy.'),
  description: c.html('description', 'Description as HTML; empty for none.'),
  count: c.integer('count', 'Number of published records with this term, of all types.', { none: 'Null when the site does not send it.' }),
  link: c.url('link', 'URL of the page of the site with the records of the term.'),
  parentId: c.reference('parent', 'Id of the term above this one.', {
    none: 'Null for a term without one, and in taxonomies without levels.',
  }),
}
