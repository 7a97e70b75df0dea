import type { Profile } from '../../src/lms/profile/switches.js'
import { type Names, PRESETS } from '../../src/rest/presets.js'
import type { Ids } from '../support/random-arguments.js'

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index)

/** Ids random operations ask for. */
export const IDS: Ids = {
  Course: range(10_001, 40),
  Lesson: range(100_001, 60),
  Quiz: range(300_001, 30),
  Group: range(1_001, 13),
  Question: range(500_001, 40),
  User: [2, 3, 3, 600_001, 600_002],
  Author: range(1, 20),
}

/** Columns that sites of the plugin have by their settings, and new ones do not. */
const COLUMNS = { withoutCategories: false, withoutMeta: false, withoutDiscussion: false, withoutHierarchy: false } as const

/** Switches of a site that has every column and takes every input: suites about all of them run in front of it. */
export const ALL_COLUMNS = { ...COLUMNS, sharedSteps: false } as const

/** What the gateway is told of such a site: its lists can be narrowed by what its records have. */
export const ALL_COLUMNS_NAMES: Names = {
  ...PRESETS.learndash,
  ignored: PRESETS.learndash.ignored.filter((filter) => /^v2\/groups\/:id\/courses (include|exclude|status)$/.test(filter)),
}

/**
 * Records nobody saved have other values and not only other spellings, and drafts are never among the courses of a group: here they
 * do not, so that all else can be compared.
 */
export const COMPLETE = { ...COLUMNS, unsaved: false, groupCoursesPublished: false, unknownGroupEmpty: false } as const

/** What the gateway is told of such a site. */
export const COMPLETE_NAMES: Names = {
  ...ALL_COLUMNS_NAMES,
  ignored: ALL_COLUMNS_NAMES.ignored?.filter((filter) => !filter.endsWith(' status')) ?? [],
}

/** A field that sites of the plugin can't show, or show otherwise. */
export interface Difference {
  readonly because: string
  /** The only profile that shows it otherwise. */
  readonly only?: Profile
}

const because = (reason: string, type: string, ...fields: string[]): Record<string, Difference> =>
  Object.fromEntries(fields.map((field) => [`${type}.${field}`, { because: reason }]))

const TRAP_12 = "trap 12: a group's courses carry base columns only"
const POSTS = ['Course', 'Lesson', 'Group', 'Quiz', 'Post', 'GroupCourse']
const only = 'learndash'

/** What sites of the plugin can't show, or show otherwise, each with its reason. */
export const DIFFERENT: Readonly<Record<string, Difference>> = {
  ...Object.assign({}, ...POSTS.map((type) => because('names of classes hold the prefix of terms', type, 'classList'))),
  ...Object.assign({}, ...[...POSTS, 'CourseProgress'].map((type) => because('trap 13: links lead elsewhere', type, 'links'))),
  ...because('trap 15: a lesson says no course', 'Lesson', 'courseId', 'course', 'quizzes'),
  ...because("trap 14: the id of a question's quiz is the engine's", 'Question', 'quizId', 'quiz'),
  'CourseProgress.dateStarted': { because: 'dates of progress are UTC on version 4', only },
  'CourseProgress.dateCompleted': { because: 'dates of progress are UTC on version 4', only },
  'CourseProgress.statusValue': { because: 'trap 11: the text as it is sent', only },
  ...because('trap 9: one has no name', 'PriceType', 'name'),
  ...because(TRAP_12, 'GroupCourse', 'materialsEnabled', 'materials', 'certificateId', 'disableContentTable', 'lessonsPerPage'),
  ...because(TRAP_12, 'GroupCourse', 'lessonPerPageCustom', 'topicPerPageCustom', 'priceTypeSlug', 'priceType', 'priceTypePaynowPrice'),
  ...because(TRAP_12, 'GroupCourse', 'priceTypeSubscribePrice', 'priceTypeClosedPrice', 'priceTypeClosedCustomButtonUrl'),
  ...because(TRAP_12, 'GroupCourse', 'prerequisiteEnabled', 'prerequisiteIds', 'prerequisites'),
  ...because(TRAP_12, 'GroupCourse', 'prerequisiteCompare', 'prerequisiteCompareValue'),
  ...because(TRAP_12, 'GroupCourse', 'pointsEnabled', 'pointsAccess', 'pointsAmount', 'progressionDisabled'),
}

/** Whether a field of the graph, as `Type.field`, differs on a profile. */
export const differs = (field: string, profile: Profile): boolean =>
  profile !== 'lms' && field in DIFFERENT && (DIFFERENT[field]?.only ?? profile) === profile
