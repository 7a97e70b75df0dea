import { buildClientSchema, buildSchema, type GraphQLSchema, introspectionFromSchema, print, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { costOf } from '../../src/graphiql/fields/cost.js'
import { setArgument, tick, untick } from '../../src/graphiql/fields/edits.js'
import { rowsOf } from '../../src/graphiql/fields/rows.js'
import { definitionsOf, entriesOf, follow, type Parsed, parseText, rootScope, type Target } from '../../src/graphiql/fields/scope.js'
import { applyEdits, type Edit } from '../../src/graphiql/fields/text.js'
import { graphSchema } from '../../src/index.js'
import { Coverage } from '../support/coverage.js'
import { Random } from '../support/random.js'
import { randomOperation } from '../support/random-operations.js'
import { IDS } from '../support/random-site.js'
import { SOAK } from '../support/world.js'

const SMALL = buildSchema(`
  interface Node { id: ID! }
  interface Post implements Node { id: ID!  title: String }
  enum Colour { RED GREEN }
  input Window { first: Int!, after: [String!]!, colour: Colour!, inner: Window, note: String }
  type Course implements Node & Post {
    id: ID!
    title: String
    points: Float
    lessons(first: Int, after: String, orderBy: Colour): LessonConnection
    progress(user: ID!): Progress
    old: String @deprecated(reason: "Use title.")
  }
  type Lesson implements Node & Post { id: ID!  title: String  course: Course  points: Int }
  type LessonConnection { edges: [LessonEdge!]!  nodes: [Lesson]!  totalCount: Int }
  type LessonEdge { node: Lesson  cursor: String! }
  type Progress { course: Course  steps: Int }
  type Failure { message: String! }
  union Created = Course | Failure
  type Query { course(id: ID, slug: String): Course  courses: [Course]  node(id: ID!): Node  search(window: Window!): [Post] }
  type Mutation { create(title: String!, window: Window): Created }
`)

/** Parses a document that must have no syntax error. */
function parsed(text: string, schema: GraphQLSchema = SMALL): Parsed {
  const found = parseText(schema, text)
  if (!found) throw new Error(`syntax error in ${text}`)
  return found
}

/** What is edited: the first definition, or a new query. */
const first = (document: Parsed): Target => definitionsOf(document)[0] ?? ('query' as Target)

const way = (path: string): string[] => path.split(' > ')

type Case = readonly [what: string, before: string, path: string, after: string]

const TICKED: readonly Case[] = [
  ['nothing', '', 'courses', '{\n  courses {\n    id\n  }\n}\n'],
  ['only a comment', '# What I read\n', 'courses', '# What I read\n{\n  courses {\n    id\n  }\n}\n'],
  [
    'several missing fields',
    '',
    'course > lessons > nodes > title',
    '{\n  course {\n    lessons {\n      nodes {\n        title\n      }\n    }\n  }\n}\n',
  ],
  ['a line of its own', '{\n  course {\n    id\n  }\n}', 'course > title', '{\n  course {\n    id\n    title\n  }\n}'],
  [
    'tabs',
    '{\n\tcourse {\n\t\tid\n\t}\n}',
    'course > lessons',
    '{\n\tcourse {\n\t\tid\n\t\tlessons {\n\t\t\tnodes {\n\t\t\t\tid\n\t\t\t}\n\t\t}\n\t}\n}',
  ],
  ['CRLF', '{\r\n  course {\r\n    id\r\n  }\r\n}', 'course > title', '{\r\n  course {\r\n    id\r\n    title\r\n  }\r\n}'],
  ['one line', '{ course { id } }', 'course > lessons', '{ course { id lessons { nodes { id } } } }'],
  ['one line with commas', '{ course { id, title } }', 'course > points', '{ course { id, title, points } }'],
  ['no spaces', '{course{id}}', 'course > title', '{course{id title}}'],
  [
    'commas at the ends of lines',
    '{\n  course {\n    id,\n    points,\n  }\n}',
    'course > title',
    '{\n  course {\n    id,\n    points,\n    title\n  }\n}',
  ],
  [
    'a comment behind the last field',
    '{\n  course {\n    id # key\n    # end\n  }\n}',
    'course > title',
    '{\n  course {\n    id # key\n    title\n    # end\n  }\n}',
  ],
  ['a brace behind the last field', '{\n  course {\n    id }\n}', 'course > title', '{\n  course {\n    id\n    title }\n}'],
  [
    'several fields on a line',
    '{ course {\n    id points # both\n  }\n}',
    'course > title',
    '{ course {\n    id points title # both\n  }\n}',
  ],
  ['a field without selections', '{\n  course(id: 1)\n}', 'course > title', '{\n  course(id: 1) {\n    title\n  }\n}'],
  [
    'a field without selections on one line',
    '{ course(id: 1) @skip(if: true) }',
    'course > title',
    '{ course(id: 1) @skip(if: true) { title } }',
  ],
  ['an alias', '{ a: course { id } b: course { id } }', 'b > title', '{ a: course { id } b: course { id title } }'],
  ['a name that an alias has', '{ course { title: id } }', 'course > +title', '{ course { title: id title2: title } }'],
  [
    'a field with another type in another branch',
    '{ node(id: 1) { ... on Course { points } } }',
    'node > ... on Lesson > points',
    '{ node(id: 1) { ... on Course { points } ... on Lesson { points2: points } } }',
  ],
  ['required arguments', '{ courses { id } }', 'node', '{ courses { id } node(id: "1") { id } }'],
  [
    'required members of inputs',
    '{ courses { id } }',
    'search > title',
    '{ courses { id } search(window: { first: 1, after: [""], colour: RED }) { title } }',
  ],
  ['a type', '{ node(id: 1) { id } }', 'node > ... on Lesson > course', '{ node(id: 1) { id ... on Lesson { course { id } } } }'],
  ['an interface', '{ node(id: 1) { id } }', 'node > ... on Post > title', '{ node(id: 1) { id ... on Post { title } } }'],
  [
    'a type that is there',
    '{ node(id: 1) { ... on Lesson { id } } }',
    'node > ... on Lesson > title',
    '{ node(id: 1) { ... on Lesson { id title } } }',
  ],
  [
    'a fragment beside it',
    '{ course { ...A } } fragment A on Course { id }',
    'course > title',
    '{ course { ...A title } } fragment A on Course { id }',
  ],
  [
    'a fragment',
    'fragment A on Course {\n  id\n}\n{ course { ...A } }',
    'title',
    'fragment A on Course {\n  id\n  title\n}\n{ course { ...A } }',
  ],
  ['text with braces', '{ course(slug: "}{#") { id } }', 'course > title', '{ course(slug: "}{#") { id title } }'],
]

const UNTICKED: readonly Case[] = [
  ['a line', '{\n  course {\n    id\n    title\n  }\n}', 'course > title', '{\n  course {\n    id\n  }\n}'],
  ['the first of one line', '{ course { id, title, points } }', 'course > id', '{ course { title, points } }'],
  ['the middle of one line', '{ course { id, title, points } }', 'course > title', '{ course { id, points } }'],
  ['the last of one line', '{ course { id, title, points } }', 'course > points', '{ course { id, title } }'],
  ['without spaces', '{course{...on Course{id}title}}', 'course > id', '{course{title}}'],
  [
    'comments around it',
    '{\n  # a\n  course { id } # b\n  # c\n  courses { id }\n}',
    'course',
    '{\n  # a\n  # b\n  # c\n  courses { id }\n}',
  ],
  ['a line with CRLF', '{\r\n  course {\r\n    id\r\n    title\r\n  }\r\n}', 'course > title', '{\r\n  course {\r\n    id\r\n  }\r\n}'],
  [
    'the last inside a field',
    '{\n  course {\n    lessons {\n      nodes {\n        id\n      }\n    }\n    id\n  }\n}',
    'course > lessons > nodes > id',
    '{\n  course {\n    id\n  }\n}',
  ],
  ['the last of a document', '# Mine\n{ course { id } }\n', 'course > id', '# Mine\n'],
  ['the last of a named operation', 'query A {\n  course { id }\n}', 'course', 'query A {\n  __typename\n}'],
  ['the last of a fragment', '{ course { ...A } } fragment A on Course { id }', 'course', ''],
  ['every place of it', '{ course { id title ... on Post { title } } }', 'course > title', '{ course { id } }'],
  ['one of two aliases', '{ course { a: title b: title } }', 'course > a', '{ course { b: title } }'],
  ['a type', '{ node(id: 1) { id ... on Lesson { title } } }', 'node > ... on Lesson', '{ node(id: 1) { id } }'],
  ['the last of a type', '{ node(id: 1) { id ... on Lesson { title } } }', 'node > ... on Lesson > title', '{ node(id: 1) { id } }'],
  [
    'its variable',
    'query A($id: ID, $n: Int) { course(id: $id) { id lessons(first: $n) { totalCount } } }',
    'course > lessons',
    'query A($id: ID) { course(id: $id) { id } }',
  ],
  [
    'all variables',
    'query A($n: Int # how many (of 9)\n) { course { id lessons(first: $n) { totalCount } } }',
    'course > lessons',
    'query A { course { id } }',
  ],
  [
    'a variable that is used elsewhere',
    'query A($n: Int) { course { a: lessons(first: $n) { totalCount } b: lessons(first: $n) { totalCount } } }',
    'course > a',
    'query A($n: Int) { course { b: lessons(first: $n) { totalCount } } }',
  ],
  ['its fragment', '{ courses { id } course { ...A } }\nfragment A on Course { id }\n', 'course', '{ courses { id } }\n'],
]

describe('ticking a field', () => {
  it.each(TICKED)('with %s', (_, before, path, after) => {
    const document = parsed(before)
    const change = tick(document, first(document), way(path))
    expect(change && applyEdits(before, change.edits)).toBe(after)
    const now = parsed(after)
    expect(follow(now, first(now), change?.path ?? [])?.at(-1)?.own.length).toBeGreaterThan(0)
  })

  it.each([
    ['is selected', '{ course { id } }', 'course > id'],
    ['is selected by a fragment', '{ course { ...A } } fragment A on Course { id }', 'course > id'],
    ['is inside a field of a fragment', '{ ...A } fragment A on Query { course { id } }', 'course > title'],
    ['does not exist', '{ course { id } }', 'course > nope'],
  ])('does nothing when it %s', (_, text, path) => {
    const document = parsed(text)
    expect(tick(document, first(document), way(path))).toBeUndefined()
  })

  it.each([
    ['query', '{ course { id } }', undefined],
    ['mutation', '', 'mutation {\n  create(title: "") {\n    __typename\n  }\n}\n'],
    [
      'mutation',
      'query A { course { id } }\n# end',
      'query A { course { id } }\n# end\n\nmutation NewMutation {\n  create(title: "") {\n    __typename\n  }\n}\n',
    ],
    ['query', 'query NewQuery { course { id } }', 'query NewQuery { course { id } }\n\nquery NewQuery2 {\n  courses {\n    id\n  }\n}\n'],
  ])('begins a new %s', (operation, before, after) => {
    if (after === undefined) return
    const change = tick(parsed(before), operation as Target, [operation === 'query' ? 'courses' : 'create'])
    expect(applyEdits(before, change?.edits ?? [])).toBe(after)
  })
})

describe('unticking a field', () => {
  it.each(UNTICKED)('removes %s', (_, before, path, after) => {
    const document = parsed(before)
    const change = untick(document, first(document), way(path))
    expect(change && applyEdits(before, change.edits)).toBe(after)
    expect(parseText(SMALL, after)).toBeDefined()
  })

  it('leads to the field without its alias', () => {
    const document = parsed('{ course { id t: title } }')
    expect(untick(document, first(document), ['course', 't'])?.path).toEqual(['course', 'title'])
  })

  it('does nothing when only a fragment selects it', () => {
    const document = parsed('{ course { ...A } } fragment A on Course { id }')
    expect(untick(document, first(document), ['course', 'id'])).toBeUndefined()
  })
})

describe('setting an argument', () => {
  it.each([
    ['adds the first', '{ course { lessons { totalCount } } }', '5', '{ course { lessons(first: 5) { totalCount } } }'],
    [
      'adds another',
      '{ course { lessons(after: "x") { totalCount } } }',
      '5',
      '{ course { lessons(after: "x", first: 5) { totalCount } } }',
    ],
    [
      'adds a line',
      '{ course { lessons(\n  after: "x"\n) { totalCount } } }',
      '5',
      '{ course { lessons(\n  after: "x"\n  first: 5\n) { totalCount } } }',
    ],
    [
      'replaces it',
      '{ course { lessons(first: 1, after: "x") { totalCount } } }',
      '5',
      '{ course { lessons(first: 5, after: "x") { totalCount } } }',
    ],
    [
      'replaces a variable',
      'query A($n: Int) { course { lessons(first: $n) { totalCount } } }',
      '5',
      'query A { course { lessons(first: 5) { totalCount } } }',
    ],
    [
      'removes it',
      '{ course { lessons(first: 1, after: "x") { totalCount } } }',
      undefined,
      '{ course { lessons(after: "x") { totalCount } } }',
    ],
    ['removes the last', '{ course { lessons(first: 1) { totalCount } } }', undefined, '{ course { lessons { totalCount } } }'],
    [
      'changes every place',
      '{ course { lessons { totalCount } lessons { nodes { id } } } }',
      '5',
      '{ course { lessons(first: 5) { totalCount } lessons(first: 5) { nodes { id } } } }',
    ],
  ])('%s', (_, before, value, after) => {
    const document = parsed(before)
    const entry = follow(document, first(document), ['course', 'lessons'])?.at(-1)
    expect(applyEdits(before, setArgument(document, entry as NonNullable<typeof entry>, 'first', value))).toBe(after)
  })
})

describe('the order of the lines', () => {
  const names = (text: string, order?: Map<string, readonly string[]>): string[] => {
    const document = parsed(text)
    return rowsOf(document, first(document), new Map(), '', order).rows.flatMap(({ path }) => (path.length === 2 ? path.slice(1) : []))
  }

  it('is that of the schema, with what is selected first', () => {
    expect(names('{ course { points title } }')).toEqual(['title', 'points', 'id', 'lessons', 'progress', 'old'])
  })

  it('stays while fields are ticked and unticked', () => {
    const order = new Map<string, readonly string[]>()
    const before = names('{ course { points } }', order)
    expect(before).toEqual(['points', 'id', 'title', 'lessons', 'progress', 'old'])
    expect(names('{ course { points title old } }', order)).toEqual(before)
    expect(names('{ course { title } }', order)).toEqual(before)
    expect(names('{ course { title } }')[0]).toBe('title')
  })
})

describe('the lines of the tree', () => {
  const lines = (text: string, toggled: [string, boolean][] = [], search = ''): string[] => {
    const document = parsed(text)
    return rowsOf(document, first(document), new Map(toggled), search).rows.map(
      ({ path, isTicked, isFixed, isExpanded }) =>
        `${'  '.repeat(path.length - 1)}${isExpanded === undefined ? '' : isExpanded ? '- ' : '+ '}${path.at(-1)}${isTicked ? ' x' : ''}${isFixed ? ' fixed' : ''}`,
    )
  }

  it('show what is selected, also by fragments and with aliases', () => {
    const text = '{ a: course { id ...A } b: course { t: title } } fragment A on Post { title }'
    expect(lines(text, [['a/lessons', true]])).toEqual([
      '- a x',
      '  id x',
      '  title x fixed',
      '  points',
      '  - lessons',
      '    + edges',
      '    + nodes',
      '    totalCount',
      '  + progress',
      '  old',
      '- b x',
      '  t x',
      '  id',
      '  points',
      '  + lessons',
      '  + progress',
      '  old',
      '+ courses',
      '+ node',
      '+ search',
    ])
  })

  it('group the fields of types', () => {
    expect(lines('{ node(id: 1) { ...A ... on Post { title } } } fragment A on Lesson { points }', [['node/... on Post', false]])).toEqual([
      '- node x',
      '  + ... on Post x',
      '  - ... on Lesson x fixed',
      '    points x fixed',
      '    id fixed',
      '    title fixed',
      '    + course fixed',
      '  __typename',
      '  id',
      '  + ... on Course',
      '+ course',
      '+ courses',
      '+ search',
    ])
  })

  it('end where fragments lead to themselves', () => {
    const text =
      '{ course { ...A } } fragment A on Course { progress { course { ...B } } } fragment B on Course { progress { course { ...C } } } fragment C on Course { progress { course { ...B } } }'
    expect(lines(text).filter((line) => line.includes('progress'))).toEqual([
      '  - progress x fixed',
      '      - progress x fixed',
      '          - progress x fixed',
      '              + progress fixed',
    ])
  })

  it('of a search are the fields with the name: in all that is selected, and elsewhere at the shortest path', () => {
    expect(lines('{ courses { lessons { nodes { id } } } }', [], 'POINT')).toEqual([
      '- courses x',
      '  points',
      '  - lessons x',
      '    - nodes x',
      '      points',
    ])
    expect(lines('{ courses { lessons { totalCount } } }', [], 'title')).toEqual([
      '- courses x',
      '  title',
      '  - lessons x',
      '    - nodes',
      '      title',
      '- search',
      '  title',
    ])
    expect(lines('', [], 'steps')).toEqual(['- course', '  - progress', '    steps'])
    expect(lines('', [], 'nothing')).toEqual([])
  })

  it('stay few for a search that finds much', () => {
    const { rows, isCut } = rowsOf(parsed('', graphSchema()), 'query' as Target, new Map(), 'e')
    expect([rows.length < 300, isCut]).toEqual([true, true])
  })
})

describe('the cost of a field', () => {
  it.each([
    ['Title as plain text.', undefined],
    ['All price types of the site. One REST call.', '1 call'],
    ['Courses of the site. One REST call for each 100 rows.', '1 call per 100 rows'],
    ['The terms. One REST call for each 100 different terms of a level.', '1 call per 100 terms'],
    ['Records. One REST call for each 100 of a type.', '1 call per 100'],
    ['Lessons of the course. One REST call per course for each 100 rows.', '1 call per course'],
    ['A question by id. One REST call for each question: the interface cannot batch them.', '1 call per question'],
    ['How it is sold. One REST call for all courses.', '1 call'],
    ['Titles. No REST call: the answer of the write has them.', 'no call'],
    ['The author. No REST call for the id alone; else one for each 100.', 'no call for the id'],
    ['The caller. With a token, a claim has the id; else the site says it: one REST call, which is kept.', '1 call'],
    [undefined, undefined],
  ])('%j: %j', (description, expected) => {
    expect(costOf(description)).toBe(expected)
  })

  it('is shown for every field of the graph whose description states calls', () => {
    const states = Object.values(graphSchema().getTypeMap()).flatMap((type) =>
      'getFields' in type ? Object.values(type.getFields()).map(({ description }) => description ?? '') : [],
    )
    const stated = states.filter((description) => description.includes('REST call'))
    expect(stated.length).toBeGreaterThan(30)
    expect(stated.filter((description) => costOf(description) === undefined)).toEqual([])
  })
})

const SCHEMA = graphSchema()
/** The schema as the page knows it. */
const KNOWN = buildClientSchema(introspectionFromSchema(SCHEMA))

describe('every field of the graph', () => {
  it('can be ticked in an empty document', () => {
    let count = 0
    for (const operation of ['query', 'mutation'] as Target[]) {
      const empty = parsed('', KNOWN)
      const queue: { path: string[]; seen: Set<string> }[] = [{ path: [], seen: new Set() }]
      const seen = new Set<string>()
      for (const { path } of queue) {
        const scope = path.length === 0 ? rootScope(empty, operation) : follow(empty, operation, path)?.at(-1)?.inside
        if (!scope || seen.has(scope.type.name)) continue
        seen.add(scope.type.name)
        for (const { key, inside } of entriesOf(empty, scope)) {
          const here = [...path, key]
          const change = tick(empty, operation, here)
          const made = parsed(applyEdits('', change?.edits ?? []), KNOWN)
          expect(validate(SCHEMA, made.document), made.text).toEqual([])
          expect(print(parsed(applyEdits(made.text, untick(made, first(made), here)?.edits ?? []), KNOWN).document)).toBe('')
          count++
          if (inside) queue.push({ path: here, seen })
        }
      }
    }
    console.log(`${count} fields and types were ticked in an empty document`)
    expect(count).toBeGreaterThan(500)
  })
})

/** Ways to lay out the same operation. */
const LAYOUTS: Readonly<Record<string, (text: string, random: Random) => string>> = {
  'one line': (text) => text,
  lines: (text) => print(parsed(text, KNOWN).document),
  'lines with comments and commas': (text, random) =>
    print(parsed(text, KNOWN).document)
      .split('\n')
      .flatMap((line) => [
        ...(random.chance(0.2) ? [`    # above { ${line.length}`] : []),
        random.chance(0.3) ? `${line}  # } ${line.length}` : !line.endsWith('{') && random.chance(0.3) ? `${line},` : line,
      ])
      .join('\r\n'.slice(random.int(0, 1))),
}

const comments = (text: string): string[] => text.match(/#.*/g) ?? []

/** Most characters of a random operation: validating long ones takes most of the time. */
const LONGEST = 3_000

describe('random operations', () => {
  const seed = Number(process.env.SEED ?? 20_261_123)
  const rounds = Number(process.env.OPERATIONS ?? (SOAK ? 20_000 : 200))

  it('are as before when a field was ticked and unticked, and valid after every change', { timeout: 1_800_000 }, () => {
    const random = new Random(seed)
    const steering = new Coverage(SCHEMA, random)
    const counts = new Map<string, number>()
    const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
    const valid = (text: string): Parsed => {
      const document = parsed(text, KNOWN)
      expect(document.document.definitions.length === 0 ? [] : validate(KNOWN, document.document), text).toEqual([])
      return document
    }
    /** Gives a selected field the name of one that is not selected, where that is valid. */
    const taken = (document: Parsed): Parsed => {
      const path = choose(document, first(document), true) ?? []
      const scope = follow(document, first(document), path.slice(0, -1))?.at(-1)?.inside
      const fields = scope ? entriesOf(document, scope).filter(({ field, inside }) => field && !inside) : []
      const selected = fields.find(({ key, name, own }) => own.length === 1 && key === name)
      const other = fields.find(({ own, fragments }) => own.length === 0 && fragments.length === 0)
      const start = selected?.own[0]?.loc?.start
      if (start === undefined || !other) return document
      const changed = parsed(applyEdits(document.text, [{ start, end: start, text: `${other.name}: ` }]), KNOWN)
      return validate(KNOWN, changed.document).length === 0 ? changed : document
    }
    /** A random place: mostly one where something is selected. */
    const choose = (document: Parsed, target: Target, isTicked: boolean): string[] | undefined => {
      let scope = rootScope(document, target)
      const path: string[] = []
      while (scope) {
        const all = entriesOf(document, scope)
        const fits = all.filter(({ own, fragments }) => (isTicked ? own.length > 0 : own.length === 0 && fragments.length === 0))
        const deeper = all.filter(
          ({ inside, own, fragments }) => inside && (own.length > 0 || (!isTicked && fragments.length === 0 && random.chance(0.1))),
        )
        if (fits.length > 0 && (deeper.length === 0 || random.chance(0.3)))
          return [...path, (fits.find(({ key }) => key.startsWith('+')) ?? random.pick(fits)).key]
        if (deeper.length === 0) return undefined
        // Few selections have a type condition.
        const next = deeper.find(({ key }) => key.startsWith('... on ') && random.chance(0.5)) ?? random.pick(deeper)
        path.push(next.key)
        scope = next.inside
      }
      return undefined
    }

    for (let round = 0; round < rounds; round++) {
      const layout = random.pick(Object.keys(LAYOUTS))
      let query = ''
      do query = randomOperation({ schema: SCHEMA, random, ids: IDS, steering }).query
      while (query.length > LONGEST)
      const laidOut = (LAYOUTS[layout] as (text: string, random: Random) => string)(query, random)
      const before = random.chance(0.5) ? taken(valid(laidOut)) : valid(laidOut)
      const { text } = before
      const target = random.chance(0.5) ? (definitionsOf(before)[0] as Target) : random.pick(definitionsOf(before))
      const at = definitionsOf(before).indexOf(target as never)
      count(layout)
      count(at === 0 ? 'operation' : 'fragment')

      const path = choose(before, target, false)
      if (path) {
        const change = tick(before, target, path)
        expect(change, `${path.join(' > ')} in ${text}`).toBeDefined()
        const { edits, path: ticked } = change as { edits: Edit[]; path: string[] }
        const after = valid(applyEdits(text, edits))
        expect(comments(after.text)).toEqual(comments(text))
        const entries = follow(after, definitionsOf(after)[at] as Target, ticked)
        expect(entries?.at(-1)?.own.length, after.text).toBe(1)
        const undone = untick(after, definitionsOf(after)[at] as Target, ticked)
        expect(applyEdits(after.text, undone?.edits ?? []), ticked.join(' > ')).toBe(text)
        const missing = path.findIndex((_, index) => follow(before, target, path.slice(0, index + 1))?.at(-1)?.own.length === 0)
        count(`ticked with ${path.length - missing} missing`)
        if (entries?.some(({ key }) => key.startsWith('... on '))) count('ticked in a type')
        if (ticked.join() !== path.join()) count('ticked with an alias')
      }

      const chosen = choose(before, target, true)
      if (chosen) {
        const change = untick(before, target, chosen)
        const after = valid(applyEdits(text, change?.edits ?? []))
        count('unticked')
        if (definitionsOf(after).length < definitionsOf(before).length) count('unticked with a fragment')
        if (comments(after.text).length < comments(text).length) count('unticked with comments inside')
        const left = definitionsOf(after)[at]
        if (left) expect(follow(after, left, chosen)?.at(-1)?.own ?? [], after.text).toEqual([])
      }
    }
    console.log(`seed ${seed}, ${rounds} operations: ${[...counts].map(([name, times]) => `${name} ${times}`).join(', ')}`)
    if (rounds < 200) return
    for (const name of ['ticked with an alias', 'ticked in a type', 'unticked with a fragment', 'fragment']) {
      expect(counts.get(name), name).toBeGreaterThan(0)
    }
  })
})
