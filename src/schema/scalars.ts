import { GraphQLError, type ValueNode, valueFromASTUntyped } from 'graphql'
import { DateTime } from 'luxon'
import { isObject } from '../upstream/errors.js'
import { builder } from './builder.js'

const bad = (message: string, node?: ValueNode): GraphQLError =>
  new GraphQLError(message, { nodes: node ?? null, extensions: { code: 'BAD_USER_INPUT' } })

const said = (value: unknown): string => JSON.stringify(value)?.slice(0, 60) ?? 'undefined'

/** Marks scalars whose values are texts that are shown as they are. */
const AS_IS = { lms: { asIs: true } }

/** The specification of the format of each scalar's values. */
const SPECIFIED_BY = {
  DateTime: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  LocalDateTime: 'https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#local-dates-and-times',
  LocalDate: 'https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#dates',
  HTML: 'https://html.spec.whatwg.org/multipage/syntax.html',
  URL: 'https://url.spec.whatwg.org/#absolute-url-string',
  JSONObject: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
} as const

/** Output values were made by the column tables and are right already; only input is checked. */
const textScalar = (name: TextScalar, description: string, check: (value: string) => boolean, example: string): void => {
  const parse = (value: unknown, node?: ValueNode): string => {
    if (typeof value === 'string' && check(value)) return value
    throw bad(`${name} must be a text such as ${example}, not ${said(value)}.`, node)
  }
  builder.scalarType(name, {
    description,
    specifiedByURL: SPECIFIED_BY[name],
    extensions: AS_IS,
    serialize: (value) => value,
    parseValue: (value) => parse(value),
    parseLiteral: (node) => parse(valueFromASTUntyped(node), node),
  })
}

type TextScalar = 'DateTime' | 'LocalDateTime' | 'LocalDate' | 'HTML' | 'URL'

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(?<zone>Z|[+-]([01]\d|2[0-3]):?[0-5]\d)?$/i

const isMoment = (text: string): boolean => MOMENT.test(text) && DateTime.fromISO(text).isValid

textScalar(
  'DateTime',
  'A moment in UTC, as `2026-11-20T18:12:23Z`. As an argument any ISO 8601 date and time; without a zone it is meant by the clock of the site.',
  isMoment,
  '"2026-11-20T18:12:23Z"',
)
textScalar(
  'LocalDateTime',
  'A date and time by the clock of the site, without zone, as `2026-11-20T13:12:23`.',
  (text) => isMoment(text) && MOMENT.exec(text)?.groups?.zone === undefined,
  '"2026-11-20T13:12:23", without a zone',
)
textScalar(
  'LocalDate',
  'A day by the calendar of the site, as `2026-11-20`.',
  (text) => /^\d{4}-\d\d-\d\d$/.test(text) && DateTime.fromISO(text).isValid,
  '"2026-11-20"',
)
textScalar(
  'HTML',
  'Text with HTML markup, as the site renders it. Not made safe: clean it before you show it.',
  () => true,
  '"<p>Text</p>"',
)
textScalar('URL', 'An absolute address, as `https://example.org/courses/algebra/`.', URL.canParse, '"https://example.org/"')

builder.scalarType('JSONObject', {
  description: 'An object with any members, as JSON.',
  specifiedByURL: SPECIFIED_BY.JSONObject,
  serialize: (value) => value,
  parseValue: (value) => {
    if (isObject(value)) return value
    throw bad(`JSONObject must be an object, not ${said(value)}.`)
  },
  parseLiteral: (node, variables) => {
    const value = valueFromASTUntyped(node, variables)
    if (isObject(value)) return value
    throw bad(`JSONObject must be an object, not ${said(value)}.`, node)
  },
})
