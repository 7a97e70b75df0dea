import { BadInputError } from './errors.js'
import type { QueryValue } from './query.js'

/** One way to narrow a list: what the client gives under its name in `where`, and which query parameters carry it. */
export interface Filter {
  /**
   * `ids`: `{ in, notIn }` of records of type `of`; `terms`: `{ in, notIn }` of term ids; `id`: one record of type `of`;
   * `dateTime`: a moment; `enumeration`, `enumerations`: members of `values`; `flag`: true sends `on`.
   */
  readonly kind: 'ids' | 'terms' | 'id' | 'integer' | 'text' | 'texts' | 'dateTime' | 'enumeration' | 'enumerations' | 'flag'
  readonly param: string
  /** Carries `notIn`. */
  readonly notIn?: string
  /** Type of the records whose ids are given; null where ids have no type in the graph. */
  readonly of?: string
  /** Whether 0 is a value of `ids`: it stands for records whose reference is empty. */
  readonly orNone?: true
  readonly values?: {
    readonly name: string
    readonly description: string
    readonly members: Readonly<Record<string, { wire: string; description: string }>>
  }
  /** What a `flag` sends. */
  readonly on?: string
  /** Smallest value of an `integer`. */
  readonly least?: number
  /** Name of another filter that must be there too. */
  readonly needs?: string
  readonly description: string
}

export type Filters = Readonly<Record<string, Filter>>

/** A member of a list's sort orders: what is sent, and which filter it needs. */
export interface Order {
  readonly wire: string
  readonly needs?: string
  readonly description: string
}

export type Orders = Readonly<Record<string, Order>>

/** A given filter value after ids have been read: lists of numbers, texts, or one of them. */
export interface Narrowing {
  readonly filter: Filter
  readonly in?: readonly (string | number)[] | undefined
  readonly notIn?: readonly (string | number)[] | undefined
  readonly value?: string | number | undefined
}

const MAX_VALUES = 500

/** How a list is to be ordered, by the name the client used. */
export interface Ordering {
  readonly name: string
  readonly order: Order
  readonly direction: string
}

/**
 * Query parameters for filters and order; `null` when nothing can match (`in: []`), so that no call is needed. `fixed` are filters
 * that are set already, besides those given.
 */
export function narrow(
  given: Readonly<Record<string, Narrowing>>,
  ordering: Ordering | null,
  fixed: readonly string[],
): Record<string, QueryValue> | null {
  const query: Record<string, QueryValue> = {}
  for (const [name, narrowing] of Object.entries(given)) {
    const { filter, in: wanted, notIn, value } = narrowing
    if (filter.needs !== undefined && !(filter.needs in given) && !fixed.includes(filter.needs)) {
      throw new BadInputError(`\`where.${name}\` needs \`where.${filter.needs}\` beside it.`)
    }
    if (filter.param in query) throw new BadInputError(`\`where.${name}\` can't be given beside another filter that means the same.`)
    checkLength(name, wanted)
    checkLength(name, notIn)
    // WordPress ignores one of two lists of the same single-valued column. A record can have several terms, and the site reads both lists of those.
    const isSingle = filter.kind === 'ids'
    const asked = isSingle && wanted && notIn ? wanted.filter((id) => !notIn.includes(id)) : wanted
    if (asked?.length === 0) return null
    if (asked) query[filter.param] = asked
    if (notIn && notIn.length > 0 && !(isSingle && wanted)) query[filter.notIn as string] = notIn
    if (value !== undefined) query[filter.param] = value
  }
  if (ordering) Object.assign(query, orderQuery(ordering, given))
  return query
}

function checkLength(name: string, values: readonly unknown[] | undefined): void {
  if (values && values.length > MAX_VALUES)
    throw new BadInputError(`\`where.${name}\` holds ${values.length} values; at most ${MAX_VALUES} are allowed.`)
}

function orderQuery({ name, order, direction }: Ordering, given: Readonly<Record<string, Narrowing>>): Record<string, QueryValue> {
  const [filter] = (order.needs ?? '').split('.') as [string]
  const there = given[filter]
  if (order.needs !== undefined && !there?.in && there?.value === undefined) {
    throw new BadInputError(`\`orderBy.field: ${name}\` needs \`where.${order.needs}\`.`)
  }
  return { orderby: order.wire, order: direction }
}
