import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The header by which a request is known, on its way in, out, and to the site. */
export const REQUEST_ID = 'x-request-id'

const TAKEN = /^[\w.:/+=@-]{1,128}$/

/** The id a client gives its request, where it is one that can stand anywhere; else a new one. */
export const requestIdOf = (given: string | string[] | null | undefined): string =>
  typeof given === 'string' && TAKEN.test(given) ? given : randomUUID()

/** Gives a request its id, for all who look at its headers. */
export function identify({ headers }: IncomingMessage): string {
  const id = requestIdOf(headers[REQUEST_ID])
  headers[REQUEST_ID] = id
  return id
}
