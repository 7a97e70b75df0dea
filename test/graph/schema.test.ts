import { readFileSync } from 'node:fs'
import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  graphqlSync,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  Kind,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  type SchemaDefinitionNode,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { graphSchema } from '../../src/graph/schema.js'
import { ERROR_CODES } from '../../src/upstream/error-codes.js'

const schema = graphSchema()
const types = Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type))
const outputs = types.filter((type) => isObjectType(type) || isInterfaceType(type))
const inputs = types.filter(isInputObjectType)

/** Arguments of every list, before its filters and order. */
const LIST = 'after: String, before: String, first: Int, last: Int, offset: Int'
const list = (name: string, more = ''): string =>
  `(${[LIST, more, `orderBy: ${name}OrderBy, where: ${name}Where`].filter((part) => part !== '').join(', ')})`
const post = { author: ': User', curies: ': [RestCurie!]!', featuredImage: ': FeaturedImage', links: ': [RestLink!]!' }
const termsOf = (resource: string) =>
  Object.fromEntries(['categories', 'tags', `${resource}Categories`, `${resource}Tags`].map((name) => [name, ': [LmsTerm]!']))
const prerequisites = { prerequisites: ': [Course]!', priceType: ': PriceType' }
const window = (edge: string, node: string) => ({ edges: `: [${edge}!]!`, nodes: `: [${node}]!`, pageInfo: ': PageInfo!' })

const MUTATIONS = [
  ...['createCourse', 'createGroup', 'createLesson', 'createQuiz'],
  ...['updateCourse', 'updateGroup', 'updateLesson', 'updateQuiz', 'deleteGroup', 'addCoursesToGroup'],
  ...['enrolUsers', 'unenrolUsers'],
]
const upper = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
const FAILURES = ['ConflictError', 'ForbiddenError', 'InvalidInputError', 'NotFoundError', 'UnauthenticatedError', 'UpstreamError']

/** Every type with fields, and of each the fields that lead to other types or take arguments. */
/** The types of fields that are computed, by what they lead to. */
const ANSWERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Access: { reasons: ': [AccessReason!]!', unknowns: ': [AccessUnknown!]!' },
  AccessReason: {},
  AccessUnknown: {},
  CourseEnded: {},
  CourseNotStarted: {},
  Expired: {},
  NextLesson: { course: ': Course', lesson: ': Lesson', progress: ': CourseProgress!' },
  NotEnrolled: { priceType: ': PriceType' },
  NotPublished: {},
  NotYetReleased: {},
  PasswordRequired: {},
  CourseOutline: { quizzes: ': [Quiz]!', sections: ': [OutlineSection!]!' },
  OutlineLesson: { lesson: ': Lesson', quizzes: ': [Quiz]!', topics: ': [OutlineTopic!]!' },
  OutlineSection: { lessons: ': [OutlineLesson!]!' },
  OutlineTopic: { quizzes: ': [Quiz]!', topic: ': Topic' },
  PrerequisiteMap: { nodes: ': [PrerequisiteNode!]!' },
  PrerequisiteNode: { course: ': Course' },
  PrerequisitesMissing: { completed: ': [Course]!', missing: ': [Course]!' },
  PreviousLessonIncomplete: { lesson: ': Lesson' },
}

const RELATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Query: {
    course: '(id: ID, password: String, slug: String): Course',
    courses: `${list('Course')}: CourseConnection`,
    group: '(id: ID, password: String, slug: String): Group',
    groups: `${list('Group')}: GroupConnection`,
    lesson: '(course: ID, id: ID, password: String, slug: String): Lesson',
    lessons: `${list('Lesson')}: LessonConnection`,
    node: '(id: ID!): Node',
    nodes: '(ids: [ID!]!): [Node]',
    priceType: '(slug: String!): PriceType',
    priceTypes: ': [PriceType!]',
    question: '(id: ID!): Question',
    quiz: '(id: ID, password: String, slug: String): Quiz',
    quizzes: `${list('Quiz')}: QuizConnection`,
    terms: `${list('LmsTerm', 'taxonomy: LmsTaxonomy!').replace(', taxonomy: LmsTaxonomy!, orderBy: LmsTermOrderBy,', ', orderBy: LmsTermOrderBy, taxonomy: LmsTaxonomy!,')}: LmsTermConnection`,
    user: '(id: ID!): User',
    viewer: ': User',
  },
  Group: { ...post, ...termsOf('group'), courses: `${list('GroupCourse')}: GroupCourseConnection`, parent: ': Group' },
  Course: {
    ...post,
    ...termsOf('course'),
    ...prerequisites,
    lessons: `${list('Lesson')}: LessonConnection`,
    outline: ': CourseOutline',
    groups: `(${LIST}): CourseGroupConnection`,
    users: `(${LIST}): CourseUserConnection`,
    access: '(user: ID): Access',
    prerequisiteMap: '(maxDepth: Int, user: ID): PrerequisiteMap',
    progress: '(user: ID): CourseProgress',
    quizzes: `${list('Quiz')}: QuizConnection`,
  },
  GroupCourse: { ...post, ...termsOf('course'), ...prerequisites },
  Lesson: {
    ...post,
    ...termsOf('lesson'),
    access: '(course: ID, user: ID): Access',
    course: ': Course',
    quizzes:
      '(after: String, before: String, course: ID, first: Int, last: Int, offset: Int, orderBy: QuizOrderBy, where: QuizWhere): QuizConnection',
    topics:
      '(after: String, before: String, course: ID, first: Int, last: Int, offset: Int, orderBy: TopicOrderBy, where: TopicWhere): TopicConnection',
  },
  Topic: { ...post, course: ': Course', lesson: ': Lesson' },
  Quiz: { ...post, questions: `(${LIST}): QuestionConnection` },
  Question: { answers: ': [Answer!]', quiz: ': Quiz' },
  Answer: {},
  PriceType: {},
  FeaturedImage: { sizes: ': [FeaturedImageSize!]' },
  FeaturedImageSize: {},
  LmsTerm: { parent: ': LmsTerm' },
  User: {
    courses: `(${LIST}, where: UserCourseWhere): UserCourseConnection`,
    courseProgress: `(${LIST}, where: CourseProgressWhere): CourseProgressConnection`,
    nextLessons: '(first: Int): [NextLesson!]',
    progressIn: '(course: ID!): CourseProgress',
  },
  CourseProgress: {
    course: ': Course',
    curies: ': [RestCurie!]!',
    links: ': [RestLink!]!',
    nextLesson: ': Lesson',
    nextStep: ': CourseStep',
    steps: ': [CourseStep!]',
    user: ': User',
  },
  CourseStep: { step: ': LmsContent' },
  ...ANSWERS,
  LmsContent: post,
  Node: {},
  RestLink: {},
  RestCurie: {},
  PageInfo: {},
  ...Object.fromEntries(
    ['Course', 'CourseProgress', 'Group', 'Lesson', 'LmsTerm', 'Question', 'Quiz', 'Topic'].flatMap((name) => [
      [`${name}Connection`, window(`${name}Edge`, name)],
      [`${name}Edge`, { node: `: ${name}` }],
    ]),
  ),
  Mutation: Object.fromEntries(MUTATIONS.map((name) => [name, `(input: ${upper(name)}Input!): ${upper(name)}Result`])),
  ...Object.fromEntries(
    MUTATIONS.map((name) => [
      `${upper(name)}Success`,
      name === 'addCoursesToGroup'
        ? { additions: ': [CourseAddition!]!', group: ': Group' }
        : name.endsWith('nrolUsers')
          ? { course: ': Course', results: ': [EnrolmentResult!]!' }
          : { [name.replace(/^[a-z]+/, '').toLowerCase()]: `: ${name.replace(/^[a-z]+/, '')}` },
    ]),
  ),
  CourseAddition: { course: ': Course' },
  EnrolmentResult: { user: ': User' },
  ...Object.fromEntries(FAILURES.map((name) => [name, {}])),
  InvalidInputError: { fields: ': [InvalidField!]!' },
  InvalidField: {},
  UpstreamError: { upstream: ': UpstreamAnswer' },
  UpstreamAnswer: {},
  LmsError: {},
  ...Object.fromEntries(
    Object.entries({ UserCourse: 'Course', CourseUser: 'User', CourseGroup: 'Group' }).flatMap(([name, node]) => [
      [`${name}Connection`, window(`${name}Edge`, node)],
      [`${name}Edge`, { node: `: ${node}` }],
    ]),
  ),
  GroupCourseConnection: window('GroupCourseEdge', 'Course'),
  GroupCourseEdge: { groupCourse: ': GroupCourse', node: ': Course' },
}

const POST_WHERE = [
  'author: IdFilter',
  'id: IdFilter',
  'menuOrder: Int',
  'publishedAfter: DateTime',
  'publishedBefore: DateTime',
  'search: String',
  'slug: [String!]',
  'status: [PostStatusFilter!]',
]
const MODIFIED = ['modifiedAfter: DateTime', 'modifiedBefore: DateTime']
const SEARCH = ['searchColumns: [SearchColumn!]', 'searchSemantics: SearchSemantics']
const terms = (resource: string): string[] => [
  'categories: TermFilter',
  `${resource}Categories: TermFilter`,
  `${resource}Tags: TermFilter`,
  'tags: TermFilter',
  'taxRelation: TaxRelation',
]
const orderBy = (name: string): string[] => ['direction: OrderDirection', `field: ${name}OrderField!`]

const typed = (type: string, ...names: string[]): string[] => names.map((name) => `${name}: ${type}`)

const POST_INPUT = [
  ...typed('String', 'content', 'password', 'slug', 'template', 'title'),
  ...typed('ID', 'authorId'),
  ...typed('Int', 'featuredMediaId'),
  'date: LocalDateTime',
  'dateGmt: DateTime',
  'status: PostStatusInput',
]
const termIds = (resource: string): string[] =>
  typed('[Int!]', 'categoryIds', 'tagIds', `${resource}CategoryIds`, `${resource}TagIds`).concat('meta: JSONObject')

/** What can be written of each type. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  Group: [...POST_INPUT, ...termIds('group'), 'parentId: ID'],
  Course: [
    ...POST_INPUT,
    ...termIds('course'),
    ...typed('Int', 'menuOrder'),
    ...typed('HTML', 'materials'),
    ...typed('String', 'customButtonLabel', 'customButtonUrl', 'price', 'priceTypeSlug'),
    ...typed('Boolean', 'disableLessonProgression', 'expireAccess', 'expireAccessDeleteProgress', 'pointsEnabled', 'prerequisiteEnabled'),
    ...typed('Float', 'expireAccessDays', 'points', 'pointsAccess'),
    'prerequisiteCompare: PrerequisiteCompareInput',
    'prerequisiteIds: [ID!]',
  ],
  Quiz: [...POST_INPUT, 'menuOrder: Int', 'materials: HTML', 'certificateId: Int', ...typed('Float', 'passingPercentage', 'threshold')],
  Lesson: [
    ...POST_INPUT,
    ...termIds('lesson'),
    ...typed('HTML', 'materials'),
    ...typed('OpenStatusInput', 'commentStatus', 'pingStatus'),
    ...typed('String', 'assignmentUploadLimitSize', 'videoUrl'),
    ...typed('Boolean', 'assignmentAutoApprove', 'assignmentDeletionEnabled', 'assignmentPointsEnabled', 'assignmentUploadEnabled'),
    ...typed('Boolean', 'forcedTimerEnabled', 'isSample', 'materialsEnabled', 'videoAutoComplete', 'videoAutoStart', 'videoEnabled'),
    ...typed('Boolean', 'videoFocusPause', 'videoResume', 'videoShowCompleteButton', 'videoShowControls'),
    ...typed('Int', 'assignmentPointsAmount', 'assignmentUploadLimitCount', 'forcedTimerAmount', 'menuOrder', 'videoAutoCompleteDelay'),
    ...typed('Int', 'visibleAfter'),
    'assignmentUploadLimitExtensions: [String!]',
    'courseId: ID',
    'videoShown: VideoShownInput',
    'visibleAfterSpecificDate: LocalDate',
    'visibleType: VisibleTypeInput',
  ],
}

/** Every input type with its fields. */
const INPUTS: Readonly<Record<string, readonly string[]>> = {
  CourseWhere: [...POST_WHERE, ...MODIFIED, ...SEARCH, ...terms('course')],
  GroupWhere: [...POST_WHERE, ...MODIFIED, ...SEARCH, ...terms('group'), 'parent: IdFilter'],
  GroupCourseWhere: [...POST_WHERE, ...MODIFIED, ...terms('course')],
  LessonWhere: [...POST_WHERE, ...MODIFIED, ...terms('lesson'), 'course: ID'],
  TopicWhere: [...POST_WHERE, ...MODIFIED, 'course: ID'],
  QuizWhere: [...POST_WHERE, 'course: ID', 'courseLevelOnly: Boolean', 'lesson: ID', 'topic: Int'],
  CourseProgressWhere: ['course: IdFilter'],
  UserCourseWhere: ['id: IdFilter'],
  ...Object.fromEntries(
    Object.entries(WRITTEN).flatMap(([name, fields]) => [
      [`Create${name}Input`, fields],
      [`Update${name}Input`, [...fields, 'id: ID!']],
    ]),
  ),
  DeleteGroupInput: ['force: Boolean', 'id: ID!'],
  ...Object.fromEntries(['EnrolUsersInput', 'UnenrolUsersInput'].map((name) => [name, ['courseId: ID!', 'userIds: [ID!]!']])),
  AddCoursesToGroupInput: ['courseIds: [ID!]!', 'id: ID!'],
  IdFilter: ['in: [ID!]', 'notIn: [ID!]'],
  TermFilter: ['in: [ID!]', 'notIn: [ID!]'],
  LmsTermWhere: ['hideEmpty: Boolean', 'id: IdFilter', 'parent: ID', 'search: String', 'slug: [String!]'],
  ...Object.fromEntries(
    ['Course', 'Group', 'GroupCourse', 'Lesson', 'LmsTerm', 'Quiz', 'Topic'].map((name) => [`${name}OrderBy`, orderBy(name)]),
  ),
}

const ORDERS = ['AUTHOR', 'DATE', 'ID', 'INCLUDE', 'INCLUDE_SLUGS', 'MODIFIED', 'PARENT', 'RELEVANCE', 'SLUG', 'TITLE']
const STATUSES = ['DRAFT', 'FUTURE', 'GRADED', 'NOT_GRADED', 'PENDING', 'PRIVATE', 'PUBLISH', 'TRASH']

/** Enumerations of the graph's answers: open, so that each has UNKNOWN besides. */
const OPEN: Readonly<Record<string, readonly string[]>> = {
  // The codes of the reference, which is tested.
  ErrorCode: ERROR_CODES.map(({ code }) => code),
  AnswerType: ['ASSESSMENT_ANSWER', 'CLOZE_ANSWER', 'ESSAY', 'FREE_ANSWER', 'MATRIX_SORT_ANSWER', 'MULTIPLE', 'SINGLE', 'SORT_ANSWER'],
  EnrolmentResultStatus: ['DONE', 'FAILED', 'IN_DOUBT', 'NOT_SENT'],
  OpenStatus: ['CLOSED', 'OPEN'],
  PostStatus: STATUSES,
  PrerequisiteCompare: ['ALL', 'ANY'],
  ProgressStatus: ['COMPLETED', 'IN_PROGRESS', 'NOT_STARTED'],
  VideoShown: ['AFTER', 'BEFORE'],
  VisibleType: ['VISIBLE_AFTER', 'VISIBLE_AFTER_SPECIFIC_DATE'],
}
/** Enumerations of arguments and of computed fields. */
const CLOSED: Readonly<Record<string, readonly string[]>> = {
  InvalidFieldCode: [
    ...['REQUIRED', 'TOO_LONG', 'TOO_SMALL', 'TOO_LARGE', 'OUT_OF_RANGE', 'TOO_FEW', 'TOO_MANY', 'INVALID_FORMAT', 'NOT_ONE_OF'],
    ...['NOT_FOUND', 'CONFLICT', 'REJECTED'],
  ],
  AccessRule: [...['COURSE_DATES', 'ENROLMENT', 'EXPIRY', 'PASSWORD', 'POINTS'], ...['PREREQUISITES', 'PROGRESSION', 'RELEASE', 'STATUS']],
  AccessState: ['AVAILABLE', 'LOCKED', 'UNKNOWN'],
  Enrolment: ['ENROLLED', 'NOT_ENROLLED', 'NOT_REQUIRED', 'UNKNOWN'],
  MissingFact: [
    ...['COMPLETED_STEPS', 'COURSE', 'COURSE_OF_LESSON', 'ENROLMENT_DATE', 'LEARNER', 'LESSON_ORDER', 'POINTS_AWARDED_BY_HAND'],
    ...['PREREQUISITE', 'PRICE_TYPE', 'PROGRESS', 'SITE_BEHAVIOR', 'STATUS', 'TIME_ZONE'],
  ],
  NextLessonReason: ['ALL_LESSONS_COMPLETED', 'COMPLETED_STEPS_UNKNOWN', 'COURSE_COMPLETED', 'LESSON_ORDER_UNREADABLE', 'NO_LESSONS'],
  OutlinePart: ['QUIZZES', 'QUIZ_PLACES', 'SECTIONS', 'TOPICS'],
  ...Object.fromEntries(
    ['Course', 'GroupCourse', 'Lesson', 'Quiz', 'Topic'].map((name) => [`${name}OrderField`, [...ORDERS, 'MENU_ORDER']]),
  ),
  GroupOrderField: ORDERS,
  LmsTermOrderField: ['COUNT', 'ID', 'INCLUDE', 'NAME', 'SLUG'],
  OpenStatusInput: ['CLOSED', 'OPEN'],
  OrderDirection: ['ASC', 'DESC'],
  PostStatusInput: STATUSES.filter((status) => status !== 'TRASH'),
  PrerequisiteCompareInput: ['ALL', 'ANY'],
  PostStatusFilter: [...STATUSES, 'ANY'],
  SearchColumn: ['CONTENT', 'EXCERPT', 'TITLE'],
  SearchSemantics: ['EXACT'],
  TaxRelation: ['AND', 'OR'],
  LmsTaxonomy: ['CATEGORY', 'COURSE_CATEGORY', 'COURSE_TAG', 'GROUP_CATEGORY', 'GROUP_TAG', 'LESSON_CATEGORY', 'LESSON_TAG', 'TAG'],
  VideoShownInput: ['AFTER', 'BEFORE'],
  VisibleTypeInput: ['VISIBLE_AFTER', 'VISIBLE_AFTER_SPECIFIC_DATE'],
}
/** Enumerations of answers that the gateway makes itself, without a text that the site sent. */
const OF_THE_GATEWAY = ['ErrorCode', 'InvalidFieldCode', 'LmsTaxonomy', 'NextLessonReason', 'OutlinePart']
const RESULTS = MUTATIONS.map((name) => `${upper(name)}Result`)
const SCALARS = ['DateTime', 'HTML', 'JSONObject', 'LocalDate', 'LocalDateTime', 'URL']

const fieldsOf = (type: GraphQLNamedType) =>
  isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : []

describe('the graph', () => {
  it('has these types and no others', () => {
    const expected = [
      ...Object.keys(RELATIONS),
      ...Object.keys(INPUTS),
      ...Object.keys(OPEN),
      ...Object.keys(CLOSED),
      ...SCALARS,
      ...RESULTS,
    ]
    expect(types.map(({ name }) => name).sort()).toEqual(expected.sort())
    expect(types.filter(isScalarType).map(({ name }) => name)).toEqual(expect.arrayContaining(SCALARS))
  })

  it.each(Object.entries(RELATIONS))('%s leads to other types by these fields', (name, relations) => {
    const type = outputs.find((type) => type.name === name)!
    const found = Object.values(type.getFields())
      .filter(({ args, type }) => args.length > 0 || !isLeafType(getNamedType(type)))
      .map(({ name, args, type }) => {
        const sorted = args.map((arg) => `${arg.name}: ${arg.type}`).sort()
        return [name, `${sorted.length > 0 ? `(${sorted.join(', ')})` : ''}: ${type}`]
      })
    expect(Object.fromEntries(found)).toEqual(relations)
  })

  it.each(Object.entries(INPUTS))('%s takes these fields', (name, fields) => {
    const type = inputs.find((type) => type.name === name)!
    expect(
      Object.values(type.getFields())
        .map((field) => `${field.name}: ${field.type}`)
        .sort(),
    ).toEqual([...fields].sort())
  })

  it.each(Object.entries({ ...OPEN, ...CLOSED }))('%s has these members', (name, members) => {
    const type = types.filter(isEnumType).find((type) => type.name === name)!
    const expected = name in OPEN ? [...members, 'UNKNOWN'] : [...members]
    expect(
      type
        .getValues()
        .map((value) => value.name)
        .sort(),
    ).toEqual(expected.sort())
  })

  it('makes nodes of all records with an identity, and posts of five of them', () => {
    const implementing = (name: string): string[] =>
      outputs
        .filter((type) => type.getInterfaces().some((of) => of.name === name))
        .map((type) => type.name)
        .sort()
    expect(implementing('LmsContent')).toEqual(['Course', 'Group', 'Lesson', 'Quiz', 'Topic'])
    expect(implementing('Node')).toEqual([
      'Course',
      'CourseProgress',
      'FeaturedImage',
      'Group',
      'Lesson',
      'LmsContent',
      'LmsTerm',
      'PriceType',
      'Question',
      'Quiz',
      'Topic',
      'User',
    ])
  })

  it.each(MUTATIONS)('%s ends in its success or one of the errors', (name) => {
    const result = schema.getType(`${upper(name)}Result`)
    expect(
      isUnionType(result) &&
        result
          .getTypes()
          .map((type) => type.name)
          .sort(),
    ).toEqual([`${upper(name)}Success`, ...FAILURES].sort())
    for (const failure of FAILURES)
      expect(
        outputs
          .find((type) => type.name === failure)
          ?.getInterfaces()
          .map(String),
      ).toEqual(['LmsError'])
  })

  it('can be read and changed, and subscribed to by nobody', () => {
    expect([schema.getMutationType()?.name, schema.getSubscriptionType()]).toEqual(['Mutation', undefined])
  })
})

describe('descriptions', () => {
  it('are on every type, field, argument, member and input field', () => {
    const missing: string[] = []
    let seen = 0
    const look = (name: string, description: string | null | undefined): void => {
      seen++
      if (!description || description.length < 5 || !/[.!?]$/.test(description)) missing.push(name)
    }
    for (const type of types) {
      look(type.name, type.description)
      if (isEnumType(type)) for (const value of type.getValues()) look(`${type.name}.${value.name}`, value.description)
      for (const field of fieldsOf(type)) {
        look(`${type.name}.${field.name}`, field.description)
        if ('args' in field) for (const arg of field.args) look(`${type.name}.${field.name}(${arg.name})`, arg.description)
      }
    }
    expect(missing).toEqual([])
    expect(seen).toBeGreaterThan(500)
  })

  it('say of every nullable field of a record what null means', () => {
    const records = [
      ...['Answer', 'Course', 'CourseProgress', 'FeaturedImage', 'Group', 'GroupCourse', 'FeaturedImageSize'],
      ...['CourseStep', 'Lesson', 'LmsTerm', 'Question', 'Quiz', 'Topic'],
    ]
    // Of texts an empty one is said instead, where the site always sends them.
    const silent = outputs
      .filter(({ name }) => records.includes(name))
      .flatMap((type) =>
        Object.values(type.getFields())
          .filter((field) => !String(field.type).endsWith('!') && !/\bnull\b|\bempty\b/i.test(field.description ?? ''))
          .map((field) => `${type.name}.${field.name}`),
      )
    expect(silent.filter((name) => !/\.(lessons|topics|quizzes|questions|courses)$/.test(name))).toEqual([])
  })
})

it('says of every scalar by which specification its values are written', () => {
  const scalars = types.filter(isScalarType)
  expect(scalars.map(({ name }) => name).sort()).toEqual([...SCALARS].sort())
  for (const { name, specifiedByURL } of scalars) expect([name, specifiedByURL]).toEqual([name, expect.stringMatching(/^https:\/\/\S+$/)])
})

describe('nullability', () => {
  it('keys are never null, and nothing else is promised of a record', () => {
    const keys = ['id', 'databaseId', 'links', 'curies']
    for (const type of outputs) {
      for (const { name, type: of } of Object.values(type.getFields()))
        if (['id', 'databaseId'].includes(name) && type.name !== 'RestLink')
          expect([type.name, name, String(of).endsWith('!')]).toEqual([type.name, name, true])
    }
    const records = ['Course', 'Group', 'GroupCourse', 'Lesson', 'Quiz', 'Question', 'Answer']
    const promised = outputs
      .filter(({ name }) => records.includes(name))
      .flatMap((type) =>
        Object.values(type.getFields())
          .filter((field) => String(field.type).endsWith('!') && !keys.includes(field.name))
          .map((field) => `${type.name}.${field.name}: ${field.type}`),
      )
    const terms = ['Course', 'Group', 'GroupCourse', 'Lesson'].flatMap((name) =>
      Object.keys(termsOf(name === 'GroupCourse' ? 'course' : name.toLowerCase())).map((field) => `${name}.${field}: [LmsTerm]!`),
    )
    expect(promised.sort()).toEqual(['Course.prerequisites: [Course]!', 'GroupCourse.prerequisites: [Course]!', ...terms].sort())
  })
})

describe('open enumerations', () => {
  it('stand beside the text the site sent', () => {
    const alone: string[] = []
    let seen = 0
    for (const type of outputs) {
      const fields = type.getFields()
      for (const { name, type: of } of Object.values(fields)) {
        const returned = getNamedType(of)
        if (!isEnumType(returned) || type.name in ANSWERS || OF_THE_GATEWAY.includes(returned.name)) continue
        seen++
        expect([returned.name, returned.name in OPEN]).toEqual([returned.name, true])
        if (String(fields[`${name}Value`]?.type) !== 'String') alone.push(`${type.name}.${name}`)
      }
    }
    expect(alone).toEqual([])
    expect(seen).toBeGreaterThan(10)
  })
})

describe('the order of fields', () => {
  const introspected = (name: string): string[] => {
    const { data } = graphqlSync({ schema, source: `{ __type(name: "${name}") { fields { name } } }` })
    return (data as any).__type.fields.map((field: { name: string }) => field.name)
  }
  const FIRST = ['id', 'title', 'name', 'slug', 'databaseId', 'link']
  const LAST = ['template', 'permalinkTemplate', 'generatedSlug', 'classList', 'guid', 'links', 'curies']

  it.each(['Course', 'Group', 'Lesson', 'Quiz', 'GroupCourse', 'LmsContent', 'CourseProgress', 'Question', 'User', 'PriceType'])(
    'of %s is: what pages show, the others by name, what hardly any page shows',
    (name) => {
      const fields = introspected(name)
      const has = (field: string): boolean => fields.includes(field)
      const [first, last] = [FIRST.filter(has), LAST.filter(has)]
      expect(fields.length).toBeGreaterThan(first.length)
      const others = fields.filter((field) => !first.includes(field) && !last.includes(field))
      expect(fields).toEqual([...first, ...others.sort(), ...last])
    },
  )

  it('keeps that order without the resources of other gateways', () => {
    expect(Object.keys((graphSchema().getType('Course') as GraphQLObjectType).getFields())).toEqual(introspected('Course'))
    expect(introspected('Course').slice(0, 3)).toEqual(['id', 'title', 'slug'])
    expect(introspected('Course').at(-1)).toBe('curies')
  })
})

it('has a description, also in the texts for other programs', () => {
  expect(schema.description).toMatch(/^Groups, courses, .*`id` is a global id\.$/)
  for (const file of ['schema', 'semantic', 'subgraph']) {
    const text = readFileSync(new URL(`../../schema/${file}.graphql`, import.meta.url), 'utf8')
    const definition = parse(text).definitions.find(({ kind }) => kind === Kind.SCHEMA_DEFINITION || kind === Kind.SCHEMA_EXTENSION)
    expect([file, (definition as SchemaDefinitionNode | undefined)?.description?.value]).toEqual([file, schema.description])
  }
})

it('is committed as it is, sorted', () => {
  const committed = readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8')
  const lay = (sdl: string): string => parse(sdl).definitions.map(print).join('\n')
  // Not toBe, whose difference would fill the screen.
  expect(lay(committed) === lay(printSchema(lexicographicSortSchema(schema))), 'Run `npm run schema`.').toBe(true)
})
