import { Kind, type SelectionSetNode } from 'graphql'
import { LIMITS } from './limits.js'
import type { Measure, Parts } from './measure.js'

/**
 * How often a response key stands in one place, with fragments in their places: validation holds each of them against each other. Asked
 * of operations whose selections have been counted.
 */
export const repeats: Measure = {
  limit: 'maxRepeats',
  says: 'The operation repeats a field too often in one place',
  of: (parts) => parts.overOperations((set) => mostIn(set, parts)),
}

// What spreads itself has no end: of that these are enough, and validation refuses it.
const MAX_STEPS = LIMITS.maxSelections.largest * 2
const MAX_DEPTH = LIMITS.maxDepth.largest

interface Place {
  count: number
  readonly sets: SelectionSetNode[]
}

function mostIn(set: SelectionSetNode, { fragments }: Parts): number {
  let most = 0
  let left = MAX_STEPS
  const gather = (set: SelectionSetNode, places: Map<string, Place>, spread: Set<string>): void => {
    for (const node of set.selections) {
      if (left-- <= 0) return
      if (node.kind === Kind.INLINE_FRAGMENT) gather(node.selectionSet, places, spread)
      else if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value
        const place = places.get(key) ?? { count: 0, sets: [] }
        places.set(key, place)
        place.count++
        if (node.selectionSet) place.sets.push(node.selectionSet)
      } else if (!spread.has(node.name.value)) {
        spread.add(node.name.value)
        const fragment = fragments.get(node.name.value)
        if (fragment) gather(fragment.selectionSet, places, spread)
      }
    }
  }
  const look = (sets: readonly SelectionSetNode[], depth: number): void => {
    const places = new Map<string, Place>()
    const spread = new Set<string>()
    for (const each of sets) gather(each, places, spread)
    for (const { count, sets } of places.values()) {
      most = Math.max(most, count)
      if (sets.length > 0 && depth < MAX_DEPTH) look(sets, depth + 1)
    }
  }
  look([set], 1)
  return most
}
