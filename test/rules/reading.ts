import type { Access, AccessReason, AccessRule, MissingFact } from '../../src/rules/access.js'
import { type CourseFacts, type CourseQuestion, type LessonQuestion, type ProgressFacts, UNREADABLE } from '../../src/rules/facts.js'
import { DAY } from './worlds.js'
import { asText, firstMomentOf, momentOf } from './zones.js'

const HOUR = DAY / 24

/** What must be said of a rule that is not decided. Where the table of rules leaves a choice, several facts may be named, or any estimate given. */
export interface ExpectedUnknown {
  readonly rule: AccessRule
  readonly missing: readonly MissingFact[]
  /** Whether it need not be said, because the same rule refuses. */
  readonly isOptional: boolean
  readonly availableAt?: string | null
  readonly expiresAt?: string | null
  readonly points?: number | null
  readonly pointsNeeded?: number | null
}

export interface Expected extends Pick<Access, 'state' | 'enrolment' | 'availableAt' | 'expiresAt'> {
  readonly reasons: readonly AccessReason[]
  readonly unknowns: readonly ExpectedUnknown[]
}

/** What a rule says: nothing at all when it allows. */
interface Verdict {
  readonly reasons?: readonly AccessReason[]
  readonly missing?: readonly MissingFact[]
  /** Estimates beside the missing fact. */
  readonly estimates?: Omit<ExpectedUnknown, 'rule' | 'missing' | 'isOptional'>
}

const ALLOWS: Verdict = {}
const NONE = { availableAt: null, expiresAt: null, points: null, pointsNeeded: null }
const refuses = (...reasons: AccessReason[]): Verdict => ({ reasons })
const lacks = (fact: MissingFact, estimates: Verdict['estimates'] = {}): Verdict => ({
  missing: [fact],
  estimates: { ...NONE, ...estimates },
})

/** The facts of a question, with what is missing told apart. */
class Reading {
  readonly lesson
  readonly course: CourseFacts | null
  readonly isCourseKnown: boolean
  readonly row: ProgressFacts | null
  readonly isRowRead: boolean
  /** The course in the list of the learner's courses; undefined when there is no list, or it does not decide. */
  readonly listed: { readonly enrolledAt: string | null } | null | undefined
  readonly isVisitor: boolean
  readonly isLearnerKnown: boolean
  readonly bypasses: boolean
  readonly enrolment: Access['enrolment']
  readonly enrolmentLacks: MissingFact | null

  constructor(readonly question: CourseQuestion | LessonQuestion) {
    const { learner, course, progress, site } = question
    this.lesson = 'lesson' in question ? question : null
    this.course = course === null || course === UNREADABLE ? null : course
    this.isCourseKnown = course !== null
    this.isRowRead = progress !== UNREADABLE
    this.row = progress === UNREADABLE ? null : progress
    const { enrolment = UNREADABLE } = question
    const isDecisive = enrolment !== null || this.course?.status === 'publish'
    this.listed = enrolment === UNREADABLE || !isDecisive ? undefined : enrolment
    this.isVisitor = learner === 'visitor'
    this.isLearnerKnown = typeof learner === 'number'
    this.bypasses = typeof learner === 'number' && site.bypassingUsers.includes(learner)
    const found = this.#findEnrolment()
    // Everybody may read a sample.
    const order = this.lesson?.lessonIds
    const isListed = Array.isArray(order) && order.includes(this.lesson?.lesson.databaseId)
    const isOwn = this.lesson?.isOwnRead === true && isListed && this.lesson.lesson.isSample !== true && this.isLearnerKnown
    this.enrolmentLacks = typeof found === 'string' ? null : found.lacks
    this.enrolment = typeof found === 'string' ? found : isOwn ? 'ENROLLED' : 'UNKNOWN'
  }

  #findEnrolment(): 'ENROLLED' | 'NOT_ENROLLED' | 'NOT_REQUIRED' | { lacks: MissingFact } {
    const { course, row } = this
    if (this.bypasses) return 'NOT_REQUIRED'
    if (!this.isCourseKnown) return { lacks: 'COURSE_OF_LESSON' }
    const isActive = row !== null && ((row.status ?? 'NOT_STARTED') !== 'NOT_STARTED' || !!row.stepsCompleted || row.dateStarted !== null)
    const isSeenActive = this.isLearnerKnown && (isActive || !!this.listed)
    if (!course) return isSeenActive ? 'ENROLLED' : { lacks: 'COURSE' }
    const slug = course.priceTypeSlug
    if (slug === 'open') return 'NOT_REQUIRED'
    if (slug === 'paynow' && ['', '0'].includes(course.price?.trim() ?? '?')) return 'NOT_REQUIRED'
    if (slug !== null && ['free', 'subscribe', 'closed', 'paynow'].includes(slug)) {
      if (this.isVisitor) return 'NOT_ENROLLED'
      if (!this.isLearnerKnown) return { lacks: 'LEARNER' }
      if (this.listed !== undefined) return this.listed ? 'ENROLLED' : 'NOT_ENROLLED'
      if (!this.isRowRead) return { lacks: 'PROGRESS' }
      if (!row) return 'NOT_ENROLLED'
      return row.status === null ? { lacks: 'PROGRESS' } : 'ENROLLED'
    }
    if (!this.isLearnerKnown) return { lacks: 'PRICE_TYPE' }
    if (isSeenActive) return 'ENROLLED'
    return { lacks: this.isRowRead ? 'PRICE_TYPE' : 'PROGRESS' }
  }

  /** A moment some days after the learner started, which is near the time of the enrolment. */
  #afterStart(days: number): string | null {
    const local = this.isLearnerKnown ? this.row?.dateStarted : null
    if (!local) return null
    const zone = this.question.site.timeZone
    return asText((zone === null ? Date.parse(`${local}Z`) : momentOf(local, zone)) + days * DAY)
  }

  #enrolledAt(): number | null {
    const text = this.isLearnerKnown ? (this.listed?.enrolledAt ?? this.row?.enrolledAt) : null
    return text ? Date.parse(text) : null
  }

  isReached = (moment: number): boolean => this.question.now >= moment

  expiry(): number | null {
    const { course } = this
    const days = course?.expireAccess ? (course.expireAccessDays ?? 0) : 0
    const from = this.#enrolledAt()
    if (days <= 0 || from === null || this.isVisitor || !['ENROLLED', 'UNKNOWN'].includes(this.enrolment)) return null
    return from + days * DAY
  }

  readonly rules: Readonly<Record<AccessRule, () => Verdict>> = {
    STATUS: () => {
      const { lesson, course } = this
      const own = lesson ? lesson.lesson.status : course!.status
      const ofCourse: Verdict =
        !lesson || !course || course.status === 'publish' ? ALLOWS : lacks(course.status === null ? 'STATUS' : 'SITE_BEHAVIOR')
      if (own === null) return { ...lacks('STATUS'), missing: ['STATUS', ...(ofCourse.missing ?? [])] }
      return own === 'publish' ? ofCourse : { ...ofCourse, ...refuses({ kind: 'NotPublished', status: own }) }
    },
    PASSWORD: () => {
      const flag = this.lesson ? this.lesson.lesson.contentProtected : this.course!.contentProtected
      return flag ? refuses({ kind: 'PasswordRequired' }) : ALLOWS
    },
    COURSE_DATES: () => {
      const { course } = this
      if (!course) return lacks('COURSE')
      const reasons: AccessReason[] = []
      const { startDate, endDate } = course
      if (startDate && !this.isReached(Date.parse(startDate))) reasons.push({ kind: 'CourseNotStarted', availableAt: startDate })
      if (endDate && this.isReached(Date.parse(endDate))) reasons.push({ kind: 'CourseEnded', since: endDate })
      return { reasons }
    },
    ENROLMENT: () => {
      if (this.enrolmentLacks === 'COURSE_OF_LESSON') return lacks('COURSE_OF_LESSON')
      if (this.enrolment === 'UNKNOWN') return lacks(this.enrolmentLacks!)
      return this.enrolment === 'NOT_ENROLLED' && !this.lesson?.lesson.isSample ? refuses({ kind: 'NotEnrolled' }) : ALLOWS
    },
    PREREQUISITES: () => {
      const { course } = this
      if (this.isVisitor) return ALLOWS
      if (!course) return lacks('COURSE')
      if (!course.prerequisiteEnabled || course.prerequisiteIds.length === 0) return ALLOWS
      return this.isLearnerKnown ? this.#prerequisites(course) : lacks('LEARNER')
    },
    POINTS: () => {
      const { course, question } = this
      if (this.isVisitor) return ALLOWS
      if (!course) return lacks('COURSE')
      const needed = course.pointsEnabled ? (course.pointsAccess ?? 0) : 0
      if (needed <= 0) return ALLOWS
      if (!this.isLearnerKnown) return lacks('LEARNER', { pointsNeeded: needed })
      const earned = question.earnedPoints
      if (earned === UNREADABLE) return { missing: ['PROGRESS'], estimates: { availableAt: null, expiresAt: null, points: null } }
      return earned >= needed ? ALLOWS : lacks('POINTS_AWARDED_BY_HAND', { points: earned, pointsNeeded: needed })
    },
    EXPIRY: () => {
      const { course } = this
      if (this.isVisitor) return ALLOWS
      if (!course) return lacks('COURSE')
      const days = course.expireAccess ? (course.expireAccessDays ?? 0) : 0
      if (days <= 0 || this.enrolment === 'NOT_ENROLLED' || this.enrolment === 'NOT_REQUIRED') return ALLOWS
      const end = this.expiry()
      if (end === null) return lacks('ENROLMENT_DATE', { expiresAt: this.#afterStart(days) })
      return this.isReached(end) ? refuses({ kind: 'Expired', since: asText(end) }) : ALLOWS
    },
    RELEASE: () => {
      if (!this.lesson) return ALLOWS
      const { isSample, visibleAfter, visibleAfterSpecificTime: time, visibleAfterSpecificDate: day } = this.lesson.lesson
      if (!this.isVisitor) return this.#release(this.lesson.lesson)
      return !isSample && (Number(visibleAfter) > 0 || time || day) ? lacks('SITE_BEHAVIOR') : ALLOWS
    },
    PROGRESSION: () => {
      const { course, lesson } = this
      if (!lesson || this.isVisitor || this.enrolment === 'NOT_ENROLLED') return ALLOWS
      if (!course) {
        const applied = this.#progression(lesson)
        return applied.reasons ? lacks('COURSE') : applied
      }
      if (course.disableLessonProgression) return ALLOWS
      const enforced = course.priceTypeSlug === 'open' ? lesson.site.openProgression : 'enforced'
      if (enforced === 'ignored') return ALLOWS
      const applied = this.#progression(lesson)
      return enforced === 'enforced' || applied === ALLOWS ? applied : lacks('SITE_BEHAVIOR')
    },
  }

  #prerequisites(course: CourseFacts): Verdict {
    const completedIds: number[] = []
    const missingIds: number[] = []
    const undecided: MissingFact[] = []
    const policy = this.question.site.missingPrerequisites
    let isPerhapsDone = false
    for (const id of course.prerequisiteIds) {
      const { exists, progress } = this.question.prerequisites.find((one) => one.databaseId === id) ?? {
        exists: UNREADABLE,
        progress: UNREADABLE,
      }
      const isDone = progress !== UNREADABLE && progress?.status === 'COMPLETED'
      if (exists !== false && progress === UNREADABLE) isPerhapsDone = true
      if (exists === false) {
        if (policy === 'required') missingIds.push(id)
        if (policy === 'unknown') undecided.push('SITE_BEHAVIOR')
      } else if (isDone) completedIds.push(id)
      else if (exists === UNREADABLE && policy !== 'required') undecided.push('PREREQUISITE')
      else if (progress === UNREADABLE) undecided.push('PROGRESS')
      else missingIds.push(id)
    }
    const refusal = refuses({ kind: 'PrerequisitesMissing', compare: course.prerequisiteCompare ?? 'ANY', missingIds, completedIds })
    const open = undecided[0] === undefined ? null : lacks(undecided[0])
    if (course.prerequisiteCompare === 'ALL') return missingIds.length > 0 ? refusal : (open ?? ALLOWS)
    if (completedIds.length > 0) return ALLOWS
    // One that is not completed refuses, whether others exist or not.
    if (missingIds.length > 0) return isPerhapsDone && open ? open : refusal
    return open ?? ALLOWS
  }

  #release({ visibleAfter, visibleAfterSpecificTime: time, visibleAfterSpecificDate: day }: LessonQuestion['lesson']): Verdict {
    const until = (moment: number): Verdict =>
      this.isReached(moment) ? ALLOWS : refuses({ kind: 'NotYetReleased', availableAt: asText(moment) })
    if (visibleAfter !== null && visibleAfter > 0) {
      if (this.enrolment === 'NOT_ENROLLED') return ALLOWS
      if (!this.isLearnerKnown) return lacks('LEARNER')
      const from = this.#enrolledAt()
      if (from === null && !this.isRowRead) return lacks('PROGRESS')
      return from === null ? lacks('ENROLMENT_DATE', { availableAt: this.#afterStart(visibleAfter) }) : until(from + visibleAfter * DAY)
    }
    if (time !== null) return until(Date.parse(time))
    if (day === null) return ALLOWS
    const zone = this.question.site.timeZone
    if (zone !== null) return until(firstMomentOf(day, zone))
    const start = Date.parse(`${day}T00:00:00Z`)
    if (this.isReached(start + 12 * HOUR)) return ALLOWS
    const estimate = lacks('TIME_ZONE', { availableAt: asText(start) })
    return this.isReached(start - 14 * HOUR) ? estimate : { ...estimate, ...refuses({ kind: 'NotYetReleased', availableAt: null }) }
  }

  #progression({ lesson, lessonIds, completedStepIds }: LessonQuestion): Verdict {
    const place = lessonIds === UNREADABLE ? -1 : lessonIds.indexOf(lesson.databaseId)
    if (lessonIds === UNREADABLE || place < 0) return lacks('LESSON_ORDER')
    if (place === 0) return ALLOWS
    if (!this.isLearnerKnown) return lacks('LEARNER')
    const isListed = Array.isArray(completedStepIds)
    if (!this.isRowRead && !isListed) return lacks('PROGRESS')
    const { row } = this
    if (row?.status === 'COMPLETED') return ALLOWS
    if (isListed) {
      const open = lessonIds.slice(0, place).find((id) => !completedStepIds.includes(id))
      if (open === undefined) return ALLOWS
      if (completedStepIds.includes(lesson.databaseId)) return lacks('SITE_BEHAVIOR')
      return refuses({ kind: 'PreviousLessonIncomplete', lessonId: open })
    }
    if (!row || (row.status === 'NOT_STARTED' && !row.stepsCompleted && row.lastStepId === null))
      return refuses({ kind: 'PreviousLessonIncomplete', lessonId: lessonIds[0]! })
    const last = row.lastStepId === null ? -1 : lessonIds.indexOf(row.lastStepId)
    if (last < 0) return lacks('COMPLETED_STEPS')
    return place <= last + 1 ? ALLOWS : refuses({ kind: 'PreviousLessonIncomplete', lessonId: lessonIds[last + 1]! })
  }
}

/** Rules in the order in which their reasons are given. */
export const RULES: readonly AccessRule[] = [
  'STATUS',
  'PASSWORD',
  'COURSE_DATES',
  'ENROLMENT',
  'PREREQUISITES',
  'POINTS',
  'EXPIRY',
  'RELEASE',
  'PROGRESSION',
]

/** The answer that the table of rules has for a question. */
export function expectedAccess(question: CourseQuestion | LessonQuestion): Expected {
  const reading = new Reading(question)
  const isSample = reading.lesson?.lesson.isSample === true
  const isDoubtfulSample = isSample && (reading.enrolment === 'NOT_ENROLLED' || reading.enrolment === 'UNKNOWN')
  const mayBypass = question.learner === null && question.site.bypassingUsers.length > 0
  const ofLesson = ['STATUS', 'PASSWORD', 'ENROLMENT', 'RELEASE']
  const reasons: AccessReason[] = []
  const unknowns: ExpectedUnknown[] = []
  for (const rule of RULES) {
    const isForAll = rule === 'STATUS' || rule === 'PASSWORD'
    if (reading.bypasses && !isForAll) continue
    if (!reading.isCourseKnown && !ofLesson.includes(rule)) continue
    const verdict = reading.rules[rule]()
    const missing = [...(verdict.missing ?? [])]
    let isSoftened = false
    if (verdict.reasons?.length) {
      if (mayBypass && !isForAll) missing.push('LEARNER')
      const isDoubtful = rule === 'PROGRESSION' ? isSample : isDoubtfulSample
      if (isDoubtful && !isForAll && rule !== 'ENROLMENT') missing.push('SITE_BEHAVIOR')
      isSoftened = missing.length > (verdict.missing?.length ?? 0)
      if (!isSoftened) reasons.push(...verdict.reasons)
    }
    const isOptional = rule === 'STATUS' && reasons.length > 0
    if (missing.length > 0) unknowns.push({ rule, missing, isOptional, ...(isSoftened ? {} : verdict.estimates) })
  }
  const bears = ({ rule, missing }: ExpectedUnknown): boolean => !isSample || rule !== 'ENROLMENT' || missing[0] === 'COURSE_OF_LESSON'
  const times = reasons.flatMap((one) => ('availableAt' in one && one.availableAt !== null ? [one.availableAt] : [])).sort()
  const expiry = reading.bypasses ? null : reading.expiry()
  const ends = [reading.bypasses ? null : (reading.course?.endDate ?? null), expiry === null ? null : asText(expiry)]
  return {
    state: reasons.length > 0 ? 'LOCKED' : unknowns.some(bears) ? 'UNKNOWN' : 'AVAILABLE',
    enrolment: reading.enrolment,
    reasons,
    availableAt: times.at(-1) ?? null,
    expiresAt: ends.filter((end) => end !== null).sort()[0] ?? null,
    unknowns,
  }
}
