import { authorizationOf } from '../support/world.js'
import type { Raw } from './raw.js'

// Requests of all kinds, good and bad, each with a name.

const JSON_TYPE = 'application/json'
const RESPONSE = 'application/graphql-response+json'
const TYPED = { 'content-type': JSON_TYPE }
const ADMIN = { authorization: authorizationOf('admin') }

const json = (body: unknown, headers: Raw['headers'] = {}): Raw => ({ headers: { ...TYPED, ...headers }, body: JSON.stringify(body) })
const text = (body: string | Buffer | readonly (string | Buffer)[], headers: Raw['headers'] = TYPED): Raw => ({ headers, body })

const COURSE = '{ course(id: 10002) { title prerequisites { title } } }'
const FIRST = 'query A($first: Int!) { courses(first: $first) { nodes { title } } }'
const TWO = 'query A { course(id: 10001) { title } } query B { course(id: 10002) { slug } }'
const GOOD = JSON.stringify({ query: COURSE })
const INTROSPECTION = '{ __schema { queryType { name fields { name } } } course(id: 10001) { title } }'
const WRITE = 'mutation { updateCourse(input: { id: 10003, points: 3 }) { __typename ... on LmsError { code message } } }'

/** GraphQL requests in JSON. */
const PARAMS: Readonly<Record<string, unknown>> = {
  'a query': { query: COURSE },
  'a list': { query: '{ courses(first: 5) { totalCount nodes { id title price priceType { name } } } }' },
  'a text beyond ASCII': { query: '{ groups(first: 15) { nodes { title content } } }' },
  'nothing but a name': { query: '{ __typename }' },
  variables: { query: FIRST, variables: { first: 2 } },
  'other variables': { query: FIRST, variables: { first: 3 } },
  'variables nobody asked for': { query: FIRST, variables: { first: 2, second: 3, __proto__: null } },
  'no variables': { query: FIRST },
  'null for variables': { query: FIRST, variables: null },
  'a null variable': { query: FIRST, variables: { first: null } },
  'a variable of the wrong type': { query: FIRST, variables: { first: 'two' } },
  'a variable far too large': { query: FIRST, variables: { first: 1e300 } },
  'variables as a list': { query: FIRST, variables: [2] },
  'variables as a text': { query: FIRST, variables: '{"first":2}' },
  'variables as a number': { query: FIRST, variables: 2 },
  'variables of nothing': { query: COURSE, variables: {} },
  'a bad argument': { query: 'query ($id: ID!) { course(id: $id) { title } }', variables: { id: 'zz' } },
  'a good argument': { query: 'query ($id: ID!) { course(id: $id) { title } }', variables: { id: 10_004 } },
  'an unknown record': { query: 'query ($id: ID!) { course(id: $id) { title } }', variables: { id: '77' } },
  'two errors': { query: '{ a: lesson(id: "x") { id } b: question(id: 500001) { title } c: course(id: 10001) { title } }' },
  'null data': { query: '{ user(id: "x") { id } }' },
  'an operation by name': { query: TWO, operationName: 'A' },
  'the other operation': { query: TWO, operationName: 'B' },
  'an operation that is not there': { query: TWO, operationName: 'C' },
  'an empty operation name': { query: TWO, operationName: '' },
  'no operation name': { query: TWO },
  'null for an operation name': { query: TWO, operationName: null },
  'a number for an operation name': { query: TWO, operationName: 1 },
  'a list for an operation name': { query: TWO, operationName: ['A'] },
  'a name nothing has': { query: COURSE, operationName: 'A' },
  'an empty name where there is none': { query: COURSE, operationName: '' },
  'null for everything': { query: COURSE, variables: null, operationName: null, extensions: null },
  'extensions of nothing': { query: COURSE, extensions: {} },
  'unknown extensions': { query: COURSE, extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } },
  'extensions as a list': { query: COURSE, extensions: [] },
  'extensions as a text': { query: COURSE, extensions: '{}' },
  repairs: { query: COURSE, extensions: { repairs: true } },
  'no repairs': { query: COURSE, extensions: { repairs: false } },
  'an unknown member': { query: COURSE, documentId: 'x' },
  'another unknown member': { query: COURSE, id: 'x', doc_id: 'y' },
  'a misspelt query': { qeury: COURSE },
  'no query': {},
  'a null query': { query: null },
  'a number for a query': { query: 1 },
  'a list for a query': { query: [COURSE] },
  'an empty query': { query: '' },
  'a query of spaces': { query: '  \n ' },
  'a query that does not parse': { query: '{ course(id: 10002) { title }' },
  'a query that does not fit the graph': { query: '{ course(id: 10002) { titel } nothing }' },
  'a literal of the wrong type': { query: '{ courses(first: "x") { totalCount } }' },
  'a fragment alone': { query: 'fragment a on Course { title }' },
  'a type definition': { query: 'type A { b: C }' },
  'an unused variable': { query: 'query ($a: Int) { __typename }' },
  'a directive nobody knows': { query: '{ course(id: 10002) { title @upper } }' },
  deferral: { query: '{ course(id: 10002) { title ... @defer { slug } } }' },
  'a subscription': { query: 'subscription { __typename }' },
  introspection: { query: INTROSPECTION },
  'a switch that is on': { query: 'query ($a: Boolean!) { course(id: 10002) { title slug @include(if: $a) } }', variables: { a: true } },
  'a switch that is off': { query: 'query ($a: Boolean!) { course(id: 10002) { title slug @include(if: $a) } }', variables: { a: false } },
  'a switch left out': { query: 'query ($a: Boolean!) { course(id: 10002) { title slug @include(if: $a) } }' },
  'what the caller may not read': { query: '{ user(id: 3) { courseProgress { nodes { status } } } }' },
  'fields of editors': { query: '{ course(id: 10002) { title titleRaw } }' },
  'a mutation nobody may make': { query: WRITE },
  'a mutation with bad input': {
    query: 'mutation { updateCourse(input: { id: "zz" }) { ... on InvalidInputError { message fields { field } } } }',
  },
  'a mutation without input': { query: 'mutation { createQuiz { __typename } }' },
  'a document too deep': { query: `{${'a{'.repeat(20_000)}` },
  'a long document': {
    query: `{ ${Array.from({ length: 400 }, (_, i) => `a${i}: __typename`).join(' ')} course(id: 10002) { title } } # ${'x'.repeat(30_000)}`,
  },
  'a list of requests': [{ query: COURSE }, { query: COURSE }],
  'an empty list': [],
  null: null,
  'a text': COURSE,
  'a number': 7,
  true: true,
}

/** What stands in the body, where it is more than a GraphQL request in JSON. */
const BODIES: Readonly<Record<string, Raw>> = {
  'no body': text(''),
  spaces: text('  \n'),
  nonsense: text('NONSENSE'),
  'JSON that breaks off': text(GOOD.slice(0, -3)),
  'JSON with more behind it': text(`${GOOD} x`),
  'JSON with spaces around it': text(` \n${GOOD}\t `),
  'JSON twice': text(GOOD + GOOD),
  'a byte order mark': text(`\uFEFF${GOOD}`),
  'a member twice': text(`{"query":"{ nothing }","query":${JSON.stringify(COURSE)}}`),
  'a prototype': text(`{"__proto__":{"query":"x"},"query":${JSON.stringify(COURSE)}}`),
  'a prototype alone': text(`{"__proto__":{"query":${JSON.stringify(COURSE)}}}`),
  'no UTF-8': text(
    Buffer.concat([Buffer.from('{"query":"{ course(id: \\"'), Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from('\\") { title } }"}')]),
  ),
  'text beyond ASCII': text(JSON.stringify({ query: '{ courses(where: { search: "Bücher 😀" }) { totalCount } }' })),
  'a zero byte': text(`${GOOD}\0`),
  'escaped text': text(GOOD.replace('course', '\\u0063ourse')),
  chunks: text([GOOD.slice(0, 10), GOOD.slice(10, 11), GOOD.slice(11)]),
  'chunks that part a character': text([
    Buffer.from(`{"query":"{ __typename }","operationName":null} `),
    Buffer.from([0xc2]),
    Buffer.from([0xa0]),
  ]),
  'chunks of nothing': text(['']),
  'a body of the largest size': text(GOOD.padEnd(40_000)),
  'a body that is too large': text(GOOD.padEnd(40_001)),
  'chunks of the largest size': text([GOOD.padEnd(20_000), ' '.repeat(20_000)]),
  'chunks that are too large': text([GOOD.padEnd(20_000), ' '.repeat(20_001)]),
  'a broken body that is too large': text('x'.repeat(50_000)),
  'a length that is no number': { headers: { ...TYPED, 'content-length': 'many' }, body: GOOD },
  'a length with a sign': { headers: { ...TYPED, 'content-length': `+${GOOD.length}` }, body: GOOD },
  'a body that waits to be asked for': { headers: { ...TYPED, expect: '100-continue' }, body: GOOD },
  'a body said to be gzip': text(GOOD, { ...TYPED, 'content-encoding': 'gzip' }),
}

const TYPES: readonly (string | readonly string[])[] = [
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
  'application/json;charset=latin1',
  'application/json ; charset=utf-8',
  'application/json, text/plain',
  'Application/JSON',
  ' application/json ',
  'application/jsonp',
  'application/json+x',
  RESPONSE,
  'application/graphql',
  'application/graphql+json',
  'text/plain',
  'text/plain; a=application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '',
  ['application/json', 'text/plain'],
]

const ACCEPTS: readonly (string | readonly string[])[] = [
  JSON_TYPE,
  RESPONSE,
  '*/*',
  'application/*',
  `${RESPONSE}, ${JSON_TYPE}`,
  `${RESPONSE};q=0.1, ${JSON_TYPE}`,
  [RESPONSE, JSON_TYPE],
  'Application/JSON',
  'text/html',
  'text/html, */*;q=0.1',
  'image/png',
  '',
  `${JSON_TYPE};q=0`,
  'text/event-stream',
  'multipart/mixed',
  `multipart/mixed;deferSpec=20220824, ${JSON_TYPE}`,
  `text/event-stream;q=0.5, ${JSON_TYPE}`,
]

const PATHS: readonly string[] = [
  '/graphql?x=1',
  '/graphql?',
  `/graphql?query=${encodeURIComponent('{ viewer { id } }')}`,
  '/graphql?operationName=B',
  '/graphql/',
  '/graphql#a',
  '//graphql',
  '/GRAPHQL',
  '/graphqlx',
  '/graphql/x',
  '/graph%71l',
  'http://gateway.test/graphql',
  '/',
  '/health/live',
  '/graphiql',
]

const HEADERS: Readonly<Record<string, Raw['headers']>> = {
  'of an administrator': ADMIN,
  'of an unknown user': { authorization: 'Basic bm9ib2R5Om5vdGhpbmc=' },
  'with an odd Authorization': { authorization: 'Nonsense' },
  'with an empty Authorization': { authorization: '' },
  'from another origin': { origin: 'https://app.example.org' },
  'from no origin': { origin: 'null' },
  'from two origins': { origin: ['https://a.example.org', 'https://b.example.org'] },
  'that asks what it may send': { origin: 'https://app.example.org', 'access-control-request-headers': 'x-a' },
  'with cookies': { cookie: 'wordpress_a=1', 'x-wp-nonce': 'n' },
  'with a key': { 'x-api-key': 'first-key-0123456789' },
  'that takes gzip': { 'accept-encoding': 'gzip, br' },
  'for another host': { host: 'elsewhere.test:81' },
  'for no host': { host: '' },
  'that keeps the connection': { connection: 'keep-alive, close' },
  'with an id': { 'x-request-id': 'abc', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
}

const entries = <V>(values: readonly (string | readonly string[])[], make: (value: string | readonly string[]) => V) =>
  values.map((value) => [String(value) || 'nothing', make(value)] as const)

/** All of them. */
export const REQUESTS: readonly (readonly [name: string, raw: Raw])[] = [
  ...Object.entries(PARAMS).flatMap(([name, params]) => [
    [`${name}, as JSON`, json(params, { accept: JSON_TYPE })] as const,
    [`${name}, as a response`, json(params, { accept: RESPONSE })] as const,
    [`${name}, as whatever`, json(params)] as const,
  ]),
  ...Object.entries(BODIES).map(([name, raw]) => [name, raw] as const),
  ...entries(TYPES, (type) => text(GOOD, type === '' ? {} : { 'content-type': type })).map(
    ([name, raw]) => [`Content-Type ${name}`, raw] as const,
  ),
  ...entries(TYPES, (type) => text('NONSENSE', type === '' ? {} : { 'content-type': type })).map(
    ([name, raw]) => [`nonsense as ${name}`, raw] as const,
  ),
  ...entries(ACCEPTS, (accept) => json({ query: COURSE }, { accept })).map(([name, raw]) => [`Accept ${name}`, raw] as const),
  ...entries(ACCEPTS, (accept) => json({ query: '{ nothing }' }, { accept })).map(
    ([name, raw]) => [`a bad query for ${name}`, raw] as const,
  ),
  ...PATHS.map((path) => [`at ${path}`, { ...json({ query: COURSE }), path }] as const),
  ...Object.entries(HEADERS).map(([name, headers]) => [`a request ${name}`, json({ query: COURSE }, headers)] as const),
  ...Object.entries(HEADERS).map(([name, headers]) => [`a mutation ${name}`, json({ query: WRITE }, headers)] as const),
  ...['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'].map(
    (method) => [`by ${method}`, { ...json({ query: COURSE }), method }] as const,
  ),
  ['HTTP/1.0', { ...json({ query: COURSE }), version: '1.0' }],
  ['HTTP/1.0 without a length', { headers: TYPED, version: '1.0' }],
  ['a GET with a query', { method: 'GET', path: `/graphql?query=${encodeURIComponent(COURSE)}`, headers: { accept: JSON_TYPE } }],
  ['a preflight', { method: 'OPTIONS', headers: { origin: 'https://app.example.org', 'access-control-request-method': 'POST' } }],
]
