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

/**
 * Sites of the plugin leave out columns by their settings, records nobody saved have other values and not only other spellings, and
 * drafts are never among the courses of a group: here they do not, so that all else can be compared.
 */
export const COMPLETE = {
  unsaved: false,
  withoutCategories: false,
  withoutMeta: false,
  withoutDiscussion: false,
  withoutHierarchy: false,
  groupCoursesPublished: false,
  unknownGroupEmpty: false,
} as const

/** What such a site is told of: its lists can be narrowed by what its records have. */
export const COMPLETE_NAMES: Names = { ...PRESETS.learndash, ignored: ['v2/groups/:id/courses include', 'v2/groups/:id/courses exclude'] }

const because = (reason: string, type: string, ...fields: string[]): Record<string, string> =>
  Object.fromEntries(fields.map((field) => [`${type}.${field}`, reason]))

const TRAP_12 = "trap 12: a group's courses carry base columns only"

/** What sites of the plugin can't show, or show otherwise, each with its reason. */
export const DIFFERENT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['Course', 'Lesson', 'Group', 'Quiz', 'Post', 'GroupCourse'].map((type) => [
      `${type}.classList`,
      'names of classes hold the prefix of terms',
    ]),
  ),
  ...Object.fromEntries(
    ['Course', 'Lesson', 'Group', 'Quiz', 'Post', 'GroupCourse', 'CourseProgress'].map((type) => [
      `${type}.links`,
      'trap 13: links lead elsewhere',
    ]),
  ),
  ...because('trap 15: a lesson says no course', 'Lesson', 'courseId', 'course', 'quizzes'),
  ...because("trap 14: the id of a question's quiz is the engine's", 'Question', 'quizId', 'quiz'),
  ...because('dates of progress are UTC on version 4', 'CourseProgress', 'dateStarted', 'dateCompleted'),
  ...because('trap 11: the text as it is sent', 'CourseProgress', 'statusValue'),
  ...because('trap 9: one has no name', 'PriceType', 'name'),
  ...because(TRAP_12, 'GroupCourse', 'materialsEnabled', 'materials', 'certificateId', 'disableContentTable', 'lessonsPerPage'),
  ...because(TRAP_12, 'GroupCourse', 'lessonPerPageCustom', 'topicPerPageCustom', 'priceTypeSlug', 'priceType', 'priceTypePaynowPrice'),
  ...because(TRAP_12, 'GroupCourse', 'priceTypeSubscribePrice', 'priceTypeClosedPrice', 'priceTypeClosedCustomButtonUrl'),
  ...because(
    TRAP_12,
    'GroupCourse',
    'prerequisiteEnabled',
    'prerequisiteIds',
    'prerequisites',
    'prerequisiteCompare',
    'prerequisiteCompareValue',
  ),
  ...because(TRAP_12, 'GroupCourse', 'pointsEnabled', 'pointsAccess', 'pointsAmount', 'progressionDisabled'),
}
