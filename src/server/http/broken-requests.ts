import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { REQUEST_ID, requestIdOf } from './protocol.js'
import { badRequest, chunksTooLarge, type PlainAnswer, SECURITY_HEADERS, timedOut } from './responses.js'

/**
 * Answers malformed and slow requests in the form of all other errors. `pending` returns the oldest response on a connection that has not been
 * sent completely.
 */
export function answerBrokenRequests(server: Server, pending: (socket: Duplex) => ServerResponse | undefined): void {
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    const begun = pending(socket)
    // Nothing may be written behind a response that has begun.
    if (!socket.writable || begun?.headersSent) return socket.destroy()
    const answer = ANSWERS[code ?? ''] ?? NOT_HTTP
    // A client that ends a request in the middle has left.
    if (begun && code !== 'HPE_INVALID_EOF_STATE') begun.statusCode = answer.status
    socket.end(written(answer, begun?.req.headers[REQUEST_ID]))
  })
}

const NOT_HTTP = badRequest(400, 'The request is not valid HTTP.')

/** By the error codes of Node. */
const ANSWERS: Readonly<Record<string, PlainAnswer>> = {
  ERR_HTTP_REQUEST_TIMEOUT: timedOut,
  HPE_HEADER_OVERFLOW: badRequest(431, 'The headers are too large.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: chunksTooLarge,
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
}

function written({ status, headers, body }: PlainAnswer, id: string | string[] | undefined): string {
  const all = {
    ...headers,
    [REQUEST_ID]: requestIdOf(id),
    ...SECURITY_HEADERS,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${REASONS[status] ?? ''}`, ...lines, '', body].join('\r\n')
}

/** The error code of an answer to a broken request, by its status. */
export const codeOfBroken = (status: number): string | undefined =>
  [...Object.values(ANSWERS), NOT_HTTP].find((answer) => answer.status === status)?.code
