import { gzipSync } from 'node:zlib'
import type { Attack } from './attack.js'
import { get, type Head, post, requestOf } from './client.js'

// What HTTP can carry.

const NO_REQUEST = 'BAD_REQUEST'
const BODY = '{"query":"{ __typename }"}'
const JSON_TYPE = { 'content-type': 'application/json' }
const WRITE = 'mutation { createCourse(input: {}) { __typename } }'

const as = (type: string, body: string | Buffer = BODY): Head => ({ method: 'POST', headers: { 'content-type': type }, body })
const raw = (...lines: string[]): Buffer => Buffer.from(lines.join('\r\n'), 'latin1')
const chunked = (...chunks: string[]): Buffer =>
  raw(
    'POST /graphql HTTP/1.1',
    'Host: gateway.test',
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    'Connection: close',
    '',
    ...chunks,
  )

type Row = readonly [name: string, send: Head | Buffer, status: number, code?: string | undefined, more?: Partial<Attack>]

const ROWS: readonly Row[] = [
  // Requests a browser sends for any page.
  ['a form', as('application/x-www-form-urlencoded', new URLSearchParams({ query: WRITE }).toString()), 415, NO_REQUEST],
  ['a form that says it is JSON, too', as('application/x-www-form-urlencoded, application/json'), 415, NO_REQUEST],
  ['plain text', as('text/plain'), 415, NO_REQUEST],
  ['plain text with JSON as a parameter', as('text/plain; application/json'), 415, NO_REQUEST],
  ['a document as it is', as('application/graphql', '{ __typename }'), 415, NO_REQUEST],
  [
    'files',
    as('multipart/form-data; boundary=x', '--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n{}\r\n--x--'),
    415,
    NO_REQUEST,
  ],
  ['no type at all', { method: 'POST', body: BODY }, 415, NO_REQUEST],
  ['an empty type', as(''), 415, NO_REQUEST],
  ['JSON of another kind', as('application/graphql+json'), 415, NO_REQUEST],
  ['JSON in another encoding', as('application/json; charset=utf-16le', Buffer.from(BODY, 'utf16le')), 415, NO_REQUEST],
  [
    'a compressed body',
    { method: 'POST', headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(10_000_000)) },
    415,
    NO_REQUEST,
  ],
  ['a mutation by GET', get({ query: WRITE }), 405, NO_REQUEST],
  [
    'a mutation by GET among queries',
    get({ query: `query A { __typename } ${WRITE.replace('mutation', 'mutation B')}`, operationName: 'B' }),
    405,
    NO_REQUEST,
  ],

  // Bodies that are no request.
  ['no body', { ...as('application/json', '') }, 400, NO_REQUEST],
  ['broken JSON', as('application/json', '{"query":'), 400, NO_REQUEST],
  ['JSON behind JSON', as('application/json', `${BODY}${BODY}`), 400, NO_REQUEST],
  ['brackets without end', as('application/json', '['.repeat(99_000)), 400, NO_REQUEST],
  ['lists in lists', as('application/json', '['.repeat(40_000) + ']'.repeat(40_000)), 400, NO_REQUEST],
  ['null', as('application/json', 'null'), 400, NO_REQUEST],
  ['a text', as('application/json', '"{ __typename }"'), 400, NO_REQUEST],
  ['a number', as('application/json', '1e999'), 400, NO_REQUEST],
  ['bytes', as('application/json', Buffer.from([0xff, 0xfe, 0x00, 0x7b])), 400, NO_REQUEST],
  ['a batch', as('application/json', `[${BODY},${BODY}]`), 400, NO_REQUEST],
  ['a batch of one', as('application/json', `[${BODY}]`), 400, NO_REQUEST],
  ['a batch of a thousand', as('application/json', `[${Array(1_000).fill(BODY).join()}]`), 400, NO_REQUEST],
  ['an empty batch', as('application/json', '[]'), 400, NO_REQUEST],
  ['no query', post({}), 400, NO_REQUEST],
  ['a query that is a list', post({ query: ['{ __typename }'] }), 400, NO_REQUEST],
  ['a parameter called then', post('{"query":"{ __typename }","then":1}'), 400, NO_REQUEST],
  ['a parameter called then that is an object', post('{"query":"{ __typename }","then":{"then":1}}'), 400, NO_REQUEST],
  ['a parameter of 90 KB', post({ query: '{ __typename }', ['x'.repeat(90_000)]: 1 }), 400, NO_REQUEST],
  ['a thousand parameters', post(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`p${i}`, i]))), 400, NO_REQUEST],
  ['an operation name that is an object', post({ query: '{ __typename }', operationName: { $gt: '' } }), 400, NO_REQUEST],
  ['an operation name of 90 KB', post({ query: '{ __typename }', operationName: 'x'.repeat(90_000) }), 400, 'OPERATION_RESOLUTION_FAILURE'],
  [
    'a body that is too large',
    as('application/json', JSON.stringify({ query: `{ __typename } #${'x'.repeat(100_000)}` })),
    413,
    'BODY_TOO_LARGE',
  ],
  [
    'a body that says it is too large',
    raw('POST /graphql HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Content-Length: 99999999999', 'Connection: close', '', ''),
    413,
    'BODY_TOO_LARGE',
  ],
  ['chunks that are too large', chunked('1F400', 'x'.repeat(128_000), '0', '', ''), 413, 'BODY_TOO_LARGE'],
  ['extensions of chunks', chunked(`1;${'x'.repeat(30_000)}`, '{', '0', '', ''), 413, 'BODY_TOO_LARGE'],

  // Parameters in the address.
  ['broken variables by GET', get({ query: '{ __typename }', variables: '{"a":' }), 400, NO_REQUEST],
  ['variables by GET that are a list', get({ query: '{ __typename }', variables: '[1]' }), 400, NO_REQUEST],
  [
    'variables by GET that nest',
    get({ query: '{ __typename }', variables: `${'{"a":'.repeat(500)}1${'}'.repeat(500)}` }),
    400,
    'LIMIT_EXCEEDED',
  ],
  ['broken extensions by GET', get({ query: '{ __typename }', extensions: 'x' }), 400, NO_REQUEST],
  ['no query by GET', get({}), 400, NO_REQUEST],
  [
    'signs that are no encoding',
    requestOf({ path: '/graphql?query=%E0%A4%A&variables=%', headers: { accept: 'application/graphql-response+json' } }),
    400,
    undefined,
    { says: /BAD_REQUEST|GRAPHQL_PARSE_FAILED/ },
  ],
  ['a document too deep by GET', get({ query: `{${'a{'.repeat(2_000)}` }), 400, 'LIMIT_EXCEEDED'],

  // Methods, addresses and what a client wants.
  ['PUT', { ...as('application/json'), method: 'PUT' }, 405, NO_REQUEST],
  ['DELETE', { method: 'DELETE' }, 405, NO_REQUEST],
  ['TRACE', { method: 'TRACE' }, 405, NO_REQUEST],
  ['a method nobody knows', { method: 'FROBNICATE' }, 400, NO_REQUEST],
  ['CONNECT', { method: 'CONNECT', path: 'example.org:443' }, 0],
  ['no address', { path: '*', method: 'OPTIONS' }, 400, NO_REQUEST],
  ['the address of another scheme', { path: 'file:///etc/passwd' }, 400, NO_REQUEST],
  ['an address with a host for a path', { path: '//example.org/graphql' }, 400, NO_REQUEST],
  ['an address that leads upwards', { path: '/graphiql/assets/../../../../etc/passwd' }, 400, NO_REQUEST],
  ['an encoded address that leads upwards', { path: '/graphiql/assets/%2e%2e%2f%2e%2e%2fpackage.json' }, 400, NO_REQUEST],
  ['a null byte in the address', { path: '/graphiql/assets/x%00.js' }, 404],
  ['another address', { path: '/wp-json/wp/v2/users' }, 404],
  ['a page of pictures', { path: '/graphql?query={__typename}', headers: { accept: 'image/png' } }, 406, NO_REQUEST],
  ['a type called like a member of all objects', post(BODY, { accept: 'constructor' }), 406, NO_REQUEST],
  ['another such type', post(BODY, { accept: '__proto__, toString;q=0.5' }), 406, NO_REQUEST],
  ['thousands of types', post(BODY, { accept: 'a/b,'.repeat(3_000) }), 406, NO_REQUEST],

  // What is no HTTP, or two things at once.
  ['HTTP/2', raw('PRI * HTTP/2.0', '', 'SM', '', ''), 400, NO_REQUEST],
  ['TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]), 400, NO_REQUEST],
  ['nonsense', raw('NONSENSE', '', ''), 400, NO_REQUEST],
  ['two lengths', raw('POST /graphql HTTP/1.1', 'Host: x', 'Content-Length: 5', 'Content-Length: 6', '', 'abcdef'), 400, NO_REQUEST],
  [
    'a length and chunks',
    raw('POST /graphql HTTP/1.1', 'Host: x', 'Content-Length: 5', 'Transfer-Encoding: chunked', '', '0', '', ''),
    400,
    NO_REQUEST,
  ],
  ['a negative length', raw('POST /graphql HTTP/1.1', 'Host: x', 'Content-Length: -1', '', ''), 400, NO_REQUEST],
  [
    'chunks that are not last',
    raw('POST /graphql HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked, identity', '', '0', '', ''),
    400,
    NO_REQUEST,
  ],
  ['a size of a chunk that is none', chunked('zz', 'x', '0', '', ''), 400, NO_REQUEST],
]

export const HTTP: readonly Attack[] = ROWS.map(([name, send, status, code, more]) => ({
  name,
  send: Buffer.isBuffer(send) ? send : requestOf(send),
  status,
  ...(code !== undefined && { code }),
  ...more,
}))
