import { builder } from '../../graph/builder.js'
import { rootByKey, toTable } from '../../graph/relations.js'
import { entityType } from '../../graph/types.js'
import { BadInputError } from '../../rest/errors.js'
import { priceTypeColumns } from './record.js'
import { priceTypeByKey } from './routes.js'

export const PriceType = entityType({
  name: 'PriceType',
  description: 'A way in which courses are sold or given away.',
  columns: priceTypeColumns,
  byKey: priceTypeByKey,
  joined: 'here',
  key: { field: 'slug' },
})

const SLUG = /^[\w-]{1,100}$/

rootByKey('priceType', PriceType, {
  description: 'A price type by its slug. Null when there is none. One REST call, and none when the whole table is read anyway.',
  args: builder.args((t) => ({
    slug: t.string({ required: true, description: 'Its identifier: letters, digits, `-` and `_`, at most 100.' }),
  })),
  read: ({ slug }) => {
    if (!SLUG.test(slug as string)) throw new BadInputError('`slug` must be 1 to 100 letters, digits, `-` or `_`.')
    return { key: slug as string }
  },
})

toTable('priceTypes', PriceType, 'All price types of the site. One REST call.')
