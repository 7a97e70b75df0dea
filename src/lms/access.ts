import { type Access, type AccessReason, courseAccess, lessonAccess } from '../rules/access.js'
import type { CourseFacts, CourseQuestion, LessonFacts, PrerequisiteFacts, ProgressFacts } from '../rules/facts.js'
import type { Switches } from './profile/switches.js'
import { STEPS } from './spec/progress-step.js'
import type { Row, Store } from './store.js'
import { SITE_ZONE } from './time.js'

/** Why a user may not open a course or a lesson. */
export type Refusal = AccessReason | { readonly kind: 'PointsMissing'; readonly points: number; readonly pointsNeeded: number }

const COURSE = `SELECT status, price_type, price, prerequisite_enabled, prerequisites, prerequisite_compare, points_enabled, points_access,
  progression_disabled, expire_access, expire_access_days, start_date, end_date FROM courses WHERE id = ?`
const LESSON = 'SELECT status, is_sample, visible_after, visible_after_specific_date FROM lessons WHERE id = ?'
const PROGRESS =
  'SELECT status, last_step, steps_completed, steps_total, date_started, enrolled_at FROM progress WHERE user = ? AND course = ?'
/** Members of a group are enrolled in its courses since the date of the group. */
const ENROLLED_BY_GROUP = `
  SELECT min(unixepoch(g.date_gmt)) FROM group_users JOIN group_courses USING (group_id) JOIN groups g ON g.id = group_id
  WHERE user = ? AND course = ? GROUP BY user`
const EARNED_POINTS = `
  SELECT coalesce(sum(c.points), 0) FROM progress p JOIN courses c ON c.id = p.course
  WHERE p.user = ? AND p.status = 'completed' AND c.points_enabled`
const COURSES_OF_LESSON = "SELECT course FROM course_steps WHERE step = ? AND kind = 'lesson' ORDER BY course"
const LESSON_IDS = `
  SELECT s.step FROM course_steps s JOIN lessons l ON l.id = s.step
  WHERE s.course = ? AND s.kind = 'lesson' AND l.status = 'publish' ORDER BY s.position`
const COMPLETED_STEPS = `SELECT step FROM ${STEPS} WHERE step_status = 'completed'`

const STATUSES: Readonly<Record<string, ProgressFacts['status']>> = {
  not_started: 'NOT_STARTED',
  in_progress: 'IN_PROGRESS',
  completed: 'COMPLETED',
}

const numberOrNull = (cell: unknown): number | null => (cell === null ? null : Number(cell))
const textOrNull = (cell: unknown): string | null => (cell === null || cell === '' ? null : String(cell))

/** A moment in seconds since 1970 as a text. */
const momentOf = (seconds: unknown): string | null =>
  seconds === null ? null : new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z')

function courseFacts(databaseId: number, row: Row): CourseFacts {
  const [status, priceType, price, prerequisiteEnabled, prerequisites, compare, pointsEnabled, pointsAccess, ...others] = row
  const [progressionDisabled, expireAccess, expireAccessDays, start, end] = others
  return {
    databaseId,
    status: textOrNull(status),
    // Its page asks for the password.
    contentProtected: false,
    priceTypeSlug: textOrNull(priceType),
    price: textOrNull(price),
    prerequisiteEnabled: prerequisiteEnabled === 1,
    prerequisiteIds: JSON.parse(String(prerequisites)) as number[],
    prerequisiteCompare: compare === 'ALL' ? 'ALL' : 'ANY',
    pointsEnabled: pointsEnabled === 1,
    pointsAccess: numberOrNull(pointsAccess),
    disableLessonProgression: progressionDisabled === 1,
    expireAccess: expireAccess === 1,
    expireAccessDays: numberOrNull(expireAccessDays),
    startDate: momentOf(start ?? null),
    endDate: momentOf(end ?? null),
  }
}

const lessonFacts = (databaseId: number, [status, isSample, visibleAfter, visibleAfterSpecificDate]: Row): LessonFacts => ({
  databaseId,
  status: textOrNull(status),
  contentProtected: false,
  isSample: isSample === 1,
  visibleAfter: numberOrNull(visibleAfter),
  visibleAfterSpecificDate: textOrNull(visibleAfterSpecificDate),
  visibleAfterSpecificTime: null,
})

/** Applies the rules of access to the stored data. */
export class AccessRules {
  constructor(
    readonly store: Store,
    private readonly switches: Pick<Switches, 'openProgression'>,
  ) {}

  /** Why a user may not open a course. Null is a visitor. */
  ofCourse(user: number | null, id: number): readonly Refusal[] {
    const course = this.#course(id)
    return course === undefined ? [] : refusalsOf(courseAccess(this.#question(user, course)))
  }

  /** Why a user may not open a lesson: in none of its courses, or in the first of them. Null is a visitor. */
  ofLesson(user: number | null, id: number): readonly Refusal[] {
    const row = this.store.row(LESSON, id)
    if (row === undefined) return []
    const lesson = lessonFacts(id, row)
    const courses = this.store.rows(COURSES_OF_LESSON, id).flatMap(([course]) => this.#course(Number(course)) ?? [])
    const refusals = courses.map((course) => this.#refusalsInCourse(user, lesson, course))
    return refusals.some(({ length }) => length === 0) ? [] : (refusals[0] ?? [{ kind: 'NotEnrolled' }])
  }

  #refusalsInCourse(user: number | null, lesson: LessonFacts, course: CourseFacts): readonly Refusal[] {
    const ids = (sql: string, ...cells: readonly number[]): number[] => this.store.rows(sql, ...cells).map(([step]) => Number(step))
    const access = lessonAccess({
      ...this.#question(user, course),
      lesson,
      lessonIds: ids(LESSON_IDS, course.databaseId),
      completedStepIds: user === null ? [] : ids(COMPLETED_STEPS, user, course.databaseId),
      isOwnRead: false,
    })
    return refusalsOf(access)
  }

  #course(id: number): CourseFacts | undefined {
    const row = this.store.row(COURSE, id)
    return row && courseFacts(id, row)
  }

  #question(user: number | null, course: CourseFacts): CourseQuestion & { readonly course: CourseFacts } {
    return {
      site: {
        timeZone: SITE_ZONE,
        openProgression: this.switches.openProgression ? 'enforced' : 'ignored',
        missingPrerequisites: 'ignored',
        bypassingUsers: [],
      },
      now: Date.now(),
      learner: user ?? 'visitor',
      course,
      progress: user === null ? null : this.#progress(user, course.databaseId),
      prerequisites: user === null ? [] : course.prerequisiteIds.map((id) => this.#prerequisite(user, id)),
      earnedPoints: user === null ? 0 : Number(this.store.row(EARNED_POINTS, user)![0]),
    }
  }

  #prerequisite(user: number, databaseId: number): PrerequisiteFacts {
    return { databaseId, exists: this.#course(databaseId) !== undefined, progress: this.#progress(user, databaseId) }
  }

  #progress(user: number, course: number): ProgressFacts | null {
    const row = this.store.row(PROGRESS, user, course)
    if (row) {
      const [status, lastStep, stepsCompleted, stepsTotal, dateStarted, enrolledAt] = row
      return {
        status: STATUSES[String(status)] ?? null,
        lastStepId: Number(lastStep) || null,
        stepsCompleted: Number(stepsCompleted),
        stepsTotal: Number(stepsTotal),
        dateStarted: textOrNull(dateStarted),
        enrolledAt: momentOf(enrolledAt ?? null),
      }
    }
    const byGroup = this.store.row(ENROLLED_BY_GROUP, user, course)
    if (!byGroup) return null
    const begun = { lastStepId: null, stepsCompleted: 0, stepsTotal: null, dateStarted: null }
    return { status: 'NOT_STARTED', ...begun, enrolledAt: momentOf(byGroup[0] ?? null) }
  }
}

/** The reasons of the rules. Nobody has points besides those of courses, so missing points are known; what is left open is allowed. */
function refusalsOf({ reasons, unknowns }: Access): readonly Refusal[] {
  const missing = unknowns.flatMap(({ rule, points, pointsNeeded }): Refusal[] =>
    rule === 'POINTS' && points !== null && pointsNeeded !== null ? [{ kind: 'PointsMissing', points, pointsNeeded }] : [],
  )
  return [...reasons, ...missing]
}
