import type { Profile } from '../../src/lms/profile/switches.js'
import { PRESETS } from '../../src/upstream/site/presets.js'
import type { SiteNames } from '../../src/upstream/site/site.js'
import type { Ids } from '../support/random-arguments.js'

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index)

/** Ids for random operations. */
export const IDS: Ids = {
  Course: range(10_001, 40),
  Lesson: range(100_001, 60),
  Quiz: range(300_001, 30),
  Group: range(1_001, 13),
  Topic: range(400_001, 12),
  Question: range(500_001, 40),
  FeaturedImage: range(800_001, 12),
  LmsTerm: range(700_001, 38),
  User: [2, 3, 3, 600_001, 600_002],
  Author: range(1, 20),
}

/** Columns that LearnDash sites have only with certain settings. */
const COLUMNS = { withoutCategories: false, withoutMeta: false, withoutDiscussion: false, withoutHierarchy: false } as const

/** Switches of a site that has every column and accepts every input, for suites about all columns. */
export const ALL_COLUMNS = { ...COLUMNS, sharedSteps: false } as const

/** What its gateway has beside the preset: lists have the filters of its columns. */
export const ALL_COLUMNS_QUIRKS = {
  ignoredFilters: PRESETS.learndash.ignoredFilters.filter((filter) => /^v2\/groups\/:id\/courses (include|exclude|status)$/.test(filter)),
} as const satisfies SiteNames

/** Gateway settings for that site. */
export const ALL_COLUMNS_NAMES: SiteNames = { ...PRESETS.learndash, ...ALL_COLUMNS_QUIRKS }

/**
 * Switches of a site whose records can be compared with the specification: without unsaved records, whose values differ, with drafts
 * among the courses of a group, without progress in courses of groups that a user has not begun, and without what `access` uses and the
 * specification does not have.
 */
export const COMPLETE = {
  ...COLUMNS,
  unsaved: false,
  groupCoursesPublished: false,
  unknownGroupEmpty: false,
  groupProgress: false,
  progressSteps: false,
} as const

/** What its gateway has beside the preset. */
export const COMPLETE_QUIRKS = {
  ignoredFilters: ALL_COLUMNS_QUIRKS.ignoredFilters.filter((filter) => !filter.endsWith(' status')),
  routes: ['users/me', 'users', 'media', 'terms'],
  openProgression: 'ignored',
  missingPrerequisites: 'ignored',
} as const satisfies SiteNames

/** Gateway settings for that site. */
export const COMPLETE_NAMES: SiteNames = { ...PRESETS.learndash, ...COMPLETE_QUIRKS }

/** A field that LearnDash sites do not have, or with another value. */
interface Difference {
  readonly because: string
  /** Whether the value `shown` may differ from the value by the specification. */
  readonly allows: (specified: unknown, shown: unknown) => boolean
  /** The only profile with the difference. Default: all LearnDash profiles. */
  readonly only?: Profile
}

const isNothing = (_: unknown, shown: unknown): boolean => shown === null || (Array.isArray(shown) && shown.length === 0)
const isSomething = (specified: unknown): boolean => specified === null

/** Allows values of which one is undecided: of `state` and `enrolment`, of `unknowns`, and of what only a decision has. */
const isUndecided: Difference['allows'] = (...values) => values.includes('UNKNOWN')
const isListed: Difference['allows'] = (...values) => values.some((value) => Array.isArray(value) && value.length > 0)
const isOpen: Difference['allows'] = (...values) => values.some((value) => value === null || (Array.isArray(value) && value.length === 0))
const isList = (_: unknown, shown: unknown): boolean => Array.isArray(shown)

/** Allows a value that is equal after a replacement. */
const spelled =
  (from: RegExp, to: string): Difference['allows'] =>
  (specified, shown) =>
    JSON.stringify(shown).replaceAll(from, to) === JSON.stringify(specified)

/** Allows the UTC time of a local time in central Europe. */
const isInUtc = (specified: unknown, shown: unknown): boolean =>
  [1, 2].includes((Date.parse(`${specified}Z`) - Date.parse(`${shown}Z`)) / 3_600_000)

const because = (reason: string, allows: Difference['allows'], type: string, ...fields: string[]): Record<string, Difference> =>
  Object.fromEntries(fields.map((field) => [`${type}.${field}`, { because: reason, allows }]))

const TRAP_12 = "trap 12: a group's courses carry base columns only, and courses themselves have no such column"
const UNDECIDED = 'a site as specified does not return the current user; trap 15: a lesson says no course'
const POSTS = ['Course', 'Lesson', 'Group', 'Quiz', 'LmsContent', 'GroupCourse']
const UTC: Difference = { because: 'dates of progress are UTC on version 4', allows: isInUtc, only: 'learndash' }
const NO_MOMENT: Difference = { because: 'version 4 sends no dates with a zone', allows: isNothing, only: 'learndash' }
const COURSE_DATE: Difference = { because: 'version 5 has dates of courses', allows: isSomething, only: 'learndash-5' }
const lacking = (...fields: string[]): Record<string, Difference> => because(TRAP_12, isNothing, 'GroupCourse', ...fields)

/** Fields that LearnDash sites do not have, or with another value, with the reason. */
export const DIFFERENT: Readonly<Record<string, Difference>> = {
  ...Object.assign(
    {},
    ...POSTS.map((type) => because('names of classes hold the prefix of terms', spelled(/\bld_/g, 'lms_'), type, 'classList')),
    ...[...POSTS, 'CourseProgress'].map((type) => because('trap 13: links lead elsewhere', isList, type, 'links')),
  ),
  ...because('trap 15: a lesson says no course', isNothing, 'Lesson', 'courseId', 'course', 'quizzes'),
  ...because("trap 14: the id of a question's quiz is the engine's", isNothing, 'Question', 'quizId', 'quiz'),
  ...because('a site as specified sends dates without a time', isSomething, 'Lesson', 'visibleAfterSpecificTime'),
  'Course.startDate': COURSE_DATE,
  'Course.endDate': COURSE_DATE,
  'Course.seatsLimit': COURSE_DATE,
  'CourseProgress.dateStarted': UTC,
  'CourseProgress.dateCompleted': UTC,
  'CourseProgress.startedAt': NO_MOMENT,
  'CourseProgress.completedAt': NO_MOMENT,
  'CourseProgress.statusValue': { because: 'trap 11: the text as it is sent', allows: spelled(/-/g, '_'), only: 'learndash' },
  ...because('trap 1: ids without a course are refused', isNothing, 'Query', 'quizzes'),
  ...because('trap 9: one has no name', (_, shown) => shown === 'closed', 'PriceType', 'name'),
  ...because('a site as specified does not return the current user', isSomething, 'Query', 'viewer'),
  ...because('a site as specified does not return the current user', isSomething, 'User', 'name'),
  ...because('a site as specified does not return the current user', isSomething, 'Course', 'progress'),
  ...because('a site as specified has no progress of users that do not exist', isSomething, 'User', 'courseProgress', 'nextLessons'),
  ...because(UNDECIDED, isUndecided, 'Access', 'state', 'enrolment'),
  ...because(UNDECIDED, isListed, 'Access', 'unknowns'),
  ...because(UNDECIDED, isOpen, 'Access', 'reasons', 'availableAt', 'expiresAt'),
  ...because('a site as specified does not return the current user', isSomething, 'PrerequisiteNode', 'completed'),
  ...lacking(
    'materialsEnabled',
    'certificateId',
    'disableContentTable',
    'lessonsPerPageEnabled',
    'lessonPerPageCustom',
    'topicPerPageCustom',
  ),
  ...lacking('priceTypePaynowPrice', 'priceTypeSubscribePrice', 'priceTypeClosedPrice', 'priceTypeClosedCustomButtonUrl'),
  ...lacking('pointsAccess', 'pointsAmount', 'progressionDisabled'),
}

const differenceOf = (field: string, profile: Profile): Difference | undefined => {
  const difference = profile === 'lms' ? undefined : DIFFERENT[field]
  return difference && (difference.only ?? profile) === profile ? difference : undefined
}

/** Whether a field of the graph, as `Type.field`, can differ on a profile. */
export const differs = (field: string, profile: Profile): boolean => differenceOf(field, profile) !== undefined

/** Whether a profile may show a value in place of the value by the specification. */
export const mayShow = (field: string, profile: Profile, specified: unknown, shown: unknown): boolean =>
  differenceOf(field, profile)?.allows(specified, shown) === true
