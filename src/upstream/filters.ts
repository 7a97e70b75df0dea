import { BadInputError } from './errors.js'
import type { QueryValue } from './query.js'

/** One filter of a list: its value in `where`, and the query parameters that send it. */
export interface Filter {
  /**
   * `ids`: `{ in, notIn }` of records of type `of`; `terms`: `{ in, notIn }` of term ids; `id`: one record of type `of`; `text`: a text, which
   * is left out when it is blank;
   * `dateTime`: a moment; `enumeration`, `enumerations`: members of `values`; `flag`: true sends `on`.
   */
  readonly kind: 'ids' | 'terms' | 'id' | 'integer' | 'text' | 'texts' | 'dateTime' | 'enumeration' | 'enumerations' | 'flag'
  readonly param: string
  /** Query parameter for `notIn`. */
  readonly notIn?: string
  /** Type of the records that the ids belong to. */
  readonly of?: string
  /** Whether 0 is a valid id. It matches records whose reference is empty. */
  readonly orNone?: true
  readonly values?: {
    readonly name: string
    readonly description: string
    readonly members: Readonly<Record<string, { wire: string; description: string }>>
  }
  /** Value that a `flag` sends. */
  readonly on?: string
  /** Smallest value of an `integer`. */
  readonly least?: number
  /** Name of another filter that this one requires. */
  readonly needs?: string
  /** Name of another filter without which this one has no effect: it is left out then. */
  readonly refines?: string
  readonly description: string
}

export type Filters = Readonly<Record<string, Filter>>

/** A sort order of a list: its value on the wire, and the filter it requires. */
export interface Order {
  readonly wire: string
  readonly needs?: string
  readonly description: string
}

export type Orders = Readonly<Record<string, Order>>

/** A filter with its validated value: `in` and `notIn` for lists, else `value`. */
export interface Narrowing {
  readonly filter: Filter
  readonly in?: readonly (string | number)[] | undefined
  readonly notIn?: readonly (string | number)[] | undefined
  readonly value?: string | number | undefined
}

const MAX_VALUES = 500

/** The sort order that the client chose, under its name in the graph. */
export interface Ordering {
  readonly name: string
  readonly order: Order
  readonly direction: string
}

/**
 * Returns the query parameters of filters and order, or `null` when nothing can match (`in: []`) and no call is needed. `fixed` lists
 * filters that the relation has set already.
 */
export function narrow(
  values: Readonly<Record<string, Narrowing>>,
  ordering: Ordering | null,
  fixed: readonly string[],
): Record<string, QueryValue> | null {
  const query: Record<string, QueryValue> = {}
  for (const [name, narrowing] of Object.entries(values)) {
    const { filter, in: wanted, notIn, value } = narrowing
    if (filter.needs !== undefined && !(filter.needs in values) && !fixed.includes(filter.needs)) {
      throw new BadInputError(`\`where.${name}\` requires \`where.${filter.needs}\`.`)
    }
    if (filter.param in query) throw new BadInputError(`\`where.${name}\` can't be combined with another filter that has the same meaning.`)
    checkLength(name, wanted)
    checkLength(name, notIn)
    // WordPress ignores one of two lists for a single-valued column, so `notIn` is subtracted here. Terms are multi-valued: both lists are sent.
    const isSingle = filter.kind === 'ids'
    const ids = isSingle && wanted && notIn ? wanted.filter((id) => !notIn.includes(id)) : wanted
    if (ids?.length === 0) return null
    if (ids) query[filter.param] = ids
    if (notIn && notIn.length > 0 && !(isSingle && wanted)) query[filter.notIn as string] = notIn
    if (value !== undefined) query[filter.param] = value
  }
  if (ordering) Object.assign(query, orderQuery(ordering, values))
  return query
}

function checkLength(name: string, values: readonly unknown[] | undefined): void {
  if (values && values.length > MAX_VALUES)
    throw new BadInputError(`\`where.${name}\` holds ${values.length} values; at most ${MAX_VALUES} are allowed.`)
}

function orderQuery({ name, order, direction }: Ordering, values: Readonly<Record<string, Narrowing>>): Record<string, QueryValue> {
  const [filter] = (order.needs ?? '').split('.') as [string]
  const required = values[filter]
  if (order.needs !== undefined && !required?.in && required?.value === undefined) {
    throw new BadInputError(`\`orderBy.field: ${name}\` requires \`where.${order.needs}\`.`)
  }
  return { orderby: order.wire, order: direction }
}
