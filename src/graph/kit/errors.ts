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

const error = builder.interfaceRef<LmsError>('LmsError').implement({
  description: 'The reason why a mutation failed.',
  fields: (t) => ({
    message: t.exposeString('message', { nullable: false, description: 'What went wrong, in plain text.' }),
    code: t.exposeString('code', {
      nullable: false,
      description: 'The error code, such as `NOT_FOUND`. The documentation lists all codes.',
    }),
  }),
})

const invalidField = builder.objectRef<InvalidField>('InvalidField').implement({
  description: 'An invalid field of an input.',
  fields: (t) => ({
    field: t.exposeString('field', { nullable: false, description: 'Name of the field in the input.' }),
    message: t.exposeString('message', { nullable: false, description: 'Why the value is invalid, and what is allowed.' }),
  }),
})

const upstreamAnswer = builder.objectRef<NonNullable<LmsError['upstream']>>('UpstreamAnswer').implement({
  description: "The site's answer to a failed call.",
  fields: (t) => ({
    status: t.exposeInt('status', { nullable: false, description: 'HTTP status.' }),
    code: t.exposeString('code', { nullable: true, description: 'Error code of the site. Null when it sent none.' }),
  }),
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
