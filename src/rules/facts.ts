/** Stands for a value that the caller may not read. */
export const UNREADABLE = 'unreadable'

/** A value, or that the caller may not read it. */
export type Fact<T> = T | typeof UNREADABLE

/** The user of the question: an id, a visitor who is not signed in, or null when the gateway does not know the user. */
export type Learner = number | 'visitor' | null

/** The settings of a site that its interface does not send. */
export interface SiteFacts {
  readonly timeZone: string | null
  readonly openProgression: 'enforced' | 'ignored' | 'unknown'
  readonly missingPrerequisites: 'ignored' | 'required' | 'unknown'
  readonly bypassingUsers: readonly number[]
}

/** A course. Moments are texts such as `2026-11-20T18:12:23Z`. */
export interface CourseFacts {
  readonly databaseId: number
  readonly status: string | null
  readonly contentProtected: boolean | null
  readonly priceTypeSlug: string | null
  readonly price: string | null
  readonly prerequisiteEnabled: boolean | null
  readonly prerequisiteIds: readonly number[]
  readonly prerequisiteCompare: 'ANY' | 'ALL' | null
  readonly pointsEnabled: boolean | null
  readonly pointsAccess: number | null
  readonly disableLessonProgression: boolean | null
  readonly expireAccess: boolean | null
  readonly expireAccessDays: number | null
  readonly startDate: string | null
  readonly endDate: string | null
}

export interface LessonFacts {
  readonly databaseId: number
  readonly status: string | null
  readonly contentProtected: boolean | null
  readonly isSample: boolean | null
  readonly visibleAfter: number | null
  /** A date such as `2026-11-20`, in the time zone of the site. */
  readonly visibleAfterSpecificDate: string | null
  /** The same as a moment, on sites that send one. */
  readonly visibleAfterSpecificTime: string | null
}

/** The progress of the learner in a course. */
export interface ProgressFacts {
  readonly status: 'NOT_STARTED' | 'IN_PROGRESS' | 'COMPLETED' | null
  readonly lastStepId: number | null
  readonly stepsCompleted: number | null
  readonly stepsTotal: number | null
  /** A local time such as `2026-11-20T13:12:23`, in the time zone of the site. */
  readonly dateStarted: string | null
  /** A moment. Null when the site does not send it. */
  readonly enrolledAt: string | null
}

export interface PrerequisiteFacts {
  readonly databaseId: number
  readonly exists: Fact<boolean>
  /** Null when the learner has none. */
  readonly progress: Fact<ProgressFacts | null>
}

/** What is known of a learner in a course. */
export interface CourseQuestion {
  readonly site: SiteFacts
  /** The time, in milliseconds since 1970. */
  readonly now: number
  readonly learner: Learner
  readonly course: CourseFacts
  /** Null when the learner has none. */
  readonly progress: Fact<ProgressFacts | null>
  /** Null when the course is not among those of the learner. Undefined when the site does not list them, or the course needs no enrolment. */
  readonly enrolment?: Fact<Pick<ProgressFacts, 'enrolledAt'> | null> | undefined
  /** One for each of `course.prerequisiteIds`. Read only when prerequisites are enabled. */
  readonly prerequisites: readonly PrerequisiteFacts[]
  /** Points that the learner's completed courses award. */
  readonly earnedPoints: Fact<number>
}

/** What is known of a learner in a lesson of a course. */
export interface LessonQuestion extends Omit<CourseQuestion, 'course'> {
  readonly lesson: LessonFacts
  /** Null when the course of the lesson is not known. */
  readonly course: Fact<CourseFacts> | null
  /** Ids of the lessons of the course, in its order. */
  readonly lessonIds: Fact<readonly number[]>
  /** Ids of the steps that the learner has completed. Null when the site does not tell. */
  readonly completedStepIds: Fact<readonly number[]> | null
  /** Whether the learner read the lesson with credentials of their own. */
  readonly isOwnRead: boolean
}
