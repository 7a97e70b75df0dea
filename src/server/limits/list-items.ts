import { visit } from 'graphql'
import type { Measure } from './measure.js'

/** How many items the longest list has, or fields the largest object. */
export const listItems: Measure = {
  limit: 'maxListItems',
  says: 'A list or an object in the document is too long',
  of: ({ document }) => {
    let most = 0
    visit(document, {
      ListValue: ({ values }) => {
        most = Math.max(most, values.length)
      },
      ObjectValue: ({ fields }) => {
        most = Math.max(most, fields.length)
      },
    })
    return most
  },
}
