import type { InputFieldMap, InputTypeParam } from '@pothos/core'
import { windowArgs } from '../../load/windows.js'
import type { Args, Limits, ListArgs } from '../../model/edge.js'
import { BadInputError } from '../../upstream/errors.js'
import { type Filter, type Filters, type Narrowing, narrow, type Orders } from '../../upstream/filters.js'
import type { ListRoute } from '../../upstream/routes.js'
import { readId, readTermId } from './ids.js'
import { type Builder, enumOnce, madeOnce } from './made-once.js'

const directionEnum = (builder: Builder) =>
  enumOnce(builder, 'OrderDirection', 'Direction of a sort order.', {
    ASC: { description: 'Ascending: smallest, earliest, or A first.' },
    DESC: { description: 'Descending: largest, latest, or Z first.' },
  })

const memberInput = (builder: Builder, name: string, what: string) =>
  madeOnce(builder, name, () =>
    builder.inputType(name, {
      description: `Selects records with one of these ${what}, or with none of them. At most 500 of each.`,
      fields: (t) => ({
        in: t.field({ type: ['ID'], required: false, description: `One of these ${what}. An empty list matches nothing.` }),
        notIn: t.field({ type: ['ID'], required: false, description: `None of these ${what}.` }),
      }),
    }),
  )

const valuesEnum = (builder: Builder, { values }: Filter) => {
  const { name, description, members } = values as NonNullable<Filter['values']>
  return enumOnce(builder, name, description, members)
}

/** Input type of each kind of filter. */
const INPUTS: Readonly<Record<Filter['kind'], (builder: Builder, filter: Filter) => InputTypeParam<any>>> = {
  ids: (builder) => memberInput(builder, 'IdFilter', 'ids'),
  terms: (builder) => memberInput(builder, 'TermFilter', 'term ids, or global ids of terms'),
  id: () => 'ID',
  integer: () => 'Int',
  text: () => 'String',
  texts: () => ['String'],
  dateTime: () => 'DateTime',
  enumeration: valuesEnum,
  enumerations: (builder, filter) => [valuesEnum(builder, filter)],
  flag: () => 'Boolean',
}

const whereInput = (builder: Builder, name: string, filters: Filters) =>
  madeOnce(builder, `${name}Where`, () =>
    builder.inputType(`${name}Where`, {
      description: 'Filters of the list. A record must match all of them.',
      fields: (t) =>
        Object.fromEntries(
          Object.entries(filters).map(([field, filter]) => [
            field,
            t.field({ type: INPUTS[filter.kind](builder, filter), required: false, description: filter.description }),
          ]),
        ),
    }),
  )

const orderInput = (builder: Builder, name: string, orders: Orders) =>
  madeOnce(builder, `${name}OrderBy`, () => {
    const field = enumOnce(builder, `${name}OrderField`, 'Sort keys of a list.', orders)
    return builder.inputType(`${name}OrderBy`, {
      description: 'Sort order of the list.',
      fields: (t) => ({
        field: t.field({ type: field, required: true, description: 'Sort key.' }),
        direction: t.field({
          type: directionEnum(builder),
          required: false,
          defaultValue: 'ASC',
          description: 'Direction; ascending by default.',
        }),
      }),
    })
  })

/** The arguments of a list: window, filters and order. */
export function listArguments(builder: Builder, name: string, route: ListRoute): InputFieldMap {
  const { filters, orders } = route
  return builder.args((t) => ({
    first: t.int({ description: 'Number of rows, from the start of the window. 10 when neither `first` nor `last` is set.' }),
    after: t.string({ description: 'Cursor of the row before the window.' }),
    last: t.int({ description: 'Number of rows, from the end of the window.' }),
    before: t.string({ description: 'Cursor of the row after the window.' }),
    offset: t.int({ description: 'Number of rows to skip at the start. Only with `first`.' }),
    ...(Object.keys(filters).length > 0 && {
      where: t.field({ type: whereInput(builder, name, filters), description: 'Filters of the list.' }),
    }),
    ...(Object.keys(orders).length > 0 && {
      orderBy: t.field({
        type: orderInput(builder, name, orders),
        description: 'Sort order of the list. The default is that of the site.',
      }),
    }),
  }))
}

/** Validates the arguments of a list. Throws a `BadInputError` that names the invalid one. */
export function readListArguments(route: ListRoute, args: Args, limits: Limits, fixed: readonly string[]): ListArgs {
  const window = windowArgs(args, limits.rows)
  const where = (args.where ?? {}) as Args
  const isBlank = (name: string | undefined): boolean =>
    name !== undefined && route.filters[name]?.kind === 'text' && (where[name] as string | null)?.trim() === ''
  const names = Object.keys(where).filter((name) => where[name] != null && !isBlank(name))
  for (const name of names) if (fixed.includes(name)) throw new BadInputError(`\`where.${name}\` can't be used here: the relation sets it.`)
  const given = Object.fromEntries(
    names.flatMap((name) => {
      const filter = route.filters[name] as Filter
      return filter.refines === undefined || names.includes(filter.refines) ? readFilter(name, filter, where[name]) : []
    }),
  )
  const { field, direction } = (args.orderBy ?? {}) as { field?: string; direction?: string | null }
  const order =
    field === undefined || isBlank(route.orders[field]?.needs)
      ? null
      : { name: field, order: route.orders[field] as Orders[string], direction: (direction ?? 'ASC').toLowerCase() }
  return { query: narrow(given, order, fixed), window }
}

function readFilter(name: string, filter: Filter, value: unknown): [string, Narrowing][] {
  const path = `where.${name}`
  const members = (list: unknown, member: string): (string | number)[] | undefined =>
    (list as unknown[] | null | undefined)?.map((item, index) =>
      filter.kind === 'ids'
        ? readMember(filter, `${path}.${member}[${index}]`, item)
        : readTermId(`${path}.${member}[${index}]`, filter.param, item),
    )
  const wire = (item: unknown): string => filter.values?.members[item as string]?.wire ?? (item as string)
  switch (filter.kind) {
    case 'ids':
    case 'terms': {
      const { in: wanted, notIn } = value as { in?: unknown; notIn?: unknown }
      return [[name, { filter, in: members(wanted, 'in'), notIn: members(notIn, 'notIn') }]]
    }
    case 'id':
      return [[name, { filter, value: readMember(filter, path, value) }]]
    case 'texts':
      return [[name, { filter, in: (value as string[]).map((item) => readListed(path, item)) }]]
    case 'enumerations':
      return [[name, { filter, in: (value as string[]).map(wire) }]]
    case 'flag':
      return value === true ? [[name, { filter, value: filter.on }]] : []
    case 'text':
      return [[name, { filter, value: readText(path, value as string) }]]
    case 'integer':
      return [[name, { filter, value: readInteger(path, value as number, filter.least) }]]
    default:
      return [[name, { filter, value: wire(value) }]]
  }
}

/** Reads one id of a filter. 0 is allowed when the reference can be empty. */
const readMember = ({ of, orNone }: Filter, path: string, item: unknown): number =>
  orNone && String(item) === '0' ? 0 : readId(path, of as string, item)

function readInteger(path: string, value: number, least = Number.NEGATIVE_INFINITY): number {
  if (value >= least) return value
  throw new BadInputError(`\`${path}\` is ${value}; it must be ${least} or more.`)
}

/** The interface splits lists at commas, so a value must not contain one. */
function readListed(path: string, item: string): string {
  if (item.trim() !== '' && item.length <= 200 && !item.includes(',')) return item
  throw new BadInputError(
    `\`${path}\` holds \`${item.slice(0, 40)}\`; each value must have 1 to 200 characters, must not be blank and must not contain a comma.`,
  )
}

function readText(path: string, text: string): string {
  if (text.length <= 500) return text
  throw new BadInputError(`\`${path}\` must have at most 500 characters.`)
}
