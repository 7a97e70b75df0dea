import {
  type CourseFacts,
  type CourseQuestion,
  type Fact,
  type LessonQuestion,
  type PrerequisiteFacts,
  type ProgressFacts,
  UNREADABLE,
} from '../../src/rules/facts.js'
import type { Random } from '../support/random.js'
import type { Who } from './oracle.js'
import type { World } from './worlds.js'
import { asText, firstMomentOf, localTime } from './zones.js'

/** Who asks, and with whose credentials. */
export const ROLES = ['ADMINISTRATOR', 'LEARNER', 'OWN_READ', 'OTHER_USER', 'VISITOR', 'UNKNOWN'] as const
export type Role = (typeof ROLES)[number]

/** What a caller can see of a world. */
export interface View {
  readonly role: Role
  /** Whether the site sends the dates of enrolments with the progress. */
  readonly sendsEnrolments: boolean
  /** Whether the site lists the courses of the learner, and whether with the dates of enrolments. */
  readonly enrolments: 'NOT_SENT' | 'REFUSED' | 'LIST' | 'DATED'
  /** Whether the settings of the gateway say how the site behaves: with the order of open courses, and with missing prerequisites. */
  readonly knowsOrder: boolean
  readonly knowsPrerequisites: boolean
  readonly knowsZone: boolean
  /** Whether the site sends dates of release as moments. */
  readonly sendsMoments: boolean
  readonly steps: 'LIST' | 'NOT_SENT' | 'REFUSED'
  readonly course: 'READ' | 'REFUSED' | 'NOT_KNOWN'
  readonly order: 'READ' | 'REFUSED' | 'WITHOUT_LESSON'
  readonly progress: 'READ' | 'REFUSED'
  /** `PUBLISHED`: those that do not exist cannot be told from unpublished ones. */
  readonly prerequisites: 'READ' | 'REFUSED' | 'LEFT_OUT' | 'PUBLISHED'
  readonly earnedPoints: 'READ' | 'REFUSED'
  readonly hidesStatus: boolean
  readonly hidesCourseStatus: boolean
  readonly hidesProgressStatus: boolean
  readonly sendsStepCount: boolean
  /** Whether rows of progress get the last step before the status and the number of steps. */
  readonly countsLate: boolean
}

export const whoOf = ({ role }: View): Who => (role === 'VISITOR' ? 'VISITOR' : 'LEARNER')

/** What a role usually sees: an administrator all that the site sends, learners their own progress, visitors public records only. */
export function viewOf(role: Role, world: World, random: Random, isOdd: boolean): View {
  const isAdministrator = role === 'ADMINISTRATOR'
  const odd = <T>(usual: T, ...others: readonly T[]): T => (isOdd && random.chance(0.3) ? random.pick(others) : usual)
  const seesCourse = isAdministrator || role === 'OTHER_USER' || (role !== 'OWN_READ' && random.chance(0.5))
  const { completed } = world.learner
  const isInOrder = completed.every((id, place) => id === world.order[place])
  return {
    role,
    sendsEnrolments: random.chance(0.6),
    enrolments: random.pick(['NOT_SENT', 'REFUSED', 'LIST', 'DATED', 'DATED']),
    knowsOrder: random.chance(0.6),
    knowsPrerequisites: random.chance(0.6),
    knowsZone: random.chance(0.6),
    sendsMoments: random.chance(0.2),
    // Without the list, the last step tells how far the learner is: only when the lessons were completed in their order.
    steps: isInOrder ? random.pick(['LIST', 'NOT_SENT', 'REFUSED']) : 'LIST',
    course: world.lesson ? odd(seesCourse ? 'READ' : 'REFUSED', 'NOT_KNOWN', 'REFUSED', 'READ') : 'READ',
    order: odd('READ', 'REFUSED', 'WITHOUT_LESSON'),
    progress: role === 'OTHER_USER' ? 'REFUSED' : odd('READ', 'REFUSED'),
    prerequisites: isAdministrator ? odd('READ', 'REFUSED', 'LEFT_OUT', 'PUBLISHED') : 'REFUSED',
    earnedPoints: isAdministrator || role === 'LEARNER' ? odd('READ', 'REFUSED') : 'REFUSED',
    hidesStatus: odd(false, false, true),
    hidesCourseStatus: odd(false, false, true),
    hidesProgressStatus: odd(false, true),
    sendsStepCount: odd(true, false),
    countsLate: odd(false, true),
  }
}

/** The row of progress that a site has for the learner, or null. */
export function progressOf(world: World, view: View): ProgressFacts | null {
  const { learner, order, site } = world
  // A row without a status says nothing of an enrolment.
  if (learner.enrolledAt === null && learner.startedAt === null) return view.hidesProgressStatus ? rowOf(null) : null
  const { completed, lastStepId, startedAt, enrolledAt } = learner
  const isDone = completed.length === order.length
  const isCounted = isDone || lastStepId === null || !view.countsLate
  const stepsCompleted = !isCounted ? 0 : completed.length + (lastStepId === null || order.includes(lastStepId) ? 0 : 1)
  return {
    status: view.hidesProgressStatus ? null : isDone ? 'COMPLETED' : stepsCompleted > 0 ? 'IN_PROGRESS' : 'NOT_STARTED',
    lastStepId,
    stepsCompleted: view.sendsStepCount ? stepsCompleted : null,
    stepsTotal: order.length + 1,
    dateStarted: startedAt === null ? null : localTime(startedAt, site.timeZone),
    enrolledAt: view.sendsEnrolments && enrolledAt !== null ? asText(enrolledAt) : null,
  }
}

/** Whether a course needs no enrolment by its price: then the list of courses does not matter. */
const isFree = ({ course: { priceTypeSlug, price } }: World): boolean =>
  priceTypeSlug === 'open' || (priceTypeSlug === 'paynow' && ['', '0'].includes((price ?? '').trim()))

/** The course in the list of the learner's courses, which has published courses only. */
function enrolmentOf(world: World, { enrolments }: View): CourseQuestion['enrolment'] {
  const { learner, course } = world
  if (enrolments === 'NOT_SENT') return undefined
  if (enrolments === 'REFUSED') return UNREADABLE
  if (learner.enrolledAt === null || isFree(world) || course.status !== 'publish') return null
  return { enrolledAt: enrolments === 'DATED' ? asText(learner.enrolledAt) : null }
}

const rowOf = (status: ProgressFacts['status']): ProgressFacts => ({
  status,
  lastStepId: null,
  stepsCompleted: null,
  stepsTotal: null,
  dateStarted: null,
  enrolledAt: null,
})

function prerequisitesOf(world: World, view: View): PrerequisiteFacts[] {
  const isAboutOne = view.role !== 'VISITOR' && view.role !== 'UNKNOWN'
  return world.prerequisites
    .filter((_, index) => view.prerequisites !== 'LEFT_OUT' || index !== 0)
    .map(({ id, exists, status }) => ({
      databaseId: id,
      exists: view.prerequisites === 'REFUSED' || (view.prerequisites === 'PUBLISHED' && !exists) ? UNREADABLE : exists,
      progress: !isAboutOne || view.progress === 'REFUSED' ? UNREADABLE : status && rowOf(status),
    }))
}

function courseOf({ course }: World, view: View): CourseFacts {
  return view.hidesCourseStatus ? { ...course, status: null } : { ...course }
}

/** The list of completed steps, with topics. */
function stepsOf({ learner }: World, view: View): Fact<readonly number[]> | null {
  if (view.steps === 'NOT_SENT') return null
  if (view.steps === 'REFUSED') return UNREADABLE
  return [...new Set([...learner.completed, ...(learner.lastStepId === null ? [] : [learner.lastStepId])])]
}

/** The facts that a caller sees. */
export function factsOf(world: World, view: View): CourseQuestion | LessonQuestion {
  const { site, lesson, learner, order } = world
  const knowsLearner = view.role !== 'VISITOR' && view.role !== 'UNKNOWN'
  const readsProgress = knowsLearner && view.progress === 'READ'
  const common: Omit<CourseQuestion, 'course'> = {
    site: {
      timeZone: view.knowsZone ? site.timeZone : null,
      openProgression: view.knowsOrder ? site.openProgression : 'unknown',
      missingPrerequisites: view.knowsPrerequisites ? site.missingPrerequisites : 'unknown',
      bypassingUsers: site.bypassingUsers,
    },
    now: world.now,
    learner: view.role === 'VISITOR' ? 'visitor' : view.role === 'UNKNOWN' ? null : learner.id,
    progress: view.role === 'VISITOR' ? null : readsProgress ? progressOf(world, view) : UNREADABLE,
    enrolment: knowsLearner && view.course === 'READ' ? enrolmentOf(world, view) : undefined,
    prerequisites: prerequisitesOf(world, view),
    earnedPoints: knowsLearner && view.earnedPoints === 'READ' ? learner.coursePoints : UNREADABLE,
  }
  const course = courseOf(world, view)
  if (!lesson) return { ...common, course: view.hidesStatus ? { ...course, status: null } : course }
  const { visibleAfterSpecificDate: date, visibleAfterSpecificTime: time } = lesson
  return {
    ...common,
    course: view.course === 'NOT_KNOWN' ? null : view.course === 'REFUSED' ? UNREADABLE : course,
    lesson: {
      ...lesson,
      status: view.hidesStatus ? null : lesson.status,
      visibleAfterSpecificTime: time ?? (view.sendsMoments && date !== null ? asText(firstMomentOf(date, site.timeZone)) : null),
    },
    lessonIds: view.order === 'REFUSED' ? UNREADABLE : view.order === 'READ' ? order : order.filter((id) => id !== lesson.databaseId),
    completedStepIds: knowsLearner ? stepsOf(world, view) : UNREADABLE,
    isOwnRead: view.role === 'OWN_READ',
  }
}
