import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { getIntrospectionQuery } from 'graphql'
import { type Attack, times } from './attack.js'
import { get, type Head, post, requestOf } from './client.js'

// Requests that look odd and are right: none may be refused.

const TYPENAME = '{"query":"{ __typename }"}'
const JSON_TYPE = { 'content-type': 'application/json' }
const COURSE = 'query Course($id: ID!) { course(id: $id) { databaseId } }'
const hashed = (text: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(text).digest('hex') } },
})
const files = (folder: string): (readonly [string, string])[] => {
  const url = new URL(`../../../${folder}/`, import.meta.url)
  return readdirSync(url).flatMap((name) => (name.endsWith('.graphql') ? [[name, readFileSync(new URL(name, url), 'utf8')] as const] : []))
}

type Row = readonly [name: string, send: Head | Buffer, data?: unknown, more?: Partial<Attack>]
const typename = { __typename: 'Query' }
const found = { course: { databaseId: 10_001 } }
const calls = (count: number): Partial<Attack> => ({ calls: count })

const ROWS: readonly Row[] = [
  ['an answer called then', post({ query: '{ then: __typename viewer { then: id } }' }), JSON.parse('{"then":"Query","viewer":null}')],
  [
    'an object called then',
    post({ query: '{ then: course(id: 10001) { then: databaseId } }' }),
    JSON.parse('{"then":{"then":10001}}'),
    calls(1),
  ],
  [
    'answers called like members of all objects',
    post({ query: '{ __proto__: __typename constructor: __typename toString: __typename }' }),
    JSON.parse('{"__proto__":"Query","constructor":"Query","toString":"Query"}'),
  ],
  ['a fragment called __proto__', post({ query: '{ ...__proto__ } fragment __proto__ on Query { __typename }' }), typename],
  [
    'braces in a text',
    post({ query: `{ courses(where: { search: "${'{['.repeat(200)}" }, first: 1) { totalCount } }` }),
    { courses: { totalCount: 0 } },
    calls(1),
  ],
  [
    'braces in a block text',
    post({ query: `{ courses(where: { search: """${'{['.repeat(100)} \\""" """ }, first: 1) { totalCount } }` }),
    { courses: { totalCount: 0 } },
    calls(1),
  ],
  ['braces in a comment', post({ query: `# ${'{['.repeat(5_000)}\n{ __typename }` }), typename],
  ['a document of 90 KB, most of it a comment', post({ query: `{ __typename } # ${'x'.repeat(90_000)}` }), typename],
  ['other ends of lines', post({ query: '# a\r{\r\n\t__typename,,,\u{FEFF}\n}' }), typename],
  [
    'fields 20 deep',
    post({ query: `{ course(id: 10001) { ${'prerequisites { '.repeat(18)}databaseId${' }'.repeat(18)} } }` }),
    undefined,
    { calls: Number.NaN },
  ],
  [
    'fragments 90 deep',
    post({
      query: `{ course(id: 10001) { ...F0 } } ${times(90, (i) => `fragment F${i} on Course { databaseId${i < 89 ? ` ...F${i + 1}` : ''} }`)}`,
    }),
    found,
    calls(1),
  ],
  ['50 fields at the root', post({ query: `{ ${times(50, (i) => `a${i}: __typename`)} }` })],
  [
    '500 ids',
    post({ query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', variables: { ids: Array(500).fill('Q291cnNlOjEwMDAx') } }),
    undefined,
    { calls: 1, most: 30_000 },
  ],
  [
    'lists of nothing',
    post({ query: '{ courses(where: { id: { in: [] } }) { totalCount nodes { id } } }' }),
    { courses: { totalCount: 0, nodes: [] } },
  ],
  ['a window of nothing', post({ query: '{ courses(first: 0) { nodes { id } } }' }), { courses: { nodes: [] } }],
  ['variables nobody declares', post({ query: COURSE, variables: { id: '10001', more: { a: [1, { b: null }] } } }), found, calls(1)],
  ['a number for an id', post({ query: COURSE, variables: { id: 10001 } }), found, calls(1)],
  [
    'extensions nobody knows',
    post({ query: '{ __typename }', extensions: { clientLibrary: { name: '@apollo/client', version: '3' } } }),
    typename,
  ],
  [
    'an empty name of an operation among one',
    post({ query: '{ __typename }', operationName: null, variables: null, extensions: null }),
    typename,
  ],
  ['the second of two operations', post({ query: 'query A { a: __typename } query B { __typename }', operationName: 'B' }), typename],
  ['keys of JSON that stand twice', post('{"query":"{ nothing }","query":"{ __typename }"}'), typename],
  ['JSON with escapes', post('{"\\u0071uery":"\\u007b __typename \\u007d"}'), typename],
  ['JSON with spaces', post(`\n\t ${TYPENAME}\r\n `), typename],
  ['JSON with a byte order mark', post(`\u{FEFF}${TYPENAME}`), typename],
  [
    'emoji and other scripts',
    post({ query: 'query ($s: String) { courses(where: { search: $s }, first: 1) { totalCount } }', variables: { s: '👩‍🏫 Größe १' } }),
    { courses: { totalCount: 0 } },
    calls(1),
  ],
  [
    'a quote, a percent sign and an ampersand for the site',
    post({
      query: 'query ($s: String) { courses(where: { search: $s }, first: 1) { totalCount } }',
      variables: { s: `100% & 'a' "b" ?x=1#y \r\n\u0000` },
    }),
    { courses: { totalCount: 0 } },
    calls(1),
  ],
  ['a type in capitals', { method: 'POST', headers: { 'CONTENT-TYPE': 'Application/JSON' }, body: TYPENAME }, typename],
  [
    'a type with a charset in capitals',
    { method: 'POST', headers: { 'content-type': 'application/json;Charset="UTF-8"' }, body: TYPENAME },
    typename,
  ],
  [
    'a type with other parameters',
    { method: 'POST', headers: { 'content-type': 'application/json ; odata=verbose; charset=utf8' }, body: TYPENAME },
    typename,
  ],
  ['an encoding that is none', { method: 'POST', headers: { ...JSON_TYPE, 'content-encoding': 'identity' }, body: TYPENAME }, typename],
  ['what browsers accept', { method: 'POST', headers: { ...JSON_TYPE, accept: 'text/html;q=0.1, */*;q=0.8' }, body: TYPENAME }, typename],
  [
    'a query in the address as well',
    { method: 'POST', path: '/graphql?query={nothing}&operationName=x', headers: JSON_TYPE, body: TYPENAME },
    typename,
  ],
  ['variables by GET', get({ query: COURSE, variables: '{"id":"10001"}' }), found, calls(1)],
  ['a plus sign by GET', requestOf({ path: '/graphql?query=query+A+{+__typename+}' }), typename],
  ['parameters that stand twice', requestOf({ path: '/graphql?query={__typename}&query={nothing}&utm_source=x' }), typename],
  [
    'chunks of a letter each',
    Buffer.from(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${[...TYPENAME].map((letter) => `1\r\n${letter}\r\n`).join('')}0\r\nX-Trailer: 1\r\n\r\n`,
    ),
    typename,
  ],
  [
    'a whole address, as a proxy sends it',
    { method: 'POST', path: 'http://gateway.test/graphql', headers: JSON_TYPE, body: TYPENAME },
    typename,
  ],
  [
    'a host in capitals with a dot at its end',
    { method: 'POST', host: 'GATEWAY.Test.:4000', headers: JSON_TYPE, body: TYPENAME },
    typename,
  ],
  ['a host that is an address', { method: 'POST', host: '[2001:db8::1]:8080', headers: JSON_TYPE, body: TYPENAME }, typename],
  ['a host of before hosts were sent', { method: 'POST', version: '1.0', host: null, headers: JSON_TYPE, body: TYPENAME }, typename],
  ['a body that is waited with', { method: 'POST', headers: { ...JSON_TYPE, expect: '100-continue' }, body: TYPENAME }, typename],
  ['a hash with its document', post({ query: '{ a: __typename }', ...hashed('{ a: __typename }') }), { a: 'Query' }],
  [
    'a hash alone, of a document that was handed in',
    post(hashed('{ b: __typename }')),
    { b: 'Query' },
    { before: post({ query: '{ b: __typename }', ...hashed('{ b: __typename }') }) },
  ],
  [
    'a hash by GET',
    get({ extensions: JSON.stringify(hashed('{ c: __typename }').extensions) }),
    { c: 'Query' },
    { before: get({ query: '{ c: __typename }', extensions: JSON.stringify(hashed('{ c: __typename }').extensions) }) },
  ],
]

export const HONEST: readonly Attack[] = [
  ...ROWS.map(
    ([name, send, data, more]): Attack => ({
      name,
      send: Buffer.isBuffer(send) ? send : requestOf(send),
      status: 200,
      ...(data !== undefined && { data }),
      ...more,
    }),
  ),
  {
    name: 'all there is to know of the graph',
    send: post({
      query: getIntrospectionQuery({ specifiedByUrl: true, inputValueDeprecation: true, schemaDescription: true, oneOf: true }),
    }),
    status: { production: 400, development: 200 },
    code: { production: 'GRAPHQL_VALIDATION_FAILED', development: undefined },
    most: 1_000_000,
  },
  // Whether they can be run depends on variables; that they are taken does not.
  ...[...files('schema/operations'), ...files('test/bench/queries')].map(
    ([name, query]): Attack => ({
      name: `${name}, as it is`,
      send: post({ query }),
      status: Number.NaN,
      hides: /LIMIT_EXCEEDED|GRAPHQL_/,
      calls: Number.NaN,
      most: 10_000_000,
    }),
  ),
]
