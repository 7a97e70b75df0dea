import type { ServerResponse } from 'node:http'
import { SECURITY_HEADERS } from './answer-headers.js'
import type { PlainAnswer } from './refusals.js'
import { REQUEST_ID } from './request-id.js'

/** Sends an answer whole, with headers besides its own, and the id of its request: headers that are set one by one cost more. */
export function send(
  response: ServerResponse,
  { status, headers, body }: Omit<PlainAnswer, 'code'>,
  more: Readonly<Record<string, string>> = SECURITY_HEADERS,
): void {
  const id = response.req.headers[REQUEST_ID]
  response.writeHead(status, { [REQUEST_ID]: id, ...headers, ...more, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
