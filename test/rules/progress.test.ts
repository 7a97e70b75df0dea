import { describe, expect, it } from 'vitest'
import { type Fact, type ProgressFacts, UNREADABLE } from '../../src/rules/facts.js'
import { type NextLessonReason, nextLesson, percent, whyNoStep } from '../../src/rules/progress.js'
import { COMPLETED, NOT_STARTED, row } from './cases.js'

describe('percent', () => {
  it.each<[title: string, progress: Partial<ProgressFacts>, expected: number | null]>([
    ['half of the steps', { stepsCompleted: 2, stepsTotal: 4 }, 50],
    ['no step', { stepsCompleted: 0, stepsTotal: 4 }, 0],
    ['fractions are rounded down', { stepsCompleted: 2, stepsTotal: 3 }, 66],
    ['almost all steps are not 100', { stepsCompleted: 999, stepsTotal: 1000 }, 99],
    ['all steps of a course that is not completed', { stepsCompleted: 4, stepsTotal: 4 }, 100],
    ['more steps than the course has', { stepsCompleted: 5, stepsTotal: 4 }, 100],
    ['fewer steps than none', { stepsCompleted: -1, stepsTotal: 4 }, 0],
    ['a completed course', { status: 'COMPLETED', stepsCompleted: 1, stepsTotal: 4 }, 100],
    ['a completed course without numbers', { status: 'COMPLETED', stepsCompleted: null, stepsTotal: null }, 100],
    ['a course of unknown status', { status: null, stepsCompleted: 1, stepsTotal: 4 }, 25],
    ['a course without steps', { stepsCompleted: 0, stepsTotal: 0 }, null],
    ['a negative total', { stepsCompleted: 1, stepsTotal: -1 }, null],
    ['an unknown total', { stepsCompleted: 1, stepsTotal: null }, null],
    ['an unknown number of completed steps', { stepsCompleted: null, stepsTotal: 4 }, null],
  ])('of %s', (_, progress, expected) => {
    expect(percent(row(progress))).toBe(expected)
  })
})

interface Changes {
  readonly progress?: ProgressFacts
  readonly lessonIds?: Fact<readonly number[]>
  readonly completedStepIds?: Fact<readonly number[]> | null
  readonly isOrderEnforced?: Fact<boolean>
}

describe('the next lesson', () => {
  it.each<[title: string, changes: Changes, expected: number | NextLessonReason]>([
    ['follows the last step', {}, 12],
    ['follows a later last step', { progress: row({ lastStepId: 12 }) }, 13],
    ['ends after the last lesson', { progress: row({ lastStepId: 13 }) }, 'ALL_LESSONS_COMPLETED'],
    ['is unknown after a step that is no lesson', { progress: row({ lastStepId: 99 }) }, 'COMPLETED_STEPS_UNKNOWN'],
    ['is unknown without a last step', { progress: row({ lastStepId: null }) }, 'COMPLETED_STEPS_UNKNOWN'],
    ['is unknown without an enforced order', { isOrderEnforced: false }, 'COMPLETED_STEPS_UNKNOWN'],
    ['is unknown when it is not known whether the order is enforced', { isOrderEnforced: UNREADABLE }, 'COMPLETED_STEPS_UNKNOWN'],
    ['is none in a completed course', { progress: COMPLETED }, 'COURSE_COMPLETED'],
    ['is none in a completed course, whatever the order', { progress: COMPLETED, lessonIds: UNREADABLE }, 'COURSE_COMPLETED'],
    ['is none in a completed course with open steps', { progress: COMPLETED, completedStepIds: [] }, 'COURSE_COMPLETED'],
    ['is unknown without a readable order', { lessonIds: UNREADABLE, completedStepIds: [11] }, 'LESSON_ORDER_UNREADABLE'],
    ['is none in a course without lessons', { lessonIds: [], completedStepIds: [] }, 'NO_LESSONS'],
    ['is none in a course without lessons that is not started', { lessonIds: [], progress: NOT_STARTED }, 'NO_LESSONS'],
    ['is the first without a completed step', { completedStepIds: [] }, 11],
    ['is the first that is missing among the completed steps', { completedStepIds: [13, 11], isOrderEnforced: false }, 12],
    ['is none when all lessons are among the completed steps', { completedStepIds: [13, 99, 12, 11] }, 'ALL_LESSONS_COMPLETED'],
    ['takes completed steps before the last step', { completedStepIds: [11, 12] }, 13],
    ['takes the last step when completed steps are unreadable', { completedStepIds: UNREADABLE }, 12],
    ['is the first of a course that is not started', { progress: NOT_STARTED, isOrderEnforced: false }, 11],
    ['is the first without a number of steps', { progress: { ...NOT_STARTED, stepsCompleted: null }, isOrderEnforced: UNREADABLE }, 11],
    [
      'is unknown when steps of a course that is not started are completed',
      { progress: { ...NOT_STARTED, stepsCompleted: 1 } },
      'COMPLETED_STEPS_UNKNOWN',
    ],
    ['follows the last step of a course that is not started', { progress: { ...NOT_STARTED, lastStepId: 11 } }, 12],
    ['follows the last step of a course of unknown status', { progress: row({ status: null }) }, 12],
  ])('%s', (_, changes, expected) => {
    const question = { progress: row(), lessonIds: [11, 12, 13], completedStepIds: null, isOrderEnforced: true, ...changes }
    const answer = typeof expected === 'number' ? { lessonId: expected, reason: null } : { lessonId: null, reason: expected }
    expect(nextLesson(question)).toEqual(answer)
  })
})

describe('the next step', () => {
  it.each<[title: string, ...Parameters<typeof whyNoStep>, expected: NextLessonReason | null]>([
    ['is the first one that is not completed', 'IN_PROGRESS', { status: 'NOT_STARTED' }, null],
    ['is the first one of a course that is not started', 'NOT_STARTED', { status: 'NOT_STARTED' }, null],
    ['is the first one in a course of unknown status', null, { status: 'NOT_STARTED' }, null],
    ['is none in a completed course', 'COMPLETED', { status: 'NOT_STARTED' }, 'COURSE_COMPLETED'],
    ['is none in a completed course whose steps were not read', 'COMPLETED', UNREADABLE, 'COURSE_COMPLETED'],
    ['is none when the last one is completed', 'IN_PROGRESS', { status: 'COMPLETED' }, 'ALL_LESSONS_COMPLETED'],
    ['is none in a course without steps', 'NOT_STARTED', undefined, 'NO_LESSONS'],
    ['is not known without readable steps', 'IN_PROGRESS', UNREADABLE, 'COMPLETED_STEPS_UNKNOWN'],
  ])('%s', (_, status, step, expected) => {
    expect(whyNoStep(status, step)).toBe(expected)
  })
})
