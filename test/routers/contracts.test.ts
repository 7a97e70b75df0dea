import { readFileSync } from 'node:fs'
import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
  parse,
  validate,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { type SdlOptions, WrongSubgraphOption } from '../../src/federation/options.js'
import { subgraphOf } from '../../src/federation/subgraph.js'
import { graphSchema } from '../../src/index.js'
import { COMPOSERS, type Composed, type Composer, type Composition, type Contract, usesOf } from './composers.js'
import { WORDPRESS, withSpecification } from './services.js'

const graph = graphSchema()
const lms = (options?: SdlOptions): Composed => ({
  name: 'lms',
  url: 'http://lms.example.org/graphql',
  sdl: subgraphOf(graph, options).sdl,
})

/** Mutations that need an editor, and those of groups, which need an administrator. */
const BY_EDITORS = ['createCourse', 'createLesson', 'createQuiz', 'updateCourse', 'updateLesson', 'updateQuiz']
const BY_ADMINISTRATORS = ['addCoursesToGroup', 'createGroup', 'deleteGroup', 'enrolUsers', 'unenrolUsers', 'updateGroup']

/** Types that these need, besides their own inputs and results. */
const WITH_ADMINISTRATORS = ['CourseAddition', 'EnrolmentResult', 'EnrolmentResultStatus']

/** Types that mutations of courses need, and queries do not, besides their own inputs and results. */
const WITH_MUTATIONS = [
  ...['ConflictError', 'ForbiddenError', 'InvalidInputError', 'LmsError', 'NotFoundError', 'UnauthenticatedError', 'UpstreamError'],
  ...['ErrorCode', 'InvalidField', 'InvalidFieldCode', 'UpstreamAnswer'],
  ...['OpenStatusInput', 'PostStatusInput', 'PrerequisiteCompareInput', 'VideoShownInput', 'VisibleTypeInput'],
]

const { schema } = subgraphOf(graph)
const fieldsOf = (of: GraphQLSchema | undefined, type: string): string[] => {
  const found = of?.getType(type)
  return isObjectType(found) || isInterfaceType(found) ? Object.keys(found.getFields()).sort() : []
}
const coordinates = (type: string, fields: readonly string[]): string[] => fields.map((field) => `${type}.${field}`)
/** The types of a mutation: its input, its result and its success. */
const typesOf = (mutations: readonly string[]): string[] =>
  mutations.flatMap((mutation) =>
    ['Input', 'Result', 'Success'].map((ending) => `${mutation[0]?.toUpperCase()}${mutation.slice(1)}${ending}`),
  )

/** Fields that only editors may read, by their descriptions. */
const editOnly = (isWanted: (type: unknown) => boolean): string[] =>
  Object.values(schema.getTypeMap()).flatMap((type) =>
    isWanted(type) && (isObjectType(type) || isInterfaceType(type))
      ? Object.values(type.getFields()).flatMap(({ name, description }) =>
          description?.includes('Only editors may read it') ? [`${type.name}.${name}`] : [],
        )
      : [],
  )

const isFieldCoordinate = (coordinate: string): boolean => coordinate.includes('.') && !coordinate.includes('(')
const withTag = (uses: Readonly<Record<string, string>>, tag: string): string[] =>
  Object.keys(uses).filter((coordinate) => uses[coordinate] === `name: "${tag}"`)

describe('the SDL for contracts', () => {
  const { sdl } = lms({ tags: true, authenticated: true })
  const tags = usesOf(sdl, 'tag')

  it('has tags on fields of editors and administrators, and on root fields', () => {
    expect(editOnly(isObjectType).length).toBeGreaterThan(20)
    expect(editOnly(isInterfaceType).sort()).toEqual(coordinates('LmsContent', ['contentRaw', 'generatedSlug', 'password', 'titleRaw']))
    const fields = Object.fromEntries(Object.entries(tags).filter(([coordinate]) => isFieldCoordinate(coordinate)))
    expect(withTag(fields, 'administrator').sort()).toEqual(coordinates('Mutation', BY_ADMINISTRATORS))
    expect(withTag(fields, 'editor').sort()).toEqual(
      [...coordinates('Mutation', BY_EDITORS), ...editOnly(isObjectType), ...editOnly(isInterfaceType)].sort(),
    )
    const queries = fieldsOf(schema, 'Query').filter((name) => !name.startsWith('_'))
    expect(withTag(fields, 'learner').sort()).toEqual(coordinates('Query', queries))
    const others = Object.values(fields).filter((use) => !/^name: "(learner|editor|administrator)"$/.test(use))
    expect(others).toEqual([])
  })

  it('has one tag on each type', () => {
    const types = Object.fromEntries(Object.entries(tags).filter(([coordinate]) => !coordinate.includes('.')))
    const administrators = [...typesOf(BY_ADMINISTRATORS), ...WITH_ADMINISTRATORS]
    const editors = [...typesOf(BY_EDITORS), ...WITH_MUTATIONS]
    const isTagged = (name: string): boolean => !/^_/.test(name) && !['Query', 'Mutation'].includes(name)
    const all = Object.values(schema.getTypeMap()).filter((type) => isTagged(type.name) && !isSpecifiedScalarType(type))
    expect(withTag(types, 'administrator').sort()).toEqual(administrators.sort())
    expect(withTag(types, 'editor').sort()).toEqual(editors.sort())
    const learners = all.map(({ name }) => name).filter((name) => ![...administrators, ...editors].includes(name))
    expect(withTag(types, 'learner').sort()).toEqual(learners.sort())
    expect(Object.keys(types).sort()).toEqual(all.map(({ name }) => name).sort())
  })

  it('has `@authenticated` on all mutations and on fields of objects that only editors may read', () => {
    expect(fieldsOf(schema, 'Mutation')).toEqual([...BY_EDITORS, ...BY_ADMINISTRATORS].sort())
    expect(Object.keys(usesOf(sdl, 'authenticated')).sort()).toEqual(
      [...coordinates('Mutation', fieldsOf(schema, 'Mutation')), ...editOnly(isObjectType)].sort(),
    )
  })

  it('has neither without the options', () => {
    for (const options of [{}, { tags: false, authenticated: false }]) expect(lms(options).sdl).not.toMatch(/@(tag|authenticated)\b/)
    const [tagged, authenticated] = [lms({ tags: true }).sdl, lms({ authenticated: true }).sdl]
    expect([usesOf(tagged, 'tag'), usesOf(tagged, 'authenticated')]).toEqual([tags, {}])
    expect([usesOf(authenticated, 'tag'), usesOf(authenticated, 'authenticated')]).toEqual([{}, usesOf(sdl, 'authenticated')])
  })
})

const LEARNERS: Contract = { include: [], exclude: ['editor', 'administrator'] }
const ONLY_LEARNERS: Contract = { include: ['learner'], exclude: ['editor', 'administrator'] }
const EDITORS: Contract = { include: [], exclude: ['administrator'] }
const ONLY_EDITORS: Contract = { include: ['learner', 'editor'], exclude: ['administrator'] }

/** Operations of learners: those of the benchmark that need no users, which are not in the subgraph, and further ones. */
const QUERIES: readonly string[] = [
  ...['Q1', 'Q2', 'Q3', 'Q4', 'Q5', 'Q6', 'Q7']
    .map((name) => readFileSync(new URL(`../bench/queries/${name}.graphql`, import.meta.url), 'utf8'))
    .filter((query) => validate(schema, parse(query)).length === 0),
  `query ($first: Int, $after: String, $search: String) {
    courses(first: $first, after: $after, where: { search: $search, status: [PUBLISH] }, orderBy: { field: TITLE, direction: ASC }) {
      totalCount pageInfo { hasNextPage endCursor }
      edges { cursor node { id title content link price priceType { slug name } prerequisites { title } } }
    }
  }`,
  `{ course(slug: "a") { progress { status percent nextLesson { title } } access { state reasons { __typename message ... on NotEnrolled { priceType { name } } } }
      lessons(first: 5, orderBy: { field: MENU_ORDER }) { nodes { title content } } quizzes { nodes { title } } } }`,
  '{ lesson(id: "1") { ...Content course { title } } quiz(id: "1") { ...Content } group(id: "1") { ...Content } } fragment Content on LmsContent { id title status author { id } }',
]

/** The schema that clients of a contract see. */
function clientOf(
  { composeContract }: Composer,
  services: readonly Composed[],
  contract: Contract,
): Composition & { client: GraphQLSchema } {
  const composed = composeContract?.(services, contract)
  expect(composed?.errors).toEqual([])
  return composed as Composition & { client: GraphQLSchema }
}

/** The coordinates of all types, fields, arguments and values of a schema, without those of the specification. */
function coordinatesOf(of: GraphQLSchema): string[] {
  return Object.values(of.getTypeMap()).flatMap((type) => {
    if (/^(_|link__|join__)/.test(type.name) || isSpecifiedScalarType(type)) return []
    const values = 'getValues' in type ? type.getValues().map(({ name }) => `${type.name}.${name}`) : []
    const all: (GraphQLField<unknown, unknown> | GraphQLInputField)[] = 'getFields' in type ? Object.values(type.getFields()) : []
    const fields = all.filter(({ name }) => !/^_/.test(name))
    const args = fields.flatMap((field) => ('args' in field ? field.args.map((arg) => `${type.name}.${field.name}(${arg.name}:)`) : []))
    return [type.name, ...values, ...fields.map(({ name }) => `${type.name}.${name}`), ...args]
  })
}

/** What a schema must lack, by the contract, and nothing else. */
function expectOnlyRemoved(client: GraphQLSchema, isRemoved: (coordinate: string) => boolean): void {
  const left = new Set(coordinatesOf(client))
  const all = coordinatesOf(schema)
  expect(all.filter((coordinate) => !left.has(coordinate)).sort()).toEqual(all.filter(isRemoved).sort())
  expect([...left].filter((coordinate) => !all.includes(coordinate))).toEqual([])
}

const within = (names: readonly string[]) => {
  const set = new Set(names)
  return (coordinate: string): boolean =>
    set.has(coordinate) || set.has(coordinate.replace(/\(.*/, '')) || set.has(coordinate.replace(/\..*/, ''))
}

const forAdministrators = [...coordinates('Mutation', BY_ADMINISTRATORS), ...typesOf(BY_ADMINISTRATORS), ...WITH_ADMINISTRATORS]
const forEditors = [...typesOf(BY_EDITORS), ...WITH_MUTATIONS, 'Mutation', ...editOnly(isObjectType), ...editOnly(isInterfaceType)]

const withContracts = COMPOSERS.filter(({ composeContract }) => composeContract).map((composer) => [composer.name, composer] as const)

describe.each(withContracts)('contracts in the composer %s', (_, composer) => {
  const ours = lms({ tags: true, authenticated: true })

  it.each([
    ['exclude editors and administrators', ours, LEARNERS],
    ['include learners, and exclude the others', ours, ONLY_LEARNERS],
  ] as const)('for learners that %s', (_, service, contract) => {
    const { client } = clientOf(composer, [service], contract)
    expectOnlyRemoved(client, within([...forEditors, ...forAdministrators]))
    expect(client.getMutationType()).toBeFalsy()
    expect(fieldsOf(client, 'Query')).toEqual(fieldsOf(schema, 'Query').filter((field) => !field.startsWith('_')))
    expect(QUERIES.length).toBeGreaterThan(5)
    for (const query of QUERIES) expect(validate(client, parse(query))).toEqual([])
    for (const forbidden of ['{ course(id: "1") { contentRaw } }', '{ group(id: "1") { ... on LmsContent { password } } }'])
      expect(validate(client, parse(forbidden))).toHaveLength(1)
  })

  it.each([
    ['exclude administrators', ours, EDITORS],
    ['include learners and editors, and exclude administrators', ours, ONLY_EDITORS],
  ] as const)('for editors that %s', (_, service, contract) => {
    const { client } = clientOf(composer, [service], contract)
    expectOnlyRemoved(client, within(forAdministrators))
    expect(fieldsOf(client, 'Mutation')).toEqual(BY_EDITORS)
    for (const query of [...QUERIES, '{ course(id: "1") { contentRaw titleRaw password } }'])
      expect(validate(client, parse(query))).toEqual([])
    const update =
      'mutation ($input: UpdateCourseInput!) { updateCourse(input: $input) { ... on UpdateCourseSuccess { course { titleRaw } } ... on NotFoundError { message } } }'
    expect(validate(client, parse(update))).toEqual([])
    expect(validate(client, parse('mutation ($id: ID!) { deleteGroup(input: { id: $id }) { __typename } }')).map(String).join()).toContain(
      'deleteGroup',
    )
  })

  it('for learners in a larger graph', () => {
    const tagged = lms({ tags: true, authenticated: true, users: 'databaseId:Int', refersTo: ['MediaItem', 'Category', 'Tag'] })
    const wordpress = { name: 'wordpress', url: 'http://wordpress.example.org/graphql', sdl: withSpecification(WORDPRESS) }
    const { client } = clientOf(composer, [tagged, wordpress], LEARNERS)
    expect(fieldsOf(client, 'Course')).toEqual(expect.arrayContaining(['title', 'featuredMedia', 'categories', 'tags']))
    expect(fieldsOf(client, 'Course')).not.toContain('contentRaw')
    expect(fieldsOf(client, 'User')).toEqual(expect.arrayContaining(['name', 'posts', 'progressIn']))
    // The mutation of WordPress has no tag.
    expect(fieldsOf(client, 'Mutation')).toEqual(['createPost'])
  })

  it('keep the directives for callers', () => {
    const { supergraph = '' } = clientOf(composer, [ours], EDITORS)
    expect(usesOf(supergraph, 'authenticated')).toMatchObject(usesOf(ours.sdl, 'authenticated'))
  })
})

/** The end of a message, with any proposal or none. */
const END = expect.stringMatching(/^(\.|; did you mean `[^`]+`\?)$/)

describe('inaccessible parts', () => {
  it.each([
    ['a type', ['PriceType', 'Course.priceType', 'GroupCourse.priceType', 'NotEnrolled.priceType', 'Query.priceType', 'Query.priceTypes']],
    ['an enumeration', ['SearchSemantics', 'CourseWhere.searchSemantics', 'GroupWhere.searchSemantics']],
    ['a union', ['CreateGroupResult', 'Mutation.createGroup']],
    ['an interface', ['LmsContent', 'CourseStep.step']],
    ['an input', ['CreateGroupInput', 'Mutation.createGroup']],
    ['a field', ['Course.meta']],
    ['the field of an interface', ['LmsContent.guid']],
    ['a root field', ['Query.groups']],
    ['a mutation', ['Mutation.deleteGroup']],
    ['the field of an input', ['CourseWhere.search']],
    ['an argument', ['Course.lessons(last:)']],
    ['an argument of a root field', ['Query.courses(offset:)']],
    ['a value', ['CourseOrderField.AUTHOR']],
    ['several', ['Course.meta', 'Course.lessons(last:)', 'CourseOrderField.AUTHOR', 'LmsContent', 'CourseStep.step']],
  ])('are marked: %s', (_, inaccessible) => {
    const { sdl } = lms({ inaccessible })
    expect(usesOf(sdl, 'inaccessible')).toEqual(Object.fromEntries(inaccessible.map((coordinate) => [coordinate, ''])))
    // The subgraph itself still has them: routers hide them.
    expect(sdl.replace(/ @inaccessible|"@inaccessible", /g, '')).toBe(lms().sdl)
    const part = subgraphOf(graph, { inaccessible })
    expect(coordinatesOf(part.schema)).toEqual(coordinatesOf(schema))
  })

  it('do not occur without the option', () => {
    for (const inaccessible of [undefined, []]) expect(lms({ inaccessible }).sdl).toBe(lms().sdl)
    expect(lms().sdl).not.toContain('inaccessible')
  })

  it.each([
    ['Corse', '; did you mean `Course`?'],
    ['Nothing', '.'],
    ['', '.'],
    ['String', END],
    ['Course.titel', '; did you mean `Course.title`?'],
    ['Course.constructor', '.'],
    ['Course.title ', '; did you mean `Course.title`?'],
    ['Course.title.text', END],
    ['Query.courses(nothing:)', END],
    ['Query.courses(first)', END],
    ['CourseOrderField.NOTHING', END],
    ['CourseOrderField.ID(first:)', END],
    ['CreateCourseResult.CreateCourseSuccess', END],
    ['DateTime.value', END],
    // Parts of the graph that the subgraph leaves to the owner of users, or to routers.
    ['Query.viewer', END],
    ['User.name', END],
    ['Query._entities', END],
  ])('are refused when unknown: %s', (coordinate, end) => {
    const message = refusal({ inaccessible: ['Course.meta', coordinate] })
    const start = `\`inaccessible\` has \`${coordinate}\`, but the subgraph has no such type, field, argument or value`
    expect([message.slice(0, start.length), message.slice(start.length)]).toEqual([start, end])
  })
})

describe('inaccessible parts that other parts need', () => {
  it.each([
    [['SearchSemantics'], 'has `SearchSemantics`, but `CourseWhere.searchSemantics` uses it: list that too.'],
    [['PriceType'], 'has `PriceType`, but `Course.priceType` uses it: list that too.'],
    [['CreateGroupInput'], 'has `CreateGroupInput`, but `Mutation.createGroup` uses it: list that too.'],
    [['Query.question(id:)'], 'has `Query.question(id:)`, which is required: list `Query.question` instead.'],
    [['UpdateCourseInput.id'], 'has `UpdateCourseInput.id`, which is required: list `UpdateCourseInput` instead.'],
    [['Query'], 'has `Query`, but a graph needs queries: list some of its fields.'],
  ])('are refused: %j', (inaccessible, found) => {
    expect(refusal({ inaccessible })).toBe(`\`inaccessible\` ${found}`)
  })
})

describe('wrong values of other options', () => {
  it.each([
    [{ maxAge: -1 }, '`maxAge` has -1; it must be whole seconds, from 0.'],
    [{ maxAge: { Course: 1.5 } }, '`maxAge` has 1.5; it must be whole seconds, from 0.'],
    [{ refersTo: ['Nope' as never] }, '`refersTo` has `Nope`; it can have MediaItem, Category, Tag.'],
    [{ users: '1d' }, '`users` must be `here`, or the name of a field, with its type unless that is ID: `id`, `lmsId:Int`.'],
  ])('are refused: %j', (options, message) => {
    expect(refusal(options)).toBe(message)
  })
})

describe('ages', () => {
  it.each([
    ['Corse', '; did you mean `Course`?'],
    ['Nothing', '.'],
    ['LmsContent', END],
    ['CourseWhere', END],
    ['toString', END],
  ])('are refused for a type that is no object type: %s', (type, end) => {
    const message = refusal({ maxAge: { Course: 60, [type]: 60 } })
    const start = `\`maxAge\` has \`${type}\`, but the subgraph has no such object type`
    expect([message.slice(0, start.length), message.slice(start.length)]).toEqual([start, end])
  })
})

/** The message of the error for wrong options. */
function refusal(options: SdlOptions): string {
  try {
    lms(options)
  } catch (error) {
    expect(error).toBeInstanceOf(WrongSubgraphOption)
    return (error as Error).message
  }
  throw new Error('The options are accepted.')
}
