import { BadInputError } from '../../upstream/errors.js'

/** A stretch of a list by position: from `start` up to `end`, and of that the first or last so many. Positions count from 0. */
export interface WindowArgs {
  readonly start: number
  readonly end: number | null
  readonly first: number | null
  readonly last: number | null
}

const DEFAULT_FIRST = 10

/** Reads connection arguments. `maxRows` bounds `first` and `last`. */
export function windowArgs(args: Readonly<Record<string, unknown>>, maxRows: number): WindowArgs {
  const { first, last, after, before, offset } = args as Record<string, number | string | null | undefined>
  const count = (name: string, value: number | null): number | null => {
    if (value !== null && (value < 0 || value > maxRows))
      throw new BadInputError(`\`${name}\` is ${value}; it must be from 0 to ${maxRows}.`)
    return value
  }
  const rows = { first: count('first', (first ?? null) as number | null), last: count('last', (last ?? null) as number | null) }
  if (rows.first !== null && rows.last !== null) throw new BadInputError('Give `first` or `last`, not both.')
  if (offset != null && rows.first === null) throw new BadInputError('`offset` needs `first`.')
  if (offset != null && (after != null || before != null)) throw new BadInputError('Give `offset` or a cursor, not both.')
  if (offset != null && ((offset as number) < 0 || (offset as number) > MAX_POSITION))
    throw new BadInputError(`\`offset\` is ${offset}; it must be from 0 to ${MAX_POSITION}.`)
  const start = after != null ? readCursor('after', after as string) + 1 : ((offset ?? 0) as number)
  const end = before != null ? readCursor('before', before as string) : null
  return { start, end, ...rows, ...(rows.first === null && rows.last === null ? { first: DEFAULT_FIRST } : {}) }
}

const MAX_POSITION = 1_000_000

/** The opaque cursor of a position. */
export const cursorOf = (position: number): string => Buffer.from(`offset:${position}`).toString('base64url')

function readCursor(name: string, cursor: string): number {
  const position = /^offset:(\d{1,7})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1]
  if (position === undefined || cursorOf(Number(position)) !== cursor) throw new BadInputError(`\`${name}\` is not a cursor of this list.`)
  return Number(position)
}
