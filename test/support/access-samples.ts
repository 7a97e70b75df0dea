import type { Login } from '../lms/world.js'

/** Access of a demo user to a course or a lesson of the sample school, when everything is known of them. */
export interface AccessSample {
  readonly what: string
  readonly course: number
  readonly lesson?: number
  readonly login: Exclude<Login, 'admin'>
  /** Kinds of the reasons. None: the user may open it. `PointsMissing` is a rule that cannot be decided without points awarded by hand. */
  readonly reasons: readonly string[]
}

const [FREE, PAID, PAID_NOTHING, SUBSCRIPTION, CLOSED] = [10_012, 10_062, 10_038, 10_082, 10_104] as const
const [OPEN, COMPLETED, IN_ORDER] = [10_016, 10_072, 10_061] as const

const may = (what: string, login: AccessSample['login'], course: number, lesson?: number): AccessSample => ({
  what,
  course,
  ...(lesson !== undefined && { lesson }),
  login,
  reasons: [],
})

const mayNot = (reasons: readonly string[], ...sample: Parameters<typeof may>): AccessSample => ({ ...may(...sample), reasons })

/** The access of demo users that the sample school is made to show. */
export const ACCESS_SAMPLES: readonly AccessSample[] = [
  may('open, not begun', 'learner', OPEN),
  may('open, by a newcomer', 'newcomer', OPEN),
  may('open, by a visitor', 'anonymous', OPEN),
  may('open, begun', 'learner', 10_025),
  mayNot(['NotEnrolled'], 'free, not enrolled', 'learner', FREE),
  mayNot(['NotEnrolled'], 'free, by a visitor', 'anonymous', FREE),
  mayNot(['NotEnrolled'], 'sold', 'learner', PAID),
  may('sold without a price', 'newcomer', PAID_NOTHING),
  mayNot(['NotEnrolled'], 'by subscription', 'learner', SUBSCRIPTION),
  mayNot(['NotEnrolled'], 'closed', 'learner', CLOSED),
  may('by subscription, enrolled', 'learner', 10_009),
  may('closed, enrolled, with its prerequisite', 'learner', IN_ORDER),
  mayNot(['NotEnrolled', 'PrerequisitesMissing'], 'closed, without its prerequisite', 'newcomer', IN_ORDER),
  mayNot(['PrerequisitesMissing'], 'a cycle of prerequisites', 'learner', 10_002),
  mayNot(['PrerequisitesMissing'], 'one of two prerequisites', 'learner', 10_021),
  mayNot(['PrerequisitesMissing'], 'none of two prerequisites', 'learner', 10_036),
  may('a prerequisite that does not exist', 'newcomer', 10_105),
  mayNot(['PrerequisitesMissing'], 'prerequisites, one of which does not exist', 'learner', 10_004),
  mayNot(['PointsMissing'], 'more points', 'learner', 10_095),
  mayNot(['PrerequisitesMissing', 'PointsMissing'], 'prerequisites and points', 'newcomer', 10_095),
  mayNot(['Expired'], 'expired', 'learner', 10_023),
  may('not expired', 'learner', COMPLETED),
  mayNot(['CourseNotStarted'], 'starts in the future', 'learner', 10_041),
  mayNot(['CourseEnded'], 'ended', 'learner', 10_073),
  mayNot(['CourseEnded', 'NotEnrolled'], 'ended, not enrolled', 'newcomer', 10_073),
  may('released on a day in the past', 'learner', COMPLETED, 100_636),
  may('released days after enrolment', 'learner', COMPLETED, 100_637),
  mayNot(['NotYetReleased'], 'not released by days', 'learner', COMPLETED, 100_638),
  mayNot(['NotYetReleased'], 'not released by date', 'learner', COMPLETED, 100_639),
  mayNot(['NotEnrolled'], 'not released, not enrolled', 'newcomer', COMPLETED, 100_638),
  may('completed lesson', 'learner', IN_ORDER, 100_555),
  may('the next lesson', 'learner', IN_ORDER, 100_556),
  mayNot(['PreviousLessonIncomplete'], 'the lesson after the next', 'learner', IN_ORDER, 100_557),
  may('a sample', 'newcomer', PAID, 100_561),
  mayNot(['NotEnrolled'], 'no sample', 'newcomer', PAID, 100_562),
]
