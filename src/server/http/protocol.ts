import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Path of GraphQL, and of GraphiQL for browsers. */
export const ENDPOINT = '/graphql'

/** Header that asks to have an operation explained, for clients that cannot send `extensions`; those take precedence. */
export const EXPLAIN_HEADER = 'x-lms-explain'

/** Header with the id of a request: from the client, in the answer, and in the calls to the site. */
export const REQUEST_ID = 'x-request-id'

const ACCEPTED_ID = /^[\w.:/+=@-]{1,128}$/

/** The id that a client gives its request, when it is safe in headers and logs; else a new one. */
export const requestIdOf = (given: string | string[] | null | undefined): string =>
  typeof given === 'string' && ACCEPTED_ID.test(given) ? given : randomUUID()

/** Gives a request its id, in its headers too. */
export function identify({ headers }: IncomingMessage): string {
  const id = requestIdOf(headers[REQUEST_ID])
  headers[REQUEST_ID] = id
  return id
}
