import { type Column, type Columns, type KindName, UNKNOWN } from '../../src/upstream/codec/columns.js'

type Holds = (value: any, column: Column) => boolean

const isText: Holds = (value) => typeof value === 'string'
const isToggle: Holds = (value) => typeof value === 'boolean'
const isInt: Holds = (value) => typeof value === 'number' && (value | 0) === value
const isFloat: Holds = (value) => Number.isFinite(value)
const isObject: Holds = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf =
  (holds: Holds): Holds =>
  (value, column) =>
    Array.isArray(value) && value.every((item) => holds(item, column))
const orNull =
  (holds: Holds): Holds =>
  (value, column) =>
    value === null || holds(value, column)

/** An existing date in the canonical format. */
const isDate =
  (pattern: RegExp): Holds =>
  (value) =>
    isText(value, undefined as never) && pattern.test(value) && !Number.isNaN(Date.parse(value))

const objectOf =
  (members: Readonly<Record<string, Holds>>): Holds =>
  (value, column) =>
    Object.keys(value).length === Object.keys(members).length &&
    Object.entries(members).every(([name, holds]) => orNull(holds)(value[name], column))

/** A URL that does not run code in a browser. */
const isUrl: Holds = (value, column) => isText(value, column) && !/^\s*(javascript|data|vbscript):/i.test(value)

/** The check of non-null values for the GraphQL type of each kind of column. */
export const PROMISES: Readonly<Record<KindName, Holds>> = {
  text: isText,
  word: isText,
  html: isText,
  plainText: isText,
  url: isUrl,
  urlText: isUrl,
  toggle: isToggle,
  integer: isInt,
  points: isInt,
  reference: (value, column) => isInt(value, column) && value > 0,
  decimal: isFloat,
  references: listOf((value, column) => isInt(value, column) && value > 0),
  texts: listOf(isText),
  commaList: listOf(isText),
  instant: isDate(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/),
  timestamp: isDate(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/),
  timestampOrText: isDate(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/),
  localDateTime: isDate(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?$/),
  localDate: isDate(/^\d{4}-\d\d-\d\d$/),
  object: isObject,
  enumeration: (value, { values }) => value === UNKNOWN || Object.hasOwn(values?.members ?? {}, value),
  records: listOf((value, { members }) => isObject(value, undefined as never) && brokenIn(members?.columns as Columns, value).length === 0),
  links: listOf(
    objectOf({ rel: isText, href: isUrl, embeddable: isToggle, count: isInt, taxonomy: isText, databaseId: isInt, allow: listOf(isText) }),
  ),
  methods: listOf(isText),
  curies: listOf(objectOf({ name: isText, href: isUrl, templated: isToggle })),
}

/** Columns of a decoded record that are missing, or whose values are not of their type in the graph. */
export const brokenIn = (columns: Columns, record: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(columns).filter((name) => {
    const column = columns[name] as Column
    return !(column.otherwise === undefined ? orNull(PROMISES[column.kind]) : PROMISES[column.kind])(record[name], column)
  })
