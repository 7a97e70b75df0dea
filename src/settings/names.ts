import { z } from 'zod'
import { PRESETS, type Preset } from '../upstream/site/presets.js'
import { isTimeZone, MISSING_PREREQUISITES, OPEN_PROGRESSIONS, PAY_NOW_SPELLINGS } from '../upstream/site/site.js'
import { digits, NONE, type Setting, trueOrFalse } from './setting.js'

const commands = ['serve'] as const
const otherwise = "the preset's"
const REPLACES = 'The list replaces that of the preset.'

const text = (pattern: RegExp) => z.string().regex(pattern).nullable().default(null)

export const textList = z.array(z.string()).readonly()

const list = (pattern: RegExp) =>
  textList
    .refine((texts) => texts.every((each) => each !== NONE && pattern.test(each)))
    .nullable()
    .default(null)

const listed = (what: string): string => `a list of ${what}, separated by commas, or \`none\``

const PARAMETER = /^[A-Za-z_][\w.-]*$/
const ROUTE = /^v[12](\/:?[\w-]+)+$/
const FILTER = /^v[12](\/:?[\w-]+)+ [\w-]+$/
const COLUMN = /^[A-Z]\w*\.[a-z]\w*$/
const ID = /^[1-9]\d{0,14}$/

/** Record types that can be read by `include`, by their plural. */
export const BATCHED = { groups: 'Group', courses: 'Course', lessons: 'Lesson', quizzes: 'Quiz' } as const

/** Path segments that sites can rename, by setting: its flag, the segment in the specification, and what it stands for. */
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

/** Names of the site, and its differences from the specification. */
export const NAMES = {
  preset: {
    flag: 'preset',
    env: 'LMS_PRESET',
    value: 'NAME',
    commands,
    schema: z.enum(Object.keys(PRESETS) as [Preset, ...Preset[]]).default('lms'),
    otherwise: 'lms',
    allowed: Object.keys(PRESETS).join(' or '),
    description: 'Kind of site: `lms` as specified, `learndash` for WordPress with the plugin; the settings below override it.',
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
    description: 'Prefix of taxonomy columns and filters.',
  },
  fieldFilter: {
    flag: 'field-filter',
    env: 'FIELD_FILTER',
    value: 'NAME',
    commands,
    schema: text(PARAMETER),
    otherwise,
    allowed: 'the name of a query parameter, or `none`',
    description: 'Query parameter that limits the fields of an answer, such as _filter or _fields, or `none`.',
  },
  pageCap: {
    flag: 'page-cap',
    env: 'PAGE_CAP',
    value: 'NUMBER',
    commands,
    ...digits(1, 1_000),
    schema: digits(1, 1_000).schema.nullable().default(null),
    otherwise,
    description: 'Largest `per_page` that the site accepts.',
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
    description: `Query parameters that must have the page size in addition to \`per_page\`, such as posts_per_page. ${REPLACES}`,
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
    description: `Record types that can only be read one by one, not by \`include\`: some of groups, courses, lessons and quizzes. ${REPLACES}`,
  },
  questionQuiz: {
    flag: 'question-quiz',
    env: 'QUESTION_QUIZ',
    value: 'KIND',
    commands,
    schema: z.enum(['id', 'engine']).nullable().default(null),
    otherwise,
    allowed: 'id or engine',
    description: 'Whether `_quizId` of a question is the `id` of a quiz, or an id of the quiz `engine`, which no route accepts.',
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
  viewerRoute: {
    flag: 'viewer-route',
    env: 'VIEWER_ROUTE',
    commands,
    ...trueOrFalse,
    schema: trueOrFalse.schema.nullable().default(null),
    otherwise,
    description: 'Whether the site has the route `wp/v2/users/me` of WordPress, which returns the current user. `viewer` uses it.',
  },
  timeZone: {
    flag: 'time-zone',
    env: 'TIME_ZONE',
    value: 'NAME',
    commands,
    schema: z.string().refine(isTimeZone).nullable().default(null),
    otherwise: 'not known',
    allowed: 'the name of a time zone, such as Europe/Berlin, or an offset, such as +02:00',
    description:
      'Time zone of the site, from its general settings. Without it, the exact time of dates without a zone is not known to `access`.',
  },
  progressSteps: {
    flag: 'progress-steps',
    env: 'PROGRESS_STEPS',
    commands,
    ...trueOrFalse,
    schema: trueOrFalse.schema.nullable().default(null),
    otherwise,
    description: 'Whether the site has the route that lists the completed steps of a course, below course progress. `access` uses it.',
  },
  openProgression: {
    flag: 'open-progression',
    env: 'OPEN_PROGRESSION',
    value: 'WORD',
    commands,
    schema: z.enum(OPEN_PROGRESSIONS).nullable().default(null),
    otherwise,
    allowed: 'enforced, ignored or unknown',
    description: 'Whether the order of lessons in courses of the price type `open` is `enforced` or `ignored` by the site, or `unknown`.',
  },
  missingPrerequisites: {
    flag: 'missing-prerequisites',
    env: 'MISSING_PREREQUISITES',
    value: 'WORD',
    commands,
    schema: z.enum(MISSING_PREREQUISITES).nullable().default(null),
    otherwise,
    allowed: 'ignored, required or unknown',
    description: 'Whether prerequisites that do not exist are `ignored` or still `required` by the site, or `unknown`.',
  },
  bypassingUsers: {
    flag: 'bypassing-users',
    env: 'BYPASSING_USERS',
    value: 'LIST',
    commands,
    holds: 'list',
    schema: list(ID),
    otherwise,
    allowed: listed('ids of users'),
    description: `Ids of users who bypass the rules of access on the site, such as administrators. ${REPLACES}`,
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
    description: `List filters that the site ignores. The gateway applies filters by id itself, on the whole list, and refuses others. ${REPLACES}`,
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
    description: `List filters that the site drops when they name no visible record. The gateway checks first that there is one, and checks the rows of \`include\`. ${REPLACES}`,
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
    description: `Routes that answer wrongly when only some fields are requested. ${REPLACES}`,
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
    description: `Columns that are missing in a list; they are read by id. ${REPLACES}`,
  },
} as const satisfies Record<string, Setting>
