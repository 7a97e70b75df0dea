import type { Attack } from './attack.js'
import { post } from './client.js'

// Ids, slugs and cursors that would lead somewhere else. None may reach the site.

const WRONG = 'BAD_USER_INPUT'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const cursor = (text: string): string => Buffer.from(text).toString('base64url')

/** What is no id of anything, wherever it stands. */
const NO_IDS: Readonly<Record<string, unknown>> = {
  'a path': '../../../etc/passwd',
  'an encoded path': '..%2f..%2fusers',
  'an id with a path behind it': '10001/../../users/me',
  'an id with an encoded path behind it': '10001%2F..%2Fusers',
  'an id with a query behind it': '10001?context=edit',
  'an id with a parameter behind it': '10001&context=edit',
  'an id with a fragment behind it': '10001#x',
  'an id with a null byte behind it': '10001\u0000',
  'an id with a line behind it': '10001\r\nX-Injected: 1',
  'an id with a space before it': ' 10001',
  'digits of another script': '１０００１',
  'digits of Arabic': '١٠٠٠١',
  'a superscript': '²',
  'an exponent': '1e4',
  'a hexadecimal number': '0x2711',
  'a fraction as text': '10001.5',
  'a negative id': '-10001',
  'a sign': '+10001',
  'a zero': '0',
  'leading zeros': '0010001',
  'an id beyond 32 bits': '2147483648',
  'an id beyond all': '9'.repeat(400),
  'an id of 90 KB': '1'.repeat(90_000),
  nothing: '',
  'a list in PHP': '10001,10002',
  'a line of SQL': "10001' OR 1=1 --",
  'a template': `\${7*7}{{7*7}}`,
  'half a character': '\ud800',
  'the global id of another type': base64('Lesson:10001'),
  'a global id of no type': base64('__proto__:10001'),
  'a global id with a path': base64('Course:10001/../users'),
  'a global id with dots': base64('Course:..'),
  'a global id with a list': base64('Course:10001,10002'),
  'a global id of 64 KB': base64(`Course:${'1'.repeat(48_000)}`),
  'a global id with a null byte': base64('Course:10001\u0000'),
  'base64 that is none': 'Q291cnNlOjEwMDAx!',
}

/** Fields that take the id of a course. */
const PLACES: Readonly<Record<string, readonly [query: string, variables: (id: unknown) => object]>> = {
  course: ['query ($id: ID!) { course(id: $id) { id } }', (id) => ({ id })],
  'where.id': ['query ($id: ID!) { courses(where: { id: { in: [$id] } }) { nodes { id } } }', (id) => ({ id })],
  'lesson.course': ['query ($id: ID!) { lesson(id: 100001, course: $id) { id } }', (id) => ({ id })],
  'user.progressIn': ['query ($id: ID!) { user(id: 3) { progressIn(course: $id) { id } } }', (id) => ({ id })],
}

const NO_SLUGS: Readonly<Record<string, unknown>> = {
  'a dot': '.',
  'two dots': '..',
  'a path': 'open/../../users',
  'an encoded path': 'open%2f..%2fusers',
  'a backslash': '..\\users',
  'a query': 'open?context=edit',
  'a null byte': 'open\u0000',
  'a line': 'open\r\nX-Injected: 1',
  'letters of another script': 'оpen',
  'a space': 'open closed',
  'a slug of 101 characters': 'x'.repeat(101),
  'a slug of 90 KB': 'x'.repeat(90_000),
  nothing: '',
}

const NO_NODES: Readonly<Record<string, string>> = {
  'bare digits': '10001',
  'a slug with dots': base64('PriceType:..'),
  'a slug with a path': base64('PriceType:open/../users'),
  'a slug that is too long': base64(`PriceType:${'x'.repeat(101)}`),
  'one id for two': base64('CourseProgress:3'),
  'three ids for two': base64('CourseProgress:3:10001:1'),
  'a path for an id': base64('CourseProgress:3:../../users'),
  'an empty id of two': base64('CourseProgress::10001'),
  'a type called like a member of all objects': base64('constructor:10001'),
  'a type that is no node': base64('GroupCourse:10001'),
}

const NO_CURSORS: Readonly<Record<string, unknown>> = {
  'a number': '5',
  'a negative position': cursor('offset:-1'),
  'a position with a sign': cursor('offset:+1'),
  'a position beyond all': cursor('offset:99999999'),
  'an exponent': cursor('offset:1e3'),
  'a fraction': cursor('offset:1.5'),
  'digits of another script': cursor('offset:１'),
  'leading zeros': cursor('offset:007'),
  'a parameter behind it': cursor('offset:1&per_page=1000'),
  'a line behind it': cursor('offset:1\r\n'),
  'another word': cursor('page:1'),
  'a cursor with padding': `${cursor('offset:10')}==`,
  'a cursor with spaces': ` ${cursor('offset:1')}`,
  'nothing of a cursor': '!!!!',
  'a cursor of 90 KB': 'b'.repeat(90_000),
  'half a character': '\ud800',
}

const wrong = (name: string, query: string, variables: object): Attack => ({
  name,
  send: post({ query, variables }),
  status: 200,
  code: WRONG,
})

export const IDS: readonly Attack[] = [
  ...Object.entries(PLACES).flatMap(([place, [query, variables]]) =>
    Object.entries(NO_IDS).map(([name, id]) => wrong(`${name}, as ${place}`, query, variables(id))),
  ),
  ...Object.entries(NO_SLUGS).map(([name, slug]) =>
    wrong(`${name}, as a slug`, 'query ($slug: String!) { priceType(slug: $slug) { slug } }', { slug }),
  ),
  ...Object.entries(NO_NODES).map(([name, id]) =>
    wrong(`${name}, as a node`, 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: [id] }),
  ),
  ...Object.entries(NO_CURSORS).map(([name, after]) =>
    wrong(`${name}, as a cursor`, 'query ($after: String) { courses(after: $after) { totalCount } }', { after }),
  ),
  ...Object.entries(NO_IDS).map(
    ([name, id]): Attack => ({
      name: `${name}, in a mutation`,
      send: post({ query: 'mutation ($id: ID!) { updateCourse(input: { id: $id, title: "x" }) { __typename } }', variables: { id } }),
      status: 200,
      data: { updateCourse: { __typename: 'InvalidInputError' } },
    }),
  ),
]
