import type { Socket } from 'node:net'
import type { Attack } from './attack.js'
import { type Head, requestOf } from './client.js'

// Clients that take their time. The gateways they meet wait 500 ms for headers, 700 for a request, and 1,200 without a byte.

const TIMEOUT = 'REQUEST_TIMEOUT'
const BODY = '{"query":"{ __typename }"}'
const POST: Head = { method: 'POST', headers: { 'content-type': 'application/json' }, body: BODY }
const whole = requestOf(POST).toString('latin1')
const head = whole.slice(0, whole.length - BODY.length)
const chunkedHead = 'POST /graphql HTTP/1.1\r\nHost: gateway.test\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
const alive = whole.replace('Connection: close\r\n', '')

/** Sends a beginning, and then something again and again for as long as it is let. */
const drip =
  (start: string, next: (count: number) => string, every = 50) =>
  (socket: Socket): void => {
    let count = 0
    socket.write(start)
    const timer = setInterval(() => socket.write(next(count++)), every)
    socket.on('close', () => clearInterval(timer))
  }

const silent = (start: string) => (socket: Socket) => void (start !== '' && socket.write(start))
const letters = (text: string) => (count: number) => text[count] ?? ''

type Row = readonly [name: string, send: (socket: Socket) => void, status: number, code?: string]

const ROWS: readonly Row[] = [
  ['a connection that says nothing', silent(''), 408, TIMEOUT],
  ['half a first line', silent('POST /gra'), 408, TIMEOUT],
  ['a first line alone', silent('POST /graphql HTTP/1.1\r\n'), 408, TIMEOUT],
  ['a head without its end', silent(head.slice(0, -2)), 408, TIMEOUT],
  ['a head letter by letter', drip('', letters(head), 20), 408, TIMEOUT],
  [
    'a head line by line without end',
    drip('POST /graphql HTTP/1.1\r\nHost: gateway.test\r\n', (count) => `X-${count}: 1\r\n`),
    408,
    TIMEOUT,
  ],
  ['empty lines without end', drip('', () => '\r\n'), 408, TIMEOUT],
  ['a head and nothing', silent(head), 408, TIMEOUT],
  ['a body that stops', silent(head + BODY.slice(0, 5)), 408, TIMEOUT],
  ['a body letter by letter', drip(head, letters(BODY)), 408, TIMEOUT],
  [
    'a body far shorter than it is said to be',
    silent(`${head.replace(/Content-Length: \d+/, 'Content-Length: 90000')}${BODY}`),
    408,
    TIMEOUT,
  ],
  ['chunks without end', drip(chunkedHead, () => '1\r\n \r\n'), 408, TIMEOUT],
  ['a chunk that stops', silent(`${chunkedHead}1F\r\n{`), 408, TIMEOUT],
  ['chunks without a last one', silent(`${chunkedHead}1A\r\n${BODY}\r\n`), 408, TIMEOUT],
  ['a continuation that does not come', silent(head.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n')), 408, TIMEOUT],
  ['a form that stops', silent(head.replace('application/json', 'application/x-www-form-urlencoded')), 415, 'BAD_REQUEST'],
  [
    'a body that is too large, letter by letter',
    drip(head.replace(/Content-Length: \d+/, 'Content-Length: 900000'), () => '{'),
    413,
    'BODY_TOO_LARGE',
  ],
  ['an address for GET that stops', silent('GET /graphql?query=%7B__typ'), 408, TIMEOUT],
  ['a good request, and half of another', silent(`${alive}POST /gra`), 200],
  ['a good request, and then nothing', silent(alive), 200],
  ['an end in the middle of a body', (socket) => void socket.end(head + BODY.slice(0, 5)), 400, 'BAD_REQUEST'],
  ['an end in the middle of a head', (socket) => void socket.end(head.slice(0, 20)), 400, 'BAD_REQUEST'],
  ['a connection that is broken off', (socket) => socket.write(head, () => socket.resetAndDestroy()), 0],
]

export const SLOW: readonly Attack[] = ROWS.map(([name, send, status, code]) => ({
  name,
  send,
  status,
  ...(code !== undefined && { code }),
}))
