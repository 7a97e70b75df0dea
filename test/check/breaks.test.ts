import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { buildASTSchema, type DirectiveNode, getLocation, Kind, NoDeprecatedCustomRule, parse, validate, visit } from 'graphql'
import { afterAll, describe, expect, it } from 'vitest'
import { runCheck } from '../../src/check/run.js'
import { readCollection } from '../../src/operations/collection.js'
import { optionsOf } from '../options/setup.js'
import { all, argument, type Change, GRAPH, inType, replaced, typeOf, withLine, without, withoutType } from '../support/changed-graph.js'
import { OPERATIONS_FOLDER } from '../support/saved-operations.js'

const folder = mkdtempSync(join(tmpdir(), 'breaks-'))
afterAll(() => rmSync(folder, { recursive: true }))

const OPERATIONS = join(folder, 'operations')
cpSync(OPERATIONS_FOLDER, OPERATIONS, { recursive: true })
mkdirSync(join(OPERATIONS, 'more'))
/** What the operations of this repository do not use: directives, shared fragments, defaults that apply. */
writeFileSync(
  join(OPERATIONS, 'more/fragments.graphql'),
  `query DeferredCourse {
  course(id: 10001) {
    ...Map
    ... on Course @defer(label: "lessons") { lessons { nodes { id } } }
  }
}
query SharedMap {
  course(id: 10002) { ...Map }
}
mutation Delete($deletes: DeleteGroupInput!) { deleteGroup(input: $deletes) { __typename } }
fragment Map on Course {
  status
  prerequisiteMap { nodes { depth } }
}
`,
)
writeFileSync(join(folder, 'released.graphql'), GRAPH)
const TEXTS = Object.fromEntries(
  readdirSync(OPERATIONS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => [name, readFileSync(join(OPERATIONS, name), 'utf8')]),
)

interface Found {
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly operation?: string
  readonly file?: string
  readonly line: number
  readonly column: number
}

let count = 0
/** What a check finds that has a place. */
async function check(change: Change, ...argv: readonly string[]) {
  const file = join(folder, `changed-${count++}.graphql`)
  writeFileSync(file, change(GRAPH))
  const given = optionsOf([
    'check',
    OPERATIONS,
    '--schema',
    file,
    '--against',
    join(folder, 'released.graphql'),
    '--format',
    'json',
    ...argv,
  ])
  const { text, isFailed } = await runCheck(given, () => {})
  const findings = JSON.parse(text).findings as Found[]
  expect(isFailed).toBe(findings.some(({ severity }) => severity === 'error'))
  return findings
}

/** The places of findings, as `severity file:line:column`. */
const placesOf = (findings: readonly Found[], severity: Found['severity']): string[] =>
  findings
    .filter((each) => each.severity === severity && each.file !== undefined)
    .map(({ file, line, column }) => `${relative(OPERATIONS, file as string)}:${line}:${column}`)
    .sort()

/** The nodes that use a coordinate, found by the rule of graphql-js on deprecation instead of by the code under test. */
function nodesOf(coordinate: string) {
  const [type, member, argument] = coordinate.split(/[.(:)]+/).filter(Boolean)
  const deprecated: DirectiveNode = { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'deprecated' } }
  const path: string[] = []
  const graph = visit(parse(GRAPH), {
    enter: (node) => {
      if (/Definition$/.test(node.kind) && 'name' in node && node.name) path.push(node.name.value)
    },
    leave: (node) => {
      if (!/Definition$/.test(node.kind) || !('name' in node) || !node.name) return undefined
      const isMeant = path.join('.') === [type, member, argument].filter(Boolean).join('.')
      path.pop()
      return isMeant ? { ...node, directives: [deprecated] } : undefined
    },
  })
  const schema = buildASTSchema(graph, { assumeValid: true })
  const errors = readCollection(OPERATIONS).operations.flatMap(({ document }) => validate(schema, document, [NoDeprecatedCustomRule]))
  const nodes = new Set(errors.flatMap(({ nodes = [] }) => nodes))
  expect(nodes.size, coordinate).toBeGreaterThan(0)
  return [...nodes]
}

const placed = (nodes: ReturnType<typeof nodesOf>): string[] =>
  nodes.map(({ loc }) => {
    const { line, column } = getLocation(loc!.source, loc!.start)
    return `${relative(OPERATIONS, loc!.source.name)}:${line}:${column}`
  })

/** Where a coordinate is used. */
const uses = (...coordinates: readonly string[]): string[] => placed(coordinates.flatMap(nodesOf))

/** Where the fields of a coordinate do not have an argument, or the literals of an input type a field. */
const lacking = (coordinate: string, name: string): string[] =>
  placed(nodesOf(coordinate).filter((node) => node.kind === Kind.FIELD && !node.arguments?.some((each) => each.name.value === name)))

/** The values of an argument. */
const values = (coordinate: string): string[] =>
  placed(nodesOf(coordinate).map((node) => (node.kind === Kind.ARGUMENT ? (node.value as unknown as typeof node) : node)))

/** Where a pattern occurs in the files. */
const texts = (pattern: RegExp): string[] =>
  Object.entries(TEXTS).flatMap(([name, text]) =>
    [...text.matchAll(new RegExp(pattern, 'gm'))].map(({ index }) => {
      const before = text.slice(0, index).split('\n')
      return `${name}:${before.length}:${(before.at(-1) as string).length + 1}`
    }),
  )

interface Case {
  readonly what: string
  readonly change: Change
  readonly errors?: readonly string[]
  readonly warnings?: readonly string[]
  /** What the messages of all errors contain. */
  readonly says?: RegExp
}

/** A case in which a field is gone. */
const gone = (type: string, field: string, says: RegExp, ...changes: readonly Change[]): Case => ({
  what: `the field ${type}.${field} removed`,
  change: all(without(type, field), ...changes),
  errors: uses(`${type}.${field}`),
  says,
})

const renamed = (type: string, field: string, to: string, says = new RegExp(`Did you mean .*"${to}"`)): Case => ({
  what: `the field ${type}.${field} renamed to ${to}`,
  change: inType(type, new RegExp(`\\n  ${field}\\b`), `\n  ${to}`),
  errors: uses(`${type}.${field}`),
  says,
})

const DEFINITION = (variable: string): string[] => texts(new RegExp(`\\$${variable}: `))

const CASES: readonly Case[] = [
  gone('Course', 'priceTypeSlug', /Cannot query field "priceTypeSlug" on type "Course"/),
  renamed('Question', 'points', 'score', /New in the graph, of the same type: score\.$/),
  gone('PageInfo', 'endCursor', /"endCursor" on type "PageInfo"/),
  gone('User', 'nextLessons', /"nextLessons" on type "User"/),
  gone('LmsContent', 'status', /Did you mean to use an inline fragment on/),
  gone('CourseAddition', 'message', /"message" on type "CourseAddition"/),
  {
    what: 'a deprecated field removed',
    change: without('Quiz', 'threshold'),
    errors: uses('Quiz.threshold'),
    says: /"threshold" on type "Quiz"/,
  },
  renamed('CourseProgress', 'percent', 'percentage'),
  renamed('AccessUnknown', 'pointsNeeded', 'pointsneeded'),
  renamed('GroupCourse', 'progressionDisabled', 'progressDisabled'),
  {
    what: 'a type removed',
    change: withoutType('NotEnrolled'),
    errors: texts(/(?<=\.\.\. on )NotEnrolled/),
    says: /Unknown type "NotEnrolled"/,
  },
  {
    what: 'a type removed that unions have',
    change: withoutType('InvalidInputError'),
    errors: texts(/(?<=\.\.\. on )InvalidInputError/),
    says: /Unknown type "InvalidInputError"/,
  },
  {
    what: 'a type renamed',
    change: replaced(/\bPriceType\b/g as unknown as RegExp, 'PriceTypes'),
    errors: [...uses('Course.priceType', 'NotEnrolled.priceType'), ...texts(/(?<=\.\.\. on )PriceType\b/)],
    says: /changed type from '\[?PriceType|Did you mean "PriceTypes"/,
  },
  { what: 'an input type renamed that literals have', change: replaced('CourseWhere', 'CourseFilter') },
  {
    what: 'an input type renamed that a variable has',
    change: replaced('CourseOrderBy', 'CourseOrdering'),
    errors: texts(/CourseOrderBy(?= =)/),
    says: /Unknown type "CourseOrderBy"/,
  },
  {
    what: 'an argument removed',
    change: argument('Course', 'lessons', 'first', ''),
    errors: uses('Course.lessons(first:)'),
    says: /Unknown argument "first" on field "Course.lessons"/,
  },
  { what: 'another argument removed', change: argument('Lesson', 'access', 'course', ''), errors: uses('Lesson.access(course:)') },
  {
    what: 'an argument renamed',
    change: argument('Query', 'terms', 'taxonomy', 'taxonomies: LmsTaxonomy'),
    errors: uses('Query.terms(taxonomy:)'),
    says: /Did you mean "taxonomies"/,
  },
  {
    what: 'an argument that must be given',
    change: argument('Query', 'courses', 'orderBy', 'orderBy: CourseOrderBy!'),
    errors: lacking('Query.courses', 'orderBy'),
    says: /\borderBy\b.* of type "CourseOrderBy!" is required/,
  },
  {
    what: 'an argument that must be given where it is',
    change: argument('Query', 'group', 'id', 'id: ID!'),
  },
  {
    what: 'a new argument that must be given',
    change: inType('Query', /\n {2}question\(/, '\n  question(site: ID!, '),
    errors: uses('Query.question'),
    says: /\bsite\b.* of type "ID!" is required/,
  },
  {
    what: 'a first argument that must be given',
    change: inType('Course', /\n {2}progress\(/, '\n  progress(year: Int!, '),
    errors: uses('Course.progress'),
    says: /\byear\b.* of type "Int!" is required/,
  },
  { what: 'a new argument that may be given', change: inType('Query', /\n {2}question\(/, '\n  question(site: ID, ') },
  {
    what: 'another type of an argument, for a variable',
    change: argument('Query', 'courses', 'after', 'after: ID'),
    errors: values('Query.courses(after:)'),
    says: /Variable "\$after" of type "String" used in position expecting type "ID"/,
  },
  {
    what: 'another type of an argument, for numbers',
    change: argument('Group', 'courses', 'first', 'first: String'),
    errors: values('Group.courses(first:)'),
  },
  {
    what: 'another type of an argument that takes the same literals',
    change: argument('Course', 'quizzes', 'first', 'first: Float'),
  },
  {
    what: 'a field of an input removed',
    change: without('CourseWhere', 'search'),
    errors: uses('CourseWhere.search'),
    says: /field "search"/i,
  },
  {
    what: 'another field of an input removed',
    change: without('UpdateCourseInput', 'pointsEnabled'),
    errors: uses('UpdateCourseInput.pointsEnabled'),
  },
  {
    what: 'a field of an input removed that the variables of a head have',
    change: without('CreateCourseInput', 'prerequisiteIds'),
    errors: DEFINITION('input'),
    says: /field "prerequisiteIds"/i,
  },
  {
    what: 'a field of an input removed that variables may have',
    change: without('CreateCourseInput', 'content'),
    warnings: DEFINITION('input'),
  },
  {
    what: 'a field of an input that must be given',
    change: typeOf('UpdateCourseInput', 'title', 'String!'),
    errors: texts(/(?<=updateCourse\(input: )\{/),
    says: /"UpdateCourseInput.title" of required type|required field "title"/,
  },
  {
    what: 'a field of an input that must be given, and is in a head',
    change: typeOf('CreateCourseInput', 'status', 'PostStatusInput!'),
    warnings: DEFINITION('input'),
  },
  {
    what: 'a new field of an input that must be given',
    change: withLine('AddCoursesToGroupInput', 'reason: String!'),
    errors: texts(/(?<=addCoursesToGroup\(input: )\{/),
  },
  {
    what: 'a new field of an input that variables must have',
    change: withLine('CreateCourseInput', 'reason: String!'),
    errors: DEFINITION('input'),
    says: /'reason' of type 'String!' was added to input object type 'CreateCourseInput'/,
  },
  {
    what: 'a new field of an input that variables without values must have',
    change: withLine('DeleteGroupInput', 'reason: String!'),
    errors: DEFINITION('deletes'),
  },
  {
    what: 'a value removed that a literal has',
    change: without('LmsTaxonomy', 'COURSE_TAG'),
    errors: uses('LmsTaxonomy.COURSE_TAG'),
    says: /Value "COURSE_TAG" does not exist in "LmsTaxonomy" enum.* Allowed: CATEGORY, COURSE_CATEGORY, /,
  },
  {
    what: 'a value removed that the default of a variable has',
    change: without('CourseOrderField', 'DATE'),
    errors: uses('CourseOrderField.DATE'),
    says: /Allowed: .*\bTITLE\b/,
  },
  {
    what: 'a value removed that the variables of a head have',
    change: without('PostStatusInput', 'DRAFT'),
    errors: DEFINITION('input'),
    says: /Value "DRAFT" does not exist in "PostStatusInput" enum/,
  },
  { what: 'a value removed that variables may have', change: without('CourseOrderField', 'TITLE'), warnings: DEFINITION('orderBy') },
  { what: 'a value of answers removed', change: without('AccessState', 'LOCKED') },
  {
    what: 'one record in place of a list',
    change: typeOf('Course', 'prerequisites', 'Course'),
    errors: uses('Course.prerequisites'),
    says: /'Course.prerequisites' changed type from '\[Course\]!' to 'Course'/,
  },
  { what: 'a field that may be null', change: typeOf('CourseConnection', 'nodes', '[Course!]'), errors: uses('CourseConnection.nodes') },
  { what: 'a field that is no longer null', change: typeOf('Course', 'points', 'Float!') },
  { what: 'another scalar', change: typeOf('CourseProgress', 'percent', 'String'), errors: uses('CourseProgress.percent') },
  {
    what: 'a union in place of an object',
    change: all(typeOf('PrerequisiteNode', 'course', 'CourseOrGroup'), (sdl) => `${sdl}\n\nunion CourseOrGroup = Course | Group`),
    errors: uses('PrerequisiteNode.course'),
    says: /changed type from 'Course' to 'CourseOrGroup'\. Cannot query field "\w+" on type "CourseOrGroup"\. Did you mean to use an inline fragment on/,
  },
  { what: 'an object in place of a scalar', change: typeOf('Course', 'points', 'PriceType'), errors: uses('Course.points') },
  {
    what: 'an object that becomes a union',
    change: replaced(/type Answer \{[\s\S]*?\n\}/, 'union Answer = Course | Group'),
    errors: uses('Question.answers'),
    says: /'Answer' kind changed from 'ObjectTypeDefinition' to 'UnionTypeDefinition'\. Cannot query field/,
  },
  {
    what: 'an enumeration that becomes a scalar',
    change: replaced(/enum AccessState \{[\s\S]*?\n\}/, 'scalar AccessState'),
    errors: uses('Access.state'),
  },
  {
    what: 'a member of a union removed',
    change: inType('CreateCourseResult', /CreateCourseSuccess \| /, ''),
    errors: texts(/\.\.\. on CreateCourseSuccess/),
    says: /Fragment cannot be spread here as objects of type "CreateCourseResult" can never be of type "CreateCourseSuccess"/,
  },
  {
    what: 'an interface removed from an object',
    change: inType('PriceType', / implements [^{]*/, ' '),
    errors: texts(/\.\.\. on PriceType/),
    says: /objects of type "Node" can never be of type "PriceType"/,
  },
  {
    what: 'an interface removed that fragments select by',
    change: inType('ConflictError', / implements [^{]*/, ' '),
    warnings: texts(/\.\.\. on LmsError/),
  },
  {
    what: 'a directive removed',
    change: replaced(/directive @defer.*\n+/, ''),
    errors: texts(/@defer/),
    says: /Unknown directive "@defer"/,
  },
  {
    what: 'an argument of a directive removed',
    change: replaced(/(directive @defer\(.*), label: String/, '$1'),
    errors: texts(/label: "lessons"/),
    says: /Unknown argument "label" on directive "@defer"/,
  },
  { what: 'the mutations removed', change: withoutType('Mutation'), errors: texts(/^mutation /), says: /The graph has no mutation/ },
  {
    what: 'another default of an argument',
    change: argument('Course', 'prerequisiteMap', 'maxDepth', 'maxDepth: Int = 3'),
    warnings: lacking('Course.prerequisiteMap', 'maxDepth'),
  },
  {
    what: 'another default of an input',
    change: inType('CourseOrderBy', 'direction: OrderDirection = ASC', 'direction: OrderDirection = DESC'),
    warnings: [...texts(/(?<=orderBy: )\{ field: ID \}/), ...DEFINITION('orderBy')],
  },
  {
    what: 'two changes of one field',
    change: all(typeOf('Course', 'lessons', '[Lesson]'), argument('Course', 'lessons', 'first', '')),
    errors: uses('Course.lessons', 'Course.lessons(first:)'),
  },
]

describe('a changed graph', () => {
  it('is checked in more than 40 ways', () => expect(CASES.length).toBeGreaterThan(45))

  it.each(CASES.map((each) => [each.what, each] as const))(
    'with %s names every broken place and no other',
    async (_, { change, errors = [], warnings = [], says }) => {
      const findings = await check(change)
      expect(placesOf(findings, 'error')).toEqual([...new Set(errors)].sort())
      expect(placesOf(findings, 'warning')).toEqual([...new Set(warnings)].sort())
      if (says) for (const { message } of findings.filter(({ severity }) => severity === 'error')) expect(message).toMatch(says)
    },
  )
})
