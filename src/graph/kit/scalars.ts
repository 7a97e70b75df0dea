import { GraphQLError, type ValueNode, valueFromASTUntyped } from 'graphql'
import { DateTime } from 'luxon'
import { isObject } from '../../maps.js'
import { builder } from './builder.js'

const badInput = (message: string, node?: ValueNode): GraphQLError =>
  new GraphQLError(message, { nodes: node ?? null, extensions: { code: 'BAD_USER_INPUT' } })

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 60) ?? 'undefined'

/** Marks scalars whose values are written as they are. */
const AS_IS = { lms: { asIs: true } }

/** Each scalar: its TypeScript type in variables and responses, as clients see it, and its specification. */
export const SCALARS = {
  DateTime: { wire: 'string', specifiedBy: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6' },
  LocalDateTime: {
    wire: 'string',
    specifiedBy: 'https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#local-dates-and-times',
  },
  LocalDate: { wire: 'string', specifiedBy: 'https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#dates' },
  HTML: { wire: 'string', specifiedBy: 'https://html.spec.whatwg.org/multipage/syntax.html' },
  URL: { wire: 'string', specifiedBy: 'https://url.spec.whatwg.org/#absolute-url-string' },
  JSONObject: { wire: 'Record<string, unknown>', specifiedBy: 'https://www.rfc-editor.org/rfc/rfc8259#section-4' },
} as const

/** A scalar whose input must be as `expected`. Output values come from the column decoders, and are not checked. */
const scalar = (name: keyof typeof SCALARS, description: string, check: (value: unknown) => boolean, expected: string): void => {
  const parse = (value: unknown, node?: ValueNode): any => {
    if (check(value)) return value
    throw badInput(`${name} must be ${expected}, not ${shown(value)}.`, node)
  }
  builder.scalarType(name, {
    description,
    specifiedByURL: SCALARS[name].specifiedBy,
    ...(SCALARS[name].wire === 'string' && { extensions: AS_IS }),
    serialize: (value) => value,
    parseValue: (value) => parse(value),
    parseLiteral: (node, variables) => parse(valueFromASTUntyped(node, variables), node),
  })
}

const textScalar = (name: keyof typeof SCALARS, description: string, check: (value: string) => boolean, example: string): void =>
  scalar(name, description, (value) => typeof value === 'string' && check(value), `a text such as ${example}`)

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(?<zone>Z|[+-]([01]\d|2[0-3]):?[0-5]\d)?$/i

const isMoment = (text: string): boolean => MOMENT.test(text) && DateTime.fromISO(text).isValid

textScalar(
  'DateTime',
  'A moment in UTC, such as `2026-11-20T18:12:23Z`. Arguments accept any ISO 8601 date and time; without a zone it is in the time zone of the site.',
  isMoment,
  '"2026-11-20T18:12:23Z"',
)
textScalar(
  'LocalDateTime',
  'A date and time in the time zone of the site, such as `2026-11-20T13:12:23`.',
  (text) => isMoment(text) && MOMENT.exec(text)?.groups?.zone === undefined,
  '"2026-11-20T13:12:23", without a zone',
)
textScalar(
  'LocalDate',
  'A day in the time zone of the site, such as `2026-11-20`.',
  (text) => /^\d{4}-\d\d-\d\d$/.test(text) && DateTime.fromISO(text).isValid,
  '"2026-11-20"',
)
textScalar('HTML', 'HTML as the site renders it. Not sanitized: sanitize it before you show it.', () => true, '"<p>Text</p>"')
textScalar('URL', 'An absolute URL, such as `https://example.org/courses/algebra/`.', URL.canParse, '"https://example.org/"')

scalar('JSONObject', 'A JSON object.', isObject, 'an object')
