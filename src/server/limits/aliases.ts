import { visit } from 'graphql'
import type { Measure } from './measure.js'

/** How many fields have an alias. */
export const aliases: Measure = {
  limit: 'maxAliases',
  says: 'The document has too many aliases',
  of: ({ document }) => {
    let sum = 0
    visit(document, {
      Field: ({ alias }) => {
        if (alias) sum++
      },
    })
    return sum
  },
}
