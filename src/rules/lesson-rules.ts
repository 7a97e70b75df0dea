import { daysFromEnrolment } from './course-rules.js'
import { type CourseFacts, type Fact, type LessonFacts, type LessonQuestion, type SiteFacts, UNREADABLE } from './facts.js'
import { HOUR, momentAt, momentOf, momentText } from './moments.js'
import { firstIncomplete, isUntouched, lastCompleted, listedSteps } from './steps.js'
import { ALLOWS, type EnrolmentState, isAllowed, lacks, refuses, type Verdict, withoutRefusal } from './verdicts.js'

type JudgeOfLesson = (question: LessonQuestion, enrolment: EnrolmentState) => Verdict

/** When a lesson is released: some days after the enrolment, or else at a time or on a day. */
export const release: JudgeOfLesson = (question, enrolment) => {
  const { visibleAfter, visibleAfterSpecificDate, visibleAfterSpecificTime } = question.lesson
  if (question.learner === 'visitor') return releaseForVisitors(question.lesson)
  if (visibleAfter !== null && visibleAfter > 0) return enrolment === 'NOT_ENROLLED' ? ALLOWS : releaseAfter(visibleAfter, question)
  const [time, day] = [momentOf(visibleAfterSpecificTime), momentOf(visibleAfterSpecificDate)]
  if (time !== null) return releaseAt(time, question)
  return day === null ? ALLOWS : releaseOn(day, question)
}

/** Some versions hide lessons that have a release from visitors, also after it. */
function releaseForVisitors({ isSample, visibleAfter, visibleAfterSpecificDate, visibleAfterSpecificTime }: LessonFacts): Verdict {
  const isDated = (visibleAfter ?? 0) > 0 || visibleAfterSpecificDate !== null || visibleAfterSpecificTime !== null
  return isDated && isSample !== true ? lacks('SITE_BEHAVIOR') : ALLOWS
}

function releaseAfter(days: number, question: LessonQuestion): Verdict {
  if (question.learner === null) return lacks('LEARNER')
  const { exact, estimate } = daysFromEnrolment(days, question)
  if (exact !== null) return releaseAt(exact, question)
  return question.progress === UNREADABLE ? lacks('PROGRESS') : lacks('ENROLMENT_DATE', { availableAt: estimate })
}

const releaseAt = (moment: number, { now }: Pick<LessonQuestion, 'now'>): Verdict =>
  now >= moment ? ALLOWS : refuses({ kind: 'NotYetReleased', availableAt: momentText(moment) })

/** Clocks are at most 14 hours ahead of UTC and 12 behind, so without the time zone a day begins in this range. */
const [MOST_AHEAD, MOST_BEHIND] = [14 * HOUR, 12 * HOUR]

function releaseOn(day: number, { site: { timeZone }, now }: LessonQuestion): Verdict {
  if (timeZone !== null) return releaseAt(momentAt(day, timeZone), { now })
  if (now >= day + MOST_BEHIND) return ALLOWS
  const undecided = lacks('TIME_ZONE', { availableAt: momentText(day) })
  if (now >= day - MOST_AHEAD) return undecided
  // Whatever the time zone, the day has not begun; when it does is not known.
  return { ...refuses({ kind: 'NotYetReleased', availableAt: null }), unknown: undecided.unknown }
}

/** Whether a course makes learners complete its lessons in their order. Unreadable when it is not known what the site does with open courses. */
export function isOrderEnforced(
  { disableLessonProgression, priceTypeSlug }: Pick<CourseFacts, 'disableLessonProgression' | 'priceTypeSlug'>,
  { openProgression }: Pick<SiteFacts, 'openProgression'>,
): Fact<boolean> {
  if (disableLessonProgression === true) return false
  if (priceTypeSlug !== 'open' || openProgression === 'enforced') return true
  return openProgression === 'ignored' ? false : UNREADABLE
}

/** Whether the lessons before must be completed first, and are. */
export const progression: JudgeOfLesson = (question, enrolment) => {
  const { course, site } = question
  if (enrolment === 'NOT_ENROLLED' || course === null) return ALLOWS
  const inOrder = lessonOrder(question)
  if (course === UNREADABLE) return inOrder.reasons.length > 0 ? lacks('COURSE') : inOrder
  const isEnforced = isOrderEnforced(course, site)
  if (isEnforced === false) return ALLOWS
  if (isEnforced !== true) return isAllowed(inOrder) ? inOrder : lacks('SITE_BEHAVIOR')
  // Versions differ in whether sample lessons have an order.
  return question.lesson.isSample === true ? withoutRefusal(inOrder, 'SITE_BEHAVIOR') : inOrder
}

function lessonOrder(question: LessonQuestion): Verdict {
  const { lesson, lessonIds, learner, progress } = question
  const index = lessonIds === UNREADABLE ? -1 : lessonIds.indexOf(lesson.databaseId)
  if (lessonIds === UNREADABLE || index < 0) return lacks('LESSON_ORDER')
  if (index === 0) return ALLOWS
  if (learner === null) return lacks('LEARNER')
  const completed = listedSteps(question.completedStepIds)
  if (progress === UNREADABLE && !completed) return lacks('PROGRESS')
  if (progress !== null && progress !== UNREADABLE && progress.status === 'COMPLETED') return ALLOWS
  if (completed) return orderBySteps(lesson, lessonIds.slice(0, index), completed)
  if (progress === UNREADABLE || progress === null || isUntouched(progress)) return incomplete(lessonIds[0])
  const last = lastCompleted(lessonIds, progress)
  if (last === undefined) return lacks('COMPLETED_STEPS')
  return index <= last + 1 ? ALLOWS : incomplete(lessonIds[last + 1])
}

/** The verdict when the completed steps are known. Versions differ in whether a completed lesson stays open behind an incomplete one. */
function orderBySteps({ databaseId }: LessonFacts, before: readonly number[], completed: readonly number[]): Verdict {
  const missing = firstIncomplete(before, completed)
  return missing !== undefined && completed.includes(databaseId) ? lacks('SITE_BEHAVIOR') : incomplete(missing)
}

/** A refusal until a lesson is completed, if there is one. */
const incomplete = (lessonId: number | undefined): Verdict =>
  lessonId === undefined ? ALLOWS : refuses({ kind: 'PreviousLessonIncomplete', lessonId })
