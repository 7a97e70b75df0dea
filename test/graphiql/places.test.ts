import { describe, expect, it } from 'vitest'
import { callsFor, errorsOf, fieldsOf, pathAtValue, pathsAt, type Span, valuesOf } from '../../src/graphiql/calls/places.js'

const QUERY = `query First { nope }
query Second($id: ID!) {
  all: groups(first: 2) {
    nodes { ...Titles courses { nodes { ...Titles } } }
  }
  course(id: $id) { ... on Course { ...Titles } ...Loop }
}
fragment Titles on LmsContent { name: title author { id } }
fragment Loop on Course { id ...Loop ...Missing }
`

const text = (whole: string, [start, end]: Span): string => whole.slice(start, end)

describe('fieldsOf', () => {
  it('finds fields at their response paths, through aliases, fragments and inline fragments', () => {
    expect(fieldsOf(QUERY, 'Second').map(({ path, name }) => `${path} ${text(QUERY, name)}`)).toEqual([
      'all all: groups',
      'all.nodes nodes',
      'all.nodes.name name: title',
      'all.nodes.author author',
      'all.nodes.author.id id',
      'all.nodes.courses courses',
      'all.nodes.courses.nodes nodes',
      'all.nodes.courses.nodes.name name: title',
      'all.nodes.courses.nodes.author author',
      'all.nodes.courses.nodes.author.id id',
      'course course',
      'course.name name: title',
      'course.author author',
      'course.author.id id',
      'course.id id',
    ])
  })

  it.each([
    [QUERY, undefined, ['nope']],
    [QUERY, 'Third', []],
    ['{ a', undefined, []],
    ['', undefined, []],
    ['fragment F on Course { id }', undefined, []],
  ])('takes the named operation, or the first: %#', (query, name, paths) => {
    expect(fieldsOf(query, name).map(({ path }) => path)).toEqual(paths)
  })
})

describe('pathsAt', () => {
  const fields = fieldsOf(QUERY, 'Second')
  it.each([
    ['nope', []],
    ['groups', ['all']],
    ['first: 2', ['all']],
    ['courses', ['all.nodes.courses']],
    ['title', ['all.nodes.name', 'all.nodes.courses.nodes.name', 'course.name']],
    ['Titles } } }', ['all.nodes.courses.nodes']],
    ['on Course', ['course']],
    ['query Second', []],
  ])('at `%s` is the innermost field', (at, paths) => {
    expect(pathsAt(fields, QUERY.indexOf(at) + 1)).toEqual(paths)
  })
})

const RESPONSE = JSON.stringify(
  {
    errors: [{ message: 'No', path: ['all', 'nodes', 1, 'courses'] }, { message: 'Without path' }],
    data: {
      all: {
        nodes: [
          { name: 'data', courses: { nodes: [{ name: 'x' }, { name: 'y' }] } },
          { name: 'B', courses: null },
        ],
      },
      course: { name: 'C', meta: { all: { nodes: [] } } },
    },
  },
  null,
  2,
)

describe('valuesOf', () => {
  it.each<[string[], string[]]>([
    [['all.nodes.name'], ['"name" "data"', '"name" "B"']],
    [['all.nodes.courses.nodes.name'], ['"name" "x"', '"name" "y"']],
    [
      ['course', 'course.name'],
      ['"course" {', '"name" "C"'],
    ],
    [['all'], ['"all" {']],
    [['all.nodes.courses'], ['"courses" {', '"courses" null']],
    [['name', 'errors', 'all.missing'], []],
    [[], []],
  ])('finds %j in all items of lists', (paths, found) => {
    const places = valuesOf(RESPONSE, paths, 100)
    expect(places.map(({ key, value }) => `${text(RESPONSE, key)} ${text(RESPONSE, value).split('\n')[0]}`)).toEqual(found)
    for (const { path } of places) expect(paths).toContain(path)
  })

  it('stops at a number of values', () => {
    expect(valuesOf(RESPONSE, ['all.nodes.name', 'course.name'], 2)).toHaveLength(2)
  })

  it.each(['', 'no JSON', '{"errors": []}', '{"data": null}', '{"data": {"all": '])('finds nothing in %j', (response) => {
    expect(valuesOf(response, ['all.nodes'], 100)).toEqual([])
  })
})

describe('errorsOf', () => {
  it('finds each error of a response', () => {
    expect(errorsOf(RESPONSE).map((span) => JSON.parse(text(RESPONSE, span)).message)).toEqual(['No', 'Without path'])
  })

  it.each(['', 'no JSON', '{"data": {"errors": [1]}}'])('finds none in %j', (response) => {
    expect(errorsOf(response)).toEqual([])
  })
})

describe('pathAtValue', () => {
  it.each([
    ['"x"', 'all.nodes.courses.nodes.name'],
    ['null', 'all.nodes.courses'],
    ['"meta"', 'course.meta'],
    ['"No"', 'all.nodes.courses'],
    ['"Without path"', undefined],
    ['"data": {', undefined],
  ])('at %s', (at, path) => {
    expect(pathAtValue(RESPONSE, RESPONSE.indexOf(at) + 1)).toBe(path)
  })
})

describe('callsFor', () => {
  const calls = [{ paths: ['all'] }, { paths: ['all.nodes.courses', 'course'] }, { paths: ['all.nodes.courses'] }, { paths: [] }]
  it.each([
    ['all', [0]],
    ['all.nodes.name', [0]],
    ['all.nodes.courses', [1, 2]],
    ['all.nodes.courses.nodes.name', [1, 2]],
    ['course.name', [1]],
    ['allow', []],
    ['', []],
  ])('finds the calls for %s, or for the nearest field around it', (path, found) => {
    expect(callsFor(calls, path)).toEqual(found)
  })
})
