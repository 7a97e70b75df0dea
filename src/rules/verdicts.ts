import type { CourseQuestion, LessonQuestion } from './facts.js'

export type Question = CourseQuestion | LessonQuestion

export type EnrolmentState = 'ENROLLED' | 'NOT_ENROLLED' | 'NOT_REQUIRED' | 'UNKNOWN'

/** Why access is refused. */
export type AccessReason =
  | { readonly kind: 'NotPublished'; readonly status: string }
  | { readonly kind: 'PasswordRequired' }
  | { readonly kind: 'CourseNotStarted'; readonly availableAt: string }
  | { readonly kind: 'CourseEnded'; readonly since: string }
  | { readonly kind: 'NotEnrolled' }
  | {
      readonly kind: 'PrerequisitesMissing'
      readonly compare: 'ANY' | 'ALL'
      readonly missingIds: readonly number[]
      readonly completedIds: readonly number[]
    }
  | { readonly kind: 'Expired'; readonly since: string }
  | { readonly kind: 'NotYetReleased'; readonly availableAt: string | null }
  | { readonly kind: 'PreviousLessonIncomplete'; readonly lessonId: number }

export type AccessRule =
  | 'STATUS'
  | 'PASSWORD'
  | 'COURSE_DATES'
  | 'ENROLMENT'
  | 'PREREQUISITES'
  | 'POINTS'
  | 'EXPIRY'
  | 'RELEASE'
  | 'PROGRESSION'

/** What would decide a rule, and is not known. */
export type MissingFact =
  | 'LEARNER'
  | 'COURSE_OF_LESSON'
  | 'COURSE'
  | 'PRICE_TYPE'
  | 'PROGRESS'
  | 'PREREQUISITE'
  | 'ENROLMENT_DATE'
  | 'POINTS_AWARDED_BY_HAND'
  | 'TIME_ZONE'
  | 'LESSON_ORDER'
  | 'COMPLETED_STEPS'
  | 'STATUS'
  | 'SITE_BEHAVIOR'

/** A rule that could not be decided. */
export interface AccessUnknown {
  readonly rule: AccessRule
  readonly missing: MissingFact
  /** An estimate. */
  readonly availableAt: string | null
  /** An estimate. */
  readonly expiresAt: string | null
  /** The least number of points that the learner has earned. */
  readonly points: number | null
  readonly pointsNeeded: number | null
}

type Unknown = Omit<AccessUnknown, 'rule'>

/** What one rule says. A rule that neither refuses nor is unknown allows. A rule may refuse and lack the time until which it does. */
export interface Verdict {
  readonly reasons: readonly AccessReason[]
  readonly unknown: Unknown | null
  /** The exact time at which the rule ends access, or ended it. */
  readonly expiresAt: string | null
}

/** Judges one rule. */
export type Judge = (question: Question, enrolment: EnrolmentState) => Verdict

export const ALLOWS: Verdict = { reasons: [], unknown: null, expiresAt: null }

export const refuses = (...reasons: readonly AccessReason[]): Verdict => ({ ...ALLOWS, reasons })

/** The verdict of a rule that could not be decided, with the estimates that are known. */
export const lacks = (missing: MissingFact, estimates: Partial<Unknown> = {}): Verdict => ({
  ...ALLOWS,
  unknown: { availableAt: null, expiresAt: null, points: null, pointsNeeded: null, ...estimates, missing },
})

export const isAllowed = ({ reasons, unknown }: Verdict): boolean => reasons.length === 0 && unknown === null

/** The latest of some moments as texts, all in the form of `momentText`. */
export const latest = (moments: readonly (string | null)[]): string | null => inOrder(moments).at(-1) ?? null

/** The earliest of some moments as texts, all in the form of `momentText`. */
export const earliest = (moments: readonly (string | null)[]): string | null => inOrder(moments)[0] ?? null

const inOrder = (moments: readonly (string | null)[]): string[] => moments.filter((moment) => moment !== null).sort()

/** The exact time at which a reason no longer holds. */
export const endOf = (reason: AccessReason): string | null => ('availableAt' in reason ? reason.availableAt : null)

/** A verdict whose refusal is not certain, because a fact is missing. The times of the refusal become estimates. */
export function withoutRefusal(verdict: Verdict, missing: MissingFact): Verdict {
  const { reasons, unknown, expiresAt } = verdict
  if (reasons.length === 0) return verdict
  const availableAt = latest([...reasons.map(endOf), unknown?.availableAt ?? null])
  const ended = earliest(reasons.map((reason) => ('since' in reason ? reason.since : null)))
  return { ...lacks(missing, { availableAt, expiresAt: ended }), expiresAt }
}
