import { byVersion } from '../../support/graphql-version.js'
import type { Attack, Row } from './attack.js'
import { times } from './attack.js'
import { post } from './client.js'

// What variables can hold. Each goes to a document that is new, and to one whose operation is known to be good.

const LIMIT = 'LIMIT_EXCEEDED'
const WRONG = 'BAD_USER_INPUT'
const NO_REQUEST = 'BAD_REQUEST'

const FIRST = 'query First($first: Int!) { courses(first: $first) { totalCount } }'
const IDS = 'query Ids($ids: [ID!]!) { nodes(ids: $ids) { id } }'
const ONE = 'query One($id: ID!) { priceType(slug: "open") { slug } course(id: $id) { id } }'
const WHERE = 'query Where($where: CourseWhere) { courses(where: $where, first: 1) { totalCount } }'
const UPDATE = 'mutation Update($input: UpdateCourseInput!) { updateCourse(input: $input) { __typename } }'
const STRANGE =
  'query Strange($toString: Int!, $constructor: Int, $__proto__: String) { courses(first: $toString, offset: $constructor, after: $__proto__) { totalCount } }'

/** A JSON text as it is, where no object could be written so. */
class Raw {
  constructor(readonly text: string) {}
}

const deep = (open: string, close: string, count: number, inside = ''): Raw => new Raw(open.repeat(count) + inside + close.repeat(count))
const keys = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]))

type VariableRow = readonly [name: string, query: string, variables: unknown, status: number, code?: string, more?: Partial<Attack>]

const ROWS: readonly VariableRow[] = [
  ['a list of lists of lists', IDS, new Raw(`{"ids":${deep('[', ']', 40_000).text}}`), 400, LIMIT],
  ['an object in an object in an object', WHERE, new Raw(`{"where":${deep('{"a":', '}', 15_000, '1').text}}`), 400, LIMIT],
  [
    'objects that nest where any object may be',
    UPDATE,
    new Raw(`{"input":{"id":1,"meta":${deep('{"a":', '}', 15_000, '1').text}}}`),
    400,
    LIMIT,
  ],
  ['lists that nest in a variable nobody declares', FIRST, new Raw(`{"first":1,"more":${deep('[', ']', 40_000).text}}`), 400, LIMIT],
  ['too many items', IDS, { ids: Array(1_001).fill('1') }, 400, LIMIT],
  ['too many keys', UPDATE, { input: keys(5_000) }, 400, LIMIT],
  ['too many variables', FIRST, { first: 1, ...keys(1_001) }, 400, LIMIT],
  [
    'too many values over many lists',
    WHERE,
    { where: { a: Array(900).fill(1), b: [...Array(6)].map(() => Array(900).fill(1)) } },
    400,
    LIMIT,
  ],
  ['unknown keys', UPDATE, { input: { id: 1, ...keys(900) } }, 400, WRONG, { most: byVersion(30_000, 35_000) }],
  ['wrong items', WHERE, { where: { status: Array(900).fill('x') } }, 400, WRONG, { most: 130_000 }],
  ['wrong ids', WHERE, { where: { categories: { in: Array(900).fill('x') } } }, 200, WRONG, { most: 500 }],
  ['a text of 90 KB for a number', FIRST, { first: 'x'.repeat(90_000) }, 400, WRONG],
  ['a text of 90 KB for an enumeration', WHERE, { where: { status: ['X'.repeat(90_000)] } }, 400, WRONG],
  ['a key of 90 KB', UPDATE, { input: { id: 1, ['x'.repeat(90_000)]: 1 } }, 400, WRONG],
  ['nothing where something must be', FIRST, {}, 400, WRONG],
  ['null where something must be', FIRST, { first: null }, 400, WRONG],
  ['a number that is none', FIRST, new Raw('{"first":1e999}'), 400, WRONG],
  ['a number that is too large', FIRST, { first: 2 ** 31 }, 400, WRONG],
  ['a fraction', FIRST, { first: 1.5 }, 400, WRONG],
  ['a number as text', FIRST, { first: '5' }, 400, WRONG],
  ['a truth', FIRST, { first: true }, 400, WRONG],
  ['an operator for an id', ONE, { id: { $ne: null } }, 400, WRONG],
  ['a list for an id', ONE, { id: ['1', '2'] }, 400, WRONG],
  ['a fraction for an id', ONE, { id: 1.5 }, 400, WRONG],
  ['a line of SQL for an enumeration', WHERE, { where: { status: ["PUBLISH'; DROP TABLE wp_posts; --"] } }, 400, WRONG],
  ['variables as a list', FIRST, [1], 400, NO_REQUEST],
  ['variables as text', FIRST, '{"first":1}', 400, NO_REQUEST],
  ['variables as a number', FIRST, 7, 400, NO_REQUEST],
  ['a prototype for an object', FIRST, new Raw('{"__proto__":{"first":1}}'), 400, WRONG],
  ['a prototype in an input', UPDATE, new Raw('{"input":{"id":1,"__proto__":{"title":"x"}}}'), 400, WRONG],
  ['a variable called like a member of all objects', STRANGE, {}, 400, WRONG],
  ['a negative window', FIRST, { first: -1 }, 200, WRONG],
  ['a window beyond the largest', FIRST, { first: 1_001 }, 200, WRONG],
  ['more ids than are taken', IDS, { ids: Array(501).fill('Q291cnNlOjEwMDAx') }, 200, WRONG],
  ['half a character for the site', WHERE, { where: { search: '\ud800' } }, 200, WRONG],
  ['a text of 501 characters to search', WHERE, { where: { search: 'x'.repeat(501) } }, 200, WRONG],
  [
    'addresses that would be too long',
    WHERE,
    { where: { slug: Array.from({ length: 100 }, (_, i) => `${i}${'é'.repeat(90)}`) } },
    200,
    WRONG,
  ],
]

/** Good variables of each document. */
const GOOD: Readonly<Record<string, object>> = {
  [FIRST]: { first: 1 },
  [IDS]: { ids: [] },
  [ONE]: { id: '10001' },
  [WHERE]: { where: { id: { in: [] } } },
  [UPDATE]: { input: { id: 0 } },
  [STRANGE]: { toString: 1 },
}

const textOf = (query: string, variables: unknown): string =>
  `{"query":${JSON.stringify(query)},"variables":${variables instanceof Raw ? variables.text : JSON.stringify(variables)}}`

const attacks = (name: string, query: string, known: boolean): Attack[] =>
  ROWS.filter((row) => row[1] === query).map(([what, , variables, status, code, more]) => ({
    name: `${what}, to ${name}`,
    send: post(textOf(known ? query : `${query} # ${what}`, variables)),
    ...(known && { before: post(textOf(query, GOOD[query])) }),
    status,
    ...(code !== undefined && { code }),
    ...more,
  }))

const EXTENSIONS: readonly Row[] = [
  ['extensions that nest', `{"query":"{viewer{id}}","extensions":${deep('{"a":', '}', 15_000, '1').text}}`, 400, LIMIT],
  ['extensions as a list', { query: '{viewer{id}}', extensions: [] }, 400, NO_REQUEST],
  ['many extensions', { query: '{viewer{id}}', extensions: keys(1_001) }, 400, LIMIT],
  ['a hash of another version', { extensions: { persistedQuery: { version: 2, sha256Hash: 'a'.repeat(64) } } }, 400, NO_REQUEST],
  ['a hash that is none', { extensions: { persistedQuery: { version: 1, sha256Hash: { a: 1 } } } }, 400, NO_REQUEST],
  ['a hash of 90 KB', { extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(90_000) } } }, 400, NO_REQUEST],
  ['a hash that leads elsewhere', { extensions: { persistedQuery: { version: 1, sha256Hash: '../../etc/passwd' } } }, 400, NO_REQUEST],
  [
    'the hash of another document',
    { query: '{viewer{id}}', extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } },
    400,
    NO_REQUEST,
  ],
  [
    'the hash of nothing known',
    { extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } },
    400,
    'PERSISTED_QUERY_NOT_FOUND',
  ],
  [
    'a hash called __proto__',
    { extensions: { persistedQuery: { version: 1, sha256Hash: '__proto__' } } },
    400,
    'PERSISTED_QUERY_NOT_FOUND',
  ],
  [
    'aliases of declared variables',
    {
      query: `query(${times(300, (i) => `$a${i}:Int`)}){courses{nodes{${times(300, (i) => `b${i}:lessons(first:$a${i}){totalCount}`)}}}}`,
      variables: keys(1_200),
    },
    400,
    LIMIT,
  ],
]

export const VARIABLES: readonly Attack[] = [
  ...[false, true].flatMap((known) =>
    Object.keys(GOOD).flatMap((query) => attacks(known ? 'a known document' : 'a new document', query, known)),
  ),
  ...EXTENSIONS.map(
    ([name, params, status, code]): Attack => ({ name, send: post(params), status, ...(code !== undefined && { code: code as string }) }),
  ),
]
