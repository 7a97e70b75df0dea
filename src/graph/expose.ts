import { type Column, type Columns, type Enumeration, type KindName, UNKNOWN } from '../rest/columns.js'
import { builder, type Field, type FieldBuilder, leaf } from './builder.js'
import type { Rec } from './edges.js'
import { once } from './once.js'
import './scalars.js'

const link = builder.objectRef<Rec>('RestLink').implement({
  description: 'A link the site offers with a record.',
  fields: (t) => ({
    rel: leaf(t, 'rel', 'String', false, 'What the link leads to, such as `self`, `author` or `wp:term`.'),
    href: leaf(t, 'href', 'URL', true, 'Its address. Null when the site does not send it.'),
    embeddable: leaf(t, 'embeddable', 'Boolean', true, 'Whether the site can embed what it leads to. Null when it does not say.'),
    count: leaf(t, 'count', 'Int', true, 'How many things it leads to, such as revisions. Null when the site does not say.'),
    taxonomy: leaf(t, 'taxonomy', 'String', true, 'Taxonomy of the terms it leads to. Null for other links.'),
    databaseId: leaf(t, 'databaseId', 'Int', true, 'REST id of what it leads to. Null when the site does not send it.'),
    allow: leaf(t, 'allow', ['String'], true, 'HTTP methods the caller may use there. Null when the site does not say.'),
  }),
})

const curie = builder.objectRef<Rec>('RestCurie').implement({
  description: 'An abbreviation used in the relation names of links.',
  fields: (t) => ({
    name: leaf(t, 'name', 'String', true, 'The abbreviation, such as `wp`. Null when the site does not send it.'),
    href: leaf(t, 'href', 'String', true, 'Pattern of the address that explains it. Null when the site does not send it.'),
    templated: leaf(t, 'templated', 'Boolean', true, 'Whether `href` is a pattern. Null when the site does not say.'),
  }),
})

const enumType = ({ name, description, members }: Enumeration) =>
  once(name, () =>
    builder.enumType(name, {
      description,
      values: {
        ...Object.fromEntries(Object.entries(members).map(([member, { description }]) => [member, { description }])),
        [UNKNOWN]: { description: 'Something else: the field named like this one plus `Value` has the text the site sent.' },
      },
    }),
  )

const memberType = ({ name, description, columns }: NonNullable<Column['members']>) =>
  once(name, () => builder.objectRef<Rec>(name).implement({ description, fields: (t) => exposeColumns(t, columns) }))

/** GraphQL type of each kind of column; a list in brackets. */
const TYPES: Readonly<Record<KindName, unknown>> = {
  text: 'String',
  word: 'String',
  html: 'HTML',
  plainText: 'String',
  url: 'URL',
  urlText: 'String',
  toggle: 'Boolean',
  integer: 'Int',
  decimal: 'Float',
  reference: 'Int',
  references: ['Int'],
  texts: ['String'],
  commaList: ['String'],
  instant: 'DateTime',
  localDateTime: 'LocalDateTime',
  localDate: 'LocalDate',
  object: 'JSONObject',
  points: 'Int',
  links: [link],
  curies: [curie],
  enumeration: enumType,
  records: memberType,
}

const enumInput = ({ name, members }: Enumeration) =>
  once(`${name}Input`, () =>
    builder.enumType(`${name}Input`, {
      description: `What \`${name}\` can be set to.`,
      values: Object.fromEntries(
        Object.entries(members)
          .filter(([, { readOnly }]) => !readOnly)
          .map(([member, { description }]) => [member, { description }]),
      ),
    }),
  )

/** GraphQL type by which a column is written. What is read as rendered, from a member, is written as plain text. */
export function inputTypeOf({ kind, values, of, wire }: Column): unknown {
  if (values) return enumInput(values)
  if (of !== undefined) return kind === 'references' ? ['ID'] : 'ID'
  return wire.includes('.') ? 'String' : TYPES[kind]
}

function typeOf(column: Column): unknown {
  if (column.values) return enumType(column.values)
  if (column.members) return [memberType(column.members)]
  return TYPES[column.kind]
}

/** A field per column, named like it: a plain property, without a resolver. `never` names columns that are never null. */
export function exposeColumns(t: FieldBuilder, columns: Columns, never: readonly string[] = []): Record<string, Field> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [
      name,
      leaf(t, name, typeOf(column), column.otherwise === undefined && !never.includes(name), column.description),
    ]),
  )
}
