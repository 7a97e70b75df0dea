import { addition, count, newAddition, oneOf, quirk, text } from './switch-kinds.js'

/** Names. */
const NAMES = {
  namespace: { ...text('First path segment of all routes.', 'lms', /^[a-z][\w-]*$/, 'a word'), learndash: 'ldlms' },
  segments: text(
    'Renamed path segments, like `sfwd-courses:courses+groups:classes`.',
    '',
    /^([\w-]+:[\w-]+(\+[\w-]+:[\w-]+)*)?$/,
    'pairs of words like `groups:classes+users:people`',
  ),
  termPrefix: { ...text('Prefix of the taxonomies of the LMS.', 'lms_', /^[a-z]\w*_$/, 'a word with `_` at its end'), learndash: 'ld_' },
  codePrefix: { ...text('Prefix of the error codes of the LMS.', 'lms', /^[a-z]\w*$/, 'a word'), learndash: 'learndash' },
} as const

/** Routes, and parameters of all routes. */
const SITE = {
  routing: {
    ...oneOf('Whether routes are paths below `/wp-json`, the parameter `?rest_route=`, or both.', 'paths', 'both', 'query'),
    learndash: 'both',
  },
  siteRoutes: addition(
    '`/wp-json/` and each namespace list their routes, and WordPress itself has routes below `wp/v2`: `users`, `users/me`, `media`, the terms of each taxonomy, `taxonomies` and `types`. The `self` links of records have the methods that the caller may use.',
  ),
  progressSteps: addition(
    '`v2/users/<id>/course-progress/<course>/steps` lists the steps of a course, and which of them a user has completed.',
  ),
  enrolments: newAddition(
    '`v2/users/<id>/courses` lists the courses of a user, `v2/sfwd-courses/<id>/users` the users who are directly enrolled in a course, and `v2/sfwd-courses/<id>/groups` the groups that have it. Administrators enrol users and remove them.',
  ),
  courseSteps: newAddition('`v2/sfwd-courses/<id>/steps` has the tree of the steps of a course, and its sections, for administrators.'),
  topics: newAddition('`v2/sfwd-topic` has the topics of lessons, a kind of record that the specification does not have.'),
  questionList: newAddition('`v2/sfwd-question` has the questions of a quiz, for administrators.'),
  fieldsOnly: quirk('`_filter` has no effect; only `_fields` selects fields.'),
} as const

/** Lists and their parameters. */
const LISTS = {
  lessonsPerPage: {
    ...count('Page size of the lessons of a course. `per_page` is ignored, `posts_per_page` overrides it. 0: `per_page` applies.', 100),
    learndash: 20,
  },
  quizIncludeFallback: quirk(
    'Lists have only quizzes of the course, or without `course` quizzes of no course. When `include` matches none of them, it is ignored, and `course` too.',
  ),
  groupCoursesIgnoreIds: quirk("`include` and `exclude` have no effect on a group's courses."),
  groupCoursesPublished: quirk("A group's courses are always published ones; `status` is ignored."),
  unknownGroupEmpty: quirk('An unknown group has an empty list of courses instead of an error.'),
  unknownCourseDropped: quirk('The lessons of an unknown course are all lessons, for administrators.'),
  leaderIncludeFallback: quirk("A leader's `include` is ignored when it matches none of the led groups."),
  exactByWord: quirk('`search_semantics=exact` compares each word with the whole field.'),
  openCourses: {
    ...oneOf('Whose progress also lists open courses that they have not begun: nobody, unknown users, or all.', 'none', 'unknown', 'all'),
    learndash: 'unknown',
  },
  groupProgress: quirk('Progress also lists courses of the groups of a user that they have not begun.'),
  progressTotalsOmitted: quirk('An empty list of progress has no totals.'),
} as const

/** Records. */
const RECORDS = {
  coreLinks: quirk('`_links`, `Link` and `Location` point at `wp/v2`.'),
  courseLinksAlways: quirk('Courses have `_links` also when `_fields` omits them.'),
  priceTypesBySlug: quirk('The list of price types is an object by slug, and `[]` with `_fields`.'),
  closedLabel: quirk('The price type `closed` has `label` instead of `name`.'),
  progressAsArray: quirk('Progress in one course is an array with one record or none.'),
  hyphenStatuses: quirk('Progress is `not-started` and `in-progress`, with hyphens.'),
  blankDates: quirk('Missing dates of progress are `""`.'),
  utcDates: quirk('Dates of progress are UTC instead of site time.'),
  gmtDates: { ...quirk('Progress also has `date_started_gmt` and `date_completed_gmt`.'), learndash: false },
  enrolmentDates: { ...quirk('Progress also has `access_from`, the time of enrolment in seconds since 1970.'), learndash: false },
  courseDates: {
    ...quirk('Courses also have `course_start_date`, `course_end_date` (in seconds since 1970) and `course_seats_limit`.'),
    learndash: false,
  },
  progressViewOnly: quirk('Progress accepts only the context `view`.'),
  groupCoursesPlain: quirk("Records of a group's courses have only base fields and taxonomies."),
  buyNow: quirk('Courses of version 1 spell the price type `paynow` as `buynow`, and accept no other spelling.'),
  engineQuizIds: quirk('`_quizId` of questions is an id of the quiz engine, not of the quiz.'),
  looseCourses: quirk('Toggles, numbers, prices and prerequisites of courses come in several types.'),
  looseLessons: quirk('Zeros and release dates of lessons come in several types.'),
  looseQuestions: quirk('`_graded` of graded answers is `"1"`.'),
  unsaved: { ...quirk('Every seventh record has `""` in all settings, as records that the LMS never saved.'), learndash: false },
  emptyAsArray: quirk('Empty objects are `[]`.'),
  withoutCategories: quirk('Courses and lessons have no `categories` and `tags`.'),
  withoutMeta: quirk('Records have no `meta`.'),
  withoutDiscussion: quirk('Records have no `comment_status` and `ping_status`.'),
  withoutHierarchy: quirk('Groups have no `parent`.'),
  extraFields: quirk('Records and links have members that the specification does not have.'),
  blankQuestions: quirk('Ids of other kinds of records are blank questions with `_id` 0; unknown ids are forbidden.'),
} as const

/** Access. */
const ACCESS = {
  adminOnly: quirk(
    'Only administrators read everything. Learners read lessons of their courses and their progress, leaders groups and the progress in groups they lead.',
  ),
  wrongPasswordAnonymous: quirk('A caller with wrong credentials is anonymous.'),
} as const

/** Writes. */
const WRITES = {
  sharedSteps: quirk('`course` of lessons is 0, and is ignored in bodies.'),
  releaseDatesIgnored: quirk('`visible_after_specific_date` is ignored in bodies, also as a value of `visible_type`.'),
} as const

/** Switches for names, routes, lists, records, access and writes. */
export const QUIRKS = { ...NAMES, ...SITE, ...LISTS, ...RECORDS, ...ACCESS, ...WRITES } as const
