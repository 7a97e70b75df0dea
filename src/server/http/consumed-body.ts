import type { IncomingMessage } from 'node:http'
import { badRequest, type PlainAnswer } from './responses.js'

/** A request whose body a framework may have read before, such as the parsers of Express. */
interface ParsedRequest extends IncomingMessage {
  readonly body?: unknown
}

const MISSING = badRequest(400, 'The body was read before the request was passed to the gateway, and it is not in `request.body`.')

/**
 * The body of a request that was read before the gateway received it, as the framework has left it in `request.body`, or a refusal when it is not
 * there. Undefined when the body is still to be read.
 */
export function consumedBody(request: IncomingMessage): Buffer | PlainAnswer | undefined {
  if (!request.readableDidRead) return undefined
  const { body } = request as ParsedRequest
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return typeof body === 'object' && body !== null ? Buffer.from(JSON.stringify(body)) : MISSING
}
