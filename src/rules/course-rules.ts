import { type CourseFacts, type PrerequisiteFacts, type SiteFacts, UNREADABLE } from './facts.js'
import { clockTime, momentAt, momentOf, momentText, plusDays } from './moments.js'
import { ALLOWS, type EnrolmentState, type Judge, lacks, type MissingFact, type Question, refuses, type Verdict } from './verdicts.js'

type JudgeOfCourse = (course: CourseFacts, question: Question, enrolment: EnrolmentState) => Verdict

/** A rule that needs the course. For a lesson of an unknown course, the verdict on enrolment says what is missing. */
export const ofCourse =
  (judge: JudgeOfCourse): Judge =>
  (question, enrolment) => {
    if (question.course === null) return ALLOWS
    return question.course === UNREADABLE ? lacks('COURSE') : judge(question.course, question, enrolment)
  }

export const courseDates: JudgeOfCourse = ({ startDate, endDate }, { now }) => {
  const [start, end] = [momentOf(startDate), momentOf(endDate)]
  const notStarted = start !== null && now < start ? [{ kind: 'CourseNotStarted', availableAt: momentText(start) } as const] : []
  const ended = end !== null && now >= end ? [{ kind: 'CourseEnded', since: momentText(end) } as const] : []
  return { ...refuses(...notStarted, ...ended), expiresAt: end === null ? null : momentText(end) }
}

/** Whether a learner has completed a prerequisite, that it does not count, or what is missing to know. */
type Completion = 'COMPLETED' | 'MISSING' | 'DROPPED' | { readonly undecided: MissingFact }

export const prerequisites: JudgeOfCourse = (course, { learner, site, prerequisites: facts }) => {
  const { prerequisiteEnabled, prerequisiteIds, prerequisiteCompare } = course
  if (prerequisiteEnabled !== true || prerequisiteIds.length === 0) return ALLOWS
  if (learner === null) return lacks('LEARNER')
  const found = new Map(facts.map((fact) => [fact.databaseId, fact]))
  const completions = prerequisiteIds.map((id) => [id, completionOf(found.get(id), site.missingPrerequisites)] as const)
  const idsThatAre = (wanted: Completion): number[] => completions.filter(([, completion]) => completion === wanted).map(([id]) => id)
  const [missingIds, completedIds] = [idsThatAre('MISSING'), idsThatAre('COMPLETED')]
  const undecided = completions.flatMap(([, completion]) => (typeof completion === 'object' ? [completion.undecided] : []))[0]
  const compare = prerequisiteCompare ?? 'ANY'
  const refusal = refuses({ kind: 'PrerequisitesMissing', compare, missingIds, completedIds })
  if (compare === 'ALL' && missingIds.length > 0) return refusal
  if (compare === 'ANY' && completedIds.length > 0) return ALLOWS
  // Undecided prerequisites may be counted as missing, never as completed.
  if (compare === 'ANY' && missingIds.length > 0 && prerequisiteIds.every((id) => isIncomplete(found.get(id)))) return refusal
  if (undecided !== undefined) return lacks(undecided)
  return missingIds.length > 0 ? refusal : ALLOWS
}

/** Whether a learner has certainly not completed a prerequisite, or it does not exist. */
const isIncomplete = ({ exists, progress }: Omit<PrerequisiteFacts, 'databaseId'> = UNKNOWN_PREREQUISITE): boolean =>
  exists === false || (progress !== UNREADABLE && progress?.status !== 'COMPLETED')

const UNKNOWN_PREREQUISITE = { exists: UNREADABLE, progress: UNREADABLE } as const

function completionOf(
  { exists, progress }: Omit<PrerequisiteFacts, 'databaseId'> = UNKNOWN_PREREQUISITE,
  missingPrerequisites: SiteFacts['missingPrerequisites'],
): Completion {
  if (exists === false)
    return ({ ignored: 'DROPPED', required: 'MISSING', unknown: { undecided: 'SITE_BEHAVIOR' } } as const)[missingPrerequisites]
  if (progress !== UNREADABLE && progress?.status === 'COMPLETED') return 'COMPLETED'
  if (exists === UNREADABLE && missingPrerequisites !== 'required') return { undecided: 'PREREQUISITE' }
  return progress === UNREADABLE ? { undecided: 'PROGRESS' } : 'MISSING'
}

/** Points never refuse: they can be awarded by hand as well, which the site does not tell. */
export const points: JudgeOfCourse = ({ pointsEnabled, pointsAccess }, { learner, earnedPoints }) => {
  if (pointsEnabled !== true || pointsAccess === null || pointsAccess <= 0) return ALLOWS
  const pointsNeeded = pointsAccess
  if (learner === null) return lacks('LEARNER', { pointsNeeded })
  if (earnedPoints === UNREADABLE) return lacks('PROGRESS', { pointsNeeded })
  return earnedPoints >= pointsNeeded ? ALLOWS : lacks('POINTS_AWARDED_BY_HAND', { points: earnedPoints, pointsNeeded })
}

export const expiry: JudgeOfCourse = ({ expireAccess, expireAccessDays }, question, enrolment) => {
  const isSubject = enrolment === 'ENROLLED' || enrolment === 'UNKNOWN'
  if (!isSubject || expireAccess !== true || expireAccessDays === null || expireAccessDays <= 0) return ALLOWS
  const { exact, estimate } = daysFromEnrolment(expireAccessDays, question)
  if (exact === null) return lacks('ENROLMENT_DATE', { expiresAt: estimate })
  const since = momentText(exact)
  return { ...(question.now >= exact ? refuses({ kind: 'Expired', since }) : ALLOWS), expiresAt: since }
}

/** The moment some days after the enrolment; when that is not known, the moment these days after the start as an estimate. */
export function daysFromEnrolment(
  days: number,
  { progress, enrolment, site: { timeZone } }: Question,
): { readonly exact: number | null; readonly estimate: string | null } {
  const row = progress === UNREADABLE ? null : progress
  const listed = enrolment === UNREADABLE ? null : enrolment
  const enrolled = momentOf(listed?.enrolledAt ?? row?.enrolledAt ?? null)
  if (enrolled !== null) return { exact: plusDays(enrolled, days), estimate: null }
  const clock = clockTime(row?.dateStarted ?? null)
  return { exact: null, estimate: clock === null ? null : momentText(plusDays(momentAt(clock, timeZone ?? '+00:00'), days)) }
}
