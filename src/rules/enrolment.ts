import { type CourseFacts, type Fact, type ProgressFacts, UNREADABLE } from './facts.js'
import { hasActivity } from './steps.js'
import { ALLOWS, type EnrolmentState, type Judge, lacks, type MissingFact, type Question, refuses } from './verdicts.js'

interface Found {
  readonly state: EnrolmentState
  /** What would decide an unknown enrolment. */
  readonly missing: MissingFact | null
}

const ENROLLED: Found = { state: 'ENROLLED', missing: null }
const NOT_ENROLLED: Found = { state: 'NOT_ENROLLED', missing: null }
const NOT_REQUIRED: Found = { state: 'NOT_REQUIRED', missing: null }
const unknownFor = (missing: MissingFact): Found => ({ state: 'UNKNOWN', missing })

/** Whether the learner is enrolled in the course. A learner who reads its lessons with credentials of their own is. */
export function enrolmentOf(question: Question): EnrolmentState {
  const { state } = find(question)
  return state === 'UNKNOWN' && readsOwnLessons(question) ? 'ENROLLED' : state
}

/** Whether the learner has read the lessons of the course with credentials of their own, and this lesson is one of them. */
const readsOwnLessons = (question: Question): boolean =>
  'lesson' in question &&
  question.isOwnRead &&
  typeof question.learner === 'number' &&
  !isSample(question) &&
  question.lessonIds !== UNREADABLE &&
  question.lessonIds.includes(question.lesson.databaseId)

/** Refuses learners who are not enrolled, if the course requires enrolment. Sample lessons need none. */
export const enrolment: Judge = (question, state) => {
  // This unknown stands for all rules of the course.
  if (question.course === null) return lacks('COURSE_OF_LESSON')
  if (state === 'NOT_ENROLLED') return isSample(question) ? ALLOWS : refuses({ kind: 'NotEnrolled' })
  const { missing } = find(question)
  return state === 'UNKNOWN' && missing !== null ? lacks(missing) : ALLOWS
}

export const isSample = (question: Question): boolean => 'lesson' in question && question.lesson.isSample === true

function find(question: Question): Found {
  const { course, progress } = question
  if (course === null) return unknownFor('COURSE_OF_LESSON')
  if (course === UNREADABLE) return byActivity(question, 'COURSE')
  if (isOpen(course)) return NOT_REQUIRED
  switch (course.priceTypeSlug) {
    case 'paynow':
      // Without its price, it is not known whether the course is for sale.
      return course.price === null ? byActivity(question, 'PRICE_TYPE') : byRow(question)
    case 'free':
    case 'subscribe':
    case 'closed':
      return byRow(question)
    default:
      return byActivity(question, progress === UNREADABLE ? 'PROGRESS' : 'PRICE_TYPE', 'PRICE_TYPE')
  }
}

/** Whether a course needs no enrolment. */
export const isOpen = ({ priceTypeSlug, price }: Pick<CourseFacts, 'priceTypeSlug' | 'price'>): boolean =>
  priceTypeSlug === 'open' || (priceTypeSlug === 'paynow' && price !== null && ['', '0'].includes(price.trim()))

/** Enrolment in a course that requires it: enrolled learners have it in the list of their courses, or else a row of progress. */
function byRow(question: Question): Found {
  const { learner, progress } = question
  if (learner === 'visitor') return NOT_ENROLLED
  if (learner === null) return unknownFor('LEARNER')
  const listed = isListed(question)
  if (listed !== undefined) return listed ? ENROLLED : NOT_ENROLLED
  if (progress === null) return NOT_ENROLLED
  return progress === UNREADABLE || progress.status === null ? unknownFor('PROGRESS') : ENROLLED
}

/** Enrolment in a course that may require none: there, a row proves enrolment only when it shows activity. */
function byActivity(question: Question, missing: MissingFact, missingOfOthers = missing): Found {
  if (typeof question.learner !== 'number') return unknownFor(missingOfOthers)
  return isListed(question) || isActive(question.progress) ? ENROLLED : unknownFor(missing)
}

/** Whether the course is in the list of the learner's courses. Undefined when that is not known: the list may have published courses only. */
function isListed({ course, enrolment }: Question): boolean | undefined {
  if (enrolment === undefined || enrolment === UNREADABLE) return undefined
  if (enrolment !== null) return true
  return course !== null && course !== UNREADABLE && course.status === 'publish' ? false : undefined
}

const isActive = (progress: Fact<ProgressFacts | null>): boolean => progress !== null && progress !== UNREADABLE && hasActivity(progress)
