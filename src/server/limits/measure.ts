import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql'
import type { LimitName } from './limits.js'

/** One thing that is counted in a document before anything else is done with it. */
export interface Measure {
  readonly limit: LimitName
  /** Begins the sentence when there is too much. */
  readonly says: string
  readonly of: (document: Parts) => number
}

/** A document by its parts. */
export class Parts {
  readonly operations: readonly OperationDefinitionNode[]
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>

  constructor(readonly document: DocumentNode) {
    const { definitions } = document
    this.operations = definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION)
    this.fragments = new Map(definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION).map((each) => [each.name.value, each]))
  }

  /** The largest value over all operations of what is counted in a selection set. */
  overOperations(count: (set: SelectionSetNode) => number): number {
    return this.operations.reduce((most, { selectionSet }) => Math.max(most, count(selectionSet)), 0)
  }

  /**
   * Counts in selection sets as if each fragment stood wherever it is spread, but looks at each only once. `count` is handed what tells
   * the value of a fragment; a fragment that is not there, or spread in itself, counts nothing: validation tells of those.
   */
  spreading(count: (set: SelectionSetNode, ofFragment: (name: string) => number) => number): (set: SelectionSetNode) => number {
    const known = new Map<string, number>()
    const ofFragment = (name: string): number => {
      const found = known.get(name)
      if (found !== undefined) return found
      known.set(name, 0)
      const fragment = this.fragments.get(name)
      const value = fragment ? count(fragment.selectionSet, ofFragment) : 0
      known.set(name, value)
      return value
    }
    return (set) => count(set, ofFragment)
  }
}
