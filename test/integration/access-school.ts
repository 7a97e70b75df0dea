import Database from 'libsql'
import { DEMO_USERS, SAMPLES, startLms } from '../../src/lms/index.js'
import { DAY, type World } from '../rules/worlds.js'
import { asText, localTime } from '../rules/zones.js'
import { ENROLLED_FOR, MISSING, PLANS, type Plan, STATES, type State } from './access-plans.js'

/** The time zone of the embedded LMS. */
export const ZONE = 'Europe/Berlin'

const [, , LEARNER, NEWCOMER] = DEMO_USERS
/** The demo learners and four pupils. */
export const USERS: readonly number[] = [LEARNER!.id, NEWCOMER!.id, ...[2, 3, 4, 5].map((place) => SAMPLES.oneRowUser + place)]

/** Where a course of a plan is in the LMS. */
export interface Placed {
  readonly plan: Plan
  readonly id: number
  /** Its lessons, in their order. */
  readonly lessons: readonly number[]
  readonly steps: number
  readonly quiz: number
}

/** How the LMS behaves, and which dates it sends. */
export interface Behavior {
  readonly openProgression: 'enforced' | 'ignored'
  readonly sendsCourseDates: boolean
  /** Whether lessons with even ids are released at a time, noon of their day in UTC. */
  readonly releasesAtNoon: boolean
}

/** How far a user is in the course of a plan. Every user is in every state, in one course or another. */
const stateOf = (user: number, place: number): State => STATES[(USERS.indexOf(user) + place) % STATES.length]!

const STATUS_OF = {
  OUTSIDE: null,
  ENROLLED: 'NOT_STARTED',
  BEGUN: 'IN_PROGRESS',
  AT_A_QUIZ: 'IN_PROGRESS',
  COMPLETED: 'COMPLETED',
  ENROLLED_LONG_AGO: 'IN_PROGRESS',
} as const
const COMPLETED_LESSONS: Readonly<Record<State, number>> = {
  OUTSIDE: 0,
  ENROLLED: 0,
  BEGUN: 2,
  AT_A_QUIZ: 2,
  COMPLETED: Infinity,
  ENROLLED_LONG_AGO: 1,
}

/** The sample school with the settings of the plans in some of its courses, and how far the users are in them. */
export class AccessSchool {
  readonly #start = Math.floor(Date.now() / 1000) * 1000

  private constructor(
    readonly behavior: Behavior,
    readonly courses: readonly Placed[],
  ) {}

  /** Fills a data file. */
  static async make(file: string, behavior: Behavior): Promise<AccessSchool> {
    await (await startLms({ data: file })).close()
    const db = new Database(file)
    const school = new AccessSchool(behavior, place(db))
    db.exec('BEGIN')
    for (const user of USERS) {
      db.prepare('DELETE FROM progress WHERE user = ?').run(user)
      db.prepare('DELETE FROM group_users WHERE user = ?').run(user)
    }
    for (const [index, course] of school.courses.entries()) school.#fill(db, course, index)
    db.exec('COMMIT')
    db.close()
    return school
  }

  /** Writes the settings of a course and its lessons, and the progress of all users. */
  #fill(db: Database.Database, placed: Placed, index: number): void {
    const { course } = this.world(index, null, USERS[0]!)
    const seconds = (text: string | null): number | null => (text === null ? null : Date.parse(text) / 1000)
    set(db, 'courses', placed.id, {
      status: course.status,
      password: course.contentProtected ? SAMPLES.password : '',
      price_type: course.priceTypeSlug,
      price: course.price ?? '',
      prerequisite_enabled: course.prerequisiteEnabled ? 1 : 0,
      prerequisites: JSON.stringify(course.prerequisiteIds),
      prerequisite_compare: course.prerequisiteCompare ?? 'ANY',
      points_enabled: course.pointsEnabled || placed.plan.points ? 1 : 0,
      points: placed.plan.points ?? null,
      points_access: course.pointsAccess,
      progression_disabled: course.disableLessonProgression ? 1 : 0,
      expire_access: course.expireAccess ? 1 : 0,
      expire_access_days: course.expireAccessDays,
      start_date: seconds(course.startDate),
      end_date: seconds(course.endDate),
    })
    for (const id of placed.lessons) {
      const lesson = this.world(index, id, USERS[0]!).lesson!
      set(db, 'lessons', id, {
        status: lesson.status,
        password: lesson.contentProtected ? SAMPLES.password : '',
        is_sample: lesson.isSample ? 1 : 0,
        visible_type: lesson.visibleAfter ? 'visible_after' : lesson.visibleAfterSpecificDate ? 'visible_after_specific_date' : '',
        visible_after: lesson.visibleAfter ?? 0,
        visible_after_specific_date: lesson.visibleAfterSpecificDate ?? '',
      })
    }
    for (const user of USERS) this.#enrol(db, placed, index, user)
  }

  #enrol(db: Database.Database, placed: Placed, index: number, user: number): void {
    const { learner } = this.world(index, null, user)
    const status = STATUS_OF[stateOf(user, index)]
    if (learner.enrolledAt === null || status === null) return
    const isDone = status === 'COMPLETED'
    const quizzes = learner.lastStepId === placed.quiz ? 1 : 0
    const row = {
      user,
      course: placed.id,
      status: status.toLowerCase(),
      last_step: learner.lastStepId ?? 0,
      steps_completed: isDone ? placed.steps : learner.completed.length + quizzes,
      steps_total: placed.steps,
      date_started: learner.startedAt === null ? null : localTime(learner.startedAt, ZONE),
      date_completed: isDone ? localTime(learner.startedAt! + DAY, ZONE) : null,
      enrolled_at: learner.enrolledAt / 1000,
    }
    const names = Object.keys(row)
    db.prepare(`INSERT INTO progress (${names}) VALUES (${names.map(() => '?')})`).run(...Object.values(row))
  }

  /** The truth of a course, or a lesson of it, for a user. */
  world(index: number, lessonId: number | null, user: number): World {
    const { plan, id, lessons, quiz } = this.courses[index]!
    const state = stateOf(user, index)
    const days = ENROLLED_FOR[state]
    const order = lessons.filter((_, place) => (plan.lessons?.[place]?.status ?? 'publish') === 'publish')
    const completed = order.slice(0, COMPLETED_LESSONS[state])
    const enrolledAt = days === null ? null : this.#start - days * DAY
    const moment = (inDays: number | undefined): string | null =>
      inDays === undefined || !this.behavior.sendsCourseDates ? null : asText(this.#start + inDays * DAY)
    const prerequisiteIds = (plan.prerequisites ?? []).map((one) => (one === 'missing' ? MISSING : this.courses[one]!.id))
    return {
      now: Date.now(),
      site: {
        timeZone: ZONE,
        openProgression: this.behavior.openProgression,
        missingPrerequisites: 'ignored',
        bypassingUsers: [],
        samplesFollowRules: true,
        samplesSkipOrder: true,
        releasesHideFromVisitors: false,
        draftsCloseLessons: true,
        completedLessonsStayOpen: false,
      },
      course: {
        databaseId: id,
        status: 'publish',
        contentProtected: false,
        priceTypeSlug: 'closed',
        price: null,
        prerequisiteEnabled: false,
        prerequisiteIds,
        prerequisiteCompare: 'ANY',
        pointsEnabled: false,
        pointsAccess: null,
        disableLessonProgression: false,
        expireAccess: false,
        expireAccessDays: null,
        startDate: moment(plan.starts),
        endDate: moment(plan.ends),
        ...plan.course,
      },
      otherTypeNeedsEnrolment: true,
      lesson: lessonId === null ? null : this.#lesson(lessonId, plan.lessons?.[lessons.indexOf(lessonId)] ?? {}),
      order,
      learner: {
        id: user,
        enrolledAt,
        startedAt: enrolledAt === null || completed.length === 0 ? null : enrolledAt + DAY,
        completed,
        lastStepId: state === 'AT_A_QUIZ' ? quiz : (completed.at(-1) ?? null),
        coursePoints: PLANS.reduce((sum, { points = 0 }, place) => sum + (stateOf(user, place) === 'COMPLETED' ? points : 0), 0),
        pointsByHand: 0,
      },
      prerequisites: prerequisiteIds.map((one) => {
        const place = this.courses.findIndex((course) => course.id === one)
        return { id: one, exists: place >= 0, status: place < 0 ? null : STATUS_OF[stateOf(user, place)] }
      }),
    }
  }

  #lesson(id: number, settings: Partial<NonNullable<World['lesson']>>): NonNullable<World['lesson']> {
    const lesson = { ...OPEN_LESSON, databaseId: id, ...settings }
    const day = lesson.visibleAfterSpecificDate
    const isTimed = this.behavior.releasesAtNoon && id % 2 === 0 && day !== null
    return isTimed ? { ...lesson, visibleAfterSpecificTime: `${day}T12:00:00Z` } : lesson
  }
}

const OPEN_LESSON: NonNullable<World['lesson']> = {
  databaseId: 0,
  status: 'publish',
  contentProtected: false,
  isSample: false,
  visibleAfter: null,
  visibleAfterSpecificDate: null,
  visibleAfterSpecificTime: null,
}

const set = (db: Database.Database, table: string, id: number, columns: Readonly<Record<string, unknown>>): void => {
  const names = Object.keys(columns)
  db.prepare(`UPDATE ${table} SET ${names.map((name) => `${name} = ?`)} WHERE id = ?`).run(...Object.values(columns), id)
}

/** Courses with four to nine lessons that belong to them alone. */
const ROOMY = `
  SELECT s.course, count(*) AS steps, json_group_array(s.step ORDER BY s.position) FILTER (WHERE s.kind = 'lesson') AS lessons
  FROM course_steps s JOIN courses c ON c.id = s.course
  WHERE c.status = 'publish' AND s.course NOT IN (SELECT value FROM json_each(?))
  GROUP BY s.course HAVING count(*) FILTER (WHERE s.kind = 'lesson') BETWEEN 4 AND 9 ORDER BY s.course LIMIT ?`

/** Puts each plan into a course of the sample school. */
function place(db: Database.Database): Placed[] {
  const rows = db.prepare(ROOMY).all(JSON.stringify(SAMPLES.sharedCourses), PLANS.length) as {
    course: number
    steps: number
    lessons: string
  }[]
  return rows.map(({ course, steps, lessons }, index) => {
    const ids = JSON.parse(lessons) as number[]
    const below = db.prepare("SELECT step FROM course_steps WHERE course = ? AND kind = 'quiz' AND lesson = ?").get(course, ids[1]) as {
      step: number
    }
    return { plan: PLANS[index]!, id: course, lessons: ids, steps, quiz: below.step }
  })
}
