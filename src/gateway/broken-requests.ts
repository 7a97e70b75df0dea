import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { SECURITY_HEADERS } from './answer-headers.js'
import { badRequest, chunksTooLarge, type PlainAnswer, timedOut } from './refusals.js'
import { send } from './send.js'

/** Answers what is no HTTP request, or does not become one in time, as all others are answered. */
export function answerBrokenRequests(server: Server): void {
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    if (socket.writable && !hasAnswered(socket)) socket.end(written(ANSWERS[code ?? ''] ?? NO_HTTP))
    else socket.destroy()
  })
  server.on('checkExpectation', (_, response) => send(response, badRequest(400, '`Expect` must be `100-continue`.')))
}

const NO_HTTP = badRequest(400, 'The request is no HTTP.')

/** By the codes of Node. */
const ANSWERS: Readonly<Record<string, PlainAnswer>> = {
  ERR_HTTP_REQUEST_TIMEOUT: timedOut,
  HPE_HEADER_OVERFLOW: badRequest(431, 'The headers are too large.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: chunksTooLarge,
}

/** Whether an answer is on its way already, behind which no other may be written. */
const hasAnswered = (socket: Duplex & { _httpMessage?: { headersSent?: boolean } | null }): boolean =>
  socket._httpMessage?.headersSent === true

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
}

function written({ status, headers, body }: PlainAnswer): string {
  const all = { ...headers, ...SECURITY_HEADERS, 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${REASONS[status] ?? ''}`, ...lines, '', body].join('\r\n')
}
