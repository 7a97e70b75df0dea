import { z } from 'zod'
import { PRESETS, type Preset } from '../upstream/site/presets.js'
import { PAY_NOW_SPELLINGS } from '../upstream/site/site.js'
import { digits, type Setting } from './setting.js'

/** Says that a site has no such thing, where leaving the setting out leaves the choice to the preset. */
export const NONE = 'none'

const commands = ['serve'] as const
const otherwise = "the preset's"

const text = (pattern: RegExp) => z.string().regex(pattern).nullable().default(null)

/** Texts separated by commas; `none` is an empty list. */
const list = (pattern: RegExp) =>
  z
    .string()
    .transform((texts): readonly string[] => (texts === NONE ? [] : texts.split(',').map((each) => each.trim())))
    .refine((texts) => texts.every((each) => each !== NONE && pattern.test(each)))
    .nullable()
    .default(null)

const listed = (what: string): string => `a list of ${what}, separated by commas, or \`none\``

const PARAMETER = /^[A-Za-z_][\w.-]*$/
const ROUTE = /^v[12](\/:?[\w-]+)+$/
const FILTER = /^v[12](\/:?[\w-]+)+ [\w-]+$/
const COLUMN = /^[A-Z]\w*\.[a-z]\w*$/

/** Entities that can be asked for by `include`, by the word for them. */
export const BATCHED = { groups: 'Group', courses: 'Course', lessons: 'Lesson', quizzes: 'Quiz' } as const

/** Path segments that sites can rename, by the setting for each: its flag, and where the segment stands. */
export const SEGMENTS = {
  baseGroups: ['base-groups', 'groups', 'of groups'],
  baseCourses: ['base-courses', 'sfwd-courses', 'of courses'],
  baseQuizzes: ['base-quizzes', 'sfwd-quiz', 'of quizzes'],
  baseLessons: ['base-lessons', 'sfwd-lessons', 'of lessons'],
  baseQuestions: ['base-questions', 'sfwd-questions', 'of questions'],
  baseUsers: ['base-users', 'users', 'of users'],
  baseProgress: ['base-progress', 'course-progress', 'of course progress, below a user'],
  basePriceTypes: ['base-price-types', 'price-types', 'of price types'],
  baseGroupCourses: ['base-group-courses', 'courses', 'of courses, below a group'],
} as const satisfies Record<string, readonly [flag: string, segment: string, where: string]>

const base = (flag: string, segment: string, where: string) => ({
  flag,
  env: flag.toUpperCase().replaceAll('-', '_'),
  value: 'NAME',
  commands,
  schema: text(/^[\p{L}\p{N}_-][\p{L}\p{N}._-]*$/u),
  otherwise,
  allowed: 'one path segment of letters, digits, `-`, `_` and `.`',
  description: `Path segment ${where}, \`${segment}\` in the specification.`,
})

type Bases = { readonly [Name in keyof typeof SEGMENTS]: ReturnType<typeof base> }
const BASES = Object.fromEntries(
  Object.entries(SEGMENTS).map(([name, [flag, segment, where]]) => [name, base(flag, segment, where)]),
) as Bases

const namespace = (version: 'v1' | 'v2') => ({
  flag: `namespace-${version}`,
  env: `NAMESPACE_${version.toUpperCase()}`,
  value: 'PATH',
  commands,
  schema: text(/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/),
  otherwise,
  allowed: `path segments of letters, digits, \`-\`, \`_\` and \`.\`, such as lms/${version}`,
  description: `First path segments of version ${version.slice(1)} of the interface, below the REST root.`,
})

/** What the site calls things, and how it behaves where that differs from the specification. */
export const NAMES = {
  preset: {
    flag: 'preset',
    env: 'LMS_PRESET',
    value: 'NAME',
    commands,
    schema: z.enum(Object.keys(PRESETS) as [Preset, ...Preset[]]).default('lms'),
    otherwise: 'lms',
    allowed: Object.keys(PRESETS).join(' or '),
    description: 'Kind of site: `lms` as specified, `learndash` for WordPress with the plugin; settings below override what it says.',
  },
  namespaceV1: namespace('v1'),
  namespaceV2: namespace('v2'),
  ...BASES,
  termPrefix: {
    flag: 'term-prefix',
    env: 'TERM_PREFIX',
    value: 'TEXT',
    commands,
    schema: text(/^[A-Za-z][\w-]*$/),
    otherwise,
    allowed: 'letters, digits, `_` and `-`, a letter first, such as lms_',
    description: 'What taxonomy columns and filters begin with.',
  },
  fieldFilter: {
    flag: 'field-filter',
    env: 'FIELD_FILTER',
    value: 'NAME',
    commands,
    schema: text(PARAMETER),
    otherwise,
    allowed: 'the name of a query parameter, or `none`',
    description: 'Query parameter that limits the fields of an answer, such as _filter or _fields; `none` where there is none.',
  },
  pageCap: {
    flag: 'page-cap',
    env: 'PAGE_CAP',
    value: 'NUMBER',
    commands,
    ...digits(1, 1_000),
    schema: digits(1, 1_000).schema.nullable().default(null),
    otherwise,
    description: 'Largest `per_page` that the site takes.',
  },
  pageSizeParams: {
    flag: 'page-size-params',
    env: 'PAGE_SIZE_PARAMS',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: list(PARAMETER),
    otherwise,
    allowed: listed('names of query parameters'),
    description: 'Query parameters that must say the page size besides `per_page`, such as posts_per_page.',
  },
  unbatched: {
    flag: 'unbatched',
    env: 'UNBATCHED',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: list(new RegExp(`^(${Object.keys(BATCHED).join('|')})$`)),
    otherwise,
    allowed: listed(
      Object.keys(BATCHED)
        .join(', ')
        .replace(/, (?=\w+$)/, ' and '),
    ),
    description: 'What can only be read one by one, not by `include`: some of groups, courses, lessons and quizzes.',
  },
  questionQuiz: {
    flag: 'question-quiz',
    env: 'QUESTION_QUIZ',
    value: 'KIND',
    commands,
    schema: z.enum(['id', 'engine']).nullable().default(null),
    otherwise,
    allowed: 'id or engine',
    description: 'Whether `_quizId` of a question is the `id` of a quiz, or one of the quiz `engine` that no route takes.',
  },
  payNowSpelling: {
    flag: 'pay-now-spelling',
    env: 'PAY_NOW_SPELLING',
    value: 'WORD',
    commands,
    schema: z.enum(PAY_NOW_SPELLINGS).nullable().default(null),
    otherwise,
    allowed: PAY_NOW_SPELLINGS.join(' or '),
    description: 'How version 1 of the interface spells the price type `paynow` of a course: `paynow` or `buynow`.',
  },
  ignoredFilters: {
    flag: 'ignored-filters',
    env: 'IGNORED_FILTERS',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: list(FILTER),
    otherwise,
    allowed: listed('routes with a parameter each, such as v2/groups/:id/courses include'),
    description: 'List filters that the site ignores. Those by id are then done here, on the whole list; others are refused.',
  },
  droppedFilters: {
    flag: 'dropped-filters',
    env: 'DROPPED_FILTERS',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: list(FILTER),
    otherwise,
    allowed: listed('routes with a parameter each, such as v2/sfwd-lessons course'),
    description:
      'List filters that the site drops when they name no record it shows: that there is one is asked for first, and by `include` what comes is checked.',
  },
  unfilteredRoutes: {
    flag: 'unfiltered-routes',
    env: 'UNFILTERED_ROUTES',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: list(ROUTE),
    otherwise,
    allowed: listed('routes, such as v2/price-types'),
    description: 'Routes that answer wrongly when they are asked for some fields only.',
  },
  missingColumns: {
    flag: 'missing-columns',
    env: 'MISSING_COLUMNS',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: list(COLUMN),
    otherwise,
    allowed: listed('types with a column each, such as GroupCourse.materials'),
    description: 'Columns that a list does not carry; they are read by id.',
  },
} as const satisfies Record<string, Setting>
