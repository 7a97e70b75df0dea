import { describe, expect, it } from 'vitest'
import { type Access, courseAccess, lessonAccess } from '../../src/rules/access.js'
import { aboutCourse, aboutLesson, type CourseChanges, type LessonChanges } from './cases.js'

type Row<Changes> = readonly [title: string, changes: Changes, expected: Access]

const tableOf =
  <Changes>(access: (changes: Changes) => Access) =>
  (name: string, rows: readonly Row<Changes>[]): void => {
    describe(name, () => {
      it.each(rows)('%s', (_, changes, expected) => {
        expect(access(changes)).toEqual(expected)
      })
    })
  }

/** Tests of the access to a course: a title, what differs from `aboutCourse`, and the whole answer. */
export const courseTable = tableOf((changes: CourseChanges) => courseAccess(aboutCourse(changes)))

/** Tests of the access to a lesson: a title, what differs from `aboutLesson`, and the whole answer. */
export const lessonTable = tableOf((changes: LessonChanges) => lessonAccess(aboutLesson(changes)))
