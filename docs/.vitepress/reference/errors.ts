import { STATUS_CODES } from 'node:http'
import { ERROR_CODES, FIELD_CODES } from '../../../src/upstream/error-codes.js'
import { code, GENERATED, page } from './text.js'

type Info = (typeof ERROR_CODES)[number] & { readonly type?: string }

const entry = ({ code: name, http, type, when, remedy }: Info): string =>
  page(
    `### ${name}`,
    when,
    [
      `- What to do: ${remedy}`,
      `- HTTP status: ${http.map((status) => `${status} ${STATUS_CODES[status]}`).join(', ')}`,
      `- Type in mutations: ${type === undefined ? 'none' : code(type)}`,
    ].join('\n'),
  ).trim()

/** The page of all error codes. */
export const errorsPage = (): string =>
  page(
    GENERATED,
    '# Errors',
    'Every error code of the gateway: when it occurs, and what to do.',
    '## What an error has',
    [
      '- `extensions.code`: one of the codes below.',
      '- `extensions.upstream { status code }`: the HTTP status and the error code of the site, when the site answered.',
      '- `extensions.retryAfter`: the seconds after which to try again, when they are known.',
    ].join('\n'),
    'A mutation returns errors that have a type below as a member of its union, and not in `errors`. `InvalidInputError` names all fields that the gateway finds invalid. When it finds none, the site checks, and may name others.',
    '## Codes of fields',
    'Each field of `InvalidInputError` has a `path`, a `message`, and one of these codes. `limit` is the number that the code refers to; it is null when the site has checked the value.',
    Object.entries(FIELD_CODES)
      .map(([name, { description }]) => `- ${code(name)}: ${description}`)
      .join('\n'),
    '## HTTP statuses',
    'The statuses below are for clients that accept `application/graphql-response+json`. 200 means that the error stands beside `data`; with another status there is no `data`.',
    'Clients that accept only `application/json` get 200 instead of 400 and 403, as GraphQL over HTTP requires. `BAD_REQUEST` keeps its status.',
    '## Codes',
    ERROR_CODES.map(entry),
  )
