import type { Access, AccessReason, AccessUnknown } from '../../src/rules/access.js'
import {
  type CourseFacts,
  type CourseQuestion,
  type LessonFacts,
  type LessonQuestion,
  type ProgressFacts,
  type SiteFacts,
  UNREADABLE,
} from '../../src/rules/facts.js'

/** The moment at which the cases ask, unless they say another. */
export const NOW = '2026-11-20T12:00:00Z'

export const LEARNER = 7
export const LESSON = 12

const SITE: SiteFacts = { timeZone: 'Europe/Berlin', openProgression: 'ignored', missingPrerequisites: 'ignored', bypassingUsers: [] }

const COURSE: CourseFacts = {
  databaseId: 1,
  status: 'publish',
  contentProtected: false,
  priceTypeSlug: 'closed',
  price: '',
  prerequisiteEnabled: false,
  prerequisiteIds: [],
  prerequisiteCompare: null,
  pointsEnabled: false,
  pointsAccess: null,
  disableLessonProgression: false,
  expireAccess: false,
  expireAccessDays: null,
  startDate: null,
  endDate: null,
}

const ROW: ProgressFacts = {
  status: 'IN_PROGRESS',
  lastStepId: 11,
  stepsCompleted: 1,
  stepsTotal: 4,
  dateStarted: '2026-11-01T10:00:00',
  enrolledAt: null,
}

const LESSON_FACTS: LessonFacts = {
  databaseId: LESSON,
  status: 'publish',
  contentProtected: false,
  isSample: false,
  visibleAfter: null,
  visibleAfterSpecificDate: null,
  visibleAfterSpecificTime: null,
}

/** A row of progress of a learner who has completed the first lesson. */
export const row = (changes: Partial<ProgressFacts> = {}): ProgressFacts => ({ ...ROW, ...changes })

export const COMPLETED = row({ status: 'COMPLETED', stepsCompleted: 4 })
export const NOT_STARTED = row({ status: 'NOT_STARTED', lastStepId: null, stepsCompleted: 0, dateStarted: null })

/** A published course that is closed, without further conditions. */
export const course = (changes: Partial<CourseFacts> = {}): CourseFacts => ({ ...COURSE, ...changes })

export const visitor = { learner: 'visitor', progress: null } as const
export const nobody = { learner: null, progress: UNREADABLE, earnedPoints: UNREADABLE } as const
export const openTo = (learner: number) => ({ bypassingUsers: [learner] })

type Changes<Question, Parts extends keyof Question> = Partial<Omit<Question, 'now' | Parts>> & { readonly now?: string }

export type CourseChanges = Changes<CourseQuestion, 'site' | 'course'> & {
  readonly site?: Partial<SiteFacts>
  readonly course?: Partial<CourseFacts>
}

export type LessonChanges = Changes<LessonQuestion, 'site' | 'course' | 'lesson'> & {
  readonly site?: Partial<SiteFacts>
  readonly course?: Partial<CourseFacts> | typeof UNREADABLE | null
  readonly lesson?: Partial<LessonFacts>
}

/** The question of an enrolled learner, with changes. */
export function aboutCourse(changes: CourseChanges = {}): CourseQuestion {
  const common = { learner: LEARNER, progress: row(), prerequisites: [], earnedPoints: 0, ...changes }
  return { ...common, now: Date.parse(changes.now ?? NOW), site: { ...SITE, ...changes.site }, course: course(changes.course) }
}

/** The question of an enrolled learner about the second of four lessons, with changes. */
export function aboutLesson(changes: LessonChanges = {}): LessonQuestion {
  const { course: courseChanges, ...others } = changes
  const order = { lessonIds: [11, 12, 13, 14], completedStepIds: null, isOwnRead: false }
  return {
    ...order,
    ...others,
    ...aboutCourse({ ...others, site: others.site ?? {} } as CourseChanges),
    course: typeof courseChanges === 'string' || courseChanges === null ? courseChanges : course(courseChanges),
    lesson: { ...LESSON_FACTS, ...changes.lesson },
  }
}

type More = Partial<Access>

export const available = (more: More = {}): Access => ({
  state: 'AVAILABLE',
  enrolment: 'ENROLLED',
  reasons: [],
  availableAt: null,
  expiresAt: null,
  unknowns: [],
  ...more,
})

export const locked = (reasons: AccessReason | readonly AccessReason[], more: More = {}): Access =>
  available({ state: 'LOCKED', reasons: [reasons].flat() as readonly AccessReason[], ...more })

export const undecided = (unknowns: AccessUnknown | readonly AccessUnknown[], more: More = {}): Access =>
  available({ state: 'UNKNOWN', unknowns: [unknowns].flat() as readonly AccessUnknown[], ...more })

/** A rule that could not be decided, with the estimates that are known. */
export const lack = (
  rule: AccessUnknown['rule'],
  missing: AccessUnknown['missing'],
  estimates: Partial<Omit<AccessUnknown, 'rule' | 'missing'>> = {},
): AccessUnknown => ({ rule, missing, availableAt: null, expiresAt: null, points: null, pointsNeeded: null, ...estimates })

export const NOT_ENROLLED = { enrolment: 'NOT_ENROLLED' } as const
export const NOT_REQUIRED = { enrolment: 'NOT_REQUIRED' } as const
export const UNKNOWN = { enrolment: 'UNKNOWN' } as const
export const NotEnrolled: AccessReason = { kind: 'NotEnrolled' }
