import {
  BadInputError,
  ConflictError,
  ForbiddenError,
  type InvalidField,
  type LmsError,
  NotFoundError,
  UnauthenticatedError,
  UpstreamError,
} from '../upstream/errors.js'
import { builder } from './builder.js'

const error = builder.interfaceRef<LmsError>('LmsError').implement({
  description: 'Why a mutation did not do what it was asked to.',
  fields: (t) => ({
    message: t.exposeString('message', { nullable: false, description: 'What went wrong, in plain text.' }),
    code: t.exposeString('code', { nullable: false, description: 'One of the codes the README lists, such as `NOT_FOUND`.' }),
  }),
})

const invalidField = builder.objectRef<InvalidField>('InvalidField').implement({
  description: 'One field of an input that was not taken.',
  fields: (t) => ({
    field: t.exposeString('field', { nullable: false, description: 'Name of the field in the input.' }),
    message: t.exposeString('message', { nullable: false, description: 'What is wrong with its value, and what is allowed.' }),
  }),
})

const upstreamAnswer = builder.objectRef<NonNullable<LmsError['upstream']>>('UpstreamAnswer').implement({
  description: 'What the site answered.',
  fields: (t) => ({
    status: t.exposeInt('status', { nullable: false, description: 'HTTP status.' }),
    code: t.exposeString('code', { nullable: true, description: 'The own error code of the site. Null when it gave none.' }),
  }),
})

type ErrorClass<E extends LmsError> = new (...args: any[]) => E

function errorType<E extends LmsError>(name: string, Class: ErrorClass<E>, description: string): ErrorClass<E> {
  builder.objectType(Class, { name, interfaces: [error] as never, description })
  return Class
}

const invalidInput = errorType('InvalidInputError', BadInputError, 'The input holds values that are not taken. Nothing was written.')
builder.objectField(invalidInput, 'fields', (t) =>
  t.expose('fields', { type: [invalidField], nullable: false, description: 'All fields that were not taken.' }),
)

// Abstract: it stands for all its kinds, which `code` tells apart.
const upstream = errorType(
  'UpstreamError',
  UpstreamError as unknown as ErrorClass<UpstreamError>,
  'The site did not do it, or did not say so.',
)
builder.objectField(upstream, 'upstream', (t) =>
  t.expose('upstream', { type: upstreamAnswer, nullable: true, description: 'What the site answered. Null when it did not answer.' }),
)

/** What a mutation may end in instead of a success; the most common ones first. */
export const MUTATION_ERRORS = [
  invalidInput,
  errorType('NotFoundError', NotFoundError, 'The record to be changed does not exist.'),
  errorType('ForbiddenError', ForbiddenError, 'The credentials are good, but not enough.'),
  errorType('UnauthenticatedError', UnauthenticatedError, 'The site wants credentials, or refuses those it got.'),
  errorType('ConflictError', ConflictError, 'The record is in a state that does not allow it, such as in the trash already.'),
  upstream,
]
