import { byVersion } from '../../support/graphql-version.js'
import type { Attack, Row } from './attack.js'
import { times } from './attack.js'
import { post } from './client.js'

// What a document can be shaped like.

const LIMIT = 'LIMIT_EXCEEDED'
const INVALID = 'GRAPHQL_VALIDATION_FAILED'
const UNPARSED = 'GRAPHQL_PARSE_FAILED'

const deep = (open: string, close: string, count = 20_000, inside = ''): string => open.repeat(count) + inside + close.repeat(count)
/** Fragments that spread the next one twice each, and so double what there is with each. */
const doubling = (count: number, twice: (next: string) => string): string =>
  times(count, (i) => `fragment F${i} on Course { ${i === count - 1 ? 'title' : twice(`...F${i + 1}`)} }`)

const ROWS: readonly Row[] = [
  // Deeper than any stack.
  ['selection sets, not closed', '{a'.repeat(20_000), 400, LIMIT],
  ['selection sets', deep('{a', '}'), 400, LIMIT],
  ['inline fragments', `{${deep('...{', '}', 15_000, '__typename')}}`, 400, LIMIT],
  ['lists', `{course(id:${deep('[', ']', 40_000)}){id}}`, 400, LIMIT],
  ['lists, not closed', `{course(id:${'['.repeat(90_000)}`, 400, LIMIT],
  ['objects', `{courses(where:${deep('{a:', '}')}){totalCount}}`, 400, LIMIT],
  ['types of a variable', `query($a:${deep('[', ']', 40_000, 'Int')}){viewer{id}}`, 400, LIMIT],
  ['lists in the argument of a directive', `{viewer @include(if:${deep('[', ']', 40_000)}){id}}`, 400, LIMIT],
  ['lists in a default', `query($a:[Int]=${deep('[', ']', 40_000)}){viewer{id}}`, 400, LIMIT],
  ['braces behind a text that only seems to go on', `{course(id:"\\\\"){${deep('a{', '}')}`, 400, LIMIT],
  ['braces behind a block text', `{course(id:"""\\""" " """){${deep('a{', '}')}`, 400, LIMIT],
  ['braces behind a comment', `# " """\n${deep('{a', '}')}`, 400, LIMIT],
  ['braces in a block text without end', `{course(id:"""${'{'.repeat(80_000)}`, 400, UNPARSED],
  ['braces in a text without end', `{course(id:"${'{'.repeat(80_000)}\n"){id}}`, 400, UNPARSED],
  ['parentheses', `{course${'('.repeat(80_000)}`, 400, UNPARSED],

  // More than anybody needs.
  ['words', `{courses{nodes{${times(10_001, () => 'id')}}}}`, 400, LIMIT],
  ['marks', `{${'!'.repeat(90_000)}`, 400, UNPARSED],
  ['dots', `{${'...'.repeat(30_000)}`, 400, UNPARSED],
  ['depth', `{course(id:1){${deep('prerequisites{', '}', 20, 'id')}}}`, 400, LIMIT],
  ['depth by fragments', `{course(id:1){...F0}} ${doubling(25, (next) => `prerequisites{${next}}`)}`, 400, LIMIT],
  ['fields at the root', `{${times(51, (i) => `a${i}:viewer{id}`)}}`, 400, LIMIT],
  [
    'fields at the root by a fragment',
    `{...A ...B} ${['A', 'B'].map((name) => `fragment ${name} on Query {${times(26, (i) => `${name}${i}:viewer{id}`)}}`).join(' ')}`,
    400,
    LIMIT,
  ],
  ['fields at the root by inline fragments', `{${times(51, (i) => `...{a${i}:viewer{id}}`)}}`, 400, LIMIT],
  ['aliases', `{courses{nodes{${times(2_001, (i) => `a${i}:id`)}}}}`, 400, LIMIT],
  ['fragments', `{...F0} ${times(101, (i) => `fragment F${i} on Query {viewer{id} ...F${i + 1}}`)}`, 400, LIMIT],
  ['fragments spread twice each', `{course(id:1){...F0}} ${doubling(60, (next) => `${next} ${next}`)}`, 400, LIMIT],
  [
    'fragments doubled by aliases',
    `{course(id:1){...F0}} ${doubling(15, (next) => `a:prerequisites{${next}} b:prerequisites{${next}}`)}`,
    400,
    LIMIT,
  ],
  ['fragments doubled by inline fragments', `{course(id:1){...F0}} ${doubling(60, (next) => `...{${next}} ...{${next}}`)}`, 400, LIMIT],
  ['selections', `{courses{nodes{${times(4_995, () => 'id')} ...{id} ...{id}}}}`, 400, LIMIT],
  ['directives on a field', `{viewer${times(3_000, () => '@skip(if:true)')}{id}}`, 400, LIMIT],
  ['directives on many fields', `{courses{nodes{${times(201, (i) => `a${i}:id@include(if:true)`)}}}}`, 400, LIMIT],
  ['unknown directives', `{viewer${times(3_000, (i) => `@a${i}`)}{id}}`, 400, LIMIT],
  ['items of a list', `{nodes(ids:[${times(1_001, () => '1')}]){id}}`, 400, LIMIT],
  ['fields of an object', `mutation{updateCourse(input:{${times(1_001, (i) => `a${i}:1`)}}){__typename}}`, 400, LIMIT],
  ['equal fields with arguments', `{courses{nodes{${times(1_200, () => 'lessons(first:1){totalCount}')}}}}`, 400, LIMIT],

  // What the graph consists of, many times over.
  ['introspection by aliases', `{__schema{types{${times(300, (i) => `a${i}:fields{name args{name}}`)}}}}`, 400, LIMIT],
  [
    'introspection of one type by aliases',
    `{${times(40, (i) => `t${i}:__type(name:"Course"){${times(9, (j) => `a${j}:fields{name type{name fields{name}}}`)}}`)}}`,
    400,
    LIMIT,
  ],
  [
    'introspection by fragments',
    `{__schema{types{...F0}}} ${times(12, (i) => `fragment F${i} on __Type {${i === 11 ? 'name fields{name}' : `a${i}:ofType{...F${i + 1}} b${i}:ofType{...F${i + 1}}`}}`)}`,
    400,
    LIMIT,
  ],
  ['introspection in itself', '{__schema{types{fields{type{fields{type{fields{type{name}}}}}}}}}', 400, INVALID],

  // What fits no graph, much of it.
  ['unknown fields', `{${times(50, (i) => `field${i}`)}}`, 400, INVALID],
  ['thousands of unknown fields further down', `{courses{nodes{${times(3_000, (i) => `field${i}`)}}}}`, 400, INVALID, { most: 25_000 }],
  ['a name of 90 KB', `{${'a'.repeat(90_000)}}`, 400, INVALID],
  ['an unknown type of 90 KB', `query($a:${'A'.repeat(90_000)}){viewer{id}}`, 400, INVALID],
  ['unused variables', `query(${times(900, (i) => `$a${i}:Int`)}){viewer{id}}`, 400, INVALID, { most: 20_000 }],
  ['unused fragments', `{viewer{id}} ${times(90, (i) => `fragment F${i} on Query {viewer{id}}`)}`, 400, INVALID, { most: 20_000 }],
  [
    'unknown keys of an input',
    `mutation{updateCourse(input:{id:1 ${times(900, (i) => `a${i}:1`)}}){__typename}}`,
    400,
    INVALID,
    // graphql-js 17 quotes the whole input for each key; the answer has no more than 500 characters of each message.
    { most: byVersion(40_000, 70_000) },
  ],
  [
    'wrong members of an enumeration',
    `{courses(where:{status:[${times(900, () => 'PUBLISHX')}]}){totalCount}}`,
    400,
    INVALID,
    { most: 40_000 },
  ],
  ['a text of 90 KB for a number', `{courses(first:"${'x'.repeat(90_000)}"){totalCount}}`, 400, INVALID],
  ['fields that can not be merged', `{courses{nodes{${times(1_000, (i) => `a:${i % 2 ? 'id' : 'title'}`)}}}}`, 400, LIMIT],
  ['one field thousands of times', `{courses{nodes{${times(3_000, () => 'id')}}}}`, 400, LIMIT],
  ['one field many times in many', `{courses{nodes{${times(65, () => `prerequisites{${times(65, () => 'id')}}`)}}}}`, 400, LIMIT],
  [
    'fragments that all spread each other',
    `{course(id:1){...F0}} ${times(12, (i) => `fragment F${i} on Course {prerequisites{${times(12, (j) => `...F${j}`)}}}`)}`,
    400,
    LIMIT,
  ],
  ['a fragment in itself', '{...A} fragment A on Query {...A}', 400, INVALID],
  ['fragments in a circle', `{...F0} ${times(40, (i) => `fragment F${i} on Query {viewer{id} ...F${(i + 1) % 40}}`)}`, 400, INVALID],
  ['fragments called like members of all objects', '{...__proto__ ...constructor ...toString}', 400, INVALID],
  ['a fragment called __proto__', 'fragment __proto__ on Query{viewer{id}} {...__proto__ ...kind}', 400, INVALID],
  ['definitions of types', 'type A {a:Int} extend type Query {a:Int} {viewer{id}}', 400, INVALID],
  ['equal operations', times(400, () => 'query A{viewer{id}}'), 400, 'OPERATION_RESOLUTION_FAILURE'],
  ['thousands of operations', times(1_000, (i) => `query A${i}{viewer{id}}`), 400, 'OPERATION_RESOLUTION_FAILURE'],
  ['a subscription', 'subscription{viewer{id}}', 400, undefined, { says: /BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED/ }],

  // What is no document.
  ['nothing', '', 400, UNPARSED],
  ['comments alone', `#${'x'.repeat(90_000)}`, 400, UNPARSED],
  ['control characters', '{viewer{id\u0000}}\u0007', 400, UNPARSED],
  ['half a character', '{viewer{id\ud800}}', 400, UNPARSED],
  ['a regular expression’s nightmare', `{course(id:"${'\\u{'.repeat(20_000)}"){id}}`, 400, UNPARSED],
]

export const DOCUMENTS: readonly Attack[] = ROWS.map(([name, query, status, code, more]) => ({
  name,
  send: post({ query }),
  status,
  ...(code !== undefined && { code }),
  ...more,
}))
