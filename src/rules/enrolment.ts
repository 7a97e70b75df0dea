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

/** Whether the learner is enrolled in the course of a question. Whoever may read a lesson with their own credentials is, unless all may. */
export function enrolmentOf(question: Question): EnrolmentState {
  const { state } = find(question)
  const isOwnRead = 'lesson' in question && question.isOwnRead && !isSample(question) && typeof question.learner === 'number'
  return state === 'UNKNOWN' && isOwnRead ? 'ENROLLED' : state
}

/** Only who is enrolled may open a course that needs it. Sample lessons are open to all. */
export const enrolment: Judge = (question, state) => {
  // The one unknown for all rules of the course.
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
  priceTypeSlug === 'open' || (priceTypeSlug === 'paynow' && ['', '0'].includes((price ?? '').trim()))

/** Enrolment in a course that needs it: learners have a row of progress when they are enrolled. */
function byRow({ learner, progress }: Question): Found {
  if (learner === 'visitor') return NOT_ENROLLED
  if (learner === null) return unknownFor('LEARNER')
  if (progress === null) return NOT_ENROLLED
  return progress === UNREADABLE || progress.status === null ? unknownFor('PROGRESS') : ENROLLED
}

/** Enrolment in a course that perhaps needs none: a row proves it only when the learner has done something. */
function byActivity({ learner, progress }: Question, missing: MissingFact, missingOfOthers = missing): Found {
  if (typeof learner !== 'number') return unknownFor(missingOfOthers)
  return isActive(progress) ? ENROLLED : unknownFor(missing)
}

const isActive = (progress: Fact<ProgressFacts | null>): boolean => progress !== null && progress !== UNREADABLE && hasActivity(progress)
