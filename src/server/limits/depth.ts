import { Kind, type SelectionSetNode } from 'graphql'
import type { Measure } from './measure.js'

/** How deep fields nest. */
export const depth: Measure = {
  limit: 'maxDepth',
  says: 'The operation nests its fields too deep',
  of: (parts) => parts.overOperations(parts.spreading(deepest)),
}

function deepest({ selections }: SelectionSetNode, ofFragment: (name: string) => number): number {
  let most = 0
  for (const node of selections) {
    const own = node.kind === Kind.FIELD ? 1 : 0
    const below =
      node.kind === Kind.FRAGMENT_SPREAD ? ofFragment(node.name.value) : node.selectionSet ? deepest(node.selectionSet, ofFragment) : 0
    most = Math.max(most, own + below)
  }
  return most
}
