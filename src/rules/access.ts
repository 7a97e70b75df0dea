import { courseDates, expiry, ofCourse, points, prerequisites } from './course-rules.js'
import { enrolment, enrolmentOf, isSample } from './enrolment.js'
import { type CourseQuestion, type LessonFacts, type LessonQuestion, UNREADABLE } from './facts.js'
import { progression, release } from './lesson-rules.js'
import {
  type AccessReason,
  type AccessRule,
  type AccessUnknown,
  ALLOWS,
  type EnrolmentState,
  earliest,
  endOf,
  type Judge,
  lacks,
  latest,
  type Question,
  refuses,
  type Verdict,
  withoutRefusal,
} from './verdicts.js'

export type { AccessReason, AccessRule, AccessUnknown, MissingFact } from './verdicts.js'

/** Whether a learner may open a course or a lesson. */
export interface Access {
  /** `LOCKED` when a rule refuses, `AVAILABLE` when every rule allows. */
  readonly state: 'AVAILABLE' | 'LOCKED' | 'UNKNOWN'
  readonly enrolment: EnrolmentState
  /** The reasons of the rules that refuse, in the order of the rules. */
  readonly reasons: readonly AccessReason[]
  /** The exact time before which there is no access. */
  readonly availableAt: string | null
  /** The exact time at which access ends, or ended. */
  readonly expiresAt: string | null
  /** The rules that could not be decided, in the order of the rules. */
  readonly unknowns: readonly AccessUnknown[]
}

interface Rule<Asked extends Question> {
  readonly rule: AccessRule
  /** Who is subject to the rule. Only rules for `EVERYONE` apply to users who bypass the rules. */
  readonly appliesTo: 'EVERYONE' | 'LEARNERS_AND_VISITORS' | 'LEARNERS'
  readonly judge: (question: Asked, enrolment: EnrolmentState) => Verdict
}

const status: Judge = (question) => {
  const own = 'lesson' in question ? question.lesson.status : question.course.status
  if (own === null) return lacks('STATUS')
  if (own !== 'publish') return refuses({ kind: 'NotPublished', status: own })
  // Versions differ in whether a published lesson is open in a course that is not published.
  const { course } = question
  if (course === null || course === UNREADABLE || course.status === 'publish') return ALLOWS
  return lacks(course.status === null ? 'STATUS' : 'SITE_BEHAVIOR')
}

const password: Judge = (question) => {
  const { contentProtected } = 'lesson' in question ? question.lesson : question.course
  return contentProtected === true ? refuses({ kind: 'PasswordRequired' }) : ALLOWS
}

const COURSE_RULES: readonly Rule<Question>[] = [
  { rule: 'STATUS', appliesTo: 'EVERYONE', judge: status },
  { rule: 'PASSWORD', appliesTo: 'EVERYONE', judge: password },
  { rule: 'COURSE_DATES', appliesTo: 'LEARNERS_AND_VISITORS', judge: ofCourse(courseDates) },
  { rule: 'ENROLMENT', appliesTo: 'LEARNERS_AND_VISITORS', judge: enrolment },
  { rule: 'PREREQUISITES', appliesTo: 'LEARNERS', judge: ofCourse(prerequisites) },
  { rule: 'POINTS', appliesTo: 'LEARNERS', judge: ofCourse(points) },
  { rule: 'EXPIRY', appliesTo: 'LEARNERS', judge: ofCourse(expiry) },
]

const LESSON_RULES: readonly Rule<LessonQuestion>[] = [
  ...COURSE_RULES,
  { rule: 'RELEASE', appliesTo: 'LEARNERS_AND_VISITORS', judge: release },
  { rule: 'PROGRESSION', appliesTo: 'LEARNERS', judge: progression },
]

/** Whether everybody may read a lesson: a published sample without a password. */
export const isOpenSample = ({ isSample, status, contentProtected }: LessonFacts): boolean =>
  isSample === true && status === 'publish' && contentProtected !== true

export const courseAccess = (question: CourseQuestion): Access => accessBy(COURSE_RULES, question)

export const lessonAccess = (question: LessonQuestion): Access => accessBy(LESSON_RULES, question)

function accessBy<Asked extends Question>(rules: readonly Rule<Asked>[], question: Asked): Access {
  const { learner, site } = question
  const bypasses = typeof learner === 'number' && site.bypassingUsers.includes(learner)
  const enrolment = bypasses ? 'NOT_REQUIRED' : enrolmentOf(question)
  const applied = rules.filter(
    ({ appliesTo }) => appliesTo === 'EVERYONE' || (!bypasses && (appliesTo === 'LEARNERS_AND_VISITORS' || learner !== 'visitor')),
  )
  const verdicts = applied.map(({ rule, appliesTo, judge }) => {
    const verdict = judge(question, enrolment)
    return { rule, ...(appliesTo === 'EVERYONE' ? verdict : unlessExempt(verdict, question, enrolment)) }
  })
  const reasons = verdicts.flatMap((verdict) => verdict.reasons)
  const unknowns = verdicts.flatMap(({ rule, unknown }) => (unknown === null ? [] : [{ rule, ...unknown }]))
  return {
    state: reasons.length > 0 ? 'LOCKED' : unknowns.some((unknown) => decidesState(unknown, question)) ? 'UNKNOWN' : 'AVAILABLE',
    enrolment,
    reasons,
    availableAt: latest(reasons.map(endOf)),
    expiresAt: earliest(verdicts.map(({ expiresAt }) => expiresAt)),
    unknowns,
  }
}

/** Removes the refusal from a verdict when the user may be exempt from the rule: a user who may bypass it, or the reader of a sample lesson. */
function unlessExempt(verdict: Verdict, question: Question, enrolment: EnrolmentState): Verdict {
  if (question.learner === null && question.site.bypassingUsers.length > 0) return withoutRefusal(verdict, 'LEARNER')
  const isExempt = isSample(question) && (enrolment === 'NOT_ENROLLED' || enrolment === 'UNKNOWN')
  return isExempt ? withoutRefusal(verdict, 'SITE_BEHAVIOR') : verdict
}

/** Whether an unknown makes the state unknown. Sample lessons need no enrolment, but an unknown course hides all other rules too. */
const decidesState = ({ rule, missing }: AccessUnknown, question: Question): boolean =>
  rule !== 'ENROLMENT' || missing === 'COURSE_OF_LESSON' || !isSample(question)
