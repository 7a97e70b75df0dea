import type { Args, ArgumentContext } from '../../model/edge.js'
import type { LmsRecord } from '../../model/entity.js'
import type { NeededRecord, Related } from '../../model/needs.js'
import { type Access, type AccessReason, courseAccess, lessonAccess } from '../../rules/access.js'
import { type CourseQuestion, type Fact, type LessonQuestion, type PrerequisiteFacts, UNREADABLE } from '../../rules/facts.js'
import { BadInputError } from '../../upstream/errors.js'
import { ruleOf } from '../../upstream/roles.js'
import { isLacking } from '../../upstream/routes.js'
import { Course } from '../course/type.js'
import { enrolmentList } from '../enrolment/routes.js'
import { builder } from '../kit/builder.js'
import { readId } from '../kit/ids.js'
import { toOne } from '../kit/needed-edges.js'
import { Lesson } from '../lesson/type.js'
import { AccessRef, type ShownAccess, shownReason, shownUnknown } from './access-types.js'
import {
  COURSE_COLUMNS,
  type CourseRecord,
  completedIn,
  courseFacts,
  enrolmentOf,
  idsOf,
  LESSON_COLUMNS,
  learnerOf,
  lessonFacts,
  progressOf,
  readable,
  recordOf,
  recordsById,
  recordsOf,
  relatedOf,
} from './facts.js'
import { asked, courseNeeds, enforcedPrerequisites, ofUser, orderNeeds, progressWhereRequired, toProgress } from './needs.js'

/** Columns of a course that the rules read, and that reasons show. */
const COLUMNS_OF_COURSE = [...COURSE_COLUMNS, 'customButtonUrl', 'seatsLimit'] as const

const userArgument = 'Global id or REST id of the user. The viewer by default.'

builder.objectField(Course, 'access', (t) =>
  t.lmsComputed({
    type: AccessRef,
    semanticNonNull: true,
    description: `Whether a user can open the course, and why not. Null only beside an error. At most one REST call per user for each 100 different courses of a level, one for each 100 prerequisites, and the list of the user's progress where points are required.`,
    args: { user: t.arg.id({ description: userArgument }) },
    needs: {
      columns: COLUMNS_OF_COURSE,
      relations: { ...courseNeeds, progress: progressWhereRequired },
    },
    compute(course, related, { user }, caller) {
      const access = courseAccess({
        site: caller.site,
        now: Date.now(),
        learner: learnerOf(user, caller),
        course: courseFacts(course),
        progress: progressOf(related.progress),
        ...courseQuestion(course, related, caller),
      })
      return shown(access, course, related)
    },
  }),
)

interface AskedForLesson {
  readonly user: number | null
  /** The course in which the lesson is read; null for the only course of the lesson. */
  readonly course: number | null
}

const askedForLesson = (args: Args, caller: ArgumentContext): AskedForLesson => ({
  user: asked(args, caller)?.user ?? null,
  course: args.course == null ? null : readId('course', 'Course', args.course),
})

const courseOf = ({ courseId }: LmsRecord, { course }: Pick<AskedForLesson, 'course'>): number | null =>
  course ?? (courseId as number | null)

builder.objectField(Lesson, 'access', (t) =>
  t.lmsComputed({
    type: AccessRef,
    semanticNonNull: true,
    description: `Whether a user can open the lesson, and why not. Null only beside an error. At most one REST call per user for each 100 different courses of a level, one for each 100 courses, and the other calls of \`Course.access\`. Where lessons are taken in order, also one for the lessons of each course.`,
    args: {
      user: t.arg.id({ description: userArgument }),
      course: t.arg.id({
        description: 'Global id or REST id of the course in which the user takes the lesson. Needed where `course` is null.',
      }),
    },
    needs: {
      columns: [...LESSON_COLUMNS, 'courseId'],
      relations: {
        progress: toProgress(courseOf, { parse: askedForLesson, needs: ['courseId'] }),
        course: toOne(Course, courseOf, {
          ...ofUser,
          parse: askedForLesson,
          needs: ['courseId'],
          columns: COLUMNS_OF_COURSE,
          relations: { ...courseNeeds, ...orderNeeds },
        }),
      },
    },
    compute(lesson, { progress, course: found }, args, caller) {
      const related = relatedOf(found)
      const record = recordOf(found as NeededRecord)
      checkCourse(args.course, lesson.courseId, record)
      const access = accessIn(found, caller, {
        learner: learnerOf(args.user, caller),
        lesson: lessonFacts(lesson),
        progress: progressOf(progress),
        lessonIds: idsOf(related.lessons),
        completedStepIds: completedIn(relatedOf(related.ordered).steps),
      })
      return shown(access, record === UNREADABLE ? {} : (record ?? {}), related)
    },
  }),
)

type OfLesson = 'learner' | 'lesson' | 'progress' | 'lessonIds' | 'completedStepIds'

/** The access of a learner to a lesson in a course, with what was read of both. */
export function accessIn(found: Related[string], caller: ArgumentContext, asked: Pick<LessonQuestion, OfLesson>): Access {
  const record = recordOf(found as NeededRecord)
  const course = record === null || record === UNREADABLE ? undefined : readable<CourseRecord & LmsRecord>(record, COURSE_COLUMNS)
  return lessonAccess({
    ...asked,
    isOwnRead: caller.readsAsViewer && asked.learner === caller.viewer,
    site: caller.site,
    now: Date.now(),
    course: course ? courseFacts(course) : (record as null | typeof UNREADABLE),
    ...courseQuestion(course ?? {}, relatedOf(found), caller),
  })
}

/** Refuses an argument `course` that is not the course of the lesson, or that does not exist. */
function checkCourse(given: Args[string], courseId: number | null, record: Fact<LmsRecord | null>): void {
  if (given === null || given === undefined) return
  const asked = readId('course', 'Course', given)
  if (courseId !== null && courseId !== asked)
    throw new BadInputError(`\`course\` is ${asked}, but the lesson belongs to course ${courseId}.`)
  if (record === null) throw new BadInputError(`\`course\` is ${asked}, but the site has no such course.`)
}

/** What is known of the enrolment, the prerequisites and the points of a course. */
function courseQuestion(
  course: LmsRecord,
  related: Related,
  asking: ArgumentContext,
): Pick<CourseQuestion, 'enrolment' | 'prerequisites' | 'earnedPoints'> {
  const [courses, rows] = [recordsOf(related.prerequisites), recordsOf(related.prerequisiteProgress)]
  const at = (list: typeof courses, index: number): Fact<NeededRecord | undefined> => (list === UNREADABLE ? UNREADABLE : list[index])
  const prerequisites = enforcedPrerequisites(course).map((databaseId, index): PrerequisiteFacts => {
    const record = recordOf(at(courses, index))
    const exists = record === UNREADABLE || (record === null && ruleOf(asking).records === 'published') ? UNREADABLE : record !== null
    return { databaseId, exists, progress: progressOf(at(rows, index)) }
  })
  const enrolment = isLacking(asking.site, enrolmentList) ? undefined : enrolmentOf(related.enrolment)
  return { enrolment, prerequisites, earnedPoints: pointsOf(recordsOf(related.earned)) }
}

/** The points that completed courses award. Courses that the caller may not read count nothing. */
function pointsOf(completed: Fact<readonly NeededRecord[]>): Fact<number> {
  if (completed === UNREADABLE) return UNREADABLE
  return completed.reduce((sum, { related }) => {
    const course = recordOf(related.course as NeededRecord)
    return course !== UNREADABLE && course?.pointsEnabled === true ? sum + ((course.points as number | null) ?? 0) : sum
  }, 0)
}

/** Replaces the ids of reasons by the records that they show. */
function shown(access: Access, course: LmsRecord, related: Related): ShownAccess {
  const courses = recordsById(related.prerequisites)
  const lessons = recordsById(related.lessons)
  const fieldsOf = (reason: AccessReason): Readonly<Record<string, unknown>> => {
    switch (reason.kind) {
      case 'NotEnrolled': {
        const { price, customButtonUrl, seatsLimit } = course
        return { price, buttonUrl: customButtonUrl, seatsLimit, priceType: (related.priceType as NeededRecord | undefined)?.record }
      }
      case 'PrerequisitesMissing': {
        const { compare, missingIds, completedIds } = reason
        const of = (ids: readonly number[]) => ids.map((id) => courses.get(id) ?? null)
        return { compare, missing: of(missingIds), completed: of(completedIds) }
      }
      case 'PreviousLessonIncomplete':
        return { lesson: lessons.get(reason.lessonId) ?? null }
      default:
        return reason
    }
  }
  return {
    ...access,
    reasons: access.reasons.map((reason) => shownReason(reason.kind, fieldsOf(reason))),
    unknowns: access.unknowns.map(shownUnknown),
  }
}
