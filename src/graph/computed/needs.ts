import type { Args, ArgumentContext } from '../../model/edge.js'
import type { LmsRecord } from '../../model/entity.js'
import { isOpen } from '../../rules/enrolment.js'
import type { SiteFacts } from '../../rules/facts.js'
import { isOrderEnforced } from '../../rules/lesson-rules.js'
import { LESSON } from '../../rules/outline.js'
import { isUntouched } from '../../rules/steps.js'
import type { Query } from '../../upstream/client.js'
import { isLacking, type Key } from '../../upstream/routes.js'
import { Course } from '../course/type.js'
import { paramsOf, progressKey, progressList, stepList } from '../course-progress/routes.js'
import { CourseProgress, courseStep } from '../course-progress/type.js'
import { enrolmentList } from '../enrolment/routes.js'
import { CourseEnrolment } from '../enrolment/type.js'
import { type NeededEdge, type ToKeyOptions, type ToListOptions, toList, toMany, toOne } from '../kit/needed-edges.js'
import { lessonList } from '../lesson/routes.js'
import { Lesson } from '../lesson/type.js'
import { PriceType } from '../price-type/type.js'
import { COURSE_COLUMNS, type CourseRecord, learnerOf, PROGRESS_COLUMNS, type ProgressRecord, progressFacts } from './facts.js'

/** The user whose progress decides, how the site behaves, and whether (1) it lists the steps of courses. */
export type Asked = Pick<SiteFacts, 'openProgression'> & { readonly user: number; readonly steps: number }

/** Reads the argument `user`. Null for visitors, who have no progress, and for users who bypass the rules: nothing of a user is needed. */
export function asked({ user }: Args, caller: ArgumentContext): Asked | null {
  const learner = learnerOf(user, caller)
  const { openProgression, bypassingUsers } = caller.site
  const isSubject = typeof learner === 'number' && !bypassingUsers.includes(learner)
  return isSubject ? { openProgression, user: learner, steps: isLacking(caller.site, stepList) ? 0 : 1 } : null
}

/** Fields with an argument `user` depend on the viewer unless it is set. */
export const ofUser = {
  parse: asked,
  perCaller: ({ user }: Args): boolean => user === null || user === undefined,
}

/** The enforced prerequisites of a course. */
export const enforcedPrerequisites = ({ prerequisiteEnabled, prerequisiteIds }: LmsRecord): readonly number[] =>
  prerequisiteEnabled === true && Array.isArray(prerequisiteIds) ? prerequisiteIds : []

export const PREREQUISITE_COLUMNS = ['prerequisiteEnabled', 'prerequisiteIds'] as const

/** The progress of the user in the course that a function returns, or in none. */
export const toProgress = <Parsed extends { readonly user: number | null }>(
  courseOf: (parent: LmsRecord, parsed: Parsed) => Key | null,
  options: ToKeyOptions<Parsed> & { readonly parse: (args: Args, caller: ArgumentContext) => Parsed | null },
  ref: Pick<typeof CourseProgress, 'entity'> = CourseProgress,
): NeededEdge =>
  toOne<typeof ref, Parsed>(
    ref,
    (parent, parsed) => {
      const course = courseOf(parent, parsed)
      return course === null || parsed.user === null ? null : progressKey(parsed.user, course)
    },
    { ...ofUser, oneScope: true, columns: PROGRESS_COLUMNS, ...options },
  )

const askedOfEnrolment = (args: Args, caller: ArgumentContext): Asked | null =>
  isLacking(caller.site, enrolmentList) ? null : asked(args, caller)

const PRICE_COLUMNS = ['priceTypeSlug', 'price'] as const

/** The id of a course that requires enrolment. */
const withEnrolment = (course: LmsRecord): number | null => (isOpen(course as CourseRecord) ? null : (course.databaseId as number))

/** The relations that the rules of a course need, and that its reasons show. */
export const courseNeeds = {
  enrolment: toProgress(withEnrolment, { parse: askedOfEnrolment, needs: PRICE_COLUMNS, columns: ['enrolledAt'] }, CourseEnrolment),
  prerequisites: toMany(Course, enforcedPrerequisites, {
    ...ofUser,
    needs: PREREQUISITE_COLUMNS,
    isSeldom: true,
    shownAt: ['reasons.missing', 'reasons.completed'],
  }),
  prerequisiteProgress: toMany(
    CourseProgress,
    (course, { user }: Asked) => enforcedPrerequisites(course).map((id) => progressKey(user, id)),
    { ...ofUser, needs: PREREQUISITE_COLUMNS, isSeldom: true, oneScope: true, columns: PROGRESS_COLUMNS },
  ),
  earned: toList(
    CourseProgress,
    progressList,
    ({ pointsEnabled, pointsAccess }, { user }: Asked) =>
      pointsEnabled === true && (pointsAccess as number) > 0 ? { params: { user } } : null,
    {
      ...ofUser,
      needs: ['pointsEnabled', 'pointsAccess'],
      isSeldom: () => true,
      pick: (rows) => rows.filter(({ status }) => status === 'COMPLETED'),
      columns: ['status', 'courseId'],
      relations: { course: { ref: Course, columns: ['pointsEnabled', 'points'] } },
    },
  ),
  priceType: toOne(PriceType, 'priceTypeSlug', { shownAt: ['reasons.priceType'], neededFor: ['reasons.priceType'] }),
} as const

/** The lessons of the course that a function returns, in their order; null when they are not needed. */
export const toLessons = <Parsed extends Query>(
  courseOf: (parent: LmsRecord, parsed: Parsed) => number | null,
  options: ToListOptions<Parsed>,
): NeededEdge =>
  toList<Parsed>(
    Lesson,
    lessonList,
    (parent, parsed) => {
      const course = courseOf(parent, parsed)
      return course === null ? null : { query: { course } }
    },
    { columns: ['databaseId'], ...options },
  )

/** The steps of a course with the status of the user of a progress, in the order of the site. */
export const toSteps = (isNeeded: (progress: LmsRecord) => boolean, { needs = [], ...options }: ToListOptions<Query>): NeededEdge =>
  toList({ entity: courseStep }, stepList, (progress) => (isNeeded(progress) ? { params: paramsOf(progress.key as Key) } : null), {
    needs: ['status', ...needs],
    parse: (_, { site }) => (isLacking(site, stepList) ? null : {}),
    ...options,
  })

/** The steps, when the progress of the user does not show which are completed. */
export const completedSteps = (needed: Pick<NeededEdge, 'neededFor'> = {}): NeededEdge =>
  toSteps((progress) => !isSettled(progress), { needs: ['stepsCompleted', 'lastStepId'], columns: ['stepId', 'status'], ...needed })

/** Whether a progress shows that all steps are completed, or none. */
export const isSettled = (progress: LmsRecord): boolean => {
  const facts = progressFacts(progress as ProgressRecord)
  return facts.status === 'COMPLETED' || isUntouched(facts)
}

/** Columns that tell whether the lessons have an order. */
export const ORDER_COLUMNS = ['disableLessonProgression', 'priceTypeSlug']

/** The id of a course, unless its lessons have no order. */
const orderedCourse = (course: LmsRecord, site: Asked): number | null =>
  isOrderEnforced(course as CourseRecord, site) === false ? null : (course.databaseId as number)

/** What the rules of a lesson need of its course, in addition to those of the course. */
export const orderNeeds = {
  lessons: toLessons<Asked>(orderedCourse, {
    ...ofUser,
    needs: ORDER_COLUMNS,
    shownAt: ['reasons.lesson'],
  }),
  ordered: toProgress(orderedCourse, { parse: asked, needs: ORDER_COLUMNS, relations: { steps: completedSteps() } }),
} as const

/** The progress of the user in a course that requires enrolment. */
export const progressWhereRequired = toProgress(withEnrolment, { parse: asked, needs: PRICE_COLUMNS })

/** The courses in which a lesson or a topic is known to be: its own, or else those whose lists have shown it. */
const coursesOf = ({ courseId, 'in course': ids }: LmsRecord) => [courseId ?? ids ?? []].flat() as number[]

const LESSON_STEPS: Parameters<typeof toSteps>[1] = {
  pick: (rows) => rows.filter(({ type }) => type === LESSON),
  columns: ['stepId', 'type', 'status'],
}

/** These courses, with what decides in each whether the viewer may open the lesson. */
export const knownCourses = toMany(Course, coursesOf, {
  leadsBack: true,
  needs: ['courseId'],
  columns: COURSE_COLUMNS,
  relations: {
    ...courseNeeds,
    progress: toProgress(({ databaseId }) => databaseId as number, { parse: asked, oneScope: 'viewer' }),
    // The list of steps has the order of the lessons, too. Learners who are not enrolled have none.
    ordered: toProgress(orderedCourse, {
      parse: asked,
      oneScope: 'viewer',
      needs: ORDER_COLUMNS,
      relations: { steps: toSteps(() => true, LESSON_STEPS) },
    }),
    lessons: toLessons<Asked>((course, site) => (site.steps === 1 && withEnrolment(course) !== null ? null : orderedCourse(course, site)), {
      ...ofUser,
      needs: [...ORDER_COLUMNS, ...PRICE_COLUMNS],
      isSeldom: ({ steps }) => steps === 1,
    }),
  },
})
