import { count, oneOf, quirk, text } from './switch.js'

/** What things are called. */
const NAMES = {
  namespace: text('First path segment of all routes.', 'lms', /^[a-z][\w-]*$/, 'a word'),
  segments: text(
    'Path segments that are called otherwise, like `sfwd-courses:courses+groups:classes`.',
    '',
    /^([\w-]+:[\w-]+(\+[\w-]+:[\w-]+)*)?$/,
    'pairs of words like `groups:classes+users:people`',
  ),
  termPrefix: text('What taxonomies of the LMS begin with.', 'lms_', /^[a-z]\w*_$/, 'a word with `_` at its end'),
  codePrefix: text('What codes of the LMS begin with.', 'lms', /^[a-z]\w*$/, 'a word'),
  language: oneOf('Language of messages.', 'en', 'it'),
} as const

/** How the site is asked. */
const SITE = {
  routing: oneOf('Whether routes are paths below `/wp-json`, `?rest_route=`, or both.', 'paths', 'both', 'query'),
  siteRoutes: quirk('`/wp-json/` and each namespace list their routes, OPTIONS describes one, and `wp/v2/users/me` tells who calls.'),
  topics: quirk('`v2/sfwd-topic` lists the topics of lessons, a kind of record that the specification does not have.'),
  envelope: quirk('`_envelope` answers 200 with status and headers in the body.'),
  fieldsOnly: quirk('`_filter` has no effect; only `_fields` narrows answers.'),
} as const

/** What lists leave out, and which of their parameters do not do what they say. */
const LISTS = {
  lessonsPerPage: count(
    'Page size of the lessons of a course, whatever `per_page` says; `posts_per_page` wins. 0: `per_page` counts.',
    100,
  ),
  quizIncludeFallback: quirk('Quizzes are looked for among those of the course, or of no course; `include` of none of these is dropped.'),
  groupCoursesIgnoreIds: quirk("`include` and `exclude` have no effect on a group's courses."),
  groupCoursesPublished: quirk("A group's courses are published ones, whatever `status` says."),
  unknownGroupEmpty: quirk('An unknown group has an empty list of courses instead of none.'),
  unknownCourseDropped: quirk('Lessons of an unknown course are all lessons, for administrators.'),
  leaderIncludeFallback: quirk("A leader's `include` of none of the led groups is dropped."),
  exactByWord: quirk('`search_semantics=exact` compares each word with the whole field.'),
  openCourses: oneOf('Whose progress also lists open courses not begun: nobody, unknown users, or all.', 'none', 'unknown', 'all'),
  progressTotalsOmitted: quirk('An empty list of progress has no totals.'),
} as const

/** What records look like. */
const RECORDS = {
  coreLinks: quirk('`_links`, `Link` and `Location` point at `wp/v2`.'),
  courseLinksAlways: quirk('Courses send `_links` also when they are not asked for.'),
  priceTypesBySlug: quirk('The list of price types is an object by slug, and `[]` when fields are chosen.'),
  closedLabel: quirk('The price type `closed` has a `label` and no `name`.'),
  progressAsArray: quirk('Progress in one course is an array of one, or an empty one.'),
  hyphenStatuses: quirk('Progress is `not-started` and `in-progress`, with hyphens.'),
  blankDates: quirk('Dates of progress that are not there are `""`.'),
  utcDates: quirk('Dates of progress are UTC, not of the site.'),
  gmtDates: quirk('Progress also has `date_started_gmt` and `date_completed_gmt`.'),
  progressViewOnly: quirk('Progress takes no context but `view`.'),
  groupCoursesPlain: quirk("Records of a group's courses have base fields and taxonomies only."),
  buyNow: quirk('Courses of version 1 spell the price type `paynow` as `buynow`, and take no other spelling.'),
  engineQuizIds: quirk("`_quizId` of questions is the quiz engine's id, not the quiz's."),
  looseCourses: quirk('Toggles, numbers, prices and prerequisites of courses come in several types.'),
  looseLessons: quirk('Zeros and release dates of lessons come in several types.'),
  looseQuestions: quirk('`_graded` of answers that are graded is `"1"`.'),
  unsaved: quirk('Every seventh record has `""` in all settings, as those the LMS itself never saved.'),
  emptyAsArray: quirk('Empty objects are `[]`.'),
  withoutCategories: quirk('Courses and lessons have no `categories` and `tags`.'),
  withoutMeta: quirk('Records have no `meta`.'),
  withoutDiscussion: quirk('Records have no `comment_status` and `ping_status`.'),
  withoutHierarchy: quirk('Groups have no `parent`.'),
  extraFields: quirk('Records have fields and members of links that are not in the specification.'),
  blankQuestions: quirk('Records that are no questions are questions with `_id` 0 and blanks; unknown ones are forbidden.'),
} as const

/** Who may read what. */
const ACCESS = {
  adminOnly: quirk(
    'Administrators read everything, learners lessons of their courses and their progress, leaders groups and progress in led ones.',
  ),
  wrongPasswordAnonymous: quirk('Wrong credentials are those of an anonymous caller.'),
} as const

/** What is written. */
const WRITES = {
  sharedSteps: quirk('`course` of lessons is 0, and ignored in bodies.'),
  releaseDatesIgnored: quirk('`visible_after_specific_date` is ignored in bodies, and the `visible_type` of its name.'),
} as const

/** In what the shape, the names and the capabilities of sites differ from the specification. */
export const QUIRKS = { ...NAMES, ...SITE, ...LISTS, ...RECORDS, ...ACCESS, ...WRITES } as const
