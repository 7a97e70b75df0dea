import { Kind } from 'graphql'
import type { Measure } from './measure.js'

/** How many fragments a document defines. */
export const fragments: Measure = {
  limit: 'maxFragments',
  says: 'The document defines too many fragments',
  of: ({ document }) => document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length,
}
