import { visit } from 'graphql'
import type { Measure } from './measure.js'

/** How many directives there are. */
export const directives: Measure = {
  limit: 'maxDirectives',
  says: 'The document has too many directives',
  of: ({ document }) => {
    let sum = 0
    visit(document, {
      Directive: () => {
        sum++
      },
    })
    return sum
  },
}
