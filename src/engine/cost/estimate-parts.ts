import { type ColumnSet, NO_COLUMNS, type Shape } from '../../upstream/codec/records.js'

/** In how many parts records may be read, as `partition` divides them. */
export interface Parts {
  readonly parts: number
  /** Parts of a single record. */
  readonly each: number
  /** Whether some parts are asked for in `edit`. */
  readonly edit: boolean
}

const ONE: Parts = { parts: 1, each: 1, edit: false }

/** Sets of columns of which all unions are looked at; of more of them, each combination of columns is taken for a part. */
const MAX_SETS = 4

/**
 * Most parts for records of which these sets of columns are wanted, one or several of them of each, while any of `read` may be there
 * already. Heavy and edit-only columns are read only where they are wanted, so each combination of them that is missing is a part.
 */
export function partsOf(wanted: readonly ColumnSet[], read: Iterable<ColumnSet>, { heavy, editOnly, guarded }: Shape): Parts {
  const special = heavy | editOnly
  const all = wanted.reduce((columns, each) => columns | each, NO_COLUMNS)
  if ((all & special) === NO_COLUMNS) return ONE
  const edit = (all & editOnly) !== NO_COLUMNS
  const [wants, there] = [new Set(wanted), new Set(read)]
  if (wants.size > MAX_SETS || there.size > MAX_SETS)
    return { parts: 2 ** sizeOf(all & special), each: edit && (all & guarded) !== NO_COLUMNS ? 2 : 1, edit }
  const parts = new Set<ColumnSet>()
  let each = 1
  for (const want of unions(wants)) {
    for (const has of unions(there)) {
      const missing = want & ~has
      if (missing === NO_COLUMNS) continue
      const isApart = (missing & editOnly) !== NO_COLUMNS && (missing & guarded) !== NO_COLUMNS
      if (isApart) each = 2
      for (const part of isApart ? [missing & ~guarded, missing & guarded] : [missing]) parts.add(part & special)
    }
  }
  return { parts: parts.size, each, edit }
}

function sizeOf(columns: ColumnSet): number {
  let size = 0
  for (let left = columns; left !== NO_COLUMNS; left &= left - 1n) size++
  return size
}

/** All unions of some of these sets, that of none among them. */
function unions(sets: ReadonlySet<ColumnSet>): Set<ColumnSet> {
  const all = new Set<ColumnSet>([NO_COLUMNS])
  for (const set of sets) for (const other of [...all]) all.add(set | other)
  return all
}
