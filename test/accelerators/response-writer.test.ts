import { parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CompiledWriters } from '../../src/accelerators/response-writer.js'
import { graphSchema } from '../../src/index.js'
import { type RunningLms, SAMPLES, startLms } from '../../src/lms/index.js'
import { type Asked, type Executed, Executors } from '../support/executors.js'
import { globalId } from '../support/global-id.js'
import { SAVED_OPERATIONS } from '../support/saved-operations.js'

// Compiled operations answer what graphql-js would: the same text, errors and calls, and no other answer than without a plan.

const schema = graphSchema()
let lms: RunningLms
let executors: Executors
beforeAll(async () => {
  lms = await startLms()
  executors = new Executors(lms.url, (of) => new CompiledWriters(of))
})
afterAll(async () => {
  await executors.close()
  await lms.close()
})

const sorted = ({ errors }: Executed): string[] => errors.map((error) => JSON.stringify(error)).sort()

/** Runs an operation with both executors, and without a plan; all responses must be equal. */
async function same(asked: Asked): Promise<Executed> {
  expect(validate(schema, parse(asked.query))).toEqual([])
  const { compiled, ordinary, alone } = await executors.all(asked)
  expect(compiled.text).toBe(ordinary.text)
  expect(compiled.calls).toEqual(ordinary.calls)
  expect([JSON.stringify(compiled.data), sorted(compiled)]).toEqual([JSON.stringify(alone.data), sorted(alone)])
  return compiled
}

const EXAMPLES = SAVED_OPERATIONS.map(({ file, query, caller, variables }) => ({ file, query, caller, variables: { ...variables } }))

describe('the example operations', () => {
  it.each(EXAMPLES.filter(({ query }) => /^query /m.test(query)))(
    '$file is written, again and again',
    async ({ query, caller, variables }) => {
      for (let times = 0; times < 2; times++) expect(await same({ query, caller, variables })).toMatchObject({ errors: [], written: true })
    },
  )
})

const ids = [
  globalId('Course', 10_001),
  globalId('Group', 1_009),
  globalId('Lesson', 100_001),
  globalId('PriceType', 'open'),
  globalId('Course', 77),
]
const course = (selection: string): string => `{ course(id: 10002) { ${selection} } }`

describe('the response writer writes', () => {
  it.each<[string, string, Record<string, unknown>?]>([
    ['aliases', course('a: title b: title c: titleHtml title: slug prerequisites { t: title } p: prerequisites { u: databaseId }')],
    [
      'records by their slugs',
      `query ($id: ID, $slug: String) {
        a: course(slug: "algebra-equations-first-steps") { id title lessons(first: 2) { nodes { title } } prerequisites { title } }
        b: course(slug: "geometry-first-steps") { slug priceType { name } } none: course(slug: "none") { title }
        c: course(id: $id, slug: $slug) { titleHtml } d: course(id: 10001) { content } }`,
      { slug: 'algebra-equations-first-steps' },
    ],
    ['rows', '{ courses(first: 5) { nodes { __typename id title kind: __typename databaseId again: id slug last: __typename } } }'],
    ['rows with one column', '{ priceTypes { name } courses(first: 3) { nodes { databaseId } } quizzes(first: 2) { nodes { id } } }'],
    [
      'rows of which only the type is asked',
      '{ courses(first: 3) { nodes { __typename } } lessons(first: 2) { nodes { __typename slug } } }',
    ],
    [
      'rows of a list of which one is read by its id too',
      '{ courses(first: 3) { nodes { title } } more: courses(first: 5) { nodes { slug } } course(id: 10001) { price } other: course(id: 10002) { title prerequisites { slug } } }',
    ],
    ['rows and edges to the same records', '{ courses(first: 5) { nodes { title } edges { cursor node { slug } } } }'],
    ['a field twice', course('title slug title prerequisites { title } title prerequisites { title }')],
    ['selections merged under one key', course('prerequisites { title } slug prerequisites { databaseId } prerequisites { title slug }')],
    ['the order of merged keys', course('... on Course { slug } title ... on LmsContent { date slug } ... { databaseId title }')],
    ['merged roots', '{ a: course(id: 10002) { slug } b: priceTypes { slug } a: course(id: 10002) { title priceType { name } } }'],
    [
      'merged lists',
      '{ courses(first: 3) { nodes { slug } totalCount } courses(first: 3) { pageInfo { hasNextPage } nodes { title lessons(first: 1) { nodes { title } } } } }',
    ],
    [
      'merged rows and edges',
      '{ courses(first: 3) { edges { cursor node { slug } } nodes { title } edges { node { priceType { slug } } } pageInfo { startCursor endCursor hasPreviousPage } } }',
    ],
    [
      'fragments in fragments',
      `${course('...a ...b')} fragment a on Course { title ...c } fragment b on Course { ...c slug ...a } fragment c on LmsContent { slug author { id } date }`,
    ],
    ['fragments of interfaces', course('... on Node { id } ... on LmsContent { title author { databaseId } } ... on Course { price }')],
    [
      'an interface',
      '{ node(id: "' +
        ids[0] +
        '") { __typename id ... on LmsContent { title } ... on Course { price lessons(first: 1) { totalCount } } ... on Group { parentId } } }',
    ],
    [
      'several types',
      'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on LmsContent { slug title } ... on Course { slug prerequisites { id } } ... on Lesson { course { title } title } ... on PriceType { name key: slug } } }',
      { ids },
    ],
    ['types of which only the name is asked', 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename } }', { ids }],
    ['types of which nothing is asked', 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Quiz { id } } }', { ids }],
    ['a record that is not there', '{ course(id: 77) { title prerequisites { title } } other: course(id: 10001) { title } }'],
    [
      'a record that is there twice',
      '{ a: course(id: 10002) { title prerequisites { title lessons(first: 1) { nodes { title } } } } b: course(id: 10002) { slug } courses(first: 20) { nodes { title prerequisites { title } } } }',
    ],
    ['a missing record in a list', `{ course(id: ${SAMPLES.dangling}) { prerequisites { title } } }`],
    [
      'an empty list',
      `{ group(id: ${SAMPLES.emptyGroup}) { title courses { totalCount nodes { title } edges { node { title } groupCourse { pointsAmount } } } } }`,
    ],
    ['a list of nothing', '{ courses(where: { id: { in: [] } }) { totalCount nodes { title } pageInfo { hasNextPage endCursor } } }'],
    [
      'sides of a list',
      '{ group(id: 1009) { courses(first: 3) { edges { cursor groupCourse { databaseId pointsAmount priceTypePaynowPrice links { rel } } node { title } } } } }',
    ],
    [
      'scalars of all kinds',
      course(
        'date dateGmt modified link content guid meta links { rel href embeddable allow } curies { name } status statusValue categoryIds points price prerequisiteEnabled featuredMediaId',
      ),
    ],
    [
      'names of types',
      '{ __typename viewer { __typename } course(id: 10002) { __typename t: __typename lessons { __typename nodes { __typename } edges { __typename } pageInfo { __typename } } } }',
    ],
    ['nothing but a name', '{ __typename }'],
    [
      'variables with defaults',
      'query ($id: ID! = 10002, $first: Int = 2, $none: String) { course(id: $id) { lessons(first: $first, after: $none) { nodes { title } } } }',
    ],
    [
      'inputs',
      'query ($where: CourseWhere, $order: CourseOrderBy!) { courses(where: $where, orderBy: $order) { nodes { title } } }',
      { where: { id: { in: [10_003, '10001'] }, status: ['PUBLISH'] }, order: { field: 'INCLUDE' } },
    ],
  ])('%s', async (_, query, variables) => {
    expect(await same({ query, variables, caller: 'admin' })).toMatchObject({ errors: [], written: true })
  })
})

describe('graphql-js answers', () => {
  it.each<[string, string, Record<string, unknown>?]>([
    ['introspection', '{ course(id: 10002) { title } __schema { queryType { name } } }'],
    ['a type looked up', '{ course(id: 10002) { title } __type(name: "Course") { name kind } }'],
    ['a bad id', '{ course(id: "zz") { title } priceTypes { slug } }'],
    ['a bad argument of one of two', '{ a: courses(first: 2) { nodes { title } } b: courses(first: 2000) { nodes { title } } }'],
    ['a bad id among good ones', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: [...ids, 'zz'] }],
    ['wrong variables', 'query ($first: Int!) { courses(first: $first) { totalCount } }', { first: 'many' }],
    ['missing variables', 'query ($first: Int!) { courses(first: $first) { totalCount } }'],
    ['what may not be read', '{ user(id: 3) { courseProgress { nodes { status } } } priceTypes { slug } }'],
    ['fields only editors may read', '{ courses(first: 2) { nodes { title titleRaw password } } }'],
    [
      'a union',
      'mutation { updateCourse(input: { id: "zz" }) { __typename ... on LmsError { message code } ... on InvalidInputError { fields { field } } } }',
    ],
    [
      'a union of a record',
      'mutation { updateCourse(input: { id: 10003, points: 3 }) { ... on LmsError { code } ... on UpdateCourseSuccess { course { points title prerequisites { title } } } } }',
    ],
  ])('%s', async (_, query, variables) => {
    const caller = /mutation/.test(query) ? 'admin' : undefined
    expect(await same({ query, variables, caller })).toMatchObject({ written: false })
  })
})

const SWITCHED = `query ($a: Boolean!, $b: Boolean!, $c: Boolean!, $d: Boolean! = true) {
  course(id: 10002) {
    databaseId @skip(if: $a)
    title @include(if: $b)
    ...parts @skip(if: $c)
    ...parts @include(if: $d)
    ... on Course @include(if: $a) { slug }
    ... @skip(if: $b) { title priceType { slug @include(if: $c) name } }
    prerequisites @include(if: $d) { title }
    prerequisites @skip(if: $a) { databaseId }
    lessons(first: 2) @skip(if: $b) @include(if: $c) { nodes { title } }
    again: lessons(first: 2) { totalCount @include(if: $a) nodes { title @skip(if: $b) databaseId @include(if: $d) } }
  }
  groups(first: 2) @include(if: $d) { nodes { title } pageInfo { hasNextPage @skip(if: $a) } }
}
fragment parts on Course { slug date @include(if: $a) few: lessons(first: 1) { nodes { title } } }`

const combinations = (names: readonly string[]): Record<string, boolean>[] =>
  names.reduce<Record<string, boolean>[]>(
    (all, name) => all.flatMap((each) => [true, false].map((value) => ({ ...each, [name]: value }))),
    [{}],
  )

describe('@skip and @include', () => {
  it('apply in every combination, any number of times', async () => {
    const answers = new Map<string, string>()
    for (let times = 0; times < 2; times++) {
      for (const variables of combinations(['a', 'b', 'c', 'd'])) {
        const { text, written, errors } = await same({ query: SWITCHED, variables })
        expect([written, errors]).toEqual([true, []])
        const name = JSON.stringify(variables)
        expect(answers.get(name) ?? text).toBe(text)
        answers.set(name, text)
      }
    }
    expect(new Set(answers.values()).size).toBeGreaterThan(12)
    const { data } = await same({ query: SWITCHED, variables: { a: true, b: false, c: false } })
    expect(Object.keys(data)).toEqual(['course', 'groups'])
  })

  it('may leave no field', async () => {
    const query =
      'query ($no: Boolean!) { course(id: 10002) { title @include(if: $no) lessons { nodes { title @skip(if: true) } } } viewer @include(if: $no) { id } }'
    const { data } = await same({ query, variables: { no: false } })
    expect(data.course.lessons.nodes[0]).toEqual({})
    expect((await same({ query: '{ viewer @skip(if: true) { id } }' })).text).toBe('{"data":{}}')
  })
})

describe('a document with several operations', () => {
  const query = `
    query Titles($id: ID!) { course(id: $id) { ...parts title } }
    query Slugs($id: ID!) { course(id: $id) { slug ...parts } }
    query Both($id: ID!, $with: Boolean = false) { course(id: $id) { title slug ...parts @include(if: $with) } }
    mutation Change { updateCourse(input: { id: "zz" }) { ... on LmsError { code } } }
    fragment parts on Course { prerequisites { databaseId title } }`

  it('runs each by its name, in any order', async () => {
    const keys: Record<string, string[]> = { Titles: ['prerequisites', 'title'], Slugs: ['slug', 'prerequisites'], Both: ['title', 'slug'] }
    for (const operationName of ['Titles', 'Slugs', 'Both', 'Slugs', 'Titles', 'Both', 'Both', 'Titles']) {
      for (const id of ['10002', '10005']) {
        const { data, written } = await same({ query, operationName, variables: { id } })
        expect([written, Object.keys(data.course)]).toEqual([true, keys[operationName]])
      }
    }
    expect((await same({ query, operationName: 'Change' })).data).toEqual({ updateCourse: { code: 'BAD_USER_INPUT' } })
  })

  it.each([
    ['Nothing', 'Unknown operation named "Nothing".'],
    ['', 'Unknown operation named "".'],
    [undefined, 'Must provide operation name if query contains multiple operations.'],
  ])('reports an error for the name %s', async (operationName, wrong) => {
    const { written, errors } = await same({ query, operationName, variables: { id: '10002' } })
    expect([written, errors.map(({ message }) => message)]).toEqual([false, [wrong]])
  })
})
