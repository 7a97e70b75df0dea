import { z } from 'zod'
import { works } from '../maps.js'
import { addressHint, isRestRoot, restRoot } from './addresses.js'
import {
  choice,
  listOf,
  listOfWords,
  NONE,
  type Option,
  offByDefault,
  type Section,
  secret,
  text,
  type Values,
  wholeNumber,
} from './option.js'

/** Commands that call the site. */
const commands = ['serve', 'doctor'] as const

const PARAMETER = /^[A-Za-z_][\w.-]*$/
const ROUTE = /^v[12](\/:?[\w-]+)+$/
const FILTER = /^v[12](\/:?[\w-]+)+ [\w-]+$/
const COLUMN = /^[A-Z]\w*\.[a-z]\w*$/
const SEGMENT = /^[\p{L}\p{N}_-][\p{L}\p{N}._-]*$/u

/** Path segments of the specification that sites can rename. */
const SEGMENTS = [
  'groups',
  'sfwd-courses',
  'sfwd-quiz',
  'sfwd-lessons',
  'sfwd-questions',
  'users',
  'course-progress',
  'price-types',
  'courses',
] as const

/** Routes that only some sites have. */
const ROUTES_OF_WORDPRESS = ['users/me', 'users', 'media', 'terms'] as const
const ROUTES_OF_USERS = ['users/course-progress/steps', 'users/courses'] as const
const ROUTES_OF_COURSES = ['sfwd-courses/users', 'sfwd-courses/groups', 'sfwd-courses/steps', 'sfwd-topic', 'sfwd-question'] as const

/** Whether a value names a time zone. */
export function isTimeZone(value: unknown): boolean {
  if (typeof value !== 'string') return false
  const offset = /^[+-](\d\d):(\d\d)$/.exec(value)
  if (offset) return Number(offset[1]) <= 14 && Number(offset[2]) < 60
  // Versions of Node differ in the other forms of offsets that they accept.
  if (value.startsWith('+') || value.startsWith('-')) return false
  return works(() => new Intl.DateTimeFormat('en', { timeZone: value }))
}

const listMatching = (pattern: RegExp, items: string) => listOf(items, (item) => pattern.test(item))

/** How a site differs from the specification. `specified` is the value of the specification; presets have others. */
export const QUIRKS = {
  namespaces: {
    kind: 'map',
    schema: z.partialRecord(z.enum(['v1', 'v2']), z.string().regex(/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/)),
    allowed: 'the path segments of versions 1 and 2, such as `v1=lms/v1,v2=lms/v2`',
    value: 'VERSION=PATH,...',
    type: "Readonly<Partial<Record<'v1' | 'v2', string>>>",
    description: 'First path segments of both versions of the interface, below the REST root.',
    specified: { v1: 'lms/v1', v2: 'lms/v2' } as Readonly<Record<'v1' | 'v2', string>>,
  },
  segments: {
    kind: 'map',
    schema: z.partialRecord(z.enum(SEGMENTS), z.string().regex(SEGMENT)),
    allowed: `the names of some of the path segments ${SEGMENTS.join(', ')}: \`sfwd-courses=courses,groups=teams\``,
    value: 'NAME=NAME,...',
    type: 'Readonly<Record<string, string>>',
    description:
      'Path segments that the site has renamed. `users` and `course-progress` are those of course progress, `courses` is the one below a group.',
    specified: {} as Readonly<Record<string, string>>,
  },
  termPrefix: {
    ...text(/^[A-Za-z][\w-]*$/, 'letters, digits, `_` and `-`, a letter first, such as lms_'),
    description: 'Prefix of taxonomy columns and filters.',
    specified: 'lms_',
  },
  fieldFilter: {
    kind: 'textOrNull',
    schema: z.string().regex(PARAMETER).nullable(),
    allowed: `the name of a query parameter, or \`${NONE}\``,
    value: 'NAME',
    type: 'string | null',
    description:
      'Query parameter that limits the fields of an answer, such as _filter or _fields. `none` (in programs null): the site has none.',
    specified: '_filter',
  },
  pageCap: { ...wholeNumber(1, 1_000), description: 'Largest `per_page` that the site accepts.', specified: 100 },
  pageSizeParams: {
    ...listMatching(PARAMETER, 'names of query parameters'),
    description: 'Query parameters that must have the page size in addition to `per_page`, such as posts_per_page.',
    specified: [],
  },
  unbatched: {
    ...listMatching(/^[A-Z]\w*$/, 'types such as Quiz'),
    description: 'Record types that can only be read one by one, not by `include`.',
    specified: [],
  },
  payNowSpelling: {
    ...choice(['paynow', 'buynow']),
    description: 'How version 1 of the interface spells the price type `paynow` of a course.',
    specified: 'paynow',
  },
  routes: {
    ...listOfWords([...ROUTES_OF_WORDPRESS, ...ROUTES_OF_USERS, ...ROUTES_OF_COURSES]),
    flag: 'site-routes',
    env: 'SITE_ROUTES',
    description:
      "Routes that the site has beyond the specification. Of WordPress, below `wp/v2`: `users/me` is the current user, for `viewer`; `users` is for the names of users, `media` for images, and `terms` stands for the routes of all taxonomies. Of the LMS, in version 2: the completed steps of a user's courses, the courses of a user, the users, the groups and the outline of a course, topics, and the questions of a quiz. Fields that need a route that the site does not have are null with NOT_AVAILABLE; `viewer` is null, and `access` knows less.",
    specified: [],
  },
  timeZone: {
    kind: 'textOrNull',
    schema: z.string().refine(isTimeZone).nullable(),
    allowed: 'the name of a time zone, such as Europe/Berlin, or an offset, such as +02:00',
    value: 'NAME',
    type: 'string | null',
    description:
      'Time zone of the site, from its general settings. Without it, the exact time of dates without a zone is not known to `access`, `startedAt` and `completedAt`.',
    specified: null,
  },
  openProgression: {
    ...choice(['enforced', 'ignored', 'unknown']),
    description: 'Whether the order of lessons in courses of the price type `open` is `enforced` or `ignored` by the site, or `unknown`.',
    specified: 'ignored',
  },
  missingPrerequisites: {
    ...choice(['ignored', 'required', 'unknown']),
    description: 'Whether prerequisites that do not exist are `ignored` or still `required` by the site, or `unknown`.',
    specified: 'ignored',
  },
  bypassingUsers: {
    kind: 'numbers',
    schema: z.array(z.number().int().min(1)).readonly(),
    allowed: 'a list of ids of users',
    value: 'LIST',
    type: 'readonly number[]',
    description: 'Users who bypass the rules of access on the site, such as administrators.',
    specified: [],
  },
  ignoredFilters: {
    ...listMatching(FILTER, 'routes with a parameter each, such as v2/groups/:id/courses include'),
    description: 'List filters that the site ignores. The gateway applies filters by id itself, on the whole list, and refuses others.',
    specified: [],
  },
  droppedFilters: {
    ...listMatching(FILTER, 'routes with a parameter each, such as v2/sfwd-lessons course'),
    description:
      'List filters that the site drops when they name no visible record. The gateway checks first that there is one, and checks the rows of `include`.',
    specified: [],
  },
  unfilteredRoutes: {
    ...listMatching(ROUTE, 'routes, such as v2/price-types'),
    description: 'Routes that answer wrongly when only some fields are requested.',
    specified: [],
  },
  missingColumns: {
    ...listMatching(COLUMN, 'types with a column each, such as GroupCourse.materials'),
    description: 'Columns that are missing in a list; they are read by id.',
    specified: [],
  },
  unusableColumns: {
    ...listMatching(COLUMN, 'types with a column each, such as Question.quizId'),
    description: 'Columns that the site does not have, or that mean something else there. They are not requested, and are null.',
    // Columns of the graph that the specification does not have.
    specified: ['Course.startDate', 'Course.endDate', 'Course.seatsLimit', 'CourseProgress.enrolledAt'],
  },
} as const satisfies Readonly<Record<string, Option & { readonly specified: unknown }>>

/** Values of the quirks of a site. */
export type Quirks = { readonly [Name in keyof typeof QUIRKS]: Exclude<Values<typeof QUIRKS>[Name], undefined> }

const login = { ...text(/^[^:\p{Cc}]+$/u, 'a login without a colon'), value: 'LOGIN', commands, hidden: true } as const
const password = { ...secret((given) => /^\P{Cc}+$/u.test(given), 'a text of one line'), commands } as const

/** The site: its address, its kind, its differences from the specification, and the account for it. */
export const SITE = {
  url: {
    kind: 'text',
    schema: z.string().refine(isRestRoot).transform(restRoot),
    allowed: 'an http or https address without user and password, and without a query other than `?rest_route=`',
    value: 'URL',
    type: 'string',
    flag: 'upstream',
    env: 'LMS_URL',
    commands,
    otherwise: 'the embedded LMS',
    hint: addressHint,
    description: 'REST root of the site, such as https://example.org/wp-json; or https://example.org/?rest_route=.',
  },
  user: {
    ...login,
    flag: 'lms-user',
    otherwise: "each caller's own credentials",
    description: 'Account of the site that is used for all callers.',
  },
  password: {
    ...password,
    flag: 'lms-password',
    description: 'Application password of that account.',
  },
  editorUser: {
    ...login,
    flag: 'lms-editor-user',
    otherwise: 'the same account as for the others',
    description: 'Account of the site that is used for editors and administrators instead.',
  },
  editorPassword: {
    ...password,
    flag: 'lms-editor-password',
    description: 'Application password of that account.',
  },
  forwardCookie: {
    ...offByDefault,
    commands: ['serve'],
    description: 'Whether `wordpress_…` cookies of a caller go to the site, together with `X-WP-Nonce`.',
  },
  forwardClientAddress: {
    ...offByDefault,
    description:
      'Whether the site gets the address of the client in `X-Forwarded-For`. A call that several clients share has the address of the one whose operation made it.',
  },
  preset: {
    ...choice(['lms', 'learndash']),
    env: 'LMS_PRESET',
    otherwise: 'lms; in front of the embedded LMS the one that fits its profile',
    description: 'Kind of site: `lms` as specified, `learndash` for WordPress with the plugin; the options below override it.',
  },
  ...QUIRKS,
} as const satisfies Section
