import type { FieldRef, ObjectRef } from '@pothos/core'
import type { LmsRecord } from '../engine/edges.js'
import { type Column, type Columns, type Enumeration, type KindName, UNKNOWN } from '../upstream/codec/columns.js'
import { type Builder, madeOnce } from './made-once.js'

/** Adds fields to a type whose objects are records. */
export type FieldBuilder = Pick<
  PothosSchemaTypes.ObjectFieldBuilder<any, any> | PothosSchemaTypes.InterfaceFieldBuilder<any, any>,
  'expose' | 'builder'
>

/**
 * A field that shows the property of its name, without a resolver. `type` is a name or a ref; in brackets a list of it. `semanticNonNull`
 * lists the list levels at which the field is null only beside an error.
 */
export const leaf = (
  t: FieldBuilder,
  name: string,
  type: unknown,
  nullable: boolean | { list: boolean; items: boolean },
  description: string,
  semanticNonNull?: readonly number[],
): FieldRef<any, any> => {
  const extensions = semanticNonNull && { lms: { semanticNonNull } }
  return t.expose(name as never, { type, nullable, description, extensions, lmsProperty: true } as never)
}

const linkType = (builder: Builder): ObjectRef<any, LmsRecord> =>
  madeOnce(builder, 'RestLink', () =>
    builder.objectRef<LmsRecord>('RestLink').implement({
      description: 'A link the site offers with a record.',
      fields: (t) => ({
        rel: leaf(t, 'rel', 'String', false, 'What the link leads to, such as `self`, `author` or `wp:term`.'),
        href: leaf(t, 'href', 'URL', true, 'Its address. Null when the site does not send it.'),
        embeddable: leaf(t, 'embeddable', 'Boolean', true, 'Whether the site can embed what it leads to. Null when it does not say.'),
        count: leaf(t, 'count', 'Int', true, 'How many things it leads to, such as revisions. Null when the site does not send it.'),
        taxonomy: leaf(t, 'taxonomy', 'String', true, 'Taxonomy of the terms it leads to. Null for other links.'),
        databaseId: leaf(t, 'databaseId', 'Int', true, 'REST id of what it leads to. Null when the site does not send it.'),
        allow: leaf(t, 'allow', ['String'], true, 'HTTP methods the caller may use there. Null when the site does not send it.'),
      }),
    }),
  )

const curieType = (builder: Builder): ObjectRef<any, LmsRecord> =>
  madeOnce(builder, 'RestCurie', () =>
    builder.objectRef<LmsRecord>('RestCurie').implement({
      description: 'An abbreviation used in the relation names of links.',
      fields: (t) => ({
        name: leaf(t, 'name', 'String', true, 'The abbreviation, such as `wp`. Null when the site does not send it.'),
        href: leaf(t, 'href', 'String', true, 'Pattern of the address that explains it. Null when the site does not send it.'),
        templated: leaf(t, 'templated', 'Boolean', true, 'Whether `href` is a pattern. Null when the site does not send it.'),
      }),
    }),
  )

const enumType = (builder: Builder, { name, description, members }: Enumeration) =>
  madeOnce(builder, name, () =>
    builder.enumType(name, {
      description,
      values: {
        ...Object.fromEntries(Object.entries(members).map(([member, { description }]) => [member, { description }])),
        [UNKNOWN]: { description: 'Something else: the field named like this one plus `Value` has the text the site sent.' },
      },
    }),
  )

const memberType = (builder: Builder, { name, description, columns }: NonNullable<Column['members']>) =>
  madeOnce(builder, name, () => builder.objectRef<LmsRecord>(name).implement({ description, fields: (t) => exposeColumns(t, columns) }))

/** GraphQL type of each kind of column; in brackets a list. */
const TYPES: Readonly<Record<Exclude<KindName, 'links' | 'curies' | 'enumeration' | 'records'>, unknown>> = {
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
}

const enumInput = (builder: Builder, { name, members }: Enumeration) =>
  madeOnce(builder, `${name}Input`, () =>
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
export function inputTypeOf(builder: Builder, { kind, values, of, wire }: Column): unknown {
  if (values) return enumInput(builder, values)
  if (of !== undefined) return kind === 'references' ? ['ID'] : 'ID'
  return wire.includes('.') ? 'String' : TYPES[kind as keyof typeof TYPES]
}

function typeOf(builder: Builder, { kind, values, members }: Column): unknown {
  if (values) return enumType(builder, values)
  if (members) return [memberType(builder, members)]
  if (kind === 'links') return [linkType(builder)]
  if (kind === 'curies') return [curieType(builder)]
  return TYPES[kind as keyof typeof TYPES]
}

/** A field for each column: the property of its name, without a resolver. `never` names columns that are never null. */
export function exposeColumns(t: FieldBuilder, columns: Columns, never: readonly string[] = []): Record<string, FieldRef<any, any>> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [
      name,
      leaf(t, name, typeOf(t.builder, column), column.otherwise === undefined && !never.includes(name), column.description),
    ]),
  )
}
