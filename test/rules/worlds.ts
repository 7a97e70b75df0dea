import type { CourseFacts, LessonFacts } from '../../src/rules/facts.js'
import type { Random } from '../support/random.js'
import { asText, firstMomentOf } from './zones.js'

export const DAY = 86_400_000
const HOUR = DAY / 24

/** What is true of a learner, a course, and a lesson of it, whether or not anyone can read it. */
export interface World {
  now: number
  site: {
    timeZone: string
    openProgression: 'enforced' | 'ignored'
    missingPrerequisites: 'ignored' | 'required'
    bypassingUsers: number[]
    /** Whether a sample lesson is subject to the other rules for people without an enrolment. */
    samplesFollowRules: boolean
    /** Whether a sample lesson can be read before the lessons in front of it. */
    samplesSkipOrder: boolean
    /** Whether visitors read no lesson with a release, also after it. */
    releasesHideFromVisitors: boolean
    /** Whether lessons of a course that is not published are closed. */
    draftsCloseLessons: boolean
    /** Whether a completed lesson stays open when an earlier one is not completed. */
    completedLessonsStayOpen: boolean
  }
  course: { -readonly [Key in keyof CourseFacts]: CourseFacts[Key] }
  /** Whether a course needs an enrolment whose price type no specification names. */
  otherTypeNeedsEnrolment: boolean
  /** Null in questions about the course. */
  lesson: { -readonly [Key in keyof LessonFacts]: LessonFacts[Key] } | null
  order: number[]
  learner: {
    id: number
    /** Null when the learner is not enrolled. */
    enrolledAt: number | null
    startedAt: number | null
    /** Completed lessons. */
    completed: number[]
    /** The completed step that is sent as the last one: a lesson, or a topic of one. */
    lastStepId: number | null
    coursePoints: number
    pointsByHand: number
  }
  prerequisites: { id: number; exists: boolean; status: 'COMPLETED' | 'IN_PROGRESS' | 'NOT_STARTED' | null }[]
}

export const ZONES = [
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Etc/GMT+12',
  'Africa/Cairo',
  'America/Havana',
  '+05:30',
  '-03:00',
] as const

/** Days that begin at one o'clock, and days with two midnights. */
const MIDNIGHTS = [
  ['Africa/Cairo', '2026-04-24'],
  ['America/Havana', '2026-03-08'],
  ['America/Havana', '2026-11-01'],
] as const

const ORDER = [501, 502, 503, 504, 505]
/** A topic: a step of the course that is no lesson. */
const TOPIC = 9001

/** A world in which nothing refuses. */
export function openWorld(random: Random, about: 'COURSE' | 'LESSON'): World {
  const now = random.pick(['2026-11-20T12:00:00Z', '2026-04-24T06:00:00Z', '2026-11-01T05:30:00Z', '2027-02-28T23:59:59Z'].map(Date.parse))
  const enrolledAt = now - random.int(10, 40) * DAY - random.int(0, 86_399) * 1000
  const count = random.int(0, 4)
  return {
    now,
    site: {
      timeZone: random.pick(ZONES),
      openProgression: random.pick(['enforced', 'ignored']),
      missingPrerequisites: random.pick(['ignored', 'required']),
      bypassingUsers: [],
      samplesFollowRules: random.chance(0.5),
      samplesSkipOrder: random.chance(0.5),
      releasesHideFromVisitors: random.chance(0.5),
      draftsCloseLessons: random.chance(0.5),
      completedLessonsStayOpen: random.chance(0.5),
    },
    course: {
      databaseId: 40,
      status: 'publish',
      contentProtected: random.pick([false, null]),
      priceTypeSlug: random.pick(['closed', 'free', 'subscribe', 'paynow']),
      price: random.pick(['20', '0.50']),
      prerequisiteEnabled: random.pick([false, null]),
      prerequisiteIds: [],
      prerequisiteCompare: null,
      pointsEnabled: random.pick([false, null]),
      pointsAccess: random.pick([null, 0, 5]),
      disableLessonProgression: random.pick([false, null, true]),
      expireAccess: random.pick([false, null]),
      expireAccessDays: random.pick([null, 0, 3]),
      startDate: null,
      endDate: null,
    },
    otherTypeNeedsEnrolment: random.chance(0.5),
    lesson:
      about === 'COURSE'
        ? null
        : {
            databaseId: ORDER[random.int(0, count)]!,
            status: 'publish',
            contentProtected: random.pick([false, null]),
            isSample: random.pick([false, null]),
            visibleAfter: random.pick([null, 0]),
            visibleAfterSpecificDate: null,
            visibleAfterSpecificTime: null,
          },
    order: ORDER,
    learner: {
      id: 7,
      enrolledAt,
      startedAt: count > 0 || random.chance(0.3) ? Math.floor(enrolledAt / DAY) * DAY + random.int(1, 6) * DAY + 39_723_000 : null,
      completed: ORDER.slice(0, count),
      lastStepId: count === 0 ? random.pick([null, null, TOPIC]) : random.pick([ORDER[count - 1]!, ORDER[count - 1]!, TOPIC, null]),
      coursePoints: random.int(0, 8),
      pointsByHand: 0,
    },
    prerequisites: [],
  }
}

/** A moment close to now: in the past, in the future, or now to the second. */
const near = (random: Random, now: number): number =>
  now + random.pick([0, -1000, 1000, -3 * DAY, 3 * DAY, random.int(-200_000, 200_000) * 1000])

function leave(world: World): void {
  world.learner = { ...world.learner, enrolledAt: null, startedAt: null, completed: [], lastStepId: null }
}

function setPrerequisites(world: World, random: Random): void {
  const { course } = world
  course.prerequisiteEnabled = true
  course.prerequisiteIds = random.some([41, 42, 43, 40], random.int(1, 3))
  course.prerequisiteCompare = random.pick(['ALL', 'ANY', null])
  const completes = random.chance(0.5) ? 0.9 : 0.3
  world.prerequisites = course.prerequisiteIds.map((id) => {
    const exists = id === 40 || random.chance(0.75)
    const other = random.pick([null, 'NOT_STARTED', 'IN_PROGRESS'] as const)
    return { id, exists, status: exists && random.chance(completes) ? 'COMPLETED' : exists ? other : null }
  })
}

/** Changes of a world, each about one rule. They may refuse, or come close to it. */
export const CHANGES: Readonly<Record<string, (world: World, random: Random) => void>> = {
  status: ({ course, lesson }, random) => {
    const subject = lesson && random.chance(0.6) ? lesson : course
    subject.status = random.pick(['draft', 'private', 'pending'])
  },
  password: ({ course, lesson }, random) => {
    const subject = lesson && random.chance(0.7) ? lesson : course
    subject.contentProtected = true
  },
  start: ({ course, now }, random) => {
    course.startDate = asText(near(random, now))
  },
  end: ({ course, now }, random) => {
    course.endDate = asText(near(random, now))
  },
  open: (world, random) => {
    const isOpen = random.chance(0.7)
    world.course.priceTypeSlug = isOpen ? 'open' : 'paynow'
    world.course.price = random.pick(['', '0', ' 0 '])
    if (random.chance(0.5)) {
      const { startedAt, completed, lastStepId } = world.learner
      leave(world)
      if (random.chance(0.5)) world.learner = { ...world.learner, startedAt, completed, lastStepId }
    }
  },
  otherType: (world, random) => {
    world.course.priceTypeSlug = random.pick([null, 'membership'])
    world.course.price = random.pick([null, '20'])
    const { enrolledAt, startedAt, completed, lastStepId } = world.learner
    if (enrolledAt !== null && random.chance(0.5)) return
    leave(world)
    // Without an enrolment, learners are active only in a course that needs none.
    if (!world.otherTypeNeedsEnrolment && random.chance(0.5)) world.learner = { ...world.learner, startedAt, completed, lastStepId }
  },
  leave: (world) => leave(world),
  prerequisites: setPrerequisites,
  points: ({ course, learner }, random) => {
    course.pointsEnabled = true
    course.pointsAccess = random.pick([5, 7.5])
    learner.pointsByHand = random.pick([0, 3, 10])
  },
  expiry: (world, random) => {
    const { course, learner, now } = world
    course.expireAccess = true
    course.expireAccessDays = random.int(1, 60)
    // The enrolment ends now, to the second.
    if (learner.enrolledAt !== null && random.chance(0.2)) learner.enrolledAt = now - course.expireAccessDays * DAY + random.pick([0, 1000])
  },
  days: (world, random) => {
    const { lesson, learner, now } = world
    if (!lesson) return
    lesson.visibleAfter = random.int(1, 60)
    if (learner.enrolledAt !== null && random.chance(0.2)) learner.enrolledAt = now - lesson.visibleAfter * DAY + random.pick([0, 1000])
    if (random.chance(0.2)) lesson.visibleAfterSpecificDate = asText(near(random, now)).slice(0, 10)
  },
  date: (world, random) => {
    const day = asText(world.now).slice(0, 10)
    if (world.lesson) world.lesson.visibleAfterSpecificDate = day
    // The day begins up to 14 hours before it does in UTC, and up to 12 after.
    const hours = random.pick([-14, 12, random.int(-18, 18), random.int(-60, 60)])
    world.now = Date.parse(`${day}T00:00:00Z`) + hours * HOUR + random.pick([0, 0, -1000])
  },
  midnight: (world, random) => {
    const [zone, day] = random.pick(MIDNIGHTS)
    world.site.timeZone = zone
    world.now = firstMomentOf(day, zone) + random.pick([-1000, 0, -HOUR, HOUR / 2])
    if (world.lesson) world.lesson.visibleAfterSpecificDate = day
  },
  order: (world, random) => {
    const { lesson, learner, course } = world
    course.disableLessonProgression = random.pick([false, null])
    if (!lesson) return
    lesson.databaseId = random.pick(ORDER)
    const areScattered = learner.startedAt !== null && random.chance(0.4)
    if (!areScattered) return
    learner.completed = random.some(ORDER, random.int(1, 4))
    learner.lastStepId = learner.completed.at(-1)!
  },
  all: ({ course, learner, now }) => {
    course.disableLessonProgression = false
    if (learner.enrolledAt === null && learner.startedAt === null) return
    learner.completed = [...ORDER]
    learner.lastStepId = 505
    learner.startedAt ??= now - DAY
  },
  none: ({ lesson, course, learner }, random) => {
    course.disableLessonProgression = false
    learner.completed = []
    learner.lastStepId = null
    if (lesson) lesson.databaseId = random.pick(ORDER)
  },
  sample: ({ lesson }) => {
    if (lesson) lesson.isSample = true
  },
  bypass: ({ site, learner }, random) => {
    site.bypassingUsers = random.pick([[1], [1, learner.id]])
  },
}
