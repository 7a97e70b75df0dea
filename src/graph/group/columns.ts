import * as c from '../../upstream/codec/columns.js'
import { classAndMetaColumns, featuredMediaColumns, ownTaxonomies, postColumns, rightColumns, taxonomyColumns } from '../post/columns.js'

/** A group as `v1/groups` sends it. */
export const groupColumns = {
  ...postColumns,
  ...rightColumns,
  ...featuredMediaColumns,
  ...classAndMetaColumns,
  ...taxonomyColumns,
  ...ownTaxonomies('group'),
  parentId: c.reference('parent', 'Id of the parent group.', { of: 'Group', none: 'Null for a top-level group.' }),
}
