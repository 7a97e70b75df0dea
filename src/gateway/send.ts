import type { ServerResponse } from 'node:http'
import { SECURITY_HEADERS } from './answer-headers.js'
import type { PlainAnswer } from './refusals.js'

/** Sends an answer whole, with headers besides its own. */
export function send(
  response: ServerResponse,
  { status, headers, body }: Omit<PlainAnswer, 'code'>,
  more: Readonly<Record<string, string>> = SECURITY_HEADERS,
): void {
  response.writeHead(status, { ...headers, ...more, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
