import { Kind, type SelectionSetNode } from 'graphql'
import type { Measure } from './measure.js'

/** How many fields an operation begins with. */
export const rootFields: Measure = {
  limit: 'maxRootFields',
  says: 'The operation begins with too many fields',
  of: (parts) => parts.overOperations(parts.spreading(fieldsIn)),
}

function fieldsIn({ selections }: SelectionSetNode, ofFragment: (name: string) => number): number {
  let sum = 0
  for (const node of selections) {
    if (node.kind === Kind.FIELD) sum++
    else sum += node.kind === Kind.FRAGMENT_SPREAD ? ofFragment(node.name.value) : fieldsIn(node.selectionSet, ofFragment)
  }
  return sum
}
