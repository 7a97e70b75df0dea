import type { FieldRef, ObjectRef } from '@pothos/core'
import type { LmsRecord } from '../../model/entity.js'
import { type Column, type Columns, type Enumeration, type KindName, UNKNOWN } from '../../upstream/codec/columns.js'
import type { Link } from '../../upstream/codec/links.js'
import { type Builder, enumOnce, madeOnce } from './made-once.js'

/** Adds fields to a type whose objects are records. */
export type FieldBuilder = Pick<
  PothosSchemaTypes.ObjectFieldBuilder<any, any> | PothosSchemaTypes.InterfaceFieldBuilder<any, any>,
  'expose' | 'builder'
>

/**
 * A field that returns the property of the same name, without a resolver. `type` is a name or a ref, in brackets for a list. `semanticNonNull`
 * lists the list levels at which the field is null only beside an error.
 */
type Leaf = readonly [
  type: unknown,
  nullable: boolean | { list: boolean; items: true },
  description: string,
  semanticNonNull?: readonly number[] | undefined,
]

/** Returns the function that adds such fields to a type. */
export const leaves =
  (fields: Readonly<Record<string, Leaf>>) =>
  (t: FieldBuilder): Record<string, FieldRef<any, any>> =>
    Object.fromEntries(
      Object.entries(fields).map(([name, [type, nullable, description, semanticNonNull]]) => {
        const extensions = semanticNonNull && { lms: { semanticNonNull } }
        return [name, t.expose(name, { type, nullable, description, extensions, lmsProperty: true })]
      }),
    )

/** A type of the graph whose objects have these properties. */
export const objectOf = <Value extends object = object>(
  builder: Builder,
  name: string,
  description: string,
  fields: Parameters<typeof leaves>[0],
) => builder.objectRef<Value>(name).implement({ description, fields: leaves(fields) })

const linkType = (builder: Builder): ObjectRef<any, Link> =>
  madeOnce(builder, 'RestLink', () =>
    builder.objectRef<Link>('RestLink').implement({
      description: 'A link that the site sends with a record.',
      fields: (t) => ({
        ...leaves({
          rel: ['String', false, 'Relation of the target to the record, such as `self`, `author` or `wp:term`.'],
          href: ['URL', true, 'URL of the target. Null when the site does not send it.'],
          embeddable: ['Boolean', true, 'Whether the site can embed the target. Null when the site does not send it.'],
          count: ['Int', true, 'Number of targets, such as revisions. Null when the site does not send it.'],
          taxonomy: ['String', true, 'Taxonomy of the linked terms. Null for other links.'],
          databaseId: ['Int', true, 'REST id of the target. Null when the site does not send it.'],
        })(t),
        allow: t.lmsComputed({
          type: ['String'],
          description: 'HTTP methods that the caller may use on the target. Null when the site does not send them.',
          perCaller: true,
          needs: { columns: ['allow'] },
          // The site tells what the account of the gateway may do.
          compute: ({ allow }, _related, _args, { isReader }) => (isReader && allow ? allow.filter((method) => method === 'GET') : allow),
        }),
      }),
    }),
  )

const curieType = (builder: Builder): ObjectRef<any, LmsRecord> =>
  madeOnce(builder, 'RestCurie', () =>
    objectOf<LmsRecord>(builder, 'RestCurie', 'An abbreviation used in the relation names of links.', {
      name: ['String', true, 'The abbreviation, such as `wp`. Null when the site does not send it.'],
      href: ['String', true, 'Pattern of the URL of its documentation. Null when the site does not send it.'],
      templated: ['Boolean', true, 'Whether `href` is a pattern. Null when the site does not send it.'],
    }),
  )

const enumType = (builder: Builder, { name, description, members }: Enumeration) =>
  enumOnce(builder, name, description, {
    ...members,
    [UNKNOWN]: { description: 'Another value: the field with the same name plus `Value` has the text that the site sent.' },
  })

const memberType = (builder: Builder, { name, description, columns }: NonNullable<Column['members']>) =>
  madeOnce(builder, name, () => builder.objectRef<LmsRecord>(name).implement({ description, fields: (t) => exposeColumns(t, columns) }))

/** GraphQL type of each kind of column, in brackets for a list. */
const TYPES: Readonly<Record<Exclude<KindName, 'links' | 'methods' | 'curies' | 'enumeration' | 'records'>, unknown>> = {
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
  timestamp: 'DateTime',
  timestampOrText: 'DateTime',
  localDateTime: 'LocalDateTime',
  localDate: 'LocalDate',
  object: 'JSONObject',
  points: 'Int',
}

const enumInput = (builder: Builder, { name, members }: Enumeration) => {
  const written = Object.entries(members).filter(([, { readOnly }]) => !readOnly)
  return enumOnce(builder, `${name}Input`, `Values for \`${name}\` in inputs.`, Object.fromEntries(written))
}

/** The GraphQL type of a column in inputs. A column that is read from a member (rendered) is written as plain text. */
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

/** Returns a field for each column, without a resolver. `nonNull` names columns that are never null. */
export function exposeColumns(t: FieldBuilder, columns: Columns, nonNull: readonly string[] = []): Record<string, FieldRef<any, any>> {
  const leafOf = (name: string, column: Column): Leaf => [
    typeOf(t.builder, column),
    column.otherwise === undefined && !nonNull.includes(name),
    column.description,
  ]
  const shown = Object.entries(columns).filter(([, { hidden }]) => !hidden)
  return leaves(Object.fromEntries(shown.map(([name, column]) => [name, leafOf(name, column)])))(t)
}
