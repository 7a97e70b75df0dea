import type { LmsRecord } from '../model/entity.js'

/**
 * Values by parent record. They are usually read in the order of the parents, so that they are found without a map, which would take more
 * memory than all else of a step.
 */
export class ByParent<V> {
  /** The position of the next value, if values are read in order. */
  private next = 0
  /** The positions of all values, once one was not read in order. */
  private positions: Map<LmsRecord, number> | undefined

  /** `values` has one value for each of `parents`. Equal parents have equal values. */
  constructor(
    private readonly parents: readonly LmsRecord[],
    private readonly values: readonly V[],
  ) {}

  get(parent: LmsRecord): V | undefined {
    const { parents, values, next } = this
    if (parents[next] === parent) return values[this.next++]
    // Several fields may read the value one after the other.
    if (next > 0 && parents[next - 1] === parent) return values[next - 1]
    this.positions ??= new Map(parents.map((each, position) => [each, position]))
    const position = this.positions.get(parent)
    if (position === undefined) return undefined
    this.next = position + 1
    return values[position]
  }
}
