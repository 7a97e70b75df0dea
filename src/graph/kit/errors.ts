import { UNKNOWN } from '../../upstream/codec/columns.js'
import { ERROR_CODES, FIELD_CODES } from '../../upstream/error-codes.js'
import {
  BadInputError,
  ConflictError,
  ForbiddenError,
  type InvalidField,
  type LmsError,
  NotFoundError,
  UnauthenticatedError,
  UpstreamError,
} from '../../upstream/errors.js'
import { builder } from './builder.js'
import { objectOf } from './expose.js'
import { enumOnce } from './made-once.js'

const codes = new Map<string, { readonly description: string }>(
  // Links lead to pages of the documentation.
  ERROR_CODES.map(({ code, when }) => [code, { description: when.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1') }]),
)

const errorCode = enumOnce(
  builder,
  'ErrorCode',
  'A code of an error: of a result of a mutation, or in `extensions.code`. Codes can be added: handle others as well.',
  { ...Object.fromEntries(codes), [UNKNOWN]: { description: 'Another code, of a resource from outside the package.' } },
)

const fieldCode = enumOnce(
  builder,
  'InvalidFieldCode',
  'Why a field of an input is invalid. Codes can be added: handle others like `REJECTED`.',
  FIELD_CODES,
)

const codeOf = ({ code }: { readonly code: string }): string => (codes.has(code) ? code : UNKNOWN)

const error = builder.interfaceRef<LmsError>('LmsError').implement({
  description: 'The reason why a mutation failed.',
  fields: (t) => ({
    message: t.exposeString('message', { nullable: false, description: 'What went wrong, in plain text.' }),
    code: t.field({
      type: errorCode,
      nullable: false,
      description: 'The error code.',
      extensions: { lms: { resolve: codeOf } },
      resolve: codeOf,
    }),
  }),
})

const invalidField = objectOf<InvalidField>(builder, 'InvalidField', 'An invalid field of an input.', {
  field: ['String', false, 'Name of the field in the input.'],
  path: [['String'], false, 'Place of the value in the input: the name of the field, and for an item of a list its index.'],
  code: [fieldCode, false, 'Why the value is invalid, for messages of your own.'],
  limit: ['Float', true, 'The limit that the value exceeds. Null for codes without one, or when it is not known.'],
  message: ['String', false, 'Why the value is invalid, and what is allowed, in English or in the language of the site.'],
})

const upstreamAnswer = objectOf<NonNullable<LmsError['upstream']>>(builder, 'UpstreamAnswer', "The site's answer to a failed call.", {
  status: ['Int', false, 'HTTP status.'],
  code: ['String', true, 'Error code of the site. Null when it sent none.'],
})

type ErrorClass = new (...args: any[]) => LmsError

function addErrorType(name: string, Class: ErrorClass, description: string): void {
  builder.objectType(Class, { name, interfaces: [error], description })
}

addErrorType('InvalidInputError', BadInputError, 'The input has invalid values. Nothing was written.')
builder.objectField(BadInputError, 'fields', (t) =>
  t.expose('fields', { type: [invalidField], nullable: false, description: 'All invalid fields.' }),
)

// A cast, because Pothos takes no abstract classes. The type stands for all subclasses, which differ in `code`.
const AnyUpstreamError = UpstreamError as unknown as new () => UpstreamError
addErrorType('UpstreamError', AnyUpstreamError, 'The site did not make the change, or did not confirm it.')
builder.objectField(AnyUpstreamError, 'upstream', (t) =>
  t.expose('upstream', { type: upstreamAnswer, nullable: true, description: "The site's answer. Null when it did not answer." }),
)

addErrorType('NotFoundError', NotFoundError, 'The record to be changed does not exist.')
addErrorType('ForbiddenError', ForbiddenError, 'The credentials are valid but lack the permission.')
addErrorType('UnauthenticatedError', UnauthenticatedError, 'The site requires credentials, or rejects those it received.')
addErrorType('ConflictError', ConflictError, 'The state of the record does not allow the change: it is in the trash already, for example.')

/** The errors a mutation can return instead of a success, the most common ones first. */
export const MUTATION_ERRORS: ErrorClass[] = [
  BadInputError,
  NotFoundError,
  ForbiddenError,
  UnauthenticatedError,
  ConflictError,
  AnyUpstreamError,
]
