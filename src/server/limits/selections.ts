import { Kind, type SelectionSetNode } from 'graphql'
import type { Measure } from './measure.js'

/** How many fields and fragments are selected. */
export const selections: Measure = {
  limit: 'maxSelections',
  says: 'The operation selects too many fields and fragments',
  of: (parts) => parts.overOperations(parts.spreading(selected)),
}

function selected({ selections }: SelectionSetNode, ofFragment: (name: string) => number): number {
  let sum = 0
  for (const node of selections) {
    sum++
    if (node.kind === Kind.FRAGMENT_SPREAD) sum += ofFragment(node.name.value)
    else if (node.selectionSet) sum += selected(node.selectionSet, ofFragment)
  }
  return sum
}
