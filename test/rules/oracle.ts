import type { AccessReason, AccessRule } from '../../src/rules/access.js'
import { DAY, type World } from './worlds.js'
import { asText, firstMomentOf } from './zones.js'

/** Whether somebody gets in, and what decides it. The times are those of people who are subject to all rules. */
export interface Truth {
  readonly isAdmitted: boolean
  readonly refusing: readonly AccessRule[]
  /** The moments before which a date of the course or the release refuses, of those that are not reached. */
  readonly opens: readonly string[]
  /** The moments at which the course or the enrolment ends. */
  readonly ends: readonly string[]
}

export type Who = 'LEARNER' | 'VISITOR'

const needsEnrolment = ({ course, otherTypeNeedsEnrolment }: World): boolean => {
  switch (course.priceTypeSlug) {
    case 'open':
      return false
    case 'paynow':
      return !['', '0'].includes((course.price ?? '').trim())
    case 'free':
    case 'subscribe':
    case 'closed':
      return true
    default:
      return otherTypeNeedsEnrolment
  }
}

/** Whether the enrolment of the learner counts in this course at all. Without one, order and release hold where the course needs none. */
const isOutside = (world: World): boolean => needsEnrolment(world) && world.learner.enrolledAt === null

const isMissing = (world: World, id: number): boolean => {
  const { exists, status } = world.prerequisites.find((one) => one.id === id)!
  return exists ? status !== 'COMPLETED' : world.site.missingPrerequisites === 'required'
}
const isCompleted = (world: World, id: number): boolean =>
  world.prerequisites.some((one) => one.id === id && one.exists && one.status === 'COMPLETED')

function prerequisitesRefuse(world: World): boolean {
  const { prerequisiteEnabled, prerequisiteIds, prerequisiteCompare } = world.course
  if (!prerequisiteEnabled) return false
  const missing = prerequisiteIds.filter((id) => isMissing(world, id))
  if (prerequisiteCompare === 'ALL') return missing.length > 0
  return missing.length > 0 && !prerequisiteIds.some((id) => isCompleted(world, id))
}

/** When the enrolment of the learner ends. */
function expiryOf(world: World): number | null {
  const { course, learner } = world
  if (!course.expireAccess || !course.expireAccessDays || course.expireAccessDays <= 0 || learner.enrolledAt === null) return null
  const isFree = course.priceTypeSlug === 'open' || (course.priceTypeSlug === 'paynow' && !needsEnrolment(world))
  return isFree ? null : learner.enrolledAt + course.expireAccessDays * DAY
}

/** When the lesson opens for the learner. */
function releaseOf({ lesson, learner, site }: World): number | null {
  if (!lesson) return null
  if (lesson.visibleAfter) return learner.enrolledAt === null ? null : learner.enrolledAt + lesson.visibleAfter * DAY
  if (lesson.visibleAfterSpecificTime !== null) return Date.parse(lesson.visibleAfterSpecificTime)
  return lesson.visibleAfterSpecificDate === null ? null : firstMomentOf(lesson.visibleAfterSpecificDate, site.timeZone)
}

const isWholeCourseCompleted = ({ order, learner }: World): boolean => order.every((id) => learner.completed.includes(id))

/** The first lesson that the learner must complete before this one. */
function blockingLesson(world: World): number | null {
  const { lesson, order, learner, course, site } = world
  if (!lesson || course.disableLessonProgression) return null
  if (course.priceTypeSlug === 'open' && site.openProgression === 'ignored') return null
  return order.slice(0, order.indexOf(lesson.databaseId)).find((id) => !learner.completed.includes(id)) ?? null
}

export const bypasses = ({ site, learner }: World, who: Who): boolean => who === 'LEARNER' && site.bypassingUsers.includes(learner.id)

/** The rules that refuse, of the whole truth. */
function refusingRules(world: World, who: Who): Set<AccessRule> {
  const { site, course, lesson, learner, now } = world
  const refusing = new Set<AccessRule>()
  const subject = lesson ?? course
  if (subject.status !== 'publish') refusing.add('STATUS')
  if (subject.contentProtected) refusing.add('PASSWORD')
  if (bypasses(world, who)) return refusing
  if (lesson && course.status !== 'publish' && site.draftsCloseLessons) refusing.add('STATUS')

  const isStranger = needsEnrolment(world) && (who === 'VISITOR' || learner.enrolledAt === null)
  const isFreeSample = lesson?.isSample === true && isStranger
  if (isStranger && !isFreeSample) refusing.add('ENROLMENT')
  if (isFreeSample && !site.samplesFollowRules) return refusing

  if (course.startDate !== null && now < Date.parse(course.startDate)) refusing.add('COURSE_DATES')
  if (course.endDate !== null && now >= Date.parse(course.endDate)) refusing.add('COURSE_DATES')
  const hasRelease = lesson !== null && (lesson.visibleAfter || lesson.visibleAfterSpecificTime || lesson.visibleAfterSpecificDate)
  if (who === 'VISITOR' && hasRelease && !lesson.isSample && site.releasesHideFromVisitors) refusing.add('RELEASE')
  if (who === 'VISITOR') return refusing

  if (prerequisitesRefuse(world)) refusing.add('PREREQUISITES')
  if (course.pointsEnabled && (course.pointsAccess ?? 0) > learner.coursePoints + learner.pointsByHand) refusing.add('POINTS')
  const expiry = expiryOf(world)
  if (expiry !== null && now >= expiry) refusing.add('EXPIRY')
  const release = releaseOf(world)
  if (release !== null && now < release) refusing.add('RELEASE')
  const isReopened = site.completedLessonsStayOpen && lesson !== null && learner.completed.includes(lesson.databaseId)
  const isFreelyRead = lesson?.isSample === true && site.samplesSkipOrder
  if (!isOutside(world) && blockingLesson(world) !== null && !isReopened && !isFreelyRead) refusing.add('PROGRESSION')
  return refusing
}

/** What is true of the access of the learner, or of a visitor. */
export function truthOf(world: World, who: Who): Truth {
  const { course, now } = world
  const refusing = [...refusingRules(world, who)]
  const expiry = who === 'LEARNER' ? expiryOf(world) : null
  const release = who === 'LEARNER' ? releaseOf(world) : null
  const opens = [course.startDate === null ? null : Date.parse(course.startDate), release].filter(
    (moment) => moment !== null && now < moment,
  )
  const ends = [course.endDate === null ? null : Date.parse(course.endDate), expiry]
  const texts = (moments: readonly (number | null)[]): string[] =>
    moments
      .filter((one) => one !== null)
      .map(asText)
      .sort()
  return { isAdmitted: refusing.length === 0, refusing, opens: texts(opens), ends: texts(ends) }
}

/** Whether a reason is true of a world. */
export function isTrue(reason: AccessReason, world: World, who: Who): boolean {
  const { course, lesson, learner, now } = world
  const subject = lesson ?? course
  switch (reason.kind) {
    case 'NotPublished':
      return subject.status !== 'publish' && reason.status === subject.status
    case 'PasswordRequired':
      return subject.contentProtected === true
    case 'CourseNotStarted':
      return course.startDate === reason.availableAt && now < Date.parse(reason.availableAt)
    case 'CourseEnded':
      return course.endDate === reason.since && now >= Date.parse(reason.since)
    case 'NotEnrolled':
      return needsEnrolment(world) && (who === 'VISITOR' || learner.enrolledAt === null)
    case 'PrerequisitesMissing':
      return (
        prerequisitesRefuse(world) &&
        reason.compare === (course.prerequisiteCompare ?? 'ANY') &&
        reason.missingIds.length > 0 &&
        reason.missingIds.every((id) => isMissing(world, id)) &&
        reason.completedIds.every((id) => isCompleted(world, id))
      )
    case 'Expired': {
      const expiry = expiryOf(world)
      return expiry !== null && now >= expiry && reason.since === asText(expiry)
    }
    case 'NotYetReleased': {
      const release = releaseOf(world)
      return release !== null && now < release && (reason.availableAt === null || reason.availableAt === asText(release))
    }
    case 'PreviousLessonIncomplete':
      return !isWholeCourseCompleted(world) && blockingLesson(world) === reason.lessonId
  }
}
