import type { Attack } from './attack.js'
import { get, post, requestOf } from './client.js'

// What strangers learn of a gateway, where NODE_ENV is production and where it is not.

const INVALID = 'GRAPHQL_VALIDATION_FAILED'
const WRONG = 'BAD_USER_INPUT'
const HINT = /Did you mean/
const only = <T>(production: T, development: T) => ({ production, development })

/** Something about the graph itself, which production does not tell. */
const introspecting = (name: string, send: Buffer): Attack => ({
  name,
  send,
  status: only(400, 200),
  code: only<string | undefined>(INVALID, undefined),
  most: 1_000_000,
})

/** Something wrong that is like something right, which production does not say. */
const misspelt = (name: string, params: object, more: Partial<Attack> = {}): Attack => ({
  name: `${name} that is like a right one`,
  send: post(params),
  status: 400,
  code: INVALID,
  says: only<RegExp | undefined>(undefined, HINT),
  hides: only<RegExp | undefined>(HINT, undefined),
  ...more,
})

const page = (name: string, path: string, found: number, hidden: number, code?: string): Attack => ({
  name,
  send: requestOf({ path, headers: { accept: 'text/html,application/xhtml+xml' } }),
  status: only(hidden, found),
  code: only(code, undefined),
  hides: only<RegExp | undefined>(/graphiql|<html/i, undefined),
  most: 10_000_000,
})

const WHERE = 'query Where($where: CourseWhere) { courses(where: $where, first: 1) { totalCount } }'
const known = post({ query: WHERE, variables: { where: { id: { in: [] } } } })

export const PRODUCTION: readonly Attack[] = [
  page('the page of GraphiQL', '/graphql', 200, 406, 'BAD_REQUEST'),
  page('the folder of GraphiQL', '/graphiql', 302, 404),
  page('the settings of GraphiQL, with its users', '/graphiql/config.json', 200, 404),
  page('the operations of GraphiQL', '/graphiql/operations.json', 200, 404),
  page('files of GraphiQL', '/graphiql/assets/none.js', 404, 404),

  introspecting('the schema', post({ query: '{ __schema { types { name } } }' })),
  introspecting('the schema by GET', get({ query: '{ __schema { types { name } } }' })),
  introspecting('the schema under an alias', post({ query: '{ typename: __schema { queryType { name } } }' })),
  introspecting('the schema beside data', post({ query: '{ __typename __schema { queryType { name } } }' })),
  introspecting('the schema by a fragment', post({ query: '{ ...A } fragment A on Query { __schema { queryType { name } } }' })),
  introspecting('the schema by an inline fragment', post({ query: '{ ... on Query { ... { __schema { queryType { name } } } } }' })),
  introspecting('a type', post({ query: '{ __type(name: "Course") { fields { name } } }' })),
  introspecting(
    'a type by a variable',
    post({ query: 'query ($name: String!) { __type(name: $name) { name } }', variables: { name: 'Course' } }),
  ),
  introspecting(
    'the schema in the second operation',
    post({ query: 'query A { __typename } query B { __schema { queryType { name } } }', operationName: 'B' }),
  ),
  introspecting('the schema that is skipped', post({ query: '{ __typename __schema @skip(if: true) { queryType { name } } }' })),
  introspecting('the schema, line by line', post({ query: '{\n__schema\n{\nqueryType\n{\nname\n}\n}\n}' })),

  misspelt('a field', { query: '{ coursess { totalCount } }' }),
  misspelt('a field further down', { query: '{ courses { nodes { titel } } }' }),
  misspelt('a field on an interface', { query: '{ node(id: "x") { title } }' }),
  misspelt('an argument', { query: '{ course(idd: 1) { id } }' }),
  misspelt('an argument of a directive', { query: '{ viewer @include(iff: true) { id } }' }),
  misspelt('a type of a fragment', { query: '{ ... on Queryy { viewer { id } } }' }),
  misspelt('a type of a variable', { query: 'query ($a: Strin) { priceType(slug: $a) { slug } }' }),
  misspelt('a field of an input', { query: '{ courses(where: { slugg: "a" }) { totalCount } }' }),
  misspelt('a member of an enumeration', { query: '{ courses(where: { status: [PUBLISHED] }) { totalCount } }' }),
  misspelt('a member of an enumeration, as text', { query: '{ courses(where: { status: ["PUBLISH"] }) { totalCount } }' }),
  misspelt('a field of an input, in a variable', { query: `${WHERE} #`, variables: { where: { slugg: 'a' } } }, { code: WRONG }),
  misspelt(
    'a member of an enumeration, in a variable',
    { query: `${WHERE} #`, variables: { where: { status: ['PUBLISHED'] } } },
    { code: WRONG },
  ),
  misspelt(
    'a field of an input, to a known document',
    { query: WHERE, variables: { where: { slugg: 'a' } } },
    { code: WRONG, before: known },
  ),
  misspelt(
    'a member, to a known document',
    { query: WHERE, variables: { where: { status: ['PUBLISHED'] } } },
    { code: WRONG, before: known },
  ),

  { name: 'an error of JSON', send: post('{"query": x}'), status: 400, code: 'BAD_REQUEST', hides: /token|position|SyntaxError/ },
  { name: 'a field without a selection', send: post({ query: '{ courses }' }), status: 400, code: INVALID },
  { name: 'an error of the parser', send: post({ query: '{ a(' }), status: 400, code: 'GRAPHQL_PARSE_FAILED' },
  { name: 'a page that is not there', send: requestOf({ path: '/index.php' }), status: 404 },
  { name: 'whether it lives', send: requestOf({ path: '/health/live' }), status: 200, hides: /version|node/i },
  { name: 'other pages of health', send: requestOf({ path: '/health/metrics' }), status: 404 },
  { name: 'metrics by way of health', send: requestOf({ path: '/health/../metrics' }), status: 400, code: 'BAD_REQUEST' },
  {
    name: 'whether the site is well',
    send: requestOf({ path: '/health/site' }),
    status: 200,
    hides: /version|node|127|localhost/i,
    calls: Number.NaN,
  },
]
