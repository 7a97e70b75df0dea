import type { ServerResponse } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { GivenSwitches } from '../../src/lms/profile/switches.js'
import type { Strike } from '../support/troubled-proxy.js'

/** The right data, or the code of why there are none. */
export type Outcome = 'data' | (string & {})

/** Something that goes wrong between the gateway and a site. */
export interface Fault {
  readonly name: string
  /** How a proxy answers, or which switch of the embedded LMS is on; without either nobody listens. */
  readonly strike?: Strike
  readonly switch?: keyof GivenSwitches
  /** What reads end in, and writes where it is something else. */
  readonly read: Outcome
  readonly write?: Outcome
  /** HTTP status the error tells. */
  readonly status?: number
}

const page = '<!DOCTYPE html><html><body><p>GARBAGE</p></body></html>'
const JSON_TYPE = { 'content-type': 'application/json' }
const NEVER = 60_000

const says =
  (status: number, body: string | Buffer, headers: Record<string, string> = JSON_TYPE): Strike =>
  (response) =>
    response.writeHead(status, headers).end(body)

const error = (status: number, code: string): Strike => says(status, JSON.stringify({ code, message: 'No.', data: { status } }))
const html = (status: number, headers: Record<string, string> = {}): Strike =>
  says(status, page, { 'content-type': 'text/html', ...headers })

/** Sends what is no whole answer of HTTP. */
const raw =
  (text: string, then: (response: ServerResponse) => void = () => {}): Strike =>
  (response) => {
    response.socket?.write(text)
    then(response)
  }
const hangUp = (response: ServerResponse): void => void response.socket?.end()
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'

/** The true answer, with its body or headers changed. */
const altered =
  (change: (body: Buffer) => Buffer | string, headers: Record<string, string> = {}): Strike =>
  async (response, _, truth) => {
    const { status, headers: own, body } = await truth()
    response.writeHead(status, { ...own, ...headers }).end(change(body))
  }

/** What is no list where one is asked for, and no record where that is. */
const wrongShape: Strike = (response, request) => {
  const isList = !/\/(\d+|price-types\/[a-z]+)(\?|$)/.test(request.url as string)
  response.writeHead(200, JSON_TYPE).end(isList ? '{"id":7,"title":{"rendered":"GARBAGE"}}' : '[{"id":7,"title":{"rendered":"GARBAGE"}}]')
}

function drip(response: ServerResponse): void {
  response.writeHead(200, JSON_TYPE).write('[')
  const timer = setInterval(() => response.write(' '), 50)
  response.once('close', () => clearInterval(timer))
}

const [GONE, SLOW, ODD] = ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_INVALID_RESPONSE'] as const
const bomb = gzipSync(JSON.stringify(['GARBAGE', 'x'.repeat(1_000_000)]))

/** What a write may be answered by: the record is read again then. */
const odd = (name: string, strike: Strike): Fault => ({ name, strike, read: ODD, write: 'data', status: 200 })
const invalid = (name: string, strike: Strike, status = 200): Fault => ({ name, strike, read: ODD, status })

export const FAULTS: readonly Fault[] = [
  // No answer.
  { name: 'nobody listens', read: GONE },
  { name: 'a connection that is reset', strike: (response) => response.socket?.resetAndDestroy(), read: GONE },
  { name: 'a connection that is closed', strike: hangUp, read: GONE },
  { name: 'headers that break off', strike: raw('HTTP/1.1 200 OK\r\nContent-Ty', hangUp), read: GONE },
  { name: 'a body that breaks off', strike: raw(`${HEAD}Content-Length: 5000\r\n\r\n[{"id":`, hangUp), read: GONE },
  { name: 'chunks that break off', strike: raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n[{"id\r\n`, hangUp), read: GONE },
  { name: 'half of the true body', switch: 'cutOff', read: GONE },
  { name: 'silence', strike: () => {}, read: SLOW },
  { name: 'silence after the headers', strike: (response) => response.writeHead(200, JSON_TYPE).flushHeaders(), read: SLOW },
  { name: 'silence in the body', strike: (response) => response.writeHead(200, JSON_TYPE).write('[{'), read: SLOW },
  { name: 'a body without end', strike: (response) => drip(response), read: SLOW },
  { name: 'an answer that comes too late', strike: (response) => setTimeout(() => response.end('[]'), NEVER).unref(), read: SLOW },
  { name: 'another protocol', strike: raw('SSH-2.0-OpenSSH_9.6\r\n'), read: ODD },
  { name: 'headers without end', strike: raw(`${HEAD}X-Garbage: ${'x'.repeat(40_000)}\r\n\r\n{}`), read: ODD },

  // Another answer.
  { name: '400', strike: error(400, 'odd'), read: 'UPSTREAM_REJECTED', status: 400 },
  { name: '401', strike: error(401, 'rest_not_logged_in'), read: 'UNAUTHENTICATED', status: 401 },
  { name: '403', strike: error(403, 'rest_forbidden'), read: 'FORBIDDEN', status: 403 },
  { name: '403 of a firewall', strike: html(403), read: 'FORBIDDEN', status: 403 },
  { name: '404 of a route', strike: error(404, 'rest_no_route'), read: 'NOT_FOUND', status: 404 },
  { name: '409', strike: error(409, 'odd'), read: 'CONFLICT', status: 409 },
  { name: '413', strike: html(413), read: 'UPSTREAM_REJECTED', status: 413 },
  { name: '429', switch: 'rateLimited', read: 'UPSTREAM_RATE_LIMITED', status: 429 },
  { name: '429 for a second', strike: html(429, { 'retry-after': '1' }), read: 'UPSTREAM_RATE_LIMITED', status: 429 },
  { name: '429 for an hour', strike: html(429, { 'retry-after': '3600' }), read: 'UPSTREAM_RATE_LIMITED', status: 429 },
  { name: '500 in HTML', switch: 'fatalHtml', read: GONE, status: 500 },
  { name: '500 in JSON', switch: 'fatalJson', read: GONE, status: 500 },
  { name: '502', strike: html(502), read: GONE, status: 502 },
  { name: '503 of a maintenance', switch: 'maintenance', read: GONE, status: 503 },
  { name: '504', strike: html(504), read: GONE, status: 504 },
  { name: '521 of a proxy', strike: html(521), read: GONE, status: 521 },

  // Elsewhere.
  { name: 'another host', switch: 'redirectHost', read: ODD, status: 301 },
  { name: 'a slash', switch: 'redirectSlash', read: ODD, status: 301 },
  { name: 'a page to sign in', strike: html(302, { location: '/wp-login.php' }), read: ODD, status: 302 },
  { name: '304', strike: says(304, ''), read: ODD, status: 304 },

  // Garbage that is said to be well.
  invalid('HTML', html(200)),
  invalid('a fatal error as text', says(200, '<b>Fatal error</b>: Uncaught Error in {closure}() [GARBAGE]')),
  invalid(
    'JSON that ends too early',
    altered((body) => body.subarray(0, body.length - 5)),
  ),
  invalid(
    'JSON twice',
    altered((body) => `${body}\n${body}`),
  ),
  invalid('an error', says(200, '{"code":"internal_server_error","message":"GARBAGE","data":{"status":500}}')),
  invalid('more than is taken', says(200, JSON.stringify(['GARBAGE', 'x'.repeat(200_000)]))),
  invalid(
    'plain JSON said to be gzip',
    altered((body) => body, { 'content-encoding': 'gzip' }),
  ),
  invalid(
    'gzip that ends too early',
    altered((body) => gzipSync(body).subarray(0, 60), { 'content-encoding': 'gzip' }),
  ),
  invalid('gzip that becomes too much', says(200, bomb, { ...JSON_TYPE, 'content-encoding': 'gzip' })),
  invalid(
    'an unknown encoding',
    altered((body) => body, { 'content-encoding': 'aws-chunked' }),
  ),
  odd('nothing', says(200, '')),
  { ...odd('204', says(204, '')), status: 204 },
  odd('null', says(200, 'null')),
  odd('true', says(200, 'true')),
  odd('a number', says(200, '5')),
  odd('a text', says(200, '"GARBAGE"')),
  odd('the wrong shape', wrongShape),
  odd('an empty object', says(200, '{}')),
  odd('a list of nothing but junk', says(200, '[null,"GARBAGE",7]')),

  // What is no matter.
  { name: 'a byte order mark', switch: 'bom', read: 'data' },
  { name: 'a warning of PHP', switch: 'phpWarning', read: 'data' },
  { name: 'JSON said to be HTML', switch: 'wrongContentType', read: 'data' },
  { name: 'gzip nobody asked for', strike: altered((body) => gzipSync(body), { 'content-encoding': 'gzip' }), read: 'data' },
  { name: 'Brotli nobody asked for', strike: altered((body) => brotliCompressSync(body), { 'content-encoding': 'br' }), read: 'data' },
  {
    name: 'an answer that takes its time',
    strike: (response, _, truth) => setTimeout(() => truth().then(({ headers, body }) => response.writeHead(200, headers).end(body)), 150),
    read: 'data',
  },
]
