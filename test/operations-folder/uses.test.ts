import { buildSchema, getLocation, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { usesIn } from '../../src/operations/uses.js'

const schema = buildSchema(`
  directive @cached(for: Int) on FIELD
  type Query { courses(first: Int, where: Where, sort: [Sort!]): [Course!]!, node(id: ID!): Node }
  type Mutation { rename(input: Rename!): Course }
  interface Node { id: ID! }
  type Course implements Node { id: ID!, title(as: Form = TEXT): String, author: User }
  type User implements Node { id: ID!, name: String }
  input Where { search: String, sort: Sort, any: [Where!] }
  input Rename { id: ID!, where: Where }
  enum Sort { TITLE DATE }
  enum Form { TEXT HTML }
`)

/** Each use with the line and the column of its node. */
const uses = (text: string, variables?: Readonly<Record<string, unknown>>): string[] =>
  usesIn(parse(text), schema, variables).map(({ coordinate, node }) => {
    const { line, column } = getLocation(node.loc!.source, node.loc!.start)
    return `${line}:${column} ${coordinate}`
  })

describe('the uses of a document', () => {
  it('are its fields, arguments, directives, values and types, each with its place', () => {
    const text = `query Q($sort: Sort = DATE) {
  courses(first: 2, where: { any: [{ search: "x", sort: TITLE }] }, sort: [$sort, DATE]) @cached(for: 5) {
    __typename
    ...C
  }
}
fragment C on Course { title(as: HTML) other: author { name } }`
    expect(uses(text)).toEqual([
      '1:1 Query',
      '1:9 Sort',
      '1:23 Sort.DATE',
      '2:3 Query.courses',
      '2:11 Query.courses(first:)',
      '2:21 Query.courses(where:)',
      '2:28 Where',
      '2:30 Where.any',
      '2:36 Where',
      '2:38 Where.search',
      '2:51 Where.sort',
      '2:57 Sort.TITLE',
      '2:69 Query.courses(sort:)',
      '2:83 Sort.DATE',
      '2:90 @cached',
      '2:98 @cached(for:)',
      '7:1 Course',
      '7:24 Course.title',
      '7:30 Course.title(as:)',
      '7:34 Form.HTML',
      '7:40 Course.author',
      '7:56 User.name',
    ])
  })

  it('have fields by the type of their selection, also in fragments on other types', () => {
    expect(uses('{ node(id: 1) { id ... on Course { id } } }')).toEqual([
      '1:1 Query',
      '1:3 Query.node',
      '1:8 Query.node(id:)',
      '1:17 Node.id',
      '1:20 Course',
      '1:36 Course.id',
    ])
  })

  it('have the given values of variables at their definitions', () => {
    const text = 'mutation M($input: Rename!, $sort: [Sort!]) { rename(input: $input) { id } }'
    const given = { input: { id: 1, where: { any: [{ sort: 'TITLE' }, null, { other: 1 }] } }, sort: 'DATE', unknown: 1 }
    expect(uses(text, given).filter((use) => /^1:(12|29) /.test(use))).toEqual([
      '1:12 Rename',
      '1:12 Rename',
      '1:12 Rename.id',
      '1:12 Rename.where',
      '1:12 Where',
      '1:12 Where.any',
      '1:12 Where',
      '1:12 Where.sort',
      '1:12 Sort.TITLE',
      '1:12 Where',
      '1:29 Sort',
      '1:29 Sort.DATE',
    ])
  })

  it('leave out what the graph does not have', () => {
    expect(uses('subscription S($x: None) { x }')).toEqual([])
    const text =
      '{ nothing { id } courses(last: 1, where: { none: { a: B } }, sort: UP) @none { ... on None { a } ...N ...Gone } } fragment N on None { a }'
    expect(uses(text)).toEqual(['1:1 Query', '1:18 Query.courses', '1:35 Query.courses(where:)', '1:42 Where', '1:62 Query.courses(sort:)'])
  })
})
