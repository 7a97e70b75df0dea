import { BadInputError } from '../../upstream/errors.js'
import { builder } from '../kit/builder.js'
import { priceTypeColumns } from './columns.js'
import { priceTypes } from './loader.js'

export const PriceType = builder.lmsNodeRef('PriceType', {
  columns: priceTypeColumns,
  load: priceTypes,
  key: 'slug',
  federated: 'here',
})

PriceType.implement({ description: 'A way in which courses are sold or given away.' })

const SLUG = /^[\w-]{1,100}$/

builder.queryField('priceType', (t) =>
  t.lmsRelation(PriceType, {
    description: 'A price type by its slug. Null when it does not exist. One REST call, or none when the operation reads all price types.',
    args: { slug: t.arg.string({ required: true, description: 'Its identifier: letters, digits, `-` and `_`, at most 100.' }) },
    parse({ slug }) {
      if (!SLUG.test(slug)) throw new BadInputError('`slug` must be 1 to 100 letters, digits, `-` or `_`.')
      return slug
    },
    key: (_, slug) => slug,
  }),
)

builder.queryField('priceTypes', (t) => t.lmsTable(PriceType, { description: 'All price types of the site. One REST call.' }))
